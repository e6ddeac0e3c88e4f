// Package protocol is the table of differences between versions of Minecraft's network protocol that matter to a player
// who joins, looks at the world and sets a few blocks: packet IDs, layouts and block states. They are facts of the
// protocol; versions with the same number share a row.
package protocol

import "slices"

// Packet IDs of the states that are equal in every version of the table.
const (
	HandshakeIntent = 0x00

	StatusRequest  = 0x00
	StatusResponse = 0x00
	StatusPing     = 0x01 // both directions

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
	Absent            = -1   // the version does not have the packet
	EmptyTag          = 0x00 // empty NBT
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

// The methods below are named after layout changes; each comparison has the first version with the change.

// NBTText reports whether chat and kicks have their text as NBT instead of a JSON string.
func (v Version) NBTText() bool { return v.Number >= 765 }

// ResourcePackIDs reports whether a UUID identifies a resource pack.
func (v Version) ResourcePackIDs() bool { return v.Number >= 765 }

// SplitRegistries reports whether each registry has a packet, after known packs were agreed.
func (v Version) SplitRegistries() bool { return v.Number >= 766 }

// DimensionIDs reports whether the login packet identifies the dimension type by a number.
func (v Version) DimensionIDs() bool { return v.Number >= 766 }

// PlainCommands reports whether a command without signed arguments has a separate packet with only a string.
func (v Version) PlainCommands() bool { return v.Number >= 766 }

// StrictErrors reports whether login success ends with the flag for strict error handling.
func (v Version) StrictErrors() bool { return v.Number == 766 || v.Number == 767 }

// Velocity reports whether the position packet starts with the teleport ID and has a velocity, and movement has flags
// instead of one bool.
func (v Version) Velocity() bool { return v.Number >= 768 }

// Particles reports whether client information ends with the particle setting, and login with the sea level.
func (v Version) Particles() bool { return v.Number >= 768 }

// PlainHeightmaps reports whether a chunk's heightmaps are an array, and its paletted data has no length prefix.
func (v Version) PlainHeightmaps() bool { return v.Number >= 770 }

// FluidCount reports whether a chunk section also counts its fluids.
func (v Version) FluidCount() bool { return v.Number >= 775 }

// Wool returns the block state of the wool of a colour, 0 (white) to 15 (black).
func (v Version) Wool(colour int) int32 { return v.wool + int32(colour) }

// Colour returns the colour of a wool block's state.
func (v Version) Colour(state int32) (int, bool) {
	if state < v.wool || state > v.wool+15 {
		return 0, false
	}
	return int(state - v.wool), true
}

// Colours are the names of the wool colours in order.
var Colours = [16]string{
	"white", "orange", "magenta", "light_blue", "yellow", "lime", "pink", "gray",
	"light_gray", "cyan", "purple", "blue", "brown", "green", "red", "black",
}

// Block returns the state of the named block, such as "minecraft:stone", for the blocks of a small world.
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
