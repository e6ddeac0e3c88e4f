package receiptstest

import (
	"time"

	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// machine makes up what is seen of one clone.
type machine struct {
	scenario     string
	architecture string
	candidate    statement.Revision
}

func (m machine) environment() statement.Environment {
	return statement.Environment{
		Architecture: m.architecture,
		Kubernetes:   "v1.36.1",
		NodeImage:    "kindest/node@" + Digest("node-"+m.architecture),
		ClusterUID:   uid("cluster-" + m.architecture),
		Egress:       statement.EgressClosed,
		Operator: statement.Operator{
			Name:     "reference",
			Image:    "registry:5000/operator@" + Digest("operator"),
			Adoption: "OnRequest",
			Features: []string{"onRequest", "backup", "restore"},
		},
		Restic: "0.18.0",
	}
}

func (m machine) restore(purpose string) statement.Restore {
	name := m.scenario + purpose
	return statement.Restore{Name: purpose, UID: uid("restore" + name), Snapshot: hexOf("snapshot"), Purpose: purpose}
}

// checkpoints are those of a course that goes as its scenario must.
func (m machine) checkpoints() []statement.Checkpoint {
	before := m.reached(statement.Before, Baseline(), 40)
	switch m.scenario {
	case statement.ScenarioUnpullable:
		bad := m.refused(statement.Candidate, m.candidate, 60, statement.ReasonImagePull, "ErrImagePull: manifest unknown")
		bad.Pod.ImageID = ""
		return []statement.Checkpoint{before, bad, m.reached(statement.Rollback, Baseline(), 80)}
	case statement.ScenarioHTTPOnly:
		bad := m.refused(statement.Candidate, m.candidate, 60, statement.ReasonJoinFailed, "not a game: it speaks HTTP")
		bad.Joins = []statement.Join{{Class: "http", Evidence: "HTTP/1.1 200 OK", HTTP: Marker, Pod: bad.Pod.UID, Millis: 3, Control: true}}
		return []statement.Checkpoint{before, bad, m.reached(statement.Rollback, Baseline(), 80)}
	case statement.ScenarioFormatChanging, statement.ScenarioRestoreRequired:
		changed := m.reached(statement.Candidate, m.candidate, 50)
		changed.World.DataVersion, changed.World.FormatMarker = 3955, "3955"
		back := m.refused(statement.Rollback, Baseline(), 65, statement.ReasonNewerWorld, "world 3955 is newer than 3578")
		return []statement.Checkpoint{before, changed, back, m.reached(statement.Restored, Baseline(), 85)}
	}
	after := m.reached(statement.Candidate, m.candidate, 60)
	for _, bad := range badImages() {
		if bad.scenario == m.scenario {
			after = m.refused(statement.Candidate, m.candidate, 60, bad.reason, "the candidate's own words")
		}
	}
	return []statement.Checkpoint{before, after, m.reached(statement.Rollback, Baseline(), 80)}
}

func (m machine) reached(name string, revision statement.Revision, second int) statement.Checkpoint {
	cp := m.checkpoint(name, revision, second)
	cp.Outcome = statement.Reached
	cp.Joins = []statement.Join{m.join(cp.Pod.UID, revision)}
	if name == statement.Candidate {
		first := m.join(m.pod(name+" before its restart", revision).UID, revision)
		cp.Joins = []statement.Join{first, m.join(cp.Pod.UID, revision)}
	}
	cp.World = &statement.World{DataVersion: 3578, Nonce: hexOf("world")[:16], Chunks: 441, Players: 3}
	for i, role := range roles() {
		marker := Marker
		if role == statement.Mods {
			marker = CloneMods
		}
		claim := &cp.Claims[i]
		claim.Read, claim.Marker, claim.Files, claim.Bytes = true, marker, 10+i, "40960"
		claim.Tree = Digest("tree of " + role)
		if role != statement.Mods { // in which players, and the game, leave something
			claim.Tree = Digest("tree of " + role + " at " + name)
		}
	}
	return cp
}

func (m machine) refused(name string, revision statement.Revision, second int, reason statement.Reason, message string) statement.Checkpoint {
	cp := m.checkpoint(name, revision, second)
	cp.Outcome, cp.Reason, cp.Message = statement.Refused, reason, message
	return cp
}

func (m machine) checkpoint(name string, revision statement.Revision, second int) statement.Checkpoint {
	cp := statement.Checkpoint{
		Name:     name,
		At:       Time().Add(time.Duration(second) * time.Second),
		Revision: revision.Digest,
		Pod:      m.pod(name, revision),
		Joins:    []statement.Join{},
	}
	for _, role := range roles() {
		cp.Claims = append(cp.Claims, statement.Claim{
			Role:   role,
			Name:   "clone-" + role,
			UID:    uid(m.scenario + role),
			Volume: "pvc-" + uid(m.scenario+role),
			Bytes:  "0",
		})
	}
	return cp
}

func roles() []string { return []string{statement.Primary, statement.Extra, statement.Mods} }

func (m machine) pod(name string, revision statement.Revision) *statement.Pod {
	return &statement.Pod{
		Name:         "clone-0",
		UID:          uid(m.scenario + " pod at " + name),
		Node:         "node-" + m.architecture,
		Architecture: m.architecture,
		Image:        revision.Image,
		ImageID:      revision.Image,
	}
}

func (m machine) join(pod string, revision statement.Revision) statement.Join {
	return statement.Join{
		Depth:    statement.Held,
		Class:    statement.ClassOK,
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
