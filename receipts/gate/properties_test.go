package gate_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/GameplanePanel/rehearsal/receipts/attestation"
	"github.com/GameplanePanel/rehearsal/receipts/gate"
	"github.com/GameplanePanel/rehearsal/receipts/receiptstest"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// piece is an input with what the properties need to know of it.
type piece struct {
	gate.Input
	receipt  string          // digest of a receipt
	names    map[string]bool // digests that a manifest names
	run      string
	trusted  bool
	hopeless bool // it can never count: a failed receipt, or a document that a gate refuses
}

// sets draws random sets of pieces from a pool.
type sets struct {
	t    *testing.T
	rand *rand.Rand
	pool []piece
}

// newSets fills the pool with complete runs, with runs whose receipts have faults, and with documents of strangers.
func newSets(t *testing.T, seed uint64) *sets {
	s := &sets{t: t, rand: rand.New(rand.NewPCG(seed, 0))}
	for i := range 4 {
		run := receiptstest.RunOf("amd64", statement.ScenarioHTTPOnly, statement.ScenarioUpdate)
		run.ID = fmt.Sprintf("run-%d", i)
		run.Shift = time.Duration(s.rand.IntN(5)) * 30 * time.Second
		hopeless := make([]bool, len(run.Receipts))
		for j := range run.Receipts {
			hopeless[j] = s.spoil(&run.Receipts[j])
		}
		s.add(run, hopeless)
	}
	inputs, err := receiptstest.RunOf("amd64", statement.ScenarioUpdate).Sign(receiptstest.ECDSA("stranger"))
	if err != nil {
		t.Fatal(err)
	}
	for _, input := range append(inputs, gate.Input{Name: "garbage", Raw: []byte("{}")}) {
		s.pool = append(s.pool, piece{Input: input, hopeless: true})
	}
	return s
}

// spoil sometimes changes an observation, and says whether the receipt is hopeless then.
func (s *sets) spoil(r *statement.Receipt) bool {
	switch s.rand.IntN(20) {
	case 0:
		r.Fleet[0].Restarts = 1
		return true
	case 1:
		r.Fleet[0].Gapless = false
		return true
	case 2:
		r.Fault = &statement.Fault{Class: statement.FaultInfrastructure}
		return true
	case 3:
		r.Environment.Egress = statement.EgressOpen
	}
	return false
}

func (s *sets) add(run *receiptstest.Run, hopeless []bool) {
	inputs := signed(s.t, run)
	names := make(map[string]bool)
	keys := receiptstest.Keys(signer())
	for i, input := range inputs {
		document, err := attestation.Open(input.Raw, keys, 1)
		if err != nil {
			s.t.Fatal(err)
		}
		p := piece{Input: input, run: run.ID, trusted: true}
		if document.Receipt != nil {
			p.receipt, p.hopeless = document.Digest, hopeless[i]
			names[document.Digest] = true
		} else {
			p.names = names
		}
		p.Name = run.ID + "/" + p.Name
		s.pool = append(s.pool, p)
	}
}

// pick returns a random set. Most sets hold whole runs with a piece or two missing.
func (s *sets) pick() []piece {
	runs := s.rand.IntN(16)
	var set []piece
	for _, p := range s.pool {
		var run int
		if _, err := fmt.Sscanf(p.run, "run-%d", &run); err != nil {
			run = 4
		}
		chance := 31
		if runs&(1<<run) == 0 {
			chance = 3
		}
		if s.rand.IntN(32) < chance {
			set = append(set, p)
		}
	}
	s.rand.Shuffle(len(set), func(i, j int) { set[i], set[j] = set[j], set[i] })
	return set
}

func decideOn(t *testing.T, set []piece) gate.Decision {
	p := suitePolicy()
	p.Scenarios = []string{statement.ScenarioUpdate, statement.ScenarioHTTPOnly}
	inputs := func(yield func(gate.Input) bool) {
		for _, piece := range set {
			if !yield(piece.Input) {
				return
			}
		}
	}
	question := gate.Question{Candidate: candidateOf(statement.ScenarioUpdate)}
	return gate.Decide(p, trust(t, p), question, inputs, now())
}

func without(set []piece, i int) []piece { return slices.Delete(slices.Clone(set), i, i+1) }

// tied says whether another piece of the set shows that x is missing: a manifest that names x, or a receipt that x names.
func tied(x piece, rest []piece) bool {
	return slices.ContainsFunc(rest, func(p piece) bool {
		return x.receipt != "" && p.names[x.receipt] || x.names[p.receipt]
	})
}

func TestProperties(t *testing.T) {
	t.Parallel()
	promoted := 0
	for seed := range uint64(8) {
		s := newSets(t, seed)
		for range 8 {
			set := s.pick()
			whole := decideOn(t, set)
			if whole.Promote {
				promoted++
			}
			s.rand.Shuffle(len(set), func(i, j int) { set[i], set[j] = set[j], set[i] })
			if diff := cmp.Diff(whole, decideOn(t, set)); diff != "" {
				t.Fatalf("seed %d: the order changes the decision:\n%s", seed, diff)
			}
			if len(set) > 0 {
				doubled := decideOn(t, append(slices.Clone(set), set[s.rand.IntN(len(set))]))
				if diff := cmp.Diff(whole.Reasons, doubled.Reasons); diff != "" {
					t.Fatalf("seed %d: a duplicate input changes the decision:\n%s", seed, diff)
				}
			}
			s.checkRemovals(seed, set, whole)
			s.checkAdditions(seed, set, whole)
		}
	}
	if promoted < 10 {
		t.Errorf("only %d of the sets were promoted: too few to show anything", promoted)
	}
}

// checkRemovals: removing an input never turns a hold into a promotion as long as another one is tied to it. Removing a document that no
// trusted key signed changes nothing.
func (s *sets) checkRemovals(seed uint64, set []piece, whole gate.Decision) {
	for i, x := range set {
		rest := without(set, i)
		d := decideOn(s.t, rest)
		if !whole.Promote && d.Promote && (!x.trusted || tied(x, rest)) {
			s.t.Fatalf("seed %d: promoted once %s is removed; before:\n%+v", seed, x.Name, whole.Reasons)
		}
		if !x.trusted && len(rest) > 0 {
			if diff := cmp.Diff(whole.Reasons, d.Reasons); diff != "" {
				s.t.Fatalf("seed %d: %s, which no trusted key signed, changes the decision:\n%s", seed, x.Name, diff)
			}
		}
	}
}

// checkAdditions: adding a hopeless input never turns a hold into a promotion.
func (s *sets) checkAdditions(seed uint64, set []piece, whole gate.Decision) {
	if whole.Promote {
		return
	}
	for _, y := range s.pool {
		if !y.hopeless || slices.ContainsFunc(set, func(p piece) bool { return bytes.Equal(p.Raw, y.Raw) }) {
			continue
		}
		if d := decideOn(s.t, append(slices.Clone(set), y)); d.Promote {
			s.t.Fatalf("seed %d: promoted once %s is added; before:\n%+v", seed, y.Name, whole.Reasons)
		}
	}
}
