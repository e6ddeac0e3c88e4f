package dsse

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"

	"github.com/GameplanePanel/rehearsal/receipts/internal/strictjson"
	"github.com/GameplanePanel/rehearsal/receipts/refusal"
)

// MaxSignatures bounds the work that junk signatures can cause.
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

// The one byte form of an envelope consists of these texts, the base64 of the payload and the signatures, and an optional
// newline at the end. encoding/json and the libraries of DSSE and cosign write envelopes in this form.
const (
	formType       = `{"payloadType":"`
	formPayload    = `","payload":"`
	formSignatures = `","signatures":[`
	formKeyID      = `{"keyid":"`
	formSig        = `","sig":"`
	formSigEnd     = `"}`
	formEnd        = `]}`
)

// bytes returns the envelope in its one byte form.
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

// parseEnvelope reads an envelope in its one byte form. No byte of it can change unnoticed: the payload is signed, and the
// form fixes all other bytes. Signatures can be added and removed.
//
// It decodes the payload into memory if that is large enough.
func parseEnvelope(raw, memory []byte) (envelope, error) {
	if len(raw) > MaxEnvelope {
		return envelope{}, refusal.New(refusal.TooLarge, "%d bytes: an envelope has at most %d", len(raw), MaxEnvelope)
	}
	e, err := readForm(raw, memory)
	if err == nil {
		return e, nil
	}
	// Tell an envelope in another form from something that is no envelope.
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

// form holds the unread rest of an envelope. After the first error its methods read nothing.
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

// until reads the inside of a string up to text, which starts with the closing quote.
func (f *form) until(text string) []byte {
	end := max(bytes.IndexByte(f.rest, '"'), 0)
	inside := f.rest[:end]
	f.rest = f.rest[end:]
	f.skip(text)
	return inside
}

// short reads the inside of a string between two texts. The string must need no escapes in JSON.
func (f *form) short(before, after string) string {
	f.skip(before)
	inside := string(f.until(after))
	if f.err == nil && !strictjson.IsPlain(inside) {
		f.err = errors.New("want printable ASCII")
	}
	return inside
}

// unbase64 decodes canonical base64, into memory if that is large enough. Go's decoder ignores line ends even in strict
// mode; a text with line ends is longer than its canonical form.
func unbase64(encoding *base64.Encoding, memory, text []byte) ([]byte, error) {
	data, err := encoding.Strict().AppendDecode(memory[:0], text)
	if err == nil && len(text) != encoding.EncodedLen(len(data)) {
		err = errors.New("line end in base64")
	}
	return data, err
}
