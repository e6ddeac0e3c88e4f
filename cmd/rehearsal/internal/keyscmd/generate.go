package keyscmd

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/spf13/cobra"

	"github.com/GameplanePanel/rehearsal/cmd/rehearsal/internal/exit"
	"github.com/GameplanePanel/rehearsal/receipts/dsse"
	"github.com/GameplanePanel/rehearsal/receipts/keyfile"
)

func newGenerateCommand() *cobra.Command {
	var out, algorithm string
	cmd := &cobra.Command{
		Use:   "generate",
		Short: "Make a key pair: PREFIX.key to sign with, PREFIX.pub to verify with",
		Long: `Makes a key pair in the PEM forms that cosign reads. PREFIX.key holds the private key as unencrypted PKCS#8,
and only its owner can read it. PREFIX.pub holds the public key. Files that exist stay as they are.

Exit codes: 0 made, 1 a file exists, 2 usage, 3 a file cannot be written.`,
		Example: "  rehearsal keys generate --out rehearsal",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			key, err := keyfile.Generate(out, dsse.Algorithm(algorithm))
			switch {
			case errors.Is(err, dsse.ErrKey):
				return exit.Usage("%w", err)
			case errors.Is(err, fs.ErrExist):
				return exit.Failed(err)
			case err != nil:
				return exit.Cannot(err)
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s.key  private: keep it secret\n%s.pub  public: give it to gates\nkey id   %s\n", out, out, key.ID())
			return nil
		},
	}
	cmd.Flags().StringVar(&out, "out", "rehearsal", "`prefix` of the two files")
	cmd.Flags().StringVar(&algorithm, "algorithm", string(dsse.ECDSAP256), "ecdsa-p256 or ed25519")
	return cmd
}
