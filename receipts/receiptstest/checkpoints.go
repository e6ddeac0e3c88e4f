package receiptstest

import (
	"time"

	"github.com/GameplanePanel/rehearsal/receipts"
)

// machine makes up what is seen of one clone.
type machine struct {
	scenario     string
	architecture string
	candidate    receipts.Revision
}

func (m machine) environment() receipts.Environment {
	return receipts.Environment{
		Architecture: m.architecture,
		Kubernetes:   "v1.36.1",
		NodeImage:    "kindest/node@" + Digest("node-"+m.architecture),
		ClusterUID:   uid("cluster-" + m.architecture),
		Egress:       receipts.EgressClosed,
		Operator: receipts.Operator{
			Name:     "reference",
			Image:    "registry:5000/operator@" + Digest("operator"),
			Adoption: "OnRequest",
			Features: []string{"onRequest", "backup", "restore"},
		},
		Restic: "0.18.0",
	}
}

func (m machine) restore(purpose string) receipts.Restore {
	name := m.scenario + purpose
	return receipts.Restore{Name: purpose, UID: uid("restore" + name), Snapshot: hexOf("snapshot"), Purpose: purpose}
}

// checkpoints are those of a course that goes as its scenario must.
func (m machine) checkpoints() []receipts.Checkpoint {
	before := m.reached(receipts.Before, Baseline(), 40)
	switch m.scenario {
	case receipts.ScenarioUnpullable:
		bad := m.refused(receipts.Candidate, m.candidate, 60, receipts.ReasonImagePull, "ErrImagePull: manifest unknown")
		bad.Pod.ImageID = ""
		return []receipts.Checkpoint{before, bad, m.reached(receipts.Rollback, Baseline(), 80)}
	case receipts.ScenarioHTTPOnly:
		bad := m.refused(receipts.Candidate, m.candidate, 60, receipts.ReasonJoinFailed, "not a game: it speaks HTTP")
		bad.Joins = []receipts.Join{{Class: "http", Evidence: "HTTP/1.1 200 OK", HTTP: Marker, Pod: bad.Pod.UID, Millis: 3, Control: true}}
		return []receipts.Checkpoint{before, bad, m.reached(receipts.Rollback, Baseline(), 80)}
	case receipts.ScenarioFormatChanging, receipts.ScenarioRestoreRequired:
		changed := m.reached(receipts.Candidate, m.candidate, 50)
		changed.World.DataVersion, changed.World.FormatMarker = 3955, "3955"
		back := m.refused(receipts.Rollback, Baseline(), 65, receipts.ReasonNewerWorld, "world 3955 is newer than 3578")
		return []receipts.Checkpoint{before, changed, back, m.reached(receipts.Restored, Baseline(), 85)}
	}
	after := m.reached(receipts.Candidate, m.candidate, 60)
	for _, bad := range badImages() {
		if bad.scenario == m.scenario {
			after = m.refused(receipts.Candidate, m.candidate, 60, bad.reason, "the candidate's own words")
		}
	}
	return []receipts.Checkpoint{before, after, m.reached(receipts.Rollback, Baseline(), 80)}
}

func (m machine) reached(name string, revision receipts.Revision, second int) receipts.Checkpoint {
	cp := m.checkpoint(name, revision, second)
	cp.Outcome = receipts.Reached
	cp.Joins = []receipts.Join{m.join(cp.Pod.UID, revision)}
	if name == receipts.Candidate {
		first := m.join(m.pod(name+" before its restart", revision).UID, revision)
		cp.Joins = []receipts.Join{first, m.join(cp.Pod.UID, revision)}
	}
	cp.World = &receipts.World{DataVersion: 3578, Nonce: hexOf("world")[:16], Chunks: 441, Players: 3}
	for i, role := range roles() {
		marker := Marker
		if role == receipts.Mods {
			marker = CloneMods
		}
		claim := &cp.Claims[i]
		claim.Read, claim.Marker, claim.Files, claim.Bytes = true, marker, 10+i, "40960"
		claim.Tree = Digest("tree of " + role)
		if role != receipts.Mods { // in which players, and the game, leave something
			claim.Tree = Digest("tree of " + role + " at " + name)
		}
	}
	return cp
}

func (m machine) refused(name string, revision receipts.Revision, second int, reason receipts.RefusalReason, message string) receipts.Checkpoint {
	cp := m.checkpoint(name, revision, second)
	cp.Outcome, cp.Reason, cp.Message = receipts.Refused, reason, message
	return cp
}

func (m machine) checkpoint(name string, revision receipts.Revision, second int) receipts.Checkpoint {
	cp := receipts.Checkpoint{
		Name:     name,
		At:       Time().Add(time.Duration(second) * time.Second),
		Revision: revision.Digest,
		Pod:      m.pod(name, revision),
		Joins:    []receipts.Join{},
	}
	for _, role := range roles() {
		cp.Claims = append(cp.Claims, receipts.Claim{
			Role:   role,
			Name:   "clone-" + role,
			UID:    uid(m.scenario + role),
			Volume: "pvc-" + uid(m.scenario+role),
			Bytes:  "0",
		})
	}
	return cp
}

func roles() []string { return []string{receipts.Primary, receipts.Extra, receipts.Mods} }

func (m machine) pod(name string, revision receipts.Revision) *receipts.Pod {
	return &receipts.Pod{
		Name:         "clone-0",
		UID:          uid(m.scenario + " pod at " + name),
		Node:         "node-" + m.architecture,
		Architecture: m.architecture,
		Image:        revision.Image,
		ImageID:      revision.Image,
	}
}

func (m machine) join(pod string, revision receipts.Revision) receipts.Join {
	return receipts.Join{
		Depth:    receipts.Held,
		Class:    receipts.ClassOK,
		Evidence: "stayed 2s, edited, read back",
		Protocol: 764,
		Version:  revision.Name,
		Pod:      pod,
		Player:   uid("player"),
		Marker:   Marker,
		Millis:   2150,
		Control:  true,
	}
}
