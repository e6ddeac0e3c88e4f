// Command witness is the harness's program inside the cluster, as a separate binary.
package main

import (
	"os"

	"github.com/GameplanePanel/rehearsal/harness/witness"
)

func main() { os.Exit(witness.Main()) }
