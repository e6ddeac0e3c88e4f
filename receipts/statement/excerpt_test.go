package statement_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

func TestExcerptOfHostileTextIsShortAndValid(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "short", strings.Repeat("é", 1000), "\xff\xfe" + strings.Repeat("x", 600)} {
		got := statement.Excerpt(text)
		if len(got) > statement.MaxMessage || !utf8.ValidString(got) {
			t.Errorf("%d bytes, valid: %v", len(got), utf8.ValidString(got))
		}
	}
	for text, want := range map[string]string{
		"as it is":                      "as it is",
		"\n last line\n":                "last line",
		strings.Repeat("x", 512):        strings.Repeat("x", 512),
		strings.Repeat("x", 510) + "é!": strings.Repeat("x", 509) + "…",
	} {
		if got := statement.Excerpt(text); got != want {
			t.Errorf("excerpt of %.20q… is %q", text, got)
		}
	}
}

func TestImageDigest(t *testing.T) {
	t.Parallel()
	for image, want := range map[string]string{
		"":                               "",
		"game:latest":                    "",
		"registry:5000/game@sha256:aa":   "sha256:aa",
		"docker.io/x@sha256:a@sha256:bb": "sha256:bb",
		"sha256:cc":                      "sha256:cc",
	} {
		if got := statement.ImageDigest(image); got != want {
			t.Errorf("digest of %q is %q, want %q", image, got, want)
		}
	}
}
