package evaluation

import (
	"fmt"
	"slices"

	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// checkFleet adds the checks of the members that the rehearsal must not touch.
func (h *history) checkFleet(l *checklist) {
	l.require("fleet-untouched", "each untouched member kept one pod on the baseline, without a restart", h.describeFleet, h.fleetProblem())
	l.require("fleet-watched", "each untouched member watched without a gap", constant("no gap"), h.watchProblem())
	l.require("fleet-not-adopted", "no member runs the candidate, whatever it was offered", constant("not adopted"), h.adoptionProblem())
}

// maxFleet bounds the work of comparing pods for a hostile receipt.
const maxFleet = 64

func (h *history) describeFleet() string {
	var members []string
	for _, member := range h.Fleet {
		members = append(members, member.Server+" kept pod "+list(member.PodUIDs))
	}
	return list(members)
}

func (h *history) fleetProblem() string {
	if n := len(h.Fleet); n == 0 || n > maxFleet {
		return fmt.Sprintf("%d members were watched, want 1 to %d", n, maxFleet)
	}
	for i, member := range h.Fleet {
		switch {
		case member.Server == "":
			return "a member has no name"
		case slices.ContainsFunc(h.Fleet[:i], func(earlier statement.Member) bool { return sameMember(member, earlier) }):
			return member.Server + " stands there twice, or in the pod of another member"
		case len(member.PodUIDs) != 1 || member.PodUIDs[0] == "":
			return member.Server + " had the pods " + list(member.PodUIDs)
		case member.Restarts != 0:
			return fmt.Sprintf("%s restarted %d times", member.Server, member.Restarts)
		case !h.Baseline.RunsAs(member.ImageID):
			return fmt.Sprintf("%s runs %q", member.Server, member.ImageID)
		case !member.Alive:
			return member.Server + " was not running at the end"
		}
	}
	return ""
}

// sameMember says whether two records name the same member or share a pod. A second record could otherwise hide the pod
// that replaced the first one.
func sameMember(m, other statement.Member) bool {
	return m.Server == other.Server || slices.ContainsFunc(m.PodUIDs, func(uid string) bool { return slices.Contains(other.PodUIDs, uid) })
}

func (h *history) watchProblem() string {
	for _, member := range h.Fleet {
		if !member.Gapless {
			return "the watch on " + member.Server + " was broken"
		}
	}
	return ""
}

func (h *history) adoptionProblem() string {
	offered := []string{"", h.Candidate.Digest, h.Candidate.PlatformDigest, h.Candidate.Template, h.Candidate.TemplateDigest}
	for _, member := range h.Fleet {
		if h.Candidate.RunsAs(member.ImageID) {
			return member.Server + " runs the candidate"
		}
		if !slices.Contains(offered, member.Pending) {
			return fmt.Sprintf("%s was offered %q, which is not the candidate", member.Server, member.Pending)
		}
	}
	return ""
}
