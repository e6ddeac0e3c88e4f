package runconfig

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const introduction = `# The run configuration

A run configuration says which update ` + "`rehearsal run --config FILE`" + ` plays, in which cluster, and how. It is YAML or JSON: one
document of at most 256 KiB, without anchors, aliases and tags.

Start with ` + "`rehearsal config init`" + `, and check the result with ` + "`rehearsal config lint`" + `. The check names every mistake at once,
with line and column. An unknown key is a mistake: a misspelt key never changes a run unnoticed.
[examples](examples) has a file for vanilla Minecraft, for Paper, and for several candidates. Editors that know JSON Schema
complete and check a file with [config.schema.json](../harness/runconfig/schema/config.schema.json).

A required key is required where its mapping is there. A path of a file starts at the directory in which the command runs.
A duration is at most 24h. This page comes from the types in harness/runconfig; ` + "`rehearsal config explain`" + ` prints the same.
`

func TestDocumentationIsCurrent(t *testing.T) {
	comments := typeComments(t)
	keys := keysWith(func(path string) string { return commentOf(comments, path) })
	var out strings.Builder
	out.WriteString(introduction)
	section(&out, "The file", "", within(keys, ""))
	for _, key := range keys {
		if key.mapping {
			section(&out, key.Path, key.Description, within(keys, key.Path))
		}
	}
	golden(t, "../../docs/config.md", []byte(out.String()))
}

// within are the keys of one mapping.
func within(keys []Key, parent string) []Key {
	var inside []Key
	for _, key := range keys {
		if above, _ := splitKey(key.Path); above == parent {
			inside = append(inside, key)
		}
	}
	return inside
}

func section(out *strings.Builder, title, text string, keys []Key) {
	fmt.Fprintf(out, "\n## %s\n\n", title)
	if text != "" {
		fmt.Fprintf(out, "%s\n\n", text)
	}
	out.WriteString("| key | type | default | description |\n|---|---|---|---|\n")
	for _, key := range keys {
		_, name := splitKey(key.Path)
		if key.mapping {
			name = fmt.Sprintf("[%s](#%s)", name, strings.ToLower(strings.ReplaceAll(key.Path, ".", "")))
		}
		otherwise := "none"
		switch {
		case key.Required:
			otherwise = "**required**"
		case key.Default != "":
			otherwise = "`" + key.Default + "`"
		}
		fmt.Fprintf(out, "| %s | %s | %s | %s |\n", name, key.Type, otherwise, strings.ReplaceAll(key.Description, "|", `\|`))
	}
}

// commentOf is the comment that the schema has as the description of a key.
func commentOf(comments map[string]string, path string) string {
	types := map[string]string{"": "Config", "candidates": "Candidate", "baseline": "Image", "operator.fields": "Fields"}
	name := func(path string) string {
		if name, ok := types[path]; ok {
			return name
		}
		return strings.ToUpper(path[:1]) + path[1:]
	}
	parent, last := splitKey(path)
	if comment := comments[name(parent)+"."+strings.ToUpper(last[:1])+last[1:]]; comment != "" {
		return comment
	}
	return comments[name(path)]
}

// The example has nothing wrong but the values to replace, and names every mapping.
func TestExample(t *testing.T) {
	t.Parallel()
	_, err := Parse("example.yaml", Example())
	mistakes, ok := errors.AsType[Mistakes](err)
	if !ok {
		t.Fatal(err)
	}
	for _, mistake := range mistakes {
		if !strings.Contains(mistake.Text, "the example's value is still there") {
			t.Error(mistake)
		}
	}
	if want := strings.Count(string(Example()), ": REPLACE_ME\n"); len(mistakes) != want {
		t.Errorf("%d mistakes, %d values to replace", len(mistakes), want)
	}
	for _, key := range within(Keys(), "") {
		if !regexp.MustCompile(`(?m)^(# )?` + key.Path + `:`).Match(Example()) {
			t.Errorf("no %s in the example", key.Path)
		}
	}
}

// What the example has as comments is right, too.
func TestExampleWithoutComments(t *testing.T) {
	t.Parallel()
	text := regexp.MustCompile(`(?m)^( *)# ( *[a-zA-Z]+:( .*)?)$`).ReplaceAllString(string(Example()), "$1$2")
	if strings.Contains(text, "# operator") || !strings.Contains(text, "\noperator:") {
		t.Fatal(text)
	}
	for _, replace := range [][2]string{
		{"kubeconfig: REPLACE_ME", "kubeconfig: default"},
		{"image: REPLACE_ME", "image: registry.example/game@sha256:" + strings.Repeat("2", 64)},
		{"registry: REPLACE_ME", "registry: registry.example/rehearsal"},
		{"REPLACE_ME", "something"},
		{"sha256:DIGEST", "sha256:" + strings.Repeat("1", 64)},
	} {
		text = strings.ReplaceAll(text, replace[0], replace[1])
	}
	warnings, err := Lint("example.yaml", []byte(text))
	if err != nil || len(warnings) > 0 {
		t.Errorf("%v, %v\n%s", warnings, err, text)
	}
}

// The examples of the documentation are right, and mean what they say.
func TestDocumentedExamples(t *testing.T) {
	t.Parallel()
	for _, path := range files(t, "../../docs/examples/*.yaml") {
		warnings, err := Lint(path, read(t, path))
		if err != nil || len(warnings) > 0 {
			t.Errorf("%s: %v, %v", path, warnings, err)
		}
		config, err := Load(path)
		if err != nil {
			t.Fatal(err)
		}
		sameAgain(t, config)
	}
}

func TestWarnings(t *testing.T) {
	t.Parallel()
	for _, path := range files(t, "testdata/warned/*.yaml") {
		warnings, err := Lint("update.yaml", read(t, path))
		if err != nil {
			t.Error(err)
			continue
		}
		var text strings.Builder
		for _, warning := range warnings {
			fmt.Fprintln(&text, warning.Warning())
		}
		golden(t, strings.TrimSuffix(path, ".yaml")+".txt", []byte(text.String()))
	}
}

func TestExplain(t *testing.T) {
	t.Parallel()
	key, err := Explain("candidates[3].image")
	if err != nil {
		t.Fatal(err)
	}
	want := "candidates.image (image reference, required)\n    Image reference. A run resolves a tag to its digest once, at its start.\n\n"
	if diff := cmp.Diff(want, key.String()); diff != "" {
		t.Error(diff)
	}
	for path, want := range map[string]string{
		"registry":        `no key "registry": did you mean images.registry?`,
		"candidates.imag": `no key "candidates.imag": did you mean candidates.image?`,
		"limit":           `no key "limit": did you mean limits?`,
		"colour":          `no key "colour": rehearsal config explain lists all keys`,
		"":                `no key "": rehearsal config explain lists all keys`,
	} {
		if _, err := Explain(path); err == nil || err.Error() != want {
			t.Errorf("%s: %v", path, err)
		}
	}
	operator, err := Explain("operator")
	if err != nil {
		t.Fatal(err)
	}
	if below := operator.Below(); len(below) != 8 || below[0].Path != "operator.namespace" {
		t.Errorf("%v", below)
	}
}

func TestNearest(t *testing.T) {
	t.Parallel()
	known := []string{"image", "name", "registry", "pullSecret", "out"}
	for misspelt, want := range map[string]string{
		"imag": "image", "imgae": "image", "NAME": "name", "registery": "registry", "pull-secret": "pullSecret", "pullsecret": "pullSecret",
		"ou": "out", "in": "", "picture": "", "": "", strings.Repeat("image", 20): "",
	} {
		if got := nearest(misspelt, known); got != want {
			t.Errorf("%q is near %q, want %q", misspelt, got, want)
		}
	}
}
