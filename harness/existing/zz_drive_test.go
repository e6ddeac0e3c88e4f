package existing

import (
	"log/slog"
	"os"
	"testing"
	"time"

	"github.com/GameplanePanel/rehearsal/harness/runconfig"
	"github.com/GameplanePanel/rehearsal/receipts/dsse"
)

func TestDrive(t *testing.T) {
	if os.Getenv("DRIVE") == "" {
		t.Skip()
	}
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	s, err := Open(runconfig.Config{
		Cluster: runconfig.Cluster{Kubeconfig: os.Getenv("KC"), Namespace: "rehearsal"},
		Server:  runconfig.Server{Name: "fleet-a"}, Seed: runconfig.Seed{Backup: "before-update"},
		Candidates: []runconfig.Candidate{{Name: "new", Image: os.Getenv("CAND")}},
		Controls:   []string{"bad-image/unpullable", "bad-image/http-only"},
		Images:     runconfig.Images{Registry: os.Getenv("REG"), Push: os.Getenv("PUSH"), Insecure: true},
	}, log)
	if err != nil {
		t.Fatal(err)
	}
	s.Plan(os.Stdout, "20261207-x-abcd")
	signer, _ := dsse.GenerateKey("")
	began := time.Now()
	played, err := s.Play(t.Context(), Options{ID: "20261207-x-abcd", Dir: t.TempDir(), Signer: signer, Program: os.Getenv("PROG")})
	t.Log(time.Since(began), err)
	for _, p := range played {
		for _, r := range p.Receipts {
			t.Log(r.Run.Scenario, r.Verdict, r.Disposition, r.Fault)
			for _, c := range r.Checks {
				if !c.OK {
					t.Log("   ", c)
				}
			}
		}
	}
}
