package scenarios

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"sigs.k8s.io/e2e-framework/pkg/envconf"
	"sigs.k8s.io/e2e-framework/pkg/features"
	"sigs.k8s.io/e2e-framework/pkg/types"

	"github.com/GameplanePanel/rehearsal/harness/existing"
	"github.com/GameplanePanel/rehearsal/harness/runconfig"
	"github.com/GameplanePanel/rehearsal/receipts/dsse"
	"github.com/GameplanePanel/rehearsal/receipts/keyfile"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// ownConfig names the configuration of your own update. It is the file that rehearsal run --config takes.
const ownConfig = "REHEARSAL_CONFIG"

// TestOwnConfig rehearses the updates of $REHEARSAL_CONFIG in their cluster, one feature for each case, with the labels
// candidate and scenario. Receipts are written where the configuration says. Select it with -run TestOwnConfig: the other
// tests need the suite's own cluster.
func TestOwnConfig(t *testing.T) {
	path := os.Getenv(ownConfig)
	if path == "" {
		t.Skipf("rehearses your own update: set %s to its configuration", ownConfig)
	}
	config, err := runconfig.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	var all []types.Feature
	for _, played := range playOwn(t, config) {
		for _, receipt := range played.Receipts {
			all = append(all, ownFeature(played.Candidate.Name, receipt))
		}
		t.Logf("receipts of %s: %s", played.Candidate.Name, played.Dir)
	}
	suite.Test(t, all...)
}

func playOwn(t *testing.T, config runconfig.Config) []existing.Played {
	t.Helper()
	site, err := existing.Open(config, nil)
	if err != nil {
		t.Fatal(err)
	}
	signer, err := dsse.GenerateKey(dsse.ECDSAP256)
	if config.Key != "" {
		signer, err = keyfile.Private(config.Key)
	}
	if err != nil {
		t.Fatal(err)
	}
	id := existing.NewID()
	// The test's own program is the witness: see TestMain.
	played, err := site.Play(suiteContext, existing.Options{
		ID: id, Dir: filepath.Join(config.Out, id), Challenge: os.Getenv("REHEARSAL_CHALLENGE"), Signer: signer,
	})
	if err != nil {
		t.Fatal(err)
	}
	return played
}

func ownFeature(candidate string, receipt statement.Receipt) types.Feature {
	feature := features.New(candidate+" "+receipt.Run.Scenario).
		WithLabel("candidate", candidate).WithLabel("scenario", receipt.Run.Scenario)
	feature.Assess("goes as it must", func(ctx context.Context, t *testing.T, _ *envconf.Config) context.Context {
		if receipt.Verdict != statement.Passed {
			t.Errorf("%s, fault %+v", receipt.Verdict, receipt.Fault)
		}
		if receipt.Run.Scenario == statement.ScenarioUpdate && !receipt.Disposition.Promotable() {
			t.Error(existing.Summary(receipt))
		}
		return ctx
	})
	return feature.Feature()
}
