package minecraft

import (
	"context"
	"fmt"
	"net"
	"strconv"
	"strings"

	"github.com/GameplanePanel/rehearsal/harness/join"
)

const defaultPort = 25565

// server is the target of a session. host and port are what the player typed, and go into the handshake.
type server struct {
	host   string
	port   uint16
	target string // host:port to dial, which a SRV record may redirect
}

// resolve reads an address as the game's own client does: if the port is missing, a SRV record may redirect it.
func resolve(ctx context.Context, address string) (server, error) {
	host, portText, err := net.SplitHostPort(address)
	if err != nil {
		return resolveHost(ctx, address)
	}
	port, err := strconv.ParseUint(portText, 10, 16)
	if err != nil || port == 0 {
		return server{}, failed(join.ClassInternal, "address %q: port %q is not a number from 1 to 65535", address, portText)
	}
	if host == "" {
		return server{}, failed(join.ClassInternal, "address %q has no host: want host or host:port", address)
	}
	return server{host: host, port: uint16(port), target: address}, nil
}

func resolveHost(ctx context.Context, host string) (server, error) {
	if len(host) > 2 && host[0] == '[' && host[len(host)-1] == ']' {
		host = host[1 : len(host)-1]
	}
	if host == "" || strings.ContainsAny(host, "[]/ ") {
		return server{}, failed(join.ClassInternal, "address %q: want host or host:port", host)
	}
	s := server{host: host, port: defaultPort, target: net.JoinHostPort(host, strconv.Itoa(defaultPort))}
	if net.ParseIP(host) != nil {
		return s, nil
	}
	_, records, err := net.DefaultResolver.LookupSRV(ctx, "minecraft", "tcp", host)
	if err == nil && len(records) > 0 { // most servers have none
		s.target = net.JoinHostPort(records[0].Target, strconv.Itoa(int(records[0].Port)))
	}
	return s, nil
}

func (s server) dial(ctx context.Context) (net.Conn, error) {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", s.target)
	if err != nil {
		return nil, fmt.Errorf("connect to %s: %w", s.target, err)
	}
	return conn, nil
}
