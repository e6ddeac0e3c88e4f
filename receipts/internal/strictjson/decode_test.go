package strictjson

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// sample has a member of each kind that documents use.
type sample struct {
	Name  string    `json:"name"`
	Count int       `json:"count"`
	Long  int64     `json:"long,string"`
	Flag  bool      `json:"flag"`
	At    time.Time `json:"at"`
	Inner *inner    `json:"inner,omitempty"`
	List  []string  `json:"list"`
	Wait  span      `json:"wait,omitempty"`
}

type inner struct {
	Value string `json:"value"`
}

// span is a type with its own text form.
type span time.Duration

func (s *span) UnmarshalText(text []byte) error {
	parsed, err := time.ParseDuration(string(text))
	if err != nil || parsed <= 0 {
		return errors.New("want a duration above zero")
	}
	*s = span(parsed)
	return nil
}

func (s span) MarshalText() ([]byte, error) { return []byte(time.Duration(s).String()), nil }

const goodSample = `{"name":"a","count":1,"long":"9007199254740993","flag":true,"at":"2026-11-11T09:00:00.5Z",` +
	`"inner":{"value":"v"},"list":["x","y"],"wait":"72h"}`

func TestDecode(t *testing.T) {
	t.Parallel()
	want := sample{
		Name: "a", Count: 1, Long: 9007199254740993, Flag: true,
		At:    time.Date(2026, 11, 11, 9, 0, 0, 5e8, time.UTC),
		Inner: &inner{"v"}, List: []string{"x", "y"}, Wait: span(72 * time.Hour),
	}
	for _, text := range []string{goodSample, " \t\r\n" + strings.ReplaceAll(goodSample, ":{", " : {") + "\n"} {
		var got sample
		if err := Decode(text, &got); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s:\n%s", text, diff)
		}
	}
}

func TestDecodeStrings(t *testing.T) {
	t.Parallel()
	good := map[string]string{
		`""`:                   "",
		`"a\"\\\/\b\f\n\r\tz"`: "a\"\\/\b\f\n\r\tz",
		`"\u0041\u00e9"`:       "Aé",
		`"\uD83D\uDE00"`:       "😀",
		`"é😀"`:                 "é😀",
		"\"\x7f\"":             "\x7f",
	}
	for text, want := range good {
		var got inner
		if err := Decode(`{"value":`+text+`}`, &got); err != nil || got.Value != want {
			t.Errorf("%s: %q, %v", text, got.Value, err)
		}
	}
	for _, text := range []string{
		`"`, `"a`, `"\`, `"\x"`, `"\u12"`, `"\u12G4"`, `"\uD83D"`, `"\uD83Dx"`, `"\uD83D\n"`, `"\uD83D\u0041"`, `"\uDE00"`,
		"\"\n\"", "\"\x00\"", "\"\xff\"", "\"\xc3\"", "\"\xed\xa0\x80\"", `'a'`, `a`, `1`, `null`, `true`, `{}`, `[]`,
		`"` + strings.Repeat("a", maxText+1) + `"`, `"é` + strings.Repeat("a", maxText+1) + `"`,
	} {
		var got inner
		if err := Decode(`{"value":`+text+`}`, &got); err == nil {
			t.Errorf("%.40q is read as %.40q", text, got.Value)
		}
	}
}

func TestDecodeRefuses(t *testing.T) {
	t.Parallel()
	edit := func(old, replacement string) string {
		if !strings.Contains(goodSample, old) {
			t.Fatalf("no %s", old)
		}
		return strings.Replace(goodSample, old, replacement, 1)
	}
	tests := map[string]struct{ text, want string }{
		"empty":               {"", "byte 0: want an object"},
		"data after it":       {goodSample + "{}", "data after the document"},
		"nul after it":        {goodSample + "\x00", "data after the document"},
		"byte order mark":     {"\ufeff" + goodSample, "want an object"},
		"unknown member":      {edit(`"count"`, `"extra":1,"count"`), `unknown member "extra"`},
		"case-folded member":  {edit(`"count"`, `"Count"`), `unknown member "Count"`},
		"duplicate member":    {edit(`"count":1`, `"count":1,"count":1`), `member "count" twice`},
		"escaped member":      {edit(`"count"`, `"c\u006funt"`), "member names are plain ASCII"},
		"missing member":      {edit(`"count":1,`, ``), `no member "count"`},
		"missing list":        {edit(`"list":["x","y"],`, ``), `no member "list"`},
		"null":                {edit(`"inner":{"value":"v"}`, `"inner":null`), "inner: want an object"},
		"null list":           {edit(`["x","y"]`, `null`), "list: want a list"},
		"fraction":            {edit(`:1,`, `:1.0,`), "count: want an integer without fraction"},
		"exponent":            {edit(`:1,`, `:1e0,`), "count: want an integer without fraction"},
		"leading zero":        {edit(`:1,`, `:01,`), "count: want an integer"},
		"minus zero":          {edit(`:1,`, `:-0,`), "count: want an integer"},
		"plus":                {edit(`:1,`, `:+1,`), "count: want an integer"},
		"beyond 2^53":         {edit(`:1,`, `:9007199254740993,`), "count: want an integer"},
		"number in a string":  {edit(`:1,`, `:"1",`), "count: want an integer"},
		"long as a number":    {edit(`"9007199254740993"`, `9007199254740993`), "long: want a string"},
		"long with zeros":     {edit(`"9007199254740993"`, `"007"`), "long: want an integer in a string"},
		"long beyond 64 bits": {edit(`"9007199254740993"`, `"9223372036854775808"`), "long: want an integer in a string"},
		"flag as a number":    {edit(`true`, `1`), "flag: want true or false"},
		"flag in capitals":    {edit(`true`, `True`), "flag: want true or false"},
		"local time":          {edit(`00.5Z`, `00.5+01:00`), "at: want an RFC 3339 time in UTC"},
		"zero offset":         {edit(`00.5Z`, `00.5+00:00`), "at: want an RFC 3339 time in UTC"},
		"comma in a time":     {edit(`00.5Z`, `00,5Z`), "at: want an RFC 3339 time in UTC"},
		"no time":             {edit(`2026-11-11T09:00:00.5Z`, ``), "at: want an RFC 3339 time in UTC"},
		"trailing comma":      {edit(`"72h"}`, `"72h",}`), "want '\"'"},
		"trailing list comma": {edit(`"y"]`, `"y",]`), "list[2]: want a string"},
		"comma missing":       {edit(`"x","y"`, `"x" "y"`), "list: want ','"},
		"colon missing":       {edit(`"name":`, `"name" `), "want ':'"},
		"bad duration":        {edit(`"72h"`, `"3 days"`), "wait: want a duration"},
		"negative duration":   {edit(`"72h"`, `"-1h"`), "wait: want a duration"},
		"error deep inside":   {edit(`{"value":"v"}`, `{"value":1}`), "inner.value: want a string"},
		"unfinished":          {goodSample[:len(goodSample)-1], "want ','"},
		"a list instead":      {`[]`, "want an object"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got sample
			err := Decode(tt.text, &got)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

type nested struct {
	Inner []nested `json:"inner"`
}

func TestDecodeBoundsDepthAndCount(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat(`{"inner":[`, maxDepth) + strings.Repeat(`]}`, maxDepth)
	if err := Decode(deep, new(nested)); err == nil || !strings.Contains(err.Error(), "nested deeper") {
		t.Errorf("depth: %v", err)
	}
	many := `{"inner":[` + strings.TrimSuffix(strings.Repeat(`{"inner":[]},`, maxItems+1), ",") + `]}`
	if err := Decode(many, new(nested)); err == nil || !strings.Contains(err.Error(), "more than 65536 elements") {
		t.Errorf("count: %v", err)
	}
	// The limits also apply to a skipped value.
	var s struct {
		Later Raw `json:"later"`
	}
	raw := `{"later":` + strings.Repeat("[", 1<<20) + `}`
	if err := Decode(raw, &s); err == nil || !strings.Contains(err.Error(), "nested deeper") {
		t.Errorf("depth of a skipped value: %v", err)
	}
}

// Decode reads a document as any other JSON reader does.
func FuzzDecode(f *testing.F) {
	f.Add(goodSample)
	f.Add(`{"name":"\ud83d\ude00","count":-5,"long":"-1","flag":false,"at":"2026-11-11T09:00:00Z","list":[]}`)
	f.Fuzz(func(t *testing.T, text string) {
		var ours, theirs sample
		if Decode(text, &ours) != nil {
			return
		}
		dec := json.NewDecoder(strings.NewReader(text))
		dec.DisallowUnknownFields()
		if err := dec.Decode(&theirs); err != nil {
			t.Fatalf("encoding/json refuses it: %v", err)
		}
		if diff := cmp.Diff(theirs, ours); diff != "" {
			t.Fatalf("encoding/json reads it differently:\n%s", diff)
		}
		text2, err := Encode(Normalized(ours))
		if err != nil {
			t.Fatal(err)
		}
		var again sample
		if err := Decode(string(text2), &again); err != nil {
			t.Fatalf("the encoded document is not read back: %v\n%s", err, text2)
		}
		if diff := cmp.Diff(ours, again); diff != "" {
			t.Fatalf("the encoded document reads back differently:\n%s", diff)
		}
	})
}

// plainPrefix agrees with a check of each byte.
func FuzzPlainPrefix(f *testing.F) {
	for c := range 256 {
		for _, at := range []int{0, 7, 8, 13, 17} {
			text := []byte("0123456789abcdefgh")
			text[at] = byte(c)
			f.Add(string(text))
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		want := strings.IndexFunc(text, func(r rune) bool { return r < ' ' || r >= 0x80 || r == '"' || r == '\\' })
		if want < 0 {
			want = len(text)
		}
		if got := plainPrefix(text); got != want {
			t.Fatalf("%q: %d bytes, want %d", text, got, want)
		}
	})
}
