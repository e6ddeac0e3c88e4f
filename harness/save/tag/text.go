package tag

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/Tnze/go-mc/nbt"
)

// maxWords limits the bytes of a text component that are flattened: more would not help a reader.
const maxWords = 4 << 10

// Text flattens a text component, the format of chat and kick messages since 1.20.3, into plain text. Where the client
// would translate, it gives the translation key. data is a nameless tag; for anything else Text returns "".
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

// TextJSON is Text for the JSON form, which chat used before 1.20.3 and refused logins still use.
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

// Flatten is Text for a decoded component.
func Flatten(component any) string {
	var out strings.Builder
	appendText(&out, component)
	return strings.TrimSpace(out.String())
}

// appendText needs no depth limit: Measure and encoding/json limit the depth.
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
		} else if text, ok := c[""].(string); ok { // a plain string in a list of components
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
