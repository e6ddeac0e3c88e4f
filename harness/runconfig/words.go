package runconfig

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// maxShown bounds the text of a file that a message repeats.
const maxShown = 80

// quoted shows text of a file on one line, and not all of it where it is long.
func quoted(text string) string { return strconv.Quote(shortened(text)) }

func shortened(text string) string {
	if runes := []rune(text); len(runes) > maxShown {
		return string(runes[:maxShown]) + "…"
	}
	return text
}

// plainKey is a key that a message shows without quotation marks.
var plainKey = regexp.MustCompile(`^[A-Za-z0-9_<-]{1,64}$`)

func printableKey(key string) string {
	if plainKey.MatchString(key) {
		return key
	}
	return quoted(key)
}

var indexes = regexp.MustCompile(`\[[0-9]+\]`)

// withoutIndexes makes candidates.image of candidates[0].image.
func withoutIndexes(key string) string { return indexes.ReplaceAllString(key, "") }

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// described says what a node is, for messages that want something else.
func described(node *yaml.Node) string {
	switch node.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	}
	switch node.ShortTag() {
	case "!!int", "!!float":
		return "the number " + shortened(node.Value)
	case "!!bool":
		return "the truth value " + node.Value
	case "!!timestamp":
		return "the time " + shortened(node.Value)
	case "!!null":
		return "nothing"
	}
	return fmt.Sprintf("the text %s", quoted(node.Value))
}
