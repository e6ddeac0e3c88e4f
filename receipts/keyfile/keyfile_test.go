package keyfile_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/GameplanePanel/rehearsal/receipts/dsse"
	"github.com/GameplanePanel/rehearsal/receipts/keyfile"
)

// What Generate writes, the readers read.
func TestGenerate(t *testing.T) {
	t.Parallel()
	for _, algorithm := range []dsse.Algorithm{dsse.ECDSAP256, dsse.Ed25519} {
		prefix := filepath.Join(t.TempDir(), "signer")
		key, err := keyfile.Generate(prefix, algorithm)
		if err != nil || key.Algorithm() != algorithm {
			t.Fatalf("%s: %s, %v", algorithm, key.Algorithm(), err)
		}
		if info, err := os.Stat(prefix + ".key"); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: the private key has mode %v, %v", algorithm, info.Mode(), err)
		}
		signer, err := keyfile.Private(prefix + ".key")
		if err != nil {
			t.Fatal(err)
		}
		if half, err := dsse.NewKey(signer.Public()); err != nil || half.ID() != key.ID() {
			t.Errorf("%s: private key of %s, %v", algorithm, half.ID(), err)
		}
		if keys, err := keyfile.Public(prefix + ".pub"); err != nil || len(keys) != 1 || keys[0].ID() != key.ID() {
			t.Errorf("%s: public keys %v, %v", algorithm, keys, err)
		}
		for _, suffix := range []string{".key", ".pub"} {
			if half, err := keyfile.PublicHalf(prefix + suffix); err != nil || half.ID() != key.ID() {
				t.Errorf("%s: public half in %s: %s, %v", algorithm, suffix, half.ID(), err)
			}
		}
	}
}

// A key that is written over is lost.
func TestGenerateNeverOverwrites(t *testing.T) {
	t.Parallel()
	for _, suffix := range []string{".key", ".pub"} {
		prefix := filepath.Join(t.TempDir(), "signer")
		if err := os.WriteFile(prefix+suffix, []byte("mine"), 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := keyfile.Generate(prefix, dsse.ECDSAP256)
		if !errors.Is(err, fs.ErrExist) || !strings.Contains(err.Error(), prefix+suffix+" exists: it is left as it is") {
			t.Errorf("%s: %v", suffix, err)
		}
		if text, err := os.ReadFile(prefix + suffix); err != nil || string(text) != "mine" {
			t.Errorf("%s holds %q, %v", suffix, text, err)
		}
		if files, err := filepath.Glob(prefix + ".*"); err != nil || len(files) != 1 {
			t.Errorf("%s: files %q, %v", suffix, files, err)
		}
	}
}

func TestUnusableFiles(t *testing.T) {
	t.Parallel()
	notes := filepath.Join(t.TempDir(), "notes.txt")
	if err := os.WriteFile(notes, []byte("no key"), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, read := range map[string]func(string) error{
		"Public":     func(path string) error { _, err := keyfile.Public(path); return err },
		"Private":    func(path string) error { _, err := keyfile.Private(path); return err },
		"PublicHalf": func(path string) error { _, err := keyfile.PublicHalf(path); return err },
	} {
		if err := read(notes); !errors.Is(err, dsse.ErrKey) || !strings.HasPrefix(err.Error(), notes+": ") {
			t.Errorf("%s of notes: %v", name, err)
		}
		if err := read(notes + ".none"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s of nothing: %v", name, err)
		}
	}
	if _, err := keyfile.Generate(notes, "rsa"); !errors.Is(err, dsse.ErrKey) {
		t.Errorf("algorithm: %v", err)
	}
}
