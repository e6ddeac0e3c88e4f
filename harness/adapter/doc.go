// Package adapter drives a Gameplane operator through its custom resources: it installs revisions, makes servers adopt
// them, takes backups, restores them, and waits for the result.
//
// It imports no package of the operator. It reads the operator's features from the schemas that the cluster serves;
// fields whose names are not public are settings.
//
// It does not trust a phase. A server runs a revision when a new pod of the StatefulSet's newest revision is ready and
// its image has the requested digest. Every wait is driven by watches and has a deadline. Its error names the last
// observed state, and it ends at once if the state cannot improve.
package adapter
