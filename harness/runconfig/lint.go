package runconfig

import (
	"fmt"
	"regexp"
	"slices"

	"github.com/google/go-containerregistry/pkg/name"
)

// Lint reads a configuration as Parse does, and returns what its author may not have meant, in the order of the file.
func Lint(name string, text []byte) ([]Finding, error) {
	config, r, err := parse(name, text)
	if err != nil {
		return nil, err
	}
	w := warnings{reader: r}
	w.choices(&config)
	w.images(&config)
	w.patterns(config.Refusal.LogPatterns)
	slices.SortStableFunc(w.found, byPosition)
	return w.found, nil
}

type warnings struct {
	*reader
	found []Finding
}

// warn puts a warning where the key is, or where the file begins if the key is not there.
func (w *warnings) warn(key, format string, args ...any) {
	at := w.nodes[key]
	if at == nil {
		at = w.nodes[""]
	}
	w.found = append(w.found, w.finding(at, key, format, args...))
}

// choices warns of keys whose absence, or whose value, decides what the run is worth.
func (w *warnings) choices(c *Config) {
	if c.Cluster.Kubeconfig == "" {
		w.warn("cluster.kubeconfig", "missing: no cluster is named; give a file, or default for your own kubeconfig")
	}
	if c.Policy == "" {
		w.warn("policy", "missing: the run makes no decision; give a policy file")
	}
	if c.Key == "" {
		w.warn("key", "missing: the run signs with a key that no gate knows; give a private key file (rehearsal keys generate)")
	}
	if len(c.Controls) == 0 {
		w.warn("controls", "empty: no receipt shows that a bad image is blocked; give %s", ruleOf("controls").example)
	}
	if c.Images.Insecure {
		w.warn("images.insecure", "anybody on the network can change the images of a registry over HTTP; use HTTPS where you can")
	}
}

func (w *warnings) images(c *Config) {
	w.tag("baseline.image", c.Baseline.Image)
	for i, candidate := range c.Candidates {
		key := fmt.Sprintf("candidates[%d]", i)
		w.tag(key+".image", candidate.Image)
		if candidate.Name == c.Baseline.Name {
			w.warn(key+".name", "%s is the baseline's name, too: receipts are hard to read; give a different one", quoted(candidate.Name))
		}
	}
}

// tag warns of a reference that may be of another image tomorrow.
func (w *warnings) tag(key, image string) {
	if image == "" {
		return
	}
	ref, err := name.ParseReference(image)
	if err != nil {
		return
	}
	if tag, ok := ref.(name.Tag); ok {
		w.warn(key, "the tag %s can move to another image: give a digest, as in %s@sha256:DIGEST", tag.TagStr(), tag.Repository)
	}
}

// patterns warns of patterns that find a refusal in every log.
func (w *warnings) patterns(patterns []string) {
	for i, pattern := range patterns {
		if expression, err := regexp.Compile(pattern); err == nil && expression.MatchString("") {
			key := fmt.Sprintf("refusal.logPatterns[%d]", i)
			w.warn(key, "%s matches an empty line: a log without a refusal may match; give the words of the refusal", quoted(pattern))
		}
	}
}
