package gatecmd

import (
	"errors"
	"os"

	"github.com/GameplanePanel/rehearsal/cmd/rehearsal/internal/exit"
	"github.com/GameplanePanel/rehearsal/receipts/attestation"
	"github.com/GameplanePanel/rehearsal/receipts/rundir"
)

// removeSummary removes an earlier verification summary, to make room for the new one. Any other file stays: it may be a
// key that exists once.
func (f *flags) removeSummary(inputs []string) error {
	if f.vsa == "" {
		return nil
	}
	info, err := os.Lstat(f.vsa)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil
	case err != nil:
		return exit.Cannot(err)
	case !info.Mode().IsRegular():
		return exit.Usage("--vsa %s is not a regular file: it is left as it is", f.vsa)
	}
	read := append([]string{f.policy, f.vsaKey}, f.keys...)
	for _, path := range append(read, inputs...) {
		if same, err := os.Stat(path); err == nil && os.SameFile(info, same) {
			return exit.Usage("--vsa %s is also %s, which the gate reads: name another file", f.vsa, path)
		}
	}
	earlier, err := isSummary(f.vsa)
	if err != nil {
		return exit.Cannot(err)
	}
	if !earlier {
		return exit.Usage("--vsa %s holds something else than a verification summary: it is left as it is; name another file", f.vsa)
	}
	if err := os.Remove(f.vsa); err != nil {
		return exit.Cannot(err)
	}
	return nil
}

// isSummary says whether a file holds a verification summary, whoever signed it.
func isSummary(path string) (bool, error) {
	raw, err := rundir.ReadEnvelopeFile(path)
	if err != nil {
		return false, err
	}
	document, err := attestation.ReadUnverified(raw)
	return err == nil && document.Summary != nil, nil
}
