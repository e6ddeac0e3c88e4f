package minecraft

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"

	"github.com/GameplanePanel/rehearsal/harness/join"
	"github.com/GameplanePanel/rehearsal/harness/join/minecraft/wire"
)

// classify names what an error of the connection means, by how far the player had got and what had come so far.
func (v *visit) classify(err error) *failure {
	inPlay := v.result.Depth.AtLeast(join.Joined)
	switch {
	case v.result.Depth == join.Nothing && v.conn != nil && len(v.conn.Head()) > 0:
		return v.strange(err)
	case errors.Is(err, wire.ErrMalformed):
		return &failure{join.ClassMalformed, err.Error()}
	case isTimeout(err) && v.result.Depth == join.Nothing:
		return &failure{join.ClassNoAnswer, "connected, and no answer came in time"}
	case isTimeout(err):
		return &failure{join.ClassTimeout, "no further answer came in time"}
	case hungUp(err) && inPlay:
		return &failure{join.ClassLost, "connection lost while in play"}
	case hungUp(err):
		return &failure{join.ClassClosed, "the server closed the connection" + v.after()}
	}
	return &failure{join.ClassInternal, err.Error()}
}

// strange names a peer that has said something, and not what a game says first.
func (v *visit) strange(err error) *failure {
	head := v.conn.Head()
	v.result.FirstBytes = fmt.Sprintf("%q", head)
	if bytes.HasPrefix(head, []byte("HTTP/")) {
		return &failure{join.ClassHTTP, "an HTTP server answered: " + v.result.FirstBytes}
	}
	return &failure{join.ClassNotGame, fmt.Sprintf("the answer is none of a game's: %s (%v)", v.result.FirstBytes, err)}
}

func (v *visit) after() string {
	if v.conn == nil || len(v.conn.Head()) == 0 {
		return " without a word"
	}
	return ""
}

func isTimeout(err error) bool {
	netErr, ok := errors.AsType[net.Error](err)
	return ok && netErr.Timeout()
}

// hungUp says whether the connection ended, by the peer or by the network.
func hungUp(err error) bool {
	_, network := errors.AsType[*net.OpError](err)
	return network || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
}
