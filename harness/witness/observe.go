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
		Short: "Read what volumes hold",
		Long: `Read what volumes hold and print it as JSON, claims in the order of the flags.

Content that cannot be read is a result, not a failure: a claim's "error" and the "worldError" say what is wrong.`,
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
				observation.World.Players = nil // of thousands nobody asked, and output is bounded
			}
			return json.NewEncoder(command.OutOrStdout()).Encode(observation)
		},
	}
	flags := command.Flags()
	flags.StringArrayVar(&claims, "claim", nil, "a volume by its role and where it is mounted (repeatable, also for one role); the world is read from "+statement.Primary)
	flags.IntVar(&limits.Entries, "max-entries", tree.DefaultLimits.Entries, "files, directories and links of a claim beyond which its tree is not hashed")
	flags.Int64Var(&limits.Bytes, "max-bytes", tree.DefaultLimits.Bytes, "bytes of a claim's files, holes included, beyond which its tree is not hashed")
	_ = command.MarkFlagRequired("claim") // the flag exists
	return command
}

// parseClaims keeps the order of the flags: a caller tells claims of one role apart by it.
func parseClaims(arguments []string) ([]save.Mount, error) {
	var mounts []save.Mount
	for _, argument := range arguments {
		role, dir, ok := strings.Cut(argument, "=")
		mount := save.Mount{Role: role, Dir: dir}
		if !ok || role == "" || dir == "" || slices.Contains(mounts, mount) {
			return nil, fmt.Errorf("--claim %q: want ROLE=DIRECTORY, each once", argument)
		}
		if role == statement.Primary && slices.ContainsFunc(mounts, func(m save.Mount) bool { return m.Role == role }) {
			return nil, fmt.Errorf("--claim %q: there is one %s claim", argument, role)
		}
		mounts = append(mounts, mount)
	}
	return mounts, nil
}
