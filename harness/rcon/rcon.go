// Package rcon speaks Source RCON as Minecraft does: the remote console of a game server, through which the harness
// makes the game save and stop.
//
// The context bounds every call. A save that was not confirmed in time is an error, never a success: a backup of it
// could hold half a world.
package rcon

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// Kinds of packets.
const (
	KindReply   = 0
	KindCommand = 2
	KindLogin   = 3
	// kindProbe is a kind that Minecraft does not know: it answers anyway, which marks the end of a reply in parts.
	kindProbe = 100
)

// Sizes in bytes.
const (
	MaxReply  = 4096 // payload of one reply packet; another one may follow a full one
	overhead  = 10   // of a packet without its payload and length: request ID, kind, two zero bytes
	maxPacket = overhead + MaxReply
	maxOutput = 1 << 20 // all parts of a reply
)

// RefusedLogin is the request ID of the reply to a wrong password.
const RefusedLogin = -1

// ErrMalformed is wrapped by errors about bytes that are not an RCON packet.
var ErrMalformed = errors.New("malformed RCON packet")

// Packet is one packet, in either direction.
type Packet struct {
	Request int32
	Kind    int32
	Payload string
}

// Read reads one packet. It returns io.EOF if the peer hung up between packets.
func Read(r io.Reader) (Packet, error) {
	var head [4]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return Packet{}, err
	}
	length := int32(binary.LittleEndian.Uint32(head[:]))
	if length < overhead || length > maxPacket {
		return Packet{}, fmt.Errorf("%w: length %d is not between %d and %d", ErrMalformed, length, overhead, maxPacket)
	}
	body := make([]byte, length)
	if _, err := io.ReadFull(r, body); err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return Packet{}, err
	}
	payload := body[8 : length-2]
	if body[length-2] != 0 || body[length-1] != 0 || bytes.IndexByte(payload, 0) >= 0 {
		return Packet{}, fmt.Errorf("%w: not terminated by two zero bytes", ErrMalformed)
	}
	return Packet{
		Request: int32(binary.LittleEndian.Uint32(body)),
		Kind:    int32(binary.LittleEndian.Uint32(body[4:])),
		Payload: string(payload),
	}, nil
}

// Write writes one packet in one write: Minecraft expects each packet in its own segment.
func Write(w io.Writer, p Packet) error {
	if len(p.Payload) > MaxReply {
		return fmt.Errorf("RCON payload of %d bytes is over the limit of %d", len(p.Payload), MaxReply)
	}
	out := make([]byte, 0, 4+overhead+len(p.Payload))
	out = binary.LittleEndian.AppendUint32(out, uint32(overhead+len(p.Payload)))
	out = binary.LittleEndian.AppendUint32(out, uint32(p.Request))
	out = binary.LittleEndian.AppendUint32(out, uint32(p.Kind))
	out = append(out, p.Payload...)
	out = append(out, 0, 0)
	_, err := w.Write(out)
	return err
}
