package rehearse_test

import (
	"context"
	"io"
	"log"
	"log/slog"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/yaml"

	"github.com/GameplanePanel/rehearsal/harness/adapter"
	"github.com/GameplanePanel/rehearsal/harness/evidence"
	"github.com/GameplanePanel/rehearsal/harness/rehearse"
	"github.com/GameplanePanel/rehearsal/receipts/dsse"
	"github.com/GameplanePanel/rehearsal/receipts/gate"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// The images of a user, by digest: the current game, the candidate, cmd/witness, and fixtures/gameserver built with
// -ldflags "-X main.gameID=A -X main.mode=http-only". The last digest belongs to no image.
const (
	current  = "registry.example/game@sha256:1111111111111111111111111111111111111111111111111111111111111111"
	next     = "registry.example/game@sha256:2222222222222222222222222222222222222222222222222222222222222222"
	witness  = "registry.example/witness@sha256:3333333333333333333333333333333333333333333333333333333333333333"
	httpOnly = "registry.example/http-only@sha256:4444444444444444444444444444444444444444444444444444444444444444"
	nothing  = "registry.example/game@sha256:5555555555555555555555555555555555555555555555555555555555555555"
	template = "minecraft"
)

// updates are the scenarios that docs/policy.yaml demands: the update itself, and images that the harness blocks.
var updates = []rehearse.Update{
	{Scenario: statement.ScenarioUpdate, Candidate: rehearse.Image{Name: "1.21.1", Ref: next}},
	{Scenario: statement.ScenarioUnpullable, Candidate: rehearse.Image{Name: "unpullable", Ref: nothing, Fixture: true}},
	{Scenario: statement.ScenarioHTTPOnly, Candidate: rehearse.Image{Name: "http-only", Ref: httpOnly, Fixture: true}},
}

// A user rehearses an update in a cluster where the operator runs and where the namespace "rehearsal" holds the Secret of a
// restic repository (see package backup). Package scenarios sets all of this up for the fixture games.
func Example() {
	ctx := context.Background()
	config, err := clientcmd.BuildConfigFromFlags("", "kubeconfig")
	if err != nil {
		log.Fatal(err)
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		log.Fatal(err)
	}
	operator, err := adapter.New(config, "rehearsal", adapter.Settings{})
	if err != nil {
		log.Fatal(err)
	}
	environment, err := evidence.Environment(ctx, client)
	if err != nil {
		log.Fatal(err)
	}
	environment.Egress = statement.EgressClosed // only if the cluster really is closed, which it does not report
	recorder, err := evidence.Record(ctx, client, "rehearsal", io.Discard)
	if err != nil {
		log.Fatal(err)
	}
	defer recorder.Stop()

	fleet, err := rehearse.NewFleet(ctx, rehearse.FleetConfig{
		Operator:    operator,
		Witness:     &evidence.Witness{Config: config, Client: client, Namespace: "rehearsal", Image: witness},
		Recorder:    recorder,
		Environment: environment,
		Template:    adapter.MinecraftTemplate(template, current),
		Baseline:    rehearse.Image{Name: "1.20.2", Ref: current},
		Log:         slog.Default(),
	})
	if err != nil {
		log.Fatal(err)
	}

	key, err := os.ReadFile("signer.key") // see rehearsal keys generate; the gate gets signer.pub
	if err != nil {
		log.Fatal(err)
	}
	signer, err := dsse.ParsePrivateKey(key)
	if err != nil {
		log.Fatal(err)
	}
	run, err := rehearse.NewRun(rehearse.RunConfig{
		Dir: "runs/4711", ID: "4711", Challenge: os.Getenv("CHALLENGE"), // the gate's nonce
		Architecture: environment.Architecture, Updates: updates, Signer: signer,
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, update := range updates {
		receipt, err := fleet.Rehearse(ctx, run, update)
		if err != nil {
			log.Fatal(err)
		}
		log.Print(receipt.Run.Scenario, receipt.Verdict, receipt.Disposition)
	}
	if err := run.Close(); err != nil { // signs the manifest
		log.Fatal(err)
	}
}

// A reader who follows the example and docs/policy.yaml gets to a promotion.
func TestExamplePlaysTheScenariosOfThePolicy(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/policy.yaml")
	if err != nil {
		t.Fatal(err)
	}
	converted, err := yaml.YAMLToJSONStrict(text)
	if err != nil {
		t.Fatal(err)
	}
	policy, err := gate.ParsePolicy(converted)
	if err != nil {
		t.Fatal(err)
	}
	var played []string
	for _, update := range updates {
		played = append(played, update.Scenario)
		if update.Candidate.Fixture && update.Scenario == statement.ScenarioUpdate && !policy.Fixtures {
			t.Error("the policy does not count the candidate")
		}
	}
	if diff := cmp.Diff(policy.Scenarios, played); diff != "" {
		t.Errorf("scenarios of the policy (-) and of the example (+):\n%s", diff)
	}
}
