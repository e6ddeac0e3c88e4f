package receipts_test

import (
	"bytes"
	"encoding"
	"encoding/json"
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/GameplanePanel/rehearsal/receipts/gate"
	"github.com/GameplanePanel/rehearsal/receipts/journal"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// schemaDir holds a JSON Schema for each document, made from its Go type. A schema allows what the strict reader accepts,
// and takes its descriptions from the comments of the type.
const schemaDir = "schema"

var update = flag.Bool("update", false, "write the schemas again")

// statementOf describes a statement with a predicate of some type.
type statementOf struct {
	predicateType string
	predicate     reflect.Type
}

func schemas() map[string]any {
	return map[string]any{
		"receipt":              statementOf{statement.ReceiptType, reflect.TypeFor[statement.Receipt]()},
		"run-manifest":         statementOf{statement.ManifestType, reflect.TypeFor[statement.Manifest]()},
		"override":             statementOf{statement.OverrideType, reflect.TypeFor[statement.Override]()},
		"test-result":          statementOf{statement.TestResultType, reflect.TypeFor[statement.TestResult]()},
		"verification-summary": statementOf{statement.VerificationSummaryType, reflect.TypeFor[statement.VerificationSummary]()},
		"policy":               reflect.TypeFor[gate.Policy](),
		"journal-entry":        reflect.TypeFor[journal.Entry](),
		"decision":             reflect.TypeFor[gate.Decision](),
	}
}

func TestSchemasAreCurrent(t *testing.T) {
	maker := schemaMaker{comments: typeComments(t)}
	want := map[string]bool{}
	for name, document := range schemas() {
		path := filepath.Join(schemaDir, name+".schema.json")
		want[path] = true
		text := maker.file(t, name, document)
		if *update {
			if err := os.MkdirAll(schemaDir, 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, text, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, text) {
			t.Errorf("%s is not current: run go test ./receipts -run TestSchemasAreCurrent -args -update", path)
		}
	}
	files, err := filepath.Glob(filepath.Join(schemaDir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if !want[file] {
			t.Errorf("%s describes no document", file)
		}
	}
}

// typeComments returns the comments of types ("statement.Run") and of their fields ("statement.Run.ID").
func typeComments(t *testing.T) map[string]string {
	t.Helper()
	comments := map[string]string{}
	files, err := filepath.Glob(filepath.Join("*", "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			decl, ok := n.(*ast.GenDecl)
			if !ok {
				return true
			}
			for _, spec := range decl.Specs {
				if spec, ok := spec.(*ast.TypeSpec); ok {
					addComments(comments, file.Name.Name, decl, spec)
				}
			}
			return false
		})
	}
	return comments
}

func addComments(comments map[string]string, pkg string, decl *ast.GenDecl, spec *ast.TypeSpec) {
	name := pkg + "." + spec.Name.Name
	comments[name] = oneLine(decl.Doc.Text())
	fields, ok := spec.Type.(*ast.StructType)
	if !ok {
		return
	}
	for _, field := range fields.Fields.List {
		for _, member := range field.Names {
			comments[name+"."+member.Name] = oneLine(field.Doc.Text() + field.Comment.Text())
		}
	}
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// schema is a JSON Schema. Empty members are left out.
type schema struct {
	Dialect     string             `json:"$schema,omitempty"`
	ID          string             `json:"$id,omitempty"`
	Ref         string             `json:"$ref,omitempty"`
	Title       string             `json:"title,omitempty"`
	Description string             `json:"description,omitempty"`
	Type        string             `json:"type,omitempty"`
	Const       string             `json:"const,omitempty"`
	Pattern     string             `json:"pattern,omitempty"`
	Format      string             `json:"format,omitempty"`
	Minimum     *int64             `json:"minimum,omitempty"`
	Maximum     *int64             `json:"maximum,omitempty"`
	Items       *schema            `json:"items,omitempty"`
	Properties  map[string]*schema `json:"properties,omitempty"`
	Required    []string           `json:"required,omitempty"`
	Additional  *bool              `json:"additionalProperties,omitempty"`
	Defs        map[string]*schema `json:"$defs,omitempty"`
}

// schemaMaker makes the schemas of Go types.
type schemaMaker struct {
	comments map[string]string
	defs     map[string]*schema
}

func (m schemaMaker) file(t *testing.T, name string, document any) []byte {
	t.Helper()
	m.defs = map[string]*schema{}
	var out *schema
	switch document := document.(type) {
	case statementOf:
		out = m.statement(document)
	case reflect.Type:
		top := *m.defs[strings.TrimPrefix(m.of(document).Ref, "#/$defs/")]
		delete(m.defs, document.Name())
		out = &top
	}
	out.Dialect = "https://json-schema.org/draft/2020-12/schema"
	out.ID = "https://github.com/GameplanePanel/rehearsal/receipts/schema/" + name + ".schema.json"
	out.Title, out.Defs = name, m.defs
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(out); err != nil {
		t.Fatal(err)
	}
	return text.Bytes()
}

func (m schemaMaker) statement(s statementOf) *schema {
	no := false
	return &schema{
		Description: "The payload of a DSSE envelope: an in-toto Statement v1.",
		Type:        "object",
		Properties: map[string]*schema{
			"_type":         {Const: statement.StatementType},
			"subject":       {Type: "array", Items: m.of(reflect.TypeFor[statement.Subject]())},
			"predicateType": {Const: s.predicateType},
			"predicate":     m.of(s.predicate),
		},
		Required:   []string{"_type", "subject", "predicateType", "predicate"},
		Additional: &no,
	}
}

// of returns the schema of a type. It adds structs to the definitions and returns a reference to them.
func (m schemaMaker) of(t reflect.Type) *schema {
	const exact = int64(1)<<53 - 1
	low, high := -exact, exact
	switch {
	case t == reflect.TypeFor[time.Time]():
		return &schema{Type: "string", Format: "date-time", Pattern: "Z$"}
	case t == reflect.TypeFor[gate.Duration]():
		return &schema{Type: "string", Pattern: `^\+?([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h)`}
	case reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextUnmarshaler]()):
		return &schema{Type: "string"}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return m.of(t.Elem())
	case reflect.Slice:
		return &schema{Type: "array", Items: m.of(t.Elem())}
	case reflect.String:
		return &schema{Type: "string"}
	case reflect.Bool:
		return &schema{Type: "boolean"}
	case reflect.Int, reflect.Int64:
		return &schema{Type: "integer", Minimum: &low, Maximum: &high}
	}
	if m.defs[t.Name()] == nil {
		no := false
		object := &schema{Type: "object", Description: m.comments[t.String()], Properties: map[string]*schema{}, Additional: &no}
		m.defs[t.Name()] = object
		m.fields(object, t)
	}
	return &schema{Ref: "#/$defs/" + t.Name()}
}

func (m schemaMaker) fields(object *schema, t reflect.Type) {
	for i := range t.NumField() {
		field := t.Field(i)
		if field.Anonymous {
			m.fields(object, field.Type)
			continue
		}
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		member := m.of(field.Type)
		if strings.Contains(options, "string") {
			member = &schema{Type: "string", Pattern: `^(0|-?[1-9][0-9]{0,18})$`}
		}
		described := *member
		described.Description = m.comments[t.String()+"."+field.Name]
		object.Properties[name] = &described
		if !strings.Contains(options, "omit") {
			object.Required = append(object.Required, name)
		}
	}
	slices.Sort(object.Required)
}
