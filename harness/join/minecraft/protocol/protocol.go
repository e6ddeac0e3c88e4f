// Package protocol is the table of what differs between versions of Minecraft's network protocol, as far as a
// player who joins, looks at the world and leaves a few blocks in it has to know: packet ids, layouts and block
// states. They are facts of the protocol; versions that share a number share a row.
package protocol

import "slices"

// Packet ids of the states that are the same in every version of the table.
const (
	HandshakeIntent = 0x00

	StatusRequest  = 0x00
	StatusResponse = 0x00
	StatusPing     = 0x01 // both ways

	LoginDisconnect   = 0x00
	LoginEncryption   = 0x01
	LoginSuccess      = 0x02
	LoginCompression  = 0x03
	LoginPlugin       = 0x04
	LoginCookie       = 0x05 // since 766
	LoginStart        = 0x00
	LoginPluginAnswer = 0x02
	LoginAcknowledged = 0x03
	LoginCookieAnswer = 0x04 // since 766
	ConfigInformation = 0x00 // to the server, in the configuration state
	NextStatus        = 1    // in the handshake
	NextLogin         = 2
	Absent            = -1   // a packet that the version does not have
	EmptyTag          = 0x00 // NBT that says nothing
)

// Config holds packet ids of the configuration state.
type Config struct {
	// To the client.
	Cookie, Disconnect, Finish, KeepAlive, Ping, Registry, ResourcePack, KnownPacks, CodeOfConduct int32
	// To the server.
	CookieAnswer, FinishAnswer, KeepAliveAnswer, Pong, ResourcePackAnswer, KnownPacksAnswer, CodeOfConductAnswer int32
}

// PlayClient holds ids of packets to the client in the play state.
type PlayClient struct {
	BatchEnd, BatchStart, Block, Blocks, Chunk, Configure, Cookie, Disconnect, Health, KeepAlive, Login, Ping,
	Position, ResourcePack, SystemChat, Transfer int32
}

// PlayServer holds ids of packets to the server in the play state.
type PlayServer struct {
	BatchReceived, Command, ConfigureAnswer, CookieAnswer, KeepAlive, Loaded, Move, MoveLook, Pong, ResourcePackAnswer,
	Respawn, Teleport int32
}

// Version is one version of the protocol.
type Version struct {
	Number      int
	Game        string // newest release that speaks it
	DataVersion int    // of that release's saves
	Config      Config
	ToClient    PlayClient
	ToServer    PlayServer
	wool        int32 // block state of white wool; the other fifteen colours follow
	bedrock     int32
	gold        int32
}

// First and Last bound the versions of the table.
const (
	First = 764
	Last  = 775
)

// Find returns the version with the number, or false where the table has none.
func Find(number int) (Version, bool) {
	i := slices.IndexFunc(versions, func(v Version) bool { return v.Number == number })
	if i < 0 {
		return Version{}, false
	}
	return versions[i], true
}

// All returns every version, oldest first.
func All() []Version { return slices.Clone(versions) }

// What changed in the layout of packets, by the first version that has it.

// NBTText says whether chat and kicks carry their text as NBT rather than as a JSON string.
func (v Version) NBTText() bool { return v.Number >= 765 }

// ResourcePackIDs says whether resource packs are named by a UUID.
func (v Version) ResourcePackIDs() bool { return v.Number >= 765 }

// SplitRegistries says whether registries come one packet each, after known packs were agreed.
func (v Version) SplitRegistries() bool { return v.Number >= 766 }

// DimensionIDs says whether the login packet names the dimension type by a number.
func (v Version) DimensionIDs() bool { return v.Number >= 766 }

// PlainCommands says whether a command without signed arguments is a packet of its own: a string alone.
func (v Version) PlainCommands() bool { return v.Number >= 766 }

// StrictErrors says whether login success ends with the flag for strict error handling.
func (v Version) StrictErrors() bool { return v.Number == 766 || v.Number == 767 }

// Velocity says whether the position packet starts with the teleport id and carries a velocity, and movement
// carries flags instead of one bool.
func (v Version) Velocity() bool { return v.Number >= 768 }

// Particles says whether client information ends with the particle setting, and login with the sea level.
func (v Version) Particles() bool { return v.Number >= 768 }

// PlainHeightmaps says whether a chunk's heightmaps are an array, and its paletted data has no length prefix.
func (v Version) PlainHeightmaps() bool { return v.Number >= 770 }

// FluidCount says whether a chunk section counts its fluids too.
func (v Version) FluidCount() bool { return v.Number >= 775 }

// Wool returns the block state of the wool of a colour, 0 (white) to 15 (black).
func (v Version) Wool(colour int) int32 { return v.wool + int32(colour) }

// Colour returns the colour of a block state that is wool.
func (v Version) Colour(state int32) (int, bool) {
	if state < v.wool || state > v.wool+15 {
		return 0, false
	}
	return int(state - v.wool), true
}

// Colours are the names of the wool colours in their order.
var Colours = [16]string{
	"white", "orange", "magenta", "light_blue", "yellow", "lime", "pink", "gray",
	"light_gray", "cyan", "purple", "blue", "brown", "green", "red", "black",
}

// Block returns the state of the named block ("minecraft:stone"): of those that a small world is made of.
func (v Version) Block(name string) (int32, bool) {
	switch name {
	case "minecraft:air":
		return 0, true
	case "minecraft:stone":
		return 1, true
	case "minecraft:grass_block":
		return 9, true
	case "minecraft:dirt":
		return 10, true
	case "minecraft:bedrock":
		return v.bedrock, true
	case "minecraft:gold_block":
		return v.gold, true
	}
	for colour, prefix := range Colours {
		if name == "minecraft:"+prefix+"_wool" {
			return v.Wool(colour), true
		}
	}
	return 0, false
}
