package main

import (
	"crypto"
	"encoding/pem"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/GameplanePanel/rehearsal/receipts/dsse"
)

func newKeysCommand() *cobra.Command {
	return group(&cobra.Command{
		Use:   "keys",
		Short: "Make, show and use the keys that sign receipts",
	}, newKeysGenerateCommand(), newKeysShowCommand(), newCountersignCommand())
}

func newKeysGenerateCommand() *cobra.Command {
	var out, algorithm string
	cmd := &cobra.Command{
		Use:   "generate",
		Short: "Make a key pair: PREFIX.key to sign with, PREFIX.pub to verify with",
		Long: `Makes a key pair in the PEM forms that cosign reads: PREFIX.key holds the private key as PKCS#8,
unencrypted and readable by its owner alone; PREFIX.pub the public one. Files that exist are left alone.

Exit codes: 0 made, 1 a file exists, 2 usage, 3 a file cannot be written.`,
		Example: "  rehearsal keys generate --out rehearsal",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			key, err := generateKeys(out, dsse.Algorithm(algorithm))
			if err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s.key  private: keep it secret\n%s.pub  public: give it to gates\nkey id   %s\n", out, out, key.ID())
			return nil
		},
	}
	cmd.Flags().StringVar(&out, "out", "rehearsal", "`prefix` of the two files")
	cmd.Flags().StringVar(&algorithm, "algorithm", string(dsse.ECDSAP256), "ecdsa-p256 or ed25519")
	return cmd
}

func generateKeys(prefix string, algorithm dsse.Algorithm) (dsse.Key, error) {
	signer, err := dsse.GenerateKey(algorithm)
	if err != nil {
		return dsse.Key{}, exitError{exitUsage, err}
	}
	private, err := dsse.MarshalPrivateKey(signer)
	if err != nil {
		return dsse.Key{}, exitError{exitFailed, err}
	}
	key, err := dsse.NewKey(signer.Public())
	if err != nil {
		return dsse.Key{}, exitError{exitFailed, err}
	}
	if err := writeNew(prefix+".key", private, 0o600); err != nil {
		return dsse.Key{}, err
	}
	if err := writeNew(prefix+".pub", key.PEM(), 0o644); err != nil {
		return dsse.Key{}, errors.Join(err, os.Remove(prefix+".key"))
	}
	return key, nil
}

// writeNew writes a file that must not exist yet: a key that is written over is lost.
func writeNew(path string, data []byte, mode os.FileMode) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if errors.Is(err, os.ErrExist) {
		return exitError{exitFailed, fmt.Errorf("%s exists: it is left as it is", path)}
	}
	if err != nil {
		return cannot(unwrapPath(err))
	}
	_, err = file.Write(data)
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		_ = os.Remove(path) // half a file is nothing, and would stand in the way of the next attempt
		return cannot(unwrapPath(err))
	}
	return nil
}

func newKeysShowCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "show FILE...",
		Short: "Print the id, the algorithm and the public half of keys",
		Long: `Prints the id, the algorithm and the public half of keys, be they public or private.

Exit codes: 0 shown, 2 usage, 3 a file cannot be read, or holds no key.`,
		Example: "  rehearsal keys show rehearsal.pub",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usageError("no key file given")
			}
			for _, path := range args {
				key, err := readEitherKey(path)
				if err != nil {
					return cannot(err)
				}
				fmt.Fprintf(cmd.OutOrStdout(), "%s  %s  %s\n%s", key.ID(), key.Algorithm(), printable(path), key.PEM())
			}
			return nil
		},
	}
}

// readSigner reads a private key.
func readSigner(path string) (crypto.Signer, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, unwrapPath(err)
	}
	signer, err := dsse.ParsePrivateKey(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return signer, nil
}

// readEitherKey reads a public key, or the public half of a private one.
func readEitherKey(path string) (dsse.Key, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return dsse.Key{}, unwrapPath(err)
	}
	key, err := parseEitherKey(text)
	if err != nil {
		return dsse.Key{}, fmt.Errorf("%s: %w", path, err)
	}
	return key, nil
}

func parseEitherKey(text []byte) (dsse.Key, error) {
	if block, _ := pem.Decode(text); block == nil || !strings.HasSuffix(block.Type, "PRIVATE KEY") {
		return dsse.ParseKey(text)
	}
	signer, err := dsse.ParsePrivateKey(text)
	if err != nil {
		return dsse.Key{}, err
	}
	return dsse.NewKey(signer.Public())
}
