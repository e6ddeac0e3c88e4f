package runconfig

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// Patterns for the JSON Schema. Those with a regular expression below decide in Parse, too.
const (
	labelPattern     = `^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`
	subdomainPattern = `^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`
	pathPattern      = `^[a-z][A-Za-z0-9]*(\.[a-z][A-Za-z0-9]*)+$`
	playerPattern    = `^[!-~]{1,16}$`
	prefixPattern    = `^[a-z0-9][a-z0-9.-]*(:[0-9]+)?(/[a-z0-9]+([._-]+[a-z0-9]+)*)*$`
	digestPattern    = `^sha256:[0-9a-f]{64}$`
)

var (
	pathForm   = regexp.MustCompile(pathPattern)
	playerForm = regexp.MustCompile(playerPattern)
	prefixForm = regexp.MustCompile(prefixPattern)
)

func dnsLabel(text string) error {
	if len(validation.IsDNS1123Label(text)) > 0 {
		return errors.New("give at most 63 lower-case letters, digits and -, with a letter or digit at both ends")
	}
	return nil
}

func dnsSubdomain(text string) error {
	if len(validation.IsDNS1123Subdomain(text)) > 0 {
		return errors.New("give lower-case letters, digits, - and ., with a letter or digit at both ends of each part")
	}
	return nil
}

func dottedPath(text string) error {
	if !pathForm.MatchString(text) {
		return errors.New("give at least two names with dots between them, such as spec.templateRevision")
	}
	return nil
}

// playerName has the limits that the clients of package join have.
func playerName(text string) error {
	if !playerForm.MatchString(text) {
		return errors.New("give at most 16 characters of printable ASCII without spaces")
	}
	return nil
}

func sha256Digest(text string) error {
	if !statement.IsDigest(text) {
		return errors.New("give sha256: and 64 lower-case hexadecimal digits")
	}
	return nil
}

func imageReference(text string) error {
	if scheme, _, found := strings.Cut(text, "://"); found {
		return fmt.Errorf("leave %s:// out", scheme)
	}
	if _, d, found := strings.Cut(text, "@"); found && !statement.IsDigest(d) {
		return errors.New("after @, give sha256: and 64 lower-case hexadecimal digits")
	}
	if _, err := name.ParseReference(text); err != nil {
		return errors.New("give REGISTRY/REPOSITORY@DIGEST or REGISTRY/REPOSITORY:TAG, with the repository in lower case")
	}
	return nil
}

// repositoryPrefix wants a registry's host: without one, the harness's images would go to Docker Hub.
func repositoryPrefix(text string) error {
	if scheme, _, found := strings.Cut(text, "://"); found {
		return fmt.Errorf("leave %s:// out", scheme)
	}
	host, _, _ := strings.Cut(text, "/")
	if !strings.ContainsAny(host, ".:") && host != "localhost" {
		return errors.New("begin with the registry's host, such as registry.example or localhost:5000")
	}
	if _, err := name.NewRepository(text + "/game"); err != nil || !prefixForm.MatchString(text) {
		return errors.New("give HOST[:PORT]/PATH in lower case, without a tag, a digest or a / at the end")
	}
	return nil
}

func regularExpression(text string) error {
	if _, err := regexp.Compile(text); err != nil {
		return fmt.Errorf("%s (the syntax is RE2's)", strings.TrimPrefix(oneLine(err.Error()), "error parsing regexp: "))
	}
	return nil
}
