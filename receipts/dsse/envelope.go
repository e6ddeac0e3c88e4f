package dsse

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"

	"github.com/GameplanePanel/rehearsal/receipts/internal/strictjson"
	"github.com/GameplanePanel/rehearsal/receipts/refusal"
)

// maxSignatures bounds the work that junk signatures can cause.
const MaxSignatures = 16

// envelope is a DSSE envelope v1.0.2.
type envelope struct {
	payloadType string
	payload     []byte // decoded
	signatures  []signature
}

type signature struct {
	keyID string
	sig   string // base64
}

// The one byte form of an envelope is this text with the base64 of the payload and the signatures filled in, followed
// by a newline, which may be missing. It is what encoding/json and the libraries of DSSE and cosign write.
const (
	formType       = `{"payloadType":"`
	formPayload    = `","payload":"`
	formSignatures = `","signatures":[`
	formKeyID      = `{"keyid":"`
	formSig        = `","sig":"`
	formSigEnd     = `"}`
	formEnd        = `]}`
)

// bytes writes the envelope in its one form.
func (e *envelope) bytes() []byte {
	out := make([]byte, 0, base64.StdEncoding.EncodedLen(len(e.payload))+256*(len(e.signatures)+1))
	out = fmt.Append(out, formType, e.payloadType, formPayload)
	out = base64.StdEncoding.AppendEncode(out, e.payload)
	out = append(out, formSignatures...)
	for i, s := range e.signatures {
		if i > 0 {
			out = append(out, ',')
		}
		out = fmt.Append(out, formKeyID, s.keyID, formSig, s.sig, formSigEnd)
	}
	return append(out, formEnd+"\n"...)
}

// parseEnvelope reads an envelope in its one byte form. No single byte of it can be changed: those of the payload are
// signed, the others leave no choice. Signatures can be added and left out.
//
// The payload is decoded into memory, where that is large enough.
func parseEnvelope(raw, memory []byte) (envelope, error) {
	if len(raw) > MaxEnvelope {
		return envelope{}, refusal.New(refusal.TooLarge, "%d bytes: an envelope has at most %d", len(raw), MaxEnvelope)
	}
	e, err := readForm(raw, memory)
	if err == nil {
		return e, nil
	}
	// It may be an envelope all the same: then say so.
	if _, foreign := Normalize(raw); foreign != nil {
		return envelope{}, foreign
	}
	return envelope{}, refusal.New(refusal.EnvelopeForm, "not in the one form that an envelope is read in: %v", err)
}

// readForm reads the one byte form.
func readForm(raw, memory []byte) (envelope, error) {
	f := form{rest: bytes.TrimSuffix(raw, []byte("\n"))}
	e := envelope{payloadType: f.short(formType, formPayload)}
	payload := f.until(formSignatures)
	for !bytes.HasPrefix(f.rest, []byte(formEnd)) && f.err == nil {
		if len(e.signatures) == MaxSignatures {
			return envelope{}, fmt.Errorf("more than %d signatures", MaxSignatures)
		}
		if len(e.signatures) > 0 {
			f.skip(",")
		}
		id := f.short(formKeyID, formSig)
		e.signatures = append(e.signatures, signature{keyID: id, sig: f.short("", formSigEnd)})
	}
	f.skip(formEnd)
	if f.err == nil && len(f.rest) > 0 {
		f.err = errors.New("data after the envelope")
	}
	if f.err != nil {
		return envelope{}, f.err
	}
	var err error
	e.payload, err = unbase64(base64.StdEncoding, memory, payload)
	return e, err
}

// form is the text of an envelope that is still to be read. After an error it reads nothing more.
type form struct {
	rest []byte
	err  error
}

func (f *form) skip(text string) {
	rest, ok := bytes.CutPrefix(f.rest, []byte(text))
	if !ok && f.err == nil {
		f.err = fmt.Errorf("want %s", text)
	}
	f.rest = rest
}

// until reads the inside of a string that text ends.
func (f *form) until(text string) []byte {
	end := max(bytes.IndexByte(f.rest, '"'), 0)
	inside := f.rest[:end]
	f.rest = f.rest[end:]
	f.skip(text)
	return inside
}

// short reads the inside of a short string that JSON writes without escapes.
func (f *form) short(before, after string) string {
	f.skip(before)
	inside := string(f.until(after))
	if f.err == nil && !strictjson.IsPlain(inside) {
		f.err = errors.New("want printable ASCII")
	}
	return inside
}

// unbase64 wants the one text that encoding gives for some bytes, which it decodes into memory where that is large enough.
// Go's decoder passes over line ends, strict or not: the text is then longer than it should be.
func unbase64(encoding *base64.Encoding, memory, text []byte) ([]byte, error) {
	data, err := encoding.Strict().AppendDecode(memory[:0], text)
	if err == nil && len(text) != encoding.EncodedLen(len(data)) {
		err = errors.New("line end in base64")
	}
	return data, err
}
