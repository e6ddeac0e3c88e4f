package minecraft

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/GameplanePanel/rehearsal/harness/join"
)

const (
	maxHTTPBody = 512
	httpLimit   = 2 * time.Second
)

// nameHTTP asks a peer that did not answer as a game for a page. HTTP servers mostly stay silent on a handshake, and
// "the world is served over HTTP, but nobody can play" helps to find the cause.
func (s *session) nameHTTP(f *failure) error {
	switch f.class {
	case join.ClassNoAnswer, join.ClassClosed, join.ClassHTTP, join.ClassNotGame, join.ClassTimeout:
	default:
		return f
	}
	s.close()
	ctx, cancel := context.WithDeadline(s.ctx, s.until(httpLimit))
	defer cancel()
	status, body, err := s.server.get(ctx)
	if err != nil {
		return f
	}
	s.result.HTTP = body
	return failed(join.ClassHTTP, "not a game: an HTTP server, which answers %s with %.80q (as a game: %s)",
		status, body, f.evidence)
}

// maxHTTPAnswer bounds, in bytes, what is read of an answer, including its header.
const maxHTTPAnswer = 16 << 10

// get fetches the root page without following redirects. http.Transport would log unsolicited responses of the peer.
func (s server) get(ctx context.Context) (status, body string, err error) {
	conn, err := s.dial(ctx)
	if err != nil {
		return "", "", err
	}
	defer conn.Close()
	stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	if _, err := fmt.Fprintf(conn, "GET / HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n", s.target); err != nil {
		return "", "", err
	}
	response, err := http.ReadResponse(bufio.NewReader(io.LimitReader(conn, maxHTTPAnswer)), nil)
	if err != nil {
		return "", "", err
	}
	defer response.Body.Close()
	data, err := io.ReadAll(io.LimitReader(response.Body, maxHTTPBody+1))
	if err != nil && len(data) == 0 {
		return "", "", fmt.Errorf("body: %w", err)
	}
	return clean(response.Status, 64), strings.TrimSpace(clean(string(data), maxHTTPBody)), nil
}
