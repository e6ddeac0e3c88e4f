package runconfig

import "strings"

// maxMisspelt bounds what is compared with known words: a longer word is none of them.
const maxMisspelt = 64

// nearest is the known word that a misspelt one may mean, or "". A third of the letters may be wrong, and at most
// three.
func nearest(misspelt string, known []string) string {
	if len(misspelt) > maxMisspelt {
		return ""
	}
	best, least := "", 4
	for _, word := range known {
		if strings.EqualFold(word, misspelt) {
			return word
		}
		if d := distance(misspelt, word); d < least && d <= max(1, len(word)/3) {
			best, least = word, d
		}
	}
	return best
}

// distance counts the letters to insert, remove, replace or swap with their neighbour to make b of a.
func distance(a, b string) int {
	above := make([]int, len(b)+1)
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		next := make([]int, len(b)+1)
		next[0] = i
		for j := 1; j <= len(b); j++ {
			next[j] = min(row[j]+1, next[j-1]+1, row[j-1]+differ(a[i-1], b[j-1]))
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				next[j] = min(next[j], above[j-2]+1)
			}
		}
		above, row = row, next
	}
	return row[len(b)]
}

func differ(a, b byte) int {
	if a == b {
		return 0
	}
	return 1
}
