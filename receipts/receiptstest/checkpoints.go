package receiptstest

import (
	"time"

	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// clone makes up the observations of one clone.
type clone struct {
	scenario     string
	architecture string
	candidate    statement.Revision
}

func (c clone) environment() statement.Environment {
	return statement.Environment{
		Architecture: c.architecture,
		Kubernetes:   "v1.36.1",
		NodeImage:    "kindest/node@" + Digest("node-"+c.architecture),
		ClusterUID:   uid("cluster-" + c.architecture),
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

func (c clone) restore(purpose string) statement.Restore {
	name := c.scenario + purpose
	return statement.Restore{Name: purpose, UID: uid("restore" + name), Snapshot: hexOf("snapshot"), Purpose: purpose}
}

// checkpoints returns the checkpoints of a rehearsal that goes as its scenario expects.
func (c clone) checkpoints() []statement.Checkpoint {
	before := c.reachedCheckpoint(statement.Before, Baseline(), 40)
	switch c.scenario {
	case statement.ScenarioUnpullable:
		bad := c.refusedCheckpoint(statement.Candidate, c.candidate, 60, statement.ReasonImagePull, "ErrImagePull: manifest unknown")
		bad.Pod.ImageID = ""
		return []statement.Checkpoint{before, bad, c.reachedCheckpoint(statement.Rollback, Baseline(), 80)}
	case statement.ScenarioHTTPOnly:
		bad := c.refusedCheckpoint(statement.Candidate, c.candidate, 60, statement.ReasonJoinFailed, "not a game: it speaks HTTP")
		bad.Joins = []statement.Join{{Class: "http", Evidence: "HTTP/1.1 200 OK", HTTP: Marker, Pod: bad.Pod.UID, Millis: 3, Control: true}}
		return []statement.Checkpoint{before, bad, c.reachedCheckpoint(statement.Rollback, Baseline(), 80)}
	case statement.ScenarioFormatChanging, statement.ScenarioRestoreRequired:
		changed := c.reachedCheckpoint(statement.Candidate, c.candidate, 50)
		changed.World.DataVersion, changed.World.FormatMarker = 3955, "3955"
		back := c.refusedCheckpoint(statement.Rollback, Baseline(), 65, statement.ReasonNewerWorld, "world 3955 is newer than 3578")
		return []statement.Checkpoint{before, changed, back, c.reachedCheckpoint(statement.Restored, Baseline(), 85)}
	}
	after := c.reachedCheckpoint(statement.Candidate, c.candidate, 60)
	for _, bad := range badImages() {
		if bad.scenario == c.scenario {
			after = c.refusedCheckpoint(statement.Candidate, c.candidate, 60, bad.reason, "the candidate's own words")
		}
	}
	return []statement.Checkpoint{before, after, c.reachedCheckpoint(statement.Rollback, Baseline(), 80)}
}

func (c clone) reachedCheckpoint(name string, revision statement.Revision, second int) statement.Checkpoint {
	cp := c.checkpoint(name, revision, second)
	cp.Outcome = statement.Reached
	cp.Joins = []statement.Join{c.join(cp.Pod.UID, revision)}
	if name == statement.Candidate {
		first := c.join(c.pod(name+" before its restart", revision).UID, revision)
		cp.Joins = []statement.Join{first, c.join(cp.Pod.UID, revision)}
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
		if role != statement.Mods { // players and the game write into these
			claim.Tree = Digest("tree of " + role + " at " + name)
		}
	}
	return cp
}

func (c clone) refusedCheckpoint(name string, revision statement.Revision, second int, reason statement.Reason, message string) statement.Checkpoint {
	cp := c.checkpoint(name, revision, second)
	cp.Outcome, cp.Reason, cp.Message = statement.Refused, reason, message
	return cp
}

func (c clone) checkpoint(name string, revision statement.Revision, second int) statement.Checkpoint {
	cp := statement.Checkpoint{
		Name:     name,
		At:       Time().Add(time.Duration(second) * time.Second),
		Revision: revision.Digest,
		Pod:      c.pod(name, revision),
		Joins:    []statement.Join{},
	}
	for _, role := range roles() {
		cp.Claims = append(cp.Claims, statement.Claim{
			Role:   role,
			Name:   "clone-" + role,
			UID:    uid(c.scenario + role),
			Volume: "pvc-" + uid(c.scenario+role),
			Bytes:  "0",
		})
	}
	return cp
}

func roles() []string { return []string{statement.Primary, statement.Extra, statement.Mods} }

func (c clone) pod(name string, revision statement.Revision) *statement.Pod {
	return &statement.Pod{
		Name:         "clone-0",
		UID:          uid(c.scenario + " pod at " + name),
		Node:         "node-" + c.architecture,
		Architecture: c.architecture,
		Image:        revision.Image,
		ImageID:      revision.Image,
	}
}

func (c clone) join(pod string, revision statement.Revision) statement.Join {
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
