// Package joincmd is the command-line form of package join, for the programs that offer it.
package joincmd

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/GameplanePanel/rehearsal/harness/join"
	_ "github.com/GameplanePanel/rehearsal/harness/join/minecraft" // makes the game known
	"github.com/GameplanePanel/rehearsal/harness/rcon"
)

// Exit codes.
const (
	ExitReached   = 0
	ExitInternal  = 1 // the probe itself failed, or its arguments make no sense
	ExitShallow   = 2 // connected, but not deep enough
	ExitTransport = 3 // no connection
)

// passwordVariable holds the console's password: flags are seen by every process of a machine.
const passwordVariable = "RCON_PASSWORD"

// ExitError carries the exit code of a join that did not go as expected. The output says everything already.
type ExitError struct{ Code int }

func (e ExitError) Error() string { return fmt.Sprintf("exit code %d", e.Code) }

// New returns the probe command.
func New() *cobra.Command {
	p := &probe{}
	command := &cobra.Command{
		Use:   "probe ADDRESS",
		Short: "Join a game server as a player does, and say how far that went",
		Long: `Joins a game server (host or host:port) as a player does: asks for the status, logs in, passes the configuration
and plays. In play it stays for a while, leaves a trace in the world, and has the server confirm it.

Depths: QUERY (the server answered the status), PARTIAL (it began the login), JOINED (in play), HELD (stayed and edited).
The last line of the output is VERDICT, result, depth and evidence, separated by tabs.

Exit codes: 0 the expected depth; 1 the probe itself failed, or its arguments make no sense; 2 connected, but not deep
enough; 3 no connection. With --expect-fail, for a control that must not get in: 0 not that deep, with or without a
connection; 2 that deep.`,
		Args:          cobra.ExactArgs(1),
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE: func(command *cobra.Command, args []string) error {
			return p.run(command, args[0])
		},
	}
	p.addFlags(command)
	return command
}

type probe struct {
	options     join.Options
	expect      string
	expectFail  bool
	asJSON      bool
	rconAddress string
}

func (p *probe) addFlags(command *cobra.Command) {
	flags := command.Flags()
	flags.StringVar(&p.expect, "expect-depth", string(join.Held), "depth that counts as success: "+depthNames())
	flags.BoolVar(&p.expectFail, "expect-fail", false, "succeed when the player does not get that deep")
	flags.BoolVar(&p.asJSON, "json", false, "print the result as JSON instead of the line")
	flags.StringVar(&p.options.Game, "game", join.DefaultGame, "the game to join")
	flags.StringVar(&p.options.Name, "name", join.DefaultPlayer, "the player's name")
	flags.DurationVar(&p.options.Deadline, "deadline", join.DefaultDeadline, "time for the whole join, without --hold")
	flags.DurationVar(&p.options.Stage, "stage-deadline", 0, "time for each stage of the join (default 5s)")
	flags.DurationVar(&p.options.Hold, "hold", 0, "time to stay in play")
	flags.IntVar(&p.options.Protocol, "protocol", 0, "protocol of the player's game; needed where the server answers no status (default: what the server names)")
	flags.BoolVar(&p.options.Edit, "edit", true, "leave a random trace in the world; without an edit no join is HELD")
	flags.StringVar(&p.options.SetMarker, "set-marker", "", "marker to leave in the world: 16 lower-case hexadecimal digits")
	flags.StringVar(&p.options.WantMarker, "want-marker", "", "marker that must be in the world")
	flags.StringVar(&p.options.WantTrace, "want-trace", "", "trace of an earlier join that must be in the world")
	flags.StringVar(&p.rconAddress, "rcon", "", "console (host:port) that tells the game to save; its password is in "+passwordVariable)
}

func depthNames() string {
	var names []string
	for _, depth := range join.Depths[1:] {
		names = append(names, string(depth))
	}
	return strings.Join(names, ", ")
}

func (p *probe) run(command *cobra.Command, address string) error {
	if err := p.check(); err != nil {
		return err
	}
	if p.rconAddress != "" {
		p.options.RCON = &rcon.Target{Address: p.rconAddress, Password: os.Getenv(passwordVariable)}
	}
	if stderr := command.ErrOrStderr(); isTerminal(stderr) {
		p.options.Progress = func(stage, detail string) {
			_, _ = fmt.Fprintln(stderr, strings.TrimSpace(stage+"  "+detail)) // for people; the result does not depend on it
		}
	}
	result := join.Probe(command.Context(), address, p.options)
	code := exitCode(result, result.AtLeast(join.Depth(p.expect)), p.expectFail)
	if err := p.print(command.OutOrStdout(), result, code == ExitReached); err != nil {
		return err
	}
	if code != ExitReached {
		return ExitError{code}
	}
	return nil
}

// check refuses flags that make no sense together, before the player connects.
func (p *probe) check() error {
	if !slices.Contains(join.Depths[1:], join.Depth(p.expect)) {
		return fmt.Errorf("--expect-depth %q: want one of %s", p.expect, depthNames())
	}
	if join.Depth(p.expect) == join.Held && !p.options.Edit && p.options.SetMarker == "" && !p.expectFail {
		return errors.New("--edit=false: without an edit no visit is HELD: name a lesser --expect-depth")
	}
	if p.options.Deadline <= 0 {
		return fmt.Errorf("--deadline %s: want more than nothing", p.options.Deadline)
	}
	if p.rconAddress == "" {
		return nil
	}
	if _, _, err := net.SplitHostPort(p.rconAddress); err != nil {
		return fmt.Errorf("--rcon %q: want host:port", p.rconAddress)
	}
	if os.Getenv(passwordVariable) == "" {
		return fmt.Errorf("--rcon: the console's password is missing: set %s", passwordVariable)
	}
	return nil
}

func (p *probe) print(out io.Writer, result join.Result, good bool) error {
	if p.asJSON {
		return json.NewEncoder(out).Encode(result)
	}
	_, err := fmt.Fprintln(out, line(result, good))
	return err
}

// line is the verdict in a line: VERDICT, result, depth and evidence, separated by tabs.
func line(result join.Result, good bool) string {
	word := "FAIL"
	if good {
		word = "PASS"
	}
	depth := string(result.Depth)
	if depth == "" {
		depth = "NONE"
	}
	evidence := strings.Join(strings.Fields(result.Evidence), " ") // no tabs or line breaks of a server's making
	return strings.Join([]string{"VERDICT", word, depth, string(result.Class) + ": " + evidence}, "\t")
}

func exitCode(result join.Result, reached, expectFail bool) int {
	switch result.Class {
	case join.ClassInternal, join.ClassInterrupted:
		return ExitInternal
	}
	if reached != expectFail {
		return ExitReached
	}
	if result.Class == join.ClassConnect {
		return ExitTransport
	}
	return ExitShallow
}

// isTerminal says whether a person is watching.
func isTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// AsExit returns the exit code of an error of the command, and whether the caller prints the error.
func AsExit(err error) (code int, print bool) {
	if err == nil {
		return ExitReached, false
	}
	if exit, ok := errors.AsType[ExitError](err); ok {
		return exit.Code, false
	}
	return ExitInternal, true
}
