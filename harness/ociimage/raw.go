package ociimage

import (
	"crypto/sha256"
	"encoding/hex"
	"io"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// rawLayer is an uncompressed layer: its digest in the archive equals its diff ID.
type rawLayer struct {
	entries []entry
	digest  v1.Hash
	size    int64
}

func newRawLayer(entries []entry) (v1.Layer, error) {
	sum := sha256.New()
	counter := &countingWriter{to: sum}
	if err := writeTar(counter, entries); err != nil {
		return nil, err
	}
	digest := v1.Hash{Algorithm: "sha256", Hex: hex.EncodeToString(sum.Sum(nil))}
	return rawLayer{entries: entries, digest: digest, size: counter.written}, nil
}

func (l rawLayer) Digest() (v1.Hash, error)             { return l.digest, nil }
func (l rawLayer) DiffID() (v1.Hash, error)             { return l.digest, nil }
func (l rawLayer) Compressed() (io.ReadCloser, error)   { return opener(l.entries)() }
func (l rawLayer) Uncompressed() (io.ReadCloser, error) { return opener(l.entries)() }
func (l rawLayer) Size() (int64, error)                 { return l.size, nil }
func (l rawLayer) MediaType() (types.MediaType, error)  { return types.DockerUncompressedLayer, nil }

type countingWriter struct {
	to      io.Writer
	written int64
}

func (w *countingWriter) Write(data []byte) (int, error) {
	n, err := w.to.Write(data)
	w.written += int64(n)
	return n, err
}
