package tag

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/Tnze/go-mc/nbt"
)

// maxWords is how many bytes of a text component are flattened: what is longer tells nobody more.
const maxWords = 4 << 10

// Text flattens a text component, as chat and kick messages carry since 1.20.3, into plain words: the text,
// or the translation key where the client would translate. data is a nameless tag. It returns "" for data that
// is not one.
func Text(data []byte) string {
	if _, err := Measure(data, false); err != nil {
		return ""
	}
	decoder := nbt.NewDecoder(bytes.NewReader(data))
	decoder.NetworkFormat(true)
	var component any
	if _, err := decoder.Decode(&component); err != nil {
		return ""
	}
	return Flatten(component)
}

// TextJSON is Text for the JSON form used before 1.20.3 and, to this day, when a login is refused.
func TextJSON(data string) string {
	if len(data) > MaxBytes {
		return ""
	}
	var component any
	if err := json.Unmarshal([]byte(data), &component); err != nil {
		return ""
	}
	return Flatten(component)
}

// Flatten is Text for a component that is decoded already.
func Flatten(component any) string {
	var out strings.Builder
	appendText(&out, component)
	return strings.TrimSpace(out.String())
}

// appendText needs no depth limit of its own: Measure and encoding/json have theirs.
func appendText(out *strings.Builder, component any) {
	if out.Len() > maxWords {
		return
	}
	switch c := component.(type) {
	case string:
		out.WriteString(c)
	case []any:
		for _, part := range c {
			appendText(out, part)
		}
	case map[string]any:
		if text, ok := c["text"].(string); ok {
			out.WriteString(text)
		} else if text, ok := c[""].(string); ok { // how a plain string travels in a list of components
			out.WriteString(text)
		} else if key, ok := c["translate"].(string); ok {
			out.WriteString(key)
		}
		appendList(out, c["with"])
		appendList(out, c["extra"])
	}
}

func appendList(out *strings.Builder, value any) {
	list, ok := value.([]any)
	if !ok {
		return
	}
	for _, part := range list {
		if out.Len() > 0 {
			out.WriteByte(' ')
		}
		appendText(out, part)
	}
}
