package witness

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/GameplanePanel/rehearsal/harness/save"
	"github.com/GameplanePanel/rehearsal/harness/save/tree"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

func newObserveCommand() *cobra.Command {
	var claims []string
	var limits tree.Limits
	command := &cobra.Command{
		Use:   "observe --claim ROLE=DIRECTORY...",
		Short: "Read the content of volumes",
		Long: `Read the content of volumes and print it as JSON, with the claims in the order of the flags.

Unreadable content is a result, not a failure: a claim's "error" and the "worldError" describe it.`,
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			mounts, err := parseClaims(claims)
			if err != nil {
				return err
			}
			if limits.Entries < 1 || limits.Bytes < 1 {
				return fmt.Errorf("--max-entries %d, --max-bytes %d: want at least 1", limits.Entries, limits.Bytes)
			}
			observation, err := save.ObserveMounts(command.Context(), mounts, limits)
			if err != nil {
				return err
			}
			if observation.World != nil {
				observation.World.Players = nil // there may be thousands, and the harness limits the output
			}
			return json.NewEncoder(command.OutOrStdout()).Encode(observation)
		},
	}
	flags := command.Flags()
	flags.StringArrayVar(&claims, "claim", nil, "a volume's role and mount point (repeatable, also for one role); the world is in "+statement.Primary)
	flags.IntVar(&limits.Entries, "max-entries", tree.DefaultLimits.Entries, "most files, directories and links of a claim whose tree is hashed")
	flags.Int64Var(&limits.Bytes, "max-bytes", tree.DefaultLimits.Bytes, "most bytes of files, holes included, of a claim whose tree is hashed")
	_ = command.MarkFlagRequired("claim") // the flag exists
	return command
}

// parseClaims keeps the order of the flags: it distinguishes claims of one role.
func parseClaims(arguments []string) ([]save.Mount, error) {
	var mounts []save.Mount
	for _, argument := range arguments {
		role, dir, ok := strings.Cut(argument, "=")
		mount := save.Mount{Role: role, Dir: dir}
		if !ok || role == "" || dir == "" || slices.Contains(mounts, mount) {
			return nil, fmt.Errorf("--claim %q: want ROLE=DIRECTORY, each once", argument)
		}
		if role == statement.Primary && slices.ContainsFunc(mounts, func(m save.Mount) bool { return m.Role == role }) {
			return nil, fmt.Errorf("--claim %q: only one %s claim is allowed", argument, role)
		}
		mounts = append(mounts, mount)
	}
	return mounts, nil
}
