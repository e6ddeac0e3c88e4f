package runconfig

import (
	"bytes"
	"encoding/json"
	goflag "flag"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
)

var update = goflag.Bool("update", false, "write the golden files, the schema and docs/config.md anew")

// golden compares text with a file, which -update writes.
func golden(t *testing.T, path string, text []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(want, text) {
		t.Errorf("%s is not current: run go test ./harness/runconfig -update\ngot:\n%s\nwant:\n%s", path, text, want)
	}
}

// schema is a JSON Schema. Members with nothing in them are left out.
type schema struct {
	Dialect     string   `json:"$schema,omitempty"`
	ID          string   `json:"$id,omitempty"`
	Title       string   `json:"title,omitempty"`
	Description string   `json:"description,omitempty"`
	Type        string   `json:"type"`
	Enum        []string `json:"enum,omitempty"`
	Pattern     string   `json:"pattern,omitempty"`
	Default     any      `json:"default,omitempty"`
	MinLength   int      `json:"minLength,omitempty"`
	MaxLength   int      `json:"maxLength,omitempty"`
	Minimum     int      `json:"minimum,omitempty"`
	Maximum     int      `json:"maximum,omitempty"`
	MinItems    int      `json:"minItems,omitempty"`
	MaxItems    int      `json:"maxItems,omitempty"`
	Unique      bool     `json:"uniqueItems,omitempty"`
	Items       *schema  `json:"items,omitempty"`
	Properties  members  `json:"properties,omitempty"`
	Required    []string `json:"required,omitempty"`
	Additional  *bool    `json:"additionalProperties,omitempty"`
}

// members are the properties of a schema in the order of the fields, which editors offer them in.
type members []member

type member struct {
	name   string
	schema *schema
}

func (m members) MarshalJSON() ([]byte, error) {
	var out bytes.Buffer
	separator := byte('{')
	for _, member := range m {
		out.WriteByte(separator)
		separator = ','
		name, err := json.Marshal(member.name)
		if err != nil {
			return nil, err
		}
		value, err := unescaped(member.schema, "")
		if err != nil {
			return nil, err
		}
		out.Write(name)
		out.WriteByte(':')
		out.Write(value)
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

// unescaped writes JSON as people read it.
func unescaped(value any, indent string) ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", indent)
	err := enc.Encode(value)
	return out.Bytes(), err
}

func TestSchemaIsCurrent(t *testing.T) {
	var defaults Config
	defaults.complete()
	out := schemaMaker{comments: typeComments(t)}.of(reflect.ValueOf(defaults), "")
	out.Dialect = "https://json-schema.org/draft/2020-12/schema"
	out.ID = "https://github.com/GameplanePanel/rehearsal/harness/runconfig/schema/config.schema.json"
	out.Title = "rehearsal configuration"
	text, err := unescaped(out, "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "schema/config.schema.json", text)
}

type schemaMaker struct{ comments map[string]string }

func (m schemaMaker) of(value reflect.Value, key string) *schema {
	rule := ruleOf(key)
	var out *schema
	switch kind := value.Kind(); {
	case value.Type() == durationType:
		out = &schema{Type: "string", Pattern: rule.pattern}
	case kind == reflect.Struct:
		return m.object(value, key)
	case kind == reflect.Slice:
		out = &schema{Type: "array", MinItems: rule.min, MaxItems: rule.max}
		out.Items = m.of(reflect.New(value.Type().Elem()).Elem(), key+"[0]")
		out.Unique = out.Items.Type != "object"
	case kind == reflect.String:
		out = &schema{Type: "string", Enum: rule.values, Pattern: rule.pattern, MaxLength: rule.max}
		if rule.values == nil {
			out.MinLength = 1
		}
	case kind == reflect.Int:
		out = &schema{Type: "integer", Minimum: rule.min, Maximum: rule.max}
	default:
		out = &schema{Type: "boolean"}
	}
	if !value.IsZero() {
		out.Default = value.Interface()
	}
	return out
}

func (m schemaMaker) object(value reflect.Value, key string) *schema {
	no := false
	t := value.Type()
	out := &schema{Type: "object", Description: m.comments[t.Name()], Additional: &no}
	for i, name := range keysOf(t) {
		property := m.of(value.Field(i), join(key, name))
		if comment := m.comments[t.Name()+"."+t.Field(i).Name]; comment != "" {
			property.Description = comment
		}
		out.Properties = append(out.Properties, member{name, property})
		if required(t, name) {
			out.Required = append(out.Required, name)
		}
	}
	slices.Sort(out.Required)
	return out
}

// typeComments are the comments of types ("Image") and of their fields ("Image.Name").
func typeComments(t *testing.T) map[string]string {
	t.Helper()
	source, err := parser.ParseFile(token.NewFileSet(), "config.go", nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	comments := map[string]string{}
	for _, decl := range source.Decls {
		decl, ok := decl.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, spec := range decl.Specs {
			if spec, ok := spec.(*ast.TypeSpec); ok {
				addComments(comments, spec, decl.Doc)
			}
		}
	}
	return comments
}

func addComments(comments map[string]string, spec *ast.TypeSpec, doc *ast.CommentGroup) {
	comments[spec.Name.Name] = oneLine(doc.Text())
	fields, ok := spec.Type.(*ast.StructType)
	if !ok {
		return
	}
	for _, field := range fields.Fields.List {
		for _, name := range field.Names {
			comments[spec.Name.Name+"."+name.Name] = oneLine(field.Doc.Text())
		}
	}
}

// Every key has a rule, a type and a description; no rule is of a key that does not exist.
func TestEveryKeyHasARule(t *testing.T) {
	used := map[string]bool{}
	for _, key := range Keys() {
		used[key.Path], used[key.Path+"[]"] = true, true
		if key.Type == "" || key.Description == "" {
			t.Errorf("%s: type %q, description %q", key.Path, key.Type, key.Description)
		}
	}
	for path, rule := range rules {
		if !used[path] {
			t.Errorf("rule of %s: no such key", path)
		}
		if strings.Contains(rule.want(), "  ") || rule.name == "" {
			t.Errorf("rule of %s: %q", path, rule.want())
		}
	}
}
