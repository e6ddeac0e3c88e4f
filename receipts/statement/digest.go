package statement

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// ImageDigest returns the digest at the end of an image's reference or ID ("registry/game@sha256:…"), or "" where it has
// none. See IsDigest for whether it is well-formed.
func ImageDigest(image string) string {
	if at := strings.LastIndex(image, "sha256:"); at >= 0 {
		return image[at:]
	}
	return ""
}

// WithoutRepository returns the digest of a reference ("registry/game@sha256:…"). A digest, and everything else without
// an "@", stays as it is.
func WithoutRepository(reference string) string {
	if _, digest, found := strings.Cut(reference, "@"); found {
		return digest
	}
	return reference
}

// Digest returns the identity of a signed document: the sha256 of its payload, as "sha256:<hex>". A further signature
// changes the digest of the file, but not this one.
func Digest(payload []byte) string {
	sum := sha256.Sum256(payload)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// IsDigest says whether s is a digest in the form "sha256:<64 lower-case hex digits>".
func IsDigest(s string) bool {
	const prefix = "sha256:"
	if len(s) != len(prefix)+64 || !strings.HasPrefix(s, prefix) {
		return false
	}
	ok := true
	for i := len(prefix); i < len(prefix)+64; i++ {
		ok = ok && lowerHex[s[i]]
	}
	return ok
}

var lowerHex = func() (hex [256]bool) {
	for _, c := range "0123456789abcdef" {
		hex[c] = true
	}
	return hex
}()
