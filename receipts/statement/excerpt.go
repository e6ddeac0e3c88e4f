package statement

import (
	"strings"
)

// MaxMessage is the number of bytes that a receipt quotes of a message from a kubelet, a game or a volume.
const MaxMessage = 512

// Excerpt cuts untrusted text to MaxMessage bytes of valid UTF-8.
func Excerpt(text string) string {
	text = strings.ToValidUTF8(strings.TrimSpace(text), "�")
	if len(text) <= MaxMessage {
		return text
	}
	return strings.ToValidUTF8(text[:MaxMessage-len("…")], "") + "…"
}
