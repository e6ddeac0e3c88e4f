package rehearse_test

import (
	"context"
	"io"
	"log"
	"log/slog"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/GameplanePanel/rehearsal/harness/adapter"
	"github.com/GameplanePanel/rehearsal/harness/evidence"
	"github.com/GameplanePanel/rehearsal/harness/rehearse"
	"github.com/GameplanePanel/rehearsal/receipts"
)

// Images of one's own, by digest: the game that runs now, the one that is to replace it, and cmd/witness.
const (
	current  = "registry.example/game@sha256:1111111111111111111111111111111111111111111111111111111111111111"
	next     = "registry.example/game@sha256:2222222222222222222222222222222222222222222222222222222222222222"
	witness  = "registry.example/witness@sha256:3333333333333333333333333333333333333333333333333333333333333333"
	template = "minecraft"
)

// An update of one's own is rehearsed in a cluster in which the operator runs and the namespace "rehearsal" holds the
// Secret of a restic repository (see package backup). Package scenarios does all of this for the fixture games.
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
	environment, err := evidence.Environment(ctx, client) // which leaves open whether anything can reach out
	if err != nil {
		log.Fatal(err)
	}
	recorder, err := evidence.Record(ctx, client, "rehearsal", io.Discard)
	if err != nil {
		log.Fatal(err)
	}
	defer recorder.Stop()

	fleet, err := rehearse.NewFleet(ctx, rehearse.Stand{
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

	signer, err := receipts.GenerateKey(receipts.ECDSAP256) // a gate wants to know its public half
	if err != nil {
		log.Fatal(err)
	}
	update := rehearse.Update{Scenario: receipts.ScenarioUpdate, Candidate: rehearse.Image{Name: "1.21.1", Ref: next}}
	run, err := rehearse.NewRun(rehearse.RunConfig{
		Dir: "runs/4711", ID: "4711", Architecture: environment.Architecture, Updates: []rehearse.Update{update}, Signer: signer,
	})
	if err != nil {
		log.Fatal(err)
	}
	receipt, err := fleet.Rehearse(ctx, run, update)
	if err != nil {
		log.Fatal(err)
	}
	if err := run.Close(); err != nil { // signs the manifest
		log.Fatal(err)
	}
	log.Print(receipt.Verdict, receipt.Disposition)
}
