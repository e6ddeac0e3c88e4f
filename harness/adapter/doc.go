// Package adapter drives a Gameplane operator through its custom resources, as one would by hand: it installs revisions,
// has servers adopt them, takes backups, restores them, and waits for what follows.
//
// It uses no package of the operator. What an operator can do is read from the schema that the cluster serves, and fields
// whose names are not public are settings.
//
// It does not trust a phase. A server runs a revision when a new pod is ready whose image has the digest that was asked
// for, from the newest revision of its StatefulSet. Every wait is driven by watches, has a deadline, names in its error
// what it saw last, and ends at once where nothing can change for the better.
package adapter
