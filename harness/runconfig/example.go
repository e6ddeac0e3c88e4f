package runconfig

import (
	_ "embed"
	"slices"
)

//go:embed example.yaml
var example []byte

// Example is a commented configuration. Parse refuses it for the values that its reader must replace, and for nothing
// else.
func Example() []byte { return slices.Clone(example) }
