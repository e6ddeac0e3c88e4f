package runconfig

import (
	"fmt"
	"strings"
)

// Explain is the documentation of a key, with or without indexes. The error names the key that may be meant.
func Explain(path string) (Key, error) {
	path = withoutIndexes(path)
	for _, key := range allKeys() {
		if key.Path == path {
			return key, nil
		}
	}
	return Key{}, unknownKey(path)
}

func unknownKey(path string) error {
	parent, last := splitKey(path)
	var near []string
	for _, key := range allKeys() {
		above, name := splitKey(key.Path)
		if name == last {
			return fmt.Errorf("no key %s: did you mean %s?", quoted(path), key.Path)
		}
		if above == parent {
			near = append(near, name)
		}
	}
	if name := nearest(last, near); name != "" {
		return fmt.Errorf("no key %s: did you mean %s?", quoted(path), join(parent, name))
	}
	return fmt.Errorf("no key %s: rehearsal config explain lists all keys", quoted(path))
}

// Below are the keys of a mapping, at any depth.
func (k Key) Below() []Key {
	var below []Key
	for _, key := range allKeys() {
		if strings.HasPrefix(key.Path, k.Path+".") {
			below = append(below, key)
		}
	}
	return below
}

// String is the key's documentation for a terminal, with an empty line at its end.
func (k Key) String() string {
	var out strings.Builder
	fmt.Fprintf(&out, "%s (%s%s)\n", k.Path, k.Type, k.presence())
	for _, line := range wrapped(k.Description, 76) {
		fmt.Fprintf(&out, "    %s\n", line)
	}
	return out.String() + "\n"
}

func (k Key) presence() string {
	switch {
	case k.Required:
		return ", required"
	case k.Default != "":
		return ", default " + k.Default
	}
	return ""
}

// wrapped breaks text into lines of at most width bytes where its words allow that.
func wrapped(text string, width int) []string {
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(text) {
		if line != "" && len(line)+1+len(word) > width {
			lines, line = append(lines, line), ""
		}
		line = strings.TrimSpace(line + " " + word)
	}
	if line == "" {
		return lines
	}
	return append(lines, line)
}
