package rundir

import (
	"crypto"
	"errors"
	"fmt"
	"os"

	"github.com/GameplanePanel/rehearsal/receipts/atomicfile"
	"github.com/GameplanePanel/rehearsal/receipts/attestation"
	"github.com/GameplanePanel/rehearsal/receipts/dsse"
)

// ErrUnsignable marks errors of Countersign about a file that is no signed document. Its other errors are those of
// reading and writing.
var ErrUnsignable = errors.New("cannot be countersigned")

// Countersign adds a signature to the signed document in a file, and says whether it did. It leaves two kinds of
// documents as they are: one that the key has signed already, and an override, which needs one key and a separate one.
// It does not verify the signatures that are there.
func Countersign(name string, signer crypto.Signer) (signed bool, err error) {
	info, err := os.Lstat(name)
	if err != nil {
		return false, err
	}
	if !info.Mode().IsRegular() {
		return false, unsignable{fmt.Errorf("%s is not a regular file: it is left as it is", name)}
	}
	raw, err := ReadEnvelopeFile(name)
	if err != nil {
		return false, err
	}
	wanted, err := wantsSignature(raw, signer)
	if err == nil && wanted {
		raw, err = dsse.Countersign(raw, signer)
	}
	if err != nil {
		return false, unsignable{fmt.Errorf("%s: %w", name, err)}
	}
	if !wanted {
		return false, nil
	}
	return true, atomicfile.WriteMode(name, raw, info.Mode().Perm())
}

// wantsSignature reads the document first: a signature under other bytes may be taken for anything.
func wantsSignature(raw []byte, signer crypto.Signer) (bool, error) {
	document, err := attestation.ReadUnverified(raw)
	if err != nil || document.Override != nil {
		return false, err
	}
	key, err := dsse.NewKey(signer.Public())
	if err != nil {
		return false, err
	}
	_, err = attestation.Open(raw, []dsse.Key{key}, 1)
	return err != nil, nil
}

type unsignable struct{ error }

func (u unsignable) Unwrap() error        { return u.error }
func (u unsignable) Is(target error) bool { return target == ErrUnsignable }
