package evidence

import (
	"bytes"
	"errors"

	utilexec "k8s.io/client-go/util/exec"
)

// limitedBuffer keeps the first maxOutput bytes and records whether there were more.
type limitedBuffer struct {
	bytes.Buffer
	overflow bool
}

func (b *limitedBuffer) Write(p []byte) (int, error) {
	if room := maxOutput - b.Len(); len(p) > room {
		b.overflow = true
		b.Buffer.Write(p[:room])
		return len(p), nil
	}
	return b.Buffer.Write(p)
}

// exited reports whether the command ran and exited, as opposed to not having run.
func exited(err error) bool {
	_, ok := errors.AsType[utilexec.CodeExitError](err)
	return ok
}
