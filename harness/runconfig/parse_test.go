package runconfig

import (
	"encoding/json"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func files(t testing.TB, patterns ...string) []string {
	t.Helper()
	var all []string
	for _, pattern := range patterns {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: %d files, %v", pattern, len(found), err)
		}
		all = append(all, found...)
	}
	return all
}

func read(t testing.TB, path string) []byte {
	t.Helper()
	text, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// Each wrong file has its mistakes in a text file with the same name.
func TestWrongFiles(t *testing.T) {
	t.Parallel()
	paths := files(t, "testdata/wrong/*.yaml")
	if len(paths) < 35 {
		t.Errorf("%d files", len(paths))
	}
	for _, path := range paths {
		name := filepath.Base(path)
		config, err := Parse(name, read(t, path))
		mistakes, ok := errors.AsType[Mistakes](err)
		if !ok {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(Config{}, config); diff != "" {
			t.Errorf("%s: a configuration with an error: %s", name, diff)
		}
		for _, mistake := range mistakes {
			if strings.ContainsAny(mistake.String(), "\n\r\t") {
				t.Errorf("%s: not one line: %q", name, mistake)
			}
		}
		if !slices.IsSortedFunc(mistakes, byPosition) {
			t.Errorf("%s: mistakes are out of order", name)
		}
		golden(t, strings.TrimSuffix(path, ".yaml")+".txt", []byte(err.Error()+"\n"))
	}
	for _, path := range files(t, "testdata/wrong/*.txt") {
		if !slices.Contains(paths, strings.TrimSuffix(path, ".txt")+".yaml") {
			t.Errorf("%s: no such wrong file", path)
		}
	}
}

// Good files are what they say after they are written and read again, too.
func TestGoodFiles(t *testing.T) {
	t.Parallel()
	for _, path := range files(t, "testdata/good/*") {
		config, err := Load(path)
		if err != nil {
			t.Error(err)
			continue
		}
		sameAgain(t, config)
	}
}

// sameAgain writes a configuration and reads it.
func sameAgain(t *testing.T, config Config) {
	t.Helper()
	text, err := json.Marshal(config)
	if err != nil {
		t.Fatal(err)
	}
	again, err := Parse("again.json", text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if diff := cmp.Diff(config, again); diff != "" {
		t.Fatal(diff)
	}
}

func TestDefaults(t *testing.T) {
	t.Parallel()
	config, err := Load("testdata/good/minimal.yaml")
	if err != nil {
		t.Fatal(err)
	}
	want := Config{
		Version:    Version,
		Cluster:    Cluster{Namespace: "games", Egress: EgressClosed},
		Operator:   Operator{Namespace: "gameplane-system", Deployment: "gameplane-operator"},
		Server:     Server{Name: "survival"},
		Candidates: []Candidate{{Name: "1.21.4", Image: "registry.example/game:1.21.4"}},
		Seed:       Seed{Backup: "nightly"},
		Game:       Game{Client: "minecraft", Port: 25565, Player: "rehearsal"},
		Limits: Limits{
			Start: Duration(2 * time.Minute),
			Join:  Duration(20 * time.Second),
			Hold:  Duration(2 * time.Second),
			Copy:  Duration(3 * time.Minute),
		},
		Controls: []string{"bad-image/unpullable", "bad-image/http-only"},
		Images:   Images{Registry: "registry.example/rehearsal", Push: "registry.example/rehearsal"},
		Out:      "runs",
	}
	want.Operator.Fields = Fields{
		Policy:      "spec.templateUpdatePolicy",
		Request:     "spec.templateRevision",
		Pending:     "status.pendingRevision.templateDigest",
		Revisions:   "status.revisions",
		BackupImage: "status.revision.image",
	}
	if diff := cmp.Diff(want, config); diff != "" {
		t.Error(diff)
	}
}

// Everything that a configuration can say arrives where it belongs.
func TestEveryKeyIsRead(t *testing.T) {
	t.Parallel()
	config, err := Load("testdata/good/everything.yaml")
	if err != nil {
		t.Fatal(err)
	}
	want := Config{
		Version: Version,
		Cluster: Cluster{Kubeconfig: "default", Context: "games@home", Namespace: "games", Egress: EgressClosed},
		Operator: Operator{
			Namespace:  "operators",
			Deployment: "gameplane.operator",
			Fields: Fields{
				Policy: "spec.a.policy", Request: "spec.request", Pending: "status.pending", Revisions: "status.list", BackupImage: "status.image",
			},
		},
		Server:   Server{Name: "survival"},
		Baseline: Image{Name: "1.21", Image: "registry.example/game:1.21.1"},
		Candidates: []Candidate{
			{Name: "1.21.4", Image: "registry.example/game@sha256:" + strings.Repeat("4", 64), Bundle: "sha256:" + strings.Repeat("b", 64)},
			{Name: "1.21.4 build 2", Image: "registry.example:5000/game"},
		},
		Seed:     Seed{Backup: "nightly.2026"},
		Game:     Game{Client: "minecraft", Port: 25566, Protocol: 769, Player: "Steve"},
		Refusal:  Refusal{ExitCodes: []int{3, 255}, LogPatterns: []string{`saved by a newer version`, `DataVersion \d+ > \d+`}},
		Limits:   Limits{Start: Duration(5 * time.Minute), Join: Duration(time.Minute), Hold: Duration(1500 * time.Millisecond), Copy: Duration(24 * time.Hour), Stop: Duration(90 * time.Second)},
		Controls: []string{},
		Images:   Images{Registry: "registry.example/rehearsal", Push: "localhost:5000", Insecure: true, PullSecret: "pull"},
		Policy:   "policy.yaml",
		Key:      "rehearsal.key",
		Out:      "out/receipts",
	}
	if diff := cmp.Diff(want, config); diff != "" {
		t.Error(diff)
	}
}

func TestLoadOfAFileThatCannotBeRead(t *testing.T) {
	t.Parallel()
	_, err := Load(filepath.Join(t.TempDir(), "none.yaml"))
	if _, isMistake := errors.AsType[Mistakes](err); isMistake || !errors.Is(err, fs.ErrNotExist) || strings.Contains(err.Error(), "open ") {
		t.Error(err)
	}
}

// A file that nests or repeats without end is refused in no time.
func TestHostileFiles(t *testing.T) {
	t.Parallel()
	bomb := "a: &a [x,x,x,x,x,x,x,x,x]\n"
	for c := 'b'; c < 'z'; c++ {
		bomb += string(c) + ": &" + string(c) + " [" + strings.TrimSuffix(strings.Repeat("*"+string(c-1)+",", 9), ",") + "]\n"
	}
	keys := &strings.Builder{}
	for i := range 20_000 {
		keys.WriteString(strings.Repeat("k", i%9) + "x" + string(rune('a'+i%26)) + ": 1\n")
	}
	for name, text := range map[string]string{
		"aliases":       bomb,
		"flow lists":    strings.Repeat("[", MaxSize),
		"flow mappings": strings.Repeat("{", MaxSize),
		"flow keys":     strings.Repeat("{a: ", MaxSize/4),
		"block lists":   strings.Repeat("- ", MaxSize/2),
		"block keys":    strings.Repeat("? ", MaxSize/2),
		"unknown keys":  keys.String(),
		"one key":       "version: 1\n" + strings.Repeat("k", MaxSize-20) + ": 1\n",
		"long key":      "? " + strings.Repeat("k", MaxSize-20) + "\n: 1\n",
		"candidates":    "candidates:\n" + strings.Repeat("- x: 1\n", MaxSize/8),
		"large":         strings.Repeat("#", MaxSize+1),
		"utf-16":        "\xff\xfea\x00",
	} {
		start := time.Now()
		_, err := Parse("hostile.yaml", []byte(text))
		mistakes, ok := errors.AsType[Mistakes](err)
		if !ok || len(mistakes) > maxMistakes+1 {
			t.Errorf("%s: %d mistakes", name, len(mistakes))
		}
		if took := time.Since(start); took > 10*time.Second {
			t.Errorf("%s: %s", name, took)
		} else {
			t.Logf("%s: %s, %.200s", name, took, err)
		}
		for _, mistake := range mistakes {
			if len(mistake.String()) > 2000 {
				t.Errorf("%s: a mistake of %d bytes", name, len(mistake.String()))
			}
		}
	}
}

func TestManyMistakesAreCutOff(t *testing.T) {
	t.Parallel()
	text := &strings.Builder{}
	for i := range 150 {
		text.WriteString("key" + strings.Repeat("x", i) + ": 1\n")
	}
	_, err := Parse("many.yaml", []byte(text.String()))
	mistakes, _ := errors.AsType[Mistakes](err)
	if len(mistakes) != maxMistakes+1 || !strings.Contains(mistakes[maxMistakes].Text, "more mistakes") {
		t.Error(err)
	}
}

func TestDurationText(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"90s": "1m30s", "2m": "2m", "120s": "2m", "1h": "1h", "60m": "1h", "1h0m5s": "1h0m5s", "24h": "24h", "1.5s": "1.5s", "10s": "10s", "10m": "10m",
	} {
		d, err := parseDuration(text)
		if err != nil || d.String() != want {
			t.Errorf("%s became %s, %v", text, d, err)
		}
	}
	for _, text := range []string{"", "0", "0s", "-1s", "+1s", "25h", "24h0m0.000000001s", "90", "1 m", "999999999999999999h", "0.1ns", "."} {
		if d, err := parseDuration(text); err == nil {
			t.Errorf("%s became %s", text, d)
		}
	}
}

// No text makes Parse panic, and a configuration that it takes is the same after it is written and read again.
func FuzzParse(f *testing.F) {
	for _, path := range files(f, "testdata/wrong/*.yaml", "testdata/good/*") {
		f.Add(read(f, path))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		config, err := Parse("fuzz.yaml", text)
		if err == nil {
			sameAgain(t, config)
			return
		}
		mistakes, ok := errors.AsType[Mistakes](err)
		if !ok || len(mistakes) == 0 {
			t.Fatalf("no mistakes: %v", err)
		}
		for _, mistake := range mistakes {
			if mistake.Line < 1 || mistake.Column < 1 || strings.Contains(mistake.String(), "\n") {
				t.Errorf("%q", mistake)
			}
		}
	})
}
