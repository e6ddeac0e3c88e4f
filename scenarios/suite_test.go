package scenarios

import (
	"context"
	"crypto/rand"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"sigs.k8s.io/e2e-framework/pkg/env"
	"sigs.k8s.io/e2e-framework/pkg/envconf"

	"github.com/GameplanePanel/rehearsal/fixtures/games"
	"github.com/GameplanePanel/rehearsal/harness/cluster"
	"github.com/GameplanePanel/rehearsal/harness/rehearse"
	"github.com/GameplanePanel/rehearsal/harness/stage"
	"github.com/GameplanePanel/rehearsal/harness/witness"
	"github.com/GameplanePanel/rehearsal/receipts/dsse"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// suite is the environment of every test of this package.
var suite env.Environment

// suiteContext ends when the suite has to stop.
var suiteContext context.Context

// openStage sets up the stage for the first test that needs it. Listing tests needs no cluster.
var openStage = sync.OnceValues(setUp)

// theStage is the stage that openStage has set up, or nil.
var theStage *stage.Stage

// onStage returns the stage of the suite.
func onStage(t testing.TB) *stage.Stage {
	t.Helper()
	opened, err := openStage()
	if err != nil {
		t.Fatal(err)
	}
	return opened
}

// closingTime is the part of the test timeout that is reserved for the end: the suite deletes its cluster and writes its
// receipts before the go command kills the test binary.
const closingTime = 90 * time.Second

func TestMain(m *testing.M) {
	// In a cluster that is there already, this program is also the witness: see TestOwnConfig.
	if filepath.Base(os.Args[0]) == witness.Name {
		os.Exit(witness.Main())
	}
	os.Exit(run(m))
}

func run(m *testing.M) (code int) {
	config, err := envconf.NewFromFlags()
	if err != nil {
		fmt.Fprintln(os.Stderr, "scenarios:", err)
		return 2
	}
	if testing.Short() {
		fmt.Fprintln(os.Stderr, "scenarios: skipped with -short: each test needs a cluster")
		return 0
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	ctx, cancel := untilTestTimeout(ctx)
	defer cancel()
	if suite, err = env.NewWithContext(ctx, config.WithParallelTestEnabled()); err != nil {
		fmt.Fprintln(os.Stderr, "scenarios:", err)
		return 2
	}
	suiteContext = ctx
	// A Finish step would not do: the framework drops its error, and nobody would notice a cluster that was not deleted.
	defer func() {
		if err := tearDown(ctx, code); err != nil {
			fmt.Fprintln(os.Stderr, "scenarios:", err)
			code = 1
		}
	}()
	return suite.Run(m)
}

// untilTestTimeout ends a context some time before the -timeout of go test.
func untilTestTimeout(ctx context.Context) (context.Context, context.CancelFunc) {
	limit, ok := flag.Lookup("test.timeout").Value.(flag.Getter).Get().(time.Duration)
	if !ok || limit == 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, max(limit-closingTime, limit/2))
}

// setUp opens the stage with a directory that tearDown removes after a success.
func setUp() (*stage.Stage, error) {
	out, err := os.MkdirTemp("", "rehearsal-scenarios-")
	if err != nil {
		return nil, err
	}
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	theStage, err = stage.Open(suiteContext, stage.Config{
		Cluster:  cluster.Config{Name: "test-" + strings.ToLower(rand.Text()[:6])},
		Out:      out,
		Log:      log,
		Games:    append(Games(Cases()), games.LosesExtra, games.LosesChunks),
		Operator: stage.Reference{Defects: defects},
	})
	return theStage, err
}

func tearDown(ctx context.Context, code int) error {
	if theStage == nil {
		return nil
	}
	if code == 0 {
		return errors.Join(theStage.Close(ctx), os.RemoveAll(theStage.Out()))
	}
	logs, cancel := context.WithTimeout(context.WithoutCancel(ctx), closingTime/2)
	defer cancel()
	err := theStage.Logs(logs)
	fmt.Fprintln(os.Stderr, "scenarios: receipts, timelines and logs are in", theStage.Out())
	return errors.Join(err, theStage.Close(ctx))
}

// fleetNamespace is the namespace of the suite's fleet and clones.
const fleetNamespace = "rehearsal"

// qualification plays the whole suite once for all tests.
var qualification = sync.OnceValues(func() (qualified, error) {
	on, err := openStage()
	if err != nil {
		return qualified{}, err
	}
	signer, err := dsse.GenerateKey(dsse.ECDSAP256)
	if err != nil {
		return qualified{}, err
	}
	key, err := dsse.NewKey(signer.Public())
	if err != nil {
		return qualified{}, err
	}
	dir := filepath.Join(on.Out(), "receipts")
	config := rehearse.RunConfig{Dir: dir, ID: "suite", Challenge: "suite-nonce", Signer: signer}
	played, err := Qualify(suiteContext, on, fleetNamespace, Cases(), config)
	return qualified{receipts: played, dir: dir, key: key}, err
})

// qualified holds the results of the suite.
type qualified struct {
	receipts []statement.Receipt // in the order of Cases
	dir      string
	key      dsse.Key
}

// played returns the receipt of a case.
func played(t *testing.T, c Case) statement.Receipt {
	t.Helper()
	all, err := qualification()
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(all.receipts, func(r statement.Receipt) bool { return r.Run.Scenario == c.Scenario })
	if i < 0 {
		t.Fatalf("no receipt of %s", c.Scenario)
	}
	return all.receipts[i]
}
