package evaluation

import (
	"github.com/GameplanePanel/rehearsal/receipts/internal/strictjson"
	"github.com/GameplanePanel/rehearsal/receipts/refusal"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// Confirm refuses a receipt whose checks, verdict or disposition differ from what its observations show.
func Confirm(r *statement.Receipt) error {
	checks, verdict, disposition := evaluate(r, true)
	if r.Verdict != verdict {
		return refusal.New(refusal.VerdictMismatch, "verdict %q, the observations show %q", r.Verdict, verdict)
	}
	if r.Disposition != disposition {
		return refusal.New(refusal.VerdictMismatch, "disposition %q, the observations show %q", r.Disposition, disposition)
	}
	if len(r.Checks) != len(checks) {
		return refusal.New(refusal.VerdictMismatch, "%d checks, the observations give %d", len(r.Checks), len(checks))
	}
	for i, check := range checks {
		claimed := r.Checks[i]
		if claimed.OK && claimed.Want+claimed.Got != "" {
			return refusal.New(refusal.VerdictMismatch, "check %q holds, and says more", claimed.Name)
		}
		if claimed.Name != check.Name || claimed.OK != check.OK {
			return refusal.New(refusal.VerdictMismatch, "check %q is %t, the observations show %q as %t",
				claimed.Name, claimed.OK, check.Name, check.OK)
		}
	}
	return nil
}

// Complete returns the receipt in the form in which it is signed and read back, with the checks, the verdict and the
// disposition that its observations show.
func Complete(r statement.Receipt) statement.Receipt {
	r = strictjson.Normalized(r)
	r.Checks, r.Verdict, r.Disposition = Of(r)
	for i, check := range r.Checks {
		if check.OK {
			r.Checks[i] = statement.Check{Name: check.Name, OK: true}
		}
	}
	return strictjson.Normalized(r)
}
