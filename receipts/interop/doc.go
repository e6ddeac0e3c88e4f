// Package interop holds receipts against the libraries that others read them with: go-securesystemslib's DSSE, the Go
// types of in-toto, and JSON Schema. It is a separate module, so that nobody who imports the receipts package takes
// these on.
package interop
