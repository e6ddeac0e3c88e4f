package statement

import (
	"strings"
)

// MaxMessage is how many bytes a receipt repeats of the words of a kubelet, a game or a volume.
const MaxMessage = 512

// Excerpt cuts text that somebody hostile may have written to MaxMessage bytes of valid UTF-8.
func Excerpt(text string) string {
	text = strings.ToValidUTF8(strings.TrimSpace(text), "�")
	if len(text) <= MaxMessage {
		return text
	}
	return strings.ToValidUTF8(text[:MaxMessage-len("…")], "") + "…"
}
