package report

import (
	"fmt"
	"strings"

	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// facts are a receipt's facts without what is random in a run: aliases replace the random values.
type facts struct {
	Verdict     statement.Verdict
	Disposition statement.Disposition
	Scenario    string
	Depth       string
	Fault       string
	Environment statement.Environment
	Baseline    statement.Revision
	Candidate   statement.Revision
	Checkpoints map[string]point
	Backup      string
	Restores    []string
	Fleet       map[string]member
	Admitted    []string
	Phases      []string
	Checks      map[string]bool
}

type point struct {
	Outcome, Reason, Message string
	Revision                 string
	Pod, Image               string
	Restarts                 int
	Claims                   map[string]claim
	Joins                    []join
	World                    world
}

type claim struct {
	UID, Volume, Marker, Tree string
	Read                      bool
}

type join struct {
	Depth, Class, Version, Marker, Pod, HTTP string
	Protocol                                 int
	Control                                  bool
}

type world struct {
	DataVersion         int
	Nonce, FormatMarker string
	Land                string // in words: how much land joins generate is a matter of chance
	Players             int
}

type member struct {
	Pods     []string
	Image    string
	Restarts int
	Alive    bool
	Gapless  bool
	Pending  string
}

func factsOf(r *statement.Receipt) facts {
	a := newAliases()
	a.name(r.Run.Marker, "the marker")
	a.name(r.Run.CloneMods, "the clone's mods value")
	registry, _, _ := strings.Cut(r.Candidate.Image, "/")
	a.name(registry, "the registry") // messages of the kubelet name it
	f := facts{
		Verdict: r.Verdict, Disposition: r.Disposition, Scenario: r.Run.Scenario, Depth: r.Run.Depth,
		Environment: r.Environment, Baseline: withoutRegistry(r.Baseline), Candidate: withoutRegistry(r.Candidate),
		Checkpoints: map[string]point{}, Fleet: map[string]member{}, Admitted: r.Journal.Admitted, Checks: map[string]bool{},
	}
	f.Environment.ClusterUID = ""
	f.Environment.Operator.Image = statement.WithoutRepository(f.Environment.Operator.Image)
	f.Environment.Restic = statement.WithoutRepository(f.Environment.Restic)
	// A template names its image with the registry, so its digest differs in each run.
	f.Baseline.TemplateDigest = a.of("template", r.Baseline.TemplateDigest)
	f.Candidate.TemplateDigest = a.of("template", r.Candidate.TemplateDigest)
	if r.Fault != nil {
		f.Fault = r.Fault.Class + " in " + r.Fault.Step
	}
	if r.Backup != nil {
		f.Backup = a.of("snapshot", r.Backup.Snapshot) + " of " + r.Backup.Revision
	}
	for _, restore := range r.Restores {
		f.Restores = append(f.Restores, restore.Purpose+" from "+a.of("snapshot", restore.Snapshot))
	}
	f.add(r, &a)
	return f
}

// add adds what comes several times in a receipt. Its order decides on the aliases.
func (f *facts) add(r *statement.Receipt, a *aliases) {
	rows := claimRows(r.Checkpoints)
	for _, cp := range r.Checkpoints {
		f.Checkpoints[cp.Name] = a.point(cp, rows, r.Checkpoints[0].World)
	}
	for _, w := range r.Fleet {
		f.Fleet[w.Server] = a.member(w)
	}
	for _, span := range r.Spans {
		f.Phases = append(f.Phases, span.Name)
	}
	for _, check := range r.Checks {
		f.Checks[check.Name] = check.OK
	}
}

// maxJoins bounds the joins of a checkpoint that are compared one by one: each takes time, and no run makes more.
const maxJoins = 64

func (a *aliases) point(cp statement.Checkpoint, rows []claimRow, first *statement.World) point {
	p := point{Outcome: string(cp.Outcome), Reason: string(cp.Reason), Message: a.text(cp.Message), Revision: cp.Revision, Claims: map[string]claim{}}
	for i, j := range cp.Joins {
		if i == maxJoins {
			p.Joins = append(p.Joins, join{Class: fmt.Sprintf("and %d more", len(cp.Joins)-i)})
			break
		}
		p.Joins = append(p.Joins, join{
			Depth: j.Depth, Class: j.Class, Version: j.Version, Marker: a.of("marker", j.Marker),
			Pod: a.of("pod", j.Pod), HTTP: a.text(j.HTTP), Protocol: j.Protocol, Control: j.Control,
		})
	}
	if cp.Pod != nil {
		p.Pod, p.Image = a.of("pod", cp.Pod.UID), statement.WithoutRepository(cp.Pod.ImageID)
		if cp.Outcome != statement.Refused { // how often the kubelet restarts a refused game is a matter of time
			p.Restarts = cp.Pod.Restarts
		}
	}
	for _, row := range rows {
		c, found := row.in(cp)
		if !found {
			continue
		}
		p.Claims[row.label] = claim{
			UID: a.of("claim", c.UID), Volume: a.of("volume", c.Volume),
			Marker: a.of("marker", c.Marker), Tree: a.of("tree of "+row.label, c.Tree), Read: c.Read,
		}
	}
	if cp.World != nil {
		p.World = world{cp.World.DataVersion, a.of("world", cp.World.Nonce), cp.World.FormatMarker, land(cp.World, first), cp.World.Players}
	}
	return p
}

// land compares the land of a world with the land at the first checkpoint.
func land(now, first *statement.World) string {
	switch {
	case now.Chunks == 0:
		return "none"
	case first == nil || now.Chunks >= first.Chunks:
		return "no less than at first"
	case now.Chunks >= (first.Chunks+1)/2:
		return "less than at first"
	}
	return "less than half of that at first"
}

func (a *aliases) member(w statement.Member) member {
	m := member{Image: statement.WithoutRepository(w.ImageID), Restarts: w.Restarts, Alive: w.Alive, Gapless: w.Gapless, Pending: a.of("template", w.Pending)}
	for _, uid := range w.PodUIDs {
		m.Pods = append(m.Pods, a.of("fleet pod", uid))
	}
	return m
}

// withoutRegistry leaves out where an image was pulled from: the registry may belong to the run.
func withoutRegistry(r statement.Revision) statement.Revision {
	r.Image = statement.WithoutRepository(r.Image)
	return r
}
