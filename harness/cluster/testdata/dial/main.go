// Command dial tries each argument, tcp:HOST:PORT or dns:NAME, once and prints a
// line for it: the argument, "reached" or "failed", and the time in milliseconds.
// With the argument "hold", it stays until it is stopped.
package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"
)

func main() {
	for _, target := range os.Args[1:] {
		if target == "hold" {
			ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
			defer stop()
			<-ctx.Done()
			return
		}
		began := time.Now()
		outcome := "reached"
		if err := try(target); err != nil {
			fmt.Fprintln(os.Stderr, err)
			outcome = "failed"
		}
		fmt.Println(target, outcome, time.Since(began).Milliseconds())
	}
}

func try(target string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	kind, address, _ := strings.Cut(target, ":")
	if kind == "dns" {
		_, err := net.DefaultResolver.LookupHost(ctx, address)
		return err
	}
	connection, err := new(net.Dialer).DialContext(ctx, "tcp", address)
	if err != nil {
		return err
	}
	return connection.Close()
}
