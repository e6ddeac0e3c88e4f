package report

import (
	"cmp"
	"fmt"

	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// claimRow is one claim of a clone at all its checkpoints. Names distinguish several claims of one role.
type claimRow struct {
	role, name string
	nth        int    // among claims of one role and name; an honest receipt has one
	label      string // for people: the role alone where it is enough
}

// claimRows are the claims of all checkpoints, in the order in which they come.
func claimRows(points []statement.Checkpoint) []claimRow {
	var rows []claimRow
	known := make(map[claimRow]bool)
	ofRole := make(map[string]int)
	for _, point := range points {
		for i := range point.Claims {
			row := rowOf(point.Claims, i)
			if !known[row] {
				known[row] = true
				ofRole[row.role]++
				rows = append(rows, row)
			}
		}
	}
	for i, row := range rows {
		rows[i].label = row.role
		if ofRole[row.role] > 1 {
			rows[i].label = row.role + " " + cmp.Or(row.name, "without a name")
		}
		if row.nth > 0 {
			rows[i].label += fmt.Sprintf(" again (%d)", row.nth+1)
		}
	}
	return rows
}

func rowOf(claims []statement.Claim, i int) claimRow {
	row := claimRow{role: claims[i].Role, name: claims[i].Name}
	for _, earlier := range claims[:i] {
		if earlier.Role == row.role && earlier.Name == row.name {
			row.nth++
		}
	}
	return row
}

// in finds the claim at a checkpoint.
func (row claimRow) in(point statement.Checkpoint) (statement.Claim, bool) {
	nth := 0
	for _, claim := range point.Claims {
		if claim.Role != row.role || claim.Name != row.name {
			continue
		}
		if nth == row.nth {
			return claim, true
		}
		nth++
	}
	return statement.Claim{}, false
}

// firstUID is the UID of the claim at the first checkpoint that has it.
func (row claimRow) firstUID(points []statement.Checkpoint) string {
	for _, point := range points {
		if claim, found := row.in(point); found {
			return claim.UID
		}
	}
	return ""
}
