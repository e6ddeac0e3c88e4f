package main

import (
	"errors"
	"os"

	"github.com/GameplanePanel/rehearsal/receipts/attestation"
)

// removeSummary makes room for the verification summary: an earlier one is removed. Any other file may be the only
// one of its kind, a key above all, and stays.
func (o *gateOptions) removeSummary(inputs []string) error {
	if o.vsa == "" {
		return nil
	}
	info, err := os.Lstat(o.vsa)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil
	case err != nil:
		return cannot(unwrapPath(err))
	case !info.Mode().IsRegular():
		return usageError("--vsa %s is not a regular file: it is left as it is", o.vsa)
	}
	read := append([]string{o.policy, o.vsaKey}, o.keys...)
	for _, path := range append(read, inputs...) {
		if same, err := os.Stat(path); err == nil && os.SameFile(info, same) {
			return usageError("--vsa %s is also %s, which the gate reads: name another file", o.vsa, path)
		}
	}
	earlier, err := isSummary(o.vsa)
	if err != nil {
		return cannot(unwrapPath(err))
	}
	if !earlier {
		return usageError("--vsa %s holds something else than a verification summary: it is left as it is; name another file", o.vsa)
	}
	if err := os.Remove(o.vsa); err != nil {
		return cannot(unwrapPath(err))
	}
	return nil
}

// isSummary says whether a file holds a verification summary, whoever signed it.
func isSummary(path string) (bool, error) {
	raw, err := readEnvelope(path)
	if err != nil {
		return false, err
	}
	document, err := attestation.ReadUnverified(raw)
	return err == nil && document.Summary != nil, nil
}
