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

// classify turns a connection error into a failure, by how far the player got and what had arrived.
func (s *session) classify(err error) *failure {
	inPlay := s.result.Depth.AtLeast(join.Joined)
	switch {
	case s.result.Depth == join.Nothing && s.conn != nil && len(s.conn.Head()) > 0:
		return s.strange(err)
	case errors.Is(err, wire.ErrMalformed):
		return &failure{join.ClassMalformed, err.Error()}
	case isTimeout(err) && s.result.Depth == join.Nothing:
		return &failure{join.ClassNoAnswer, "connected, and no answer came in time"}
	case isTimeout(err):
		return &failure{join.ClassTimeout, "no further answer came in time"}
	case hungUp(err) && inPlay:
		return &failure{join.ClassLost, "connection lost while in play"}
	case hungUp(err):
		return &failure{join.ClassClosed, "the server closed the connection" + s.after()}
	}
	return &failure{join.ClassInternal, err.Error()}
}

// strange classifies a peer that answered with something else than a game's first packet.
func (s *session) strange(err error) *failure {
	head := s.conn.Head()
	s.result.FirstBytes = fmt.Sprintf("%q", head)
	if bytes.HasPrefix(head, []byte("HTTP/")) {
		return &failure{join.ClassHTTP, "an HTTP server answered: " + s.result.FirstBytes}
	}
	return &failure{join.ClassNotGame, fmt.Sprintf("the answer is not Minecraft's protocol: %s (%v)", s.result.FirstBytes, err)}
}

func (s *session) after() string {
	if s.conn == nil || len(s.conn.Head()) == 0 {
		return " without an answer"
	}
	return ""
}

func isTimeout(err error) bool {
	netErr, ok := errors.AsType[net.Error](err)
	return ok && netErr.Timeout()
}

// hungUp reports whether the peer or the network ended the connection.
func hungUp(err error) bool {
	_, network := errors.AsType[*net.OpError](err)
	return network || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
}
