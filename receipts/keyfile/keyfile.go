// Package keyfile handles keys in PEM files.
package keyfile

import (
	"crypto"
	"encoding/pem"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/GameplanePanel/rehearsal/receipts/atomicfile"
	"github.com/GameplanePanel/rehearsal/receipts/dsse"
)

// Public reads public keys.
func Public(paths ...string) ([]dsse.Key, error) {
	var keys []dsse.Key
	for _, path := range paths {
		key, err := read(path, dsse.ParseKey)
		if err != nil {
			return nil, err
		}
		keys = append(keys, key)
	}
	return keys, nil
}

// Private reads a private key.
func Private(path string) (crypto.Signer, error) { return read(path, dsse.ParsePrivateKey) }

// PublicHalf reads a public key, or the public half of a private one.
func PublicHalf(path string) (dsse.Key, error) { return read(path, parsePublicHalf) }

func read[K any](path string, parse func([]byte) (K, error)) (K, error) {
	var none K
	text, err := os.ReadFile(path)
	if err != nil {
		return none, err
	}
	key, err := parse(text)
	if err != nil {
		return none, fmt.Errorf("%s: %w", path, err)
	}
	return key, nil
}

func parsePublicHalf(text []byte) (dsse.Key, error) {
	if block, _ := pem.Decode(text); block == nil || !strings.HasSuffix(block.Type, "PRIVATE KEY") {
		return dsse.ParseKey(text)
	}
	signer, err := dsse.ParsePrivateKey(text)
	if err != nil {
		return dsse.Key{}, err
	}
	return dsse.NewKey(signer.Public())
}

// Generate makes a key pair and writes it: prefix.key holds the private key, which only its owner can read, and
// prefix.pub the public key. It writes over no file: where one exists, the error is fs.ErrExist and no file is left.
func Generate(prefix string, algorithm dsse.Algorithm) (dsse.Key, error) {
	signer, err := dsse.GenerateKey(algorithm)
	if err != nil {
		return dsse.Key{}, err
	}
	private, err := dsse.MarshalPrivateKey(signer)
	if err != nil {
		return dsse.Key{}, err
	}
	key, err := dsse.NewKey(signer.Public())
	if err != nil {
		return dsse.Key{}, err
	}
	if err := atomicfile.WriteNew(prefix+".key", private, 0o600); err != nil {
		return dsse.Key{}, err
	}
	if err := atomicfile.WriteNew(prefix+".pub", key.PEM(), 0o644); err != nil {
		return dsse.Key{}, errors.Join(err, os.Remove(prefix+".key"))
	}
	return key, nil
}
