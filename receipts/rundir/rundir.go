// Package rundir handles the files of a run: one directory holds its receipts, test results and manifest.
package rundir

import (
	"crypto"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/GameplanePanel/rehearsal/receipts/atomicfile"
	"github.com/GameplanePanel/rehearsal/receipts/attestation"
	"github.com/GameplanePanel/rehearsal/receipts/dsse"
	"github.com/GameplanePanel/rehearsal/receipts/gate"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// WriteReceipt completes a receipt (see Complete), signs it and writes it into a run directory under its name. It
// returns the cell that the run manifest is to hold for it. The file appears whole or not at all.
func WriteReceipt(dir string, r statement.Receipt, signers ...crypto.Signer) (statement.Cell, error) {
	raw, digest, err := attestation.SignReceipt(r, signers...)
	if err != nil {
		return statement.Cell{}, fmt.Errorf("sign receipt of %s: %w", r.Run.Scenario, err)
	}
	cell := statement.Cell{
		Architecture: r.Environment.Architecture,
		Scenario:     r.Run.Scenario,
		Candidate:    r.Candidate.Digest,
		Platform:     r.Candidate.PlatformDigest,
		File:         statement.ReceiptFile(r.Run.Scenario, r.Environment.Architecture),
		Receipt:      digest,
	}
	return cell, atomicfile.Write(filepath.Join(dir, cell.File), raw)
}

// WriteTestResult signs the test result of a receipt, whose cell is given, and writes it next to the receipt.
func WriteTestResult(dir string, r statement.Receipt, cell statement.Cell, signers ...crypto.Signer) error {
	raw, err := attestation.SignTestResult(r, cell.Receipt, signers...)
	if err != nil {
		return fmt.Errorf("sign test result of %s: %w", cell.Scenario, err)
	}
	return atomicfile.Write(filepath.Join(dir, statement.TestResultFile(cell.Scenario, cell.Architecture)), raw)
}

// WriteManifest signs the manifest of a run on one architecture and writes it, with the first signer's public key,
// into a run directory. It returns the manifest's digest. Write it last: it closes the run.
func WriteManifest(dir, architecture string, m statement.Manifest, signers ...crypto.Signer) (digest string, err error) {
	raw, digest, err := attestation.SignManifest(m, signers...)
	if err != nil {
		return "", fmt.Errorf("sign manifest of run %s: %w", m.Run, err)
	}
	if len(signers) > 0 {
		key, err := dsse.NewKey(signers[0].Public())
		if err != nil {
			return "", err
		}
		if err := atomicfile.Write(filepath.Join(dir, statement.PublicKeyFile), key.PEM()); err != nil {
			return "", err
		}
	}
	return digest, atomicfile.Write(filepath.Join(dir, statement.ManifestFile(architecture)), raw)
}

// Files lists the signed documents under a path: the path itself where it is a file, else every *.intoto.json below
// it, in lexical order. The path itself may be a link. Inside a directory nothing is passed over that may be evidence:
// a link to a directory, a document that is no regular file, and a bundle (*.intoto.jsonl) are errors, to be named by
// themselves.
func Files(path string) ([]string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return []string{path}, nil
	}
	root, err := filepath.EvalSymlinks(path) // a walk does not follow its root
	if err != nil {
		return nil, err
	}
	var files []string
	err = filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		below, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		within := filepath.Join(path, below)
		document, err := isDocument(name, entry)
		if err != nil {
			return fmt.Errorf("%s: %w", within, err)
		}
		if document {
			files = append(files, within)
		}
		return nil
	})
	slices.Sort(files)
	return files, err
}

// isDocument says whether what was found in a directory is a signed document. The error says that it may be, and is not
// read.
func isDocument(name string, entry fs.DirEntry) (bool, error) {
	switch {
	case strings.HasSuffix(name, statement.BundleExtension):
		return false, errors.New("a bundle inside a directory is not read: name it as another path")
	case entry.Type().IsRegular():
		return strings.HasSuffix(name, statement.Extension), nil
	case entry.IsDir():
		return false, nil
	case strings.HasSuffix(name, statement.Extension):
		return false, errors.New("not a regular file: put the document itself there, or name it as another path")
	}
	if target, err := os.Stat(name); err == nil && target.IsDir() {
		return false, errors.New("a link to a directory is not followed: name it as another path")
	}
	return false, nil
}

// ReadInputs reads the signed documents under a path into memory. For many large runs, hand gate.Decide a Source instead,
// which reads them one at a time.
func ReadInputs(path string) ([]gate.Input, error) {
	source := Source{Paths: []string{path}}
	inputs := slices.Collect(source.All)
	return inputs, source.Err()
}

// ReadEnvelope reads the bytes of one signed document, and no more than one byte above MaxEnvelope, at which it is
// refused later.
func ReadEnvelope(from io.Reader) ([]byte, error) {
	return io.ReadAll(io.LimitReader(from, dsse.MaxEnvelope+1))
}

// ReadEnvelopeFile is ReadEnvelope for a file.
func ReadEnvelopeFile(name string) ([]byte, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close() //nolint:errcheck // nothing was written
	return ReadEnvelope(file)
}
