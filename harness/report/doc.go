// Package report shows receipts and decisions to people.
//
// Strangers write what the documents say. Every function makes their text safe for a terminal.
package report
