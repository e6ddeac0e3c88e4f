package main

import (
	"crypto"
	"crypto/rand"
	"strings"
	"time"

	"github.com/GameplanePanel/rehearsal/receipts/dsse"
	"github.com/GameplanePanel/rehearsal/receipts/keyfile"
)

// signer reads the key that was given, or makes one that is forgotten after the run.
func (o runOptions) signer() (crypto.Signer, error) {
	if o.key == "" {
		return dsse.GenerateKey(dsse.ECDSAP256)
	}
	return keyfile.Private(o.key)
}

// runID names a run: when it began, and enough letters that two of one second differ. It is a cluster's name, too.
func runID() string {
	return strings.ToLower(time.Now().UTC().Format("20060102-150405") + "-" + rand.Text()[:4])
}
