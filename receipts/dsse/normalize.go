package dsse

import (
	"encoding/base64"

	"github.com/GameplanePanel/rehearsal/receipts/internal/strictjson"
	"github.com/GameplanePanel/rehearsal/receipts/refusal"
)

// foreignEnvelope is a DSSE envelope as other tools may write it. The key id is optional.
type foreignEnvelope struct {
	PayloadType string             `json:"payloadType"`
	Payload     string             `json:"payload"`
	Signatures  []foreignSignature `json:"signatures"`
}

type foreignSignature struct {
	KeyID string `json:"keyid,omitempty"`
	Sig   string `json:"sig"`
}

// Normalize rewrites a DSSE envelope of another tool (any JSON layout, standard or URL-safe base64) into the one byte form
// that this package verifies. It leaves the payload and the signatures as they are, and drops the key ids, which follow
// several conventions. It verifies nothing.
func Normalize(raw []byte) ([]byte, error) {
	if len(raw) > MaxEnvelope {
		return nil, refusal.New(refusal.TooLarge, "%d bytes: an envelope has at most %d", len(raw), MaxEnvelope)
	}
	var foreign foreignEnvelope
	if err := (strictjson.Options{MaxString: MaxEnvelope}).Decode(string(raw), &foreign); err != nil {
		return nil, refusal.New(refusal.EnvelopeMalformed, "%v", err)
	}
	if !strictjson.IsPlain(foreign.PayloadType) {
		return nil, refusal.New(refusal.EnvelopeMalformed, "payloadType: want printable ASCII")
	}
	payload, err := anyBase64(foreign.Payload)
	if err != nil {
		return nil, refusal.New(refusal.EnvelopeMalformed, "payload: %v", err)
	}
	if n := len(foreign.Signatures); n > MaxSignatures {
		return nil, refusal.New(refusal.EnvelopeMalformed, "%d signatures: at most %d", n, MaxSignatures)
	}
	e := envelope{payloadType: foreign.PayloadType, payload: payload}
	for i, s := range foreign.Signatures {
		sig, err := anyBase64(s.Sig)
		if err != nil {
			return nil, refusal.New(refusal.EnvelopeMalformed, "signatures[%d].sig: %v", i, err)
		}
		e.signatures = append(e.signatures, signature{sig: base64.StdEncoding.EncodeToString(sig)})
	}
	return e.bytes(), nil
}

// anyBase64 decodes padded base64 of the standard or the URL-safe alphabet.
func anyBase64(text string) ([]byte, error) {
	decoded, err := unbase64(base64.StdEncoding, nil, []byte(text))
	if err == nil {
		return decoded, nil
	}
	return unbase64(base64.URLEncoding, nil, []byte(text))
}
