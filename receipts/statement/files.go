package statement

import (
	"strings"
)

// Names of the files of a run directory.
const (
	PublicKeyFile = "rehearsal.pub" // the signer's public key, for people: a gate takes its keys from its own configuration
	Extension     = ".intoto.json"

	BundleExtension = ".intoto.jsonl" // one envelope a line
)

// ReceiptFile returns the file name of a receipt: "restore-required.amd64.intoto.json".
func ReceiptFile(scenario, architecture string) string {
	return strings.ReplaceAll(scenario, "/", "-") + "." + architecture + Extension
}

// ManifestFile returns the file name of the run manifest of one architecture: "manifest.amd64.intoto.json".
func ManifestFile(architecture string) string { return "manifest." + architecture + Extension }

// JournalFile returns the file name of a cell's rollout journal: "restore-required.amd64.journal.jsonl".
func JournalFile(scenario, architecture string) string {
	return strings.ReplaceAll(scenario, "/", "-") + "." + architecture + ".journal.jsonl"
}

// TestResultFile returns the file name of a receipt's test result: "restore-required.amd64.test-result.intoto.json".
func TestResultFile(scenario, architecture string) string {
	return strings.TrimSuffix(ReceiptFile(scenario, architecture), Extension) + ".test-result" + Extension
}
