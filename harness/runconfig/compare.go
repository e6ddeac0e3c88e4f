package runconfig

import (
	"fmt"

	"github.com/google/go-containerregistry/pkg/name"
)

// compare notes mistakes that show only where several values are compared. Values that are wrong by themselves are
// empty here.
func (r *reader) compare(c *Config) {
	images := map[string]string{}
	if same := identity(c.Baseline.Image); same != "" {
		images[same] = "baseline"
	}
	names := map[string]string{}
	for i, candidate := range c.Candidates {
		key := fmt.Sprintf("candidates[%d]", i)
		if other := remember(names, candidate.Name, key); other != "" {
			r.mistake(r.nodes[key+".name"], key+".name", "%s is the name of %s, too: give each candidate a different one", quoted(candidate.Name), other)
		}
		if other := remember(images, identity(candidate.Image), key); other != "" {
			r.mistake(r.nodes[key+".image"], key+".image", "%s is the image of %s, too: there is nothing to compare, give a different one", quoted(candidate.Image), other)
		}
	}
	r.compareLimits(c.Limits)
}

// remember notes the key of a value. It returns the key that had the value before, or "".
func remember(keys map[string]string, value, key string) string {
	if value == "" {
		return ""
	}
	if before, ok := keys[value]; ok {
		return before
	}
	keys[value] = key
	return ""
}

// compareLimits refuses a player that stays longer than the whole join may take.
func (r *reader) compareLimits(l Limits) {
	if l.Hold < l.Join {
		return
	}
	key, advice := "limits.hold", "give less than limits.join"
	if r.nodes[key] == nil {
		key, advice = "limits.join", "give more than limits.hold"
	}
	r.mistake(r.nodes[key], key, "the player stays for %s, and the whole join may take %s: %s", l.Hold, l.Join, advice)
}

// identity is equal for two references of one image: the digest where there is one, and otherwise the full name.
func identity(image string) string {
	if image == "" {
		return ""
	}
	ref, err := name.ParseReference(image)
	if err != nil {
		return ""
	}
	if digest, ok := ref.(name.Digest); ok {
		return digest.DigestStr()
	}
	return ref.Name()
}
