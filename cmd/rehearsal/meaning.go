package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// meaning is what a receipt says, without what is random in each run. Random values are replaced by aliases, in the
// order in which they come: "pod 2" is the second pod that was seen, in any run.
type meaning struct {
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
	Joins                    []visit
	World                    world
}

type claim struct {
	UID, Volume, Marker, Tree string
	Read                      bool
}

type visit struct {
	Depth, Class, Version, Marker, Pod, HTTP string
	Protocol                                 int
	Control                                  bool
}

type world struct {
	DataVersion         int
	Nonce, FormatMarker string
	Land                string // how much of it: what visits generate is a matter of chance
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

func meaningOf(r *statement.Receipt) meaning {
	a := aliases{names: map[string]string{}, counts: map[string]int{}}
	a.name(r.Run.Marker, "the marker")
	a.name(r.Run.CloneMods, "the clone's mods value")
	registry, _, _ := strings.Cut(r.Candidate.Image, "/")
	a.name(registry, "the registry") // the kubelet's words name it
	m := meaning{
		Verdict: r.Verdict, Disposition: r.Disposition, Scenario: r.Run.Scenario, Depth: r.Run.Depth,
		Environment: r.Environment, Baseline: withoutRegistry(r.Baseline), Candidate: withoutRegistry(r.Candidate),
		Checkpoints: map[string]point{}, Fleet: map[string]member{}, Admitted: r.Journal.Admitted, Checks: map[string]bool{},
	}
	m.Environment.ClusterUID = ""
	m.Environment.Operator.Image = digestOnly(m.Environment.Operator.Image)
	m.Environment.Restic = digestOnly(m.Environment.Restic)
	// A template names its image with the registry, so that its digest is another in each run.
	m.Baseline.TemplateDigest = a.of("template", r.Baseline.TemplateDigest)
	m.Candidate.TemplateDigest = a.of("template", r.Candidate.TemplateDigest)
	if r.Fault != nil {
		m.Fault = r.Fault.Class + " in " + r.Fault.Step
	}
	if r.Backup != nil {
		m.Backup = a.of("snapshot", r.Backup.Snapshot) + " of " + r.Backup.Revision
	}
	for _, restore := range r.Restores {
		m.Restores = append(m.Restores, restore.Purpose+" from "+a.of("snapshot", restore.Snapshot))
	}
	rows := claimRows(r.Checkpoints)
	for _, cp := range r.Checkpoints {
		m.Checkpoints[cp.Name] = a.point(cp, rows, r.Checkpoints[0].World)
	}
	for _, w := range r.Fleet {
		m.Fleet[w.Server] = a.member(w)
	}
	for _, span := range r.Spans {
		m.Phases = append(m.Phases, span.Name)
	}
	for _, check := range r.Checks {
		m.Checks[check.Name] = check.OK
	}
	return m
}

// aliases gives random values names.
type aliases struct {
	names  map[string]string
	counts map[string]int
}

func (a *aliases) name(value, alias string) {
	if value != "" {
		a.names[value] = alias
	}
}

// of returns the alias of a value of some kind, a new one where it was not seen before.
func (a *aliases) of(kind, value string) string {
	if value == "" {
		return ""
	}
	if alias, ok := a.names[value]; ok {
		return alias
	}
	a.counts[kind]++
	a.names[value] = fmt.Sprintf("%s %d", kind, a.counts[kind])
	return a.names[value]
}

// text replaces the random values in a text that are known by now. Longer ones first: the name of a volume holds the UID
// of its claim.
func (a *aliases) text(s string) string {
	if s == "" {
		return ""
	}
	longer := func(x, y string) int { return cmp.Or(len(y)-len(x), strings.Compare(x, y)) }
	for _, value := range slices.SortedFunc(maps.Keys(a.names), longer) {
		if len(value) >= 8 {
			s = strings.ReplaceAll(s, value, a.names[value])
		}
	}
	return s
}

// maxVisits is how many visits of a checkpoint are compared one by one.
const maxVisits = 64

func (a *aliases) point(cp statement.Checkpoint, rows []claimRow, first *statement.World) point {
	p := point{Outcome: string(cp.Outcome), Reason: string(cp.Reason), Message: a.text(cp.Message), Revision: cp.Revision, Claims: map[string]claim{}}
	for i, j := range cp.Joins {
		if i == maxVisits { // more than anybody makes, and each takes time
			p.Joins = append(p.Joins, visit{Class: fmt.Sprintf("and %d more", len(cp.Joins)-i)})
			break
		}
		p.Joins = append(p.Joins, visit{
			Depth: j.Depth, Class: j.Class, Version: j.Version, Marker: a.of("marker", j.Marker),
			Pod: a.of("pod", j.Pod), HTTP: a.text(j.HTTP), Protocol: j.Protocol, Control: j.Control,
		})
	}
	if cp.Pod != nil {
		p.Pod, p.Image = a.of("pod", cp.Pod.UID), digestOnly(cp.Pod.ImageID)
		if cp.Outcome != statement.Refused { // how often a game that is refused was started again is a matter of time
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

// land compares the land of a world with that of the first checkpoint.
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
	m := member{Image: digestOnly(w.ImageID), Restarts: w.Restarts, Alive: w.Alive, Gapless: w.Gapless, Pending: a.of("template", w.Pending)}
	for _, uid := range w.PodUIDs {
		m.Pods = append(m.Pods, a.of("fleet pod", uid))
	}
	return m
}

// withoutRegistry leaves out where an image was pulled from: a registry may be made for the run.
func withoutRegistry(r statement.Revision) statement.Revision {
	r.Image = digestOnly(r.Image)
	return r
}

// digestOnly returns the digest of a reference that has one; a digest, and all else, stays as it is.
func digestOnly(reference string) string {
	if _, digest, found := strings.Cut(reference, "@"); found {
		return digest
	}
	return reference
}
