package protocol

// versions is sorted by number. The IDs are the published ones of each release.
var versions = []Version{
	{
		Number: 764, Game: "1.20.2", DataVersion: 3578,
		Config: Config{
			Cookie: Absent, Disconnect: 0x01, Finish: 0x02, KeepAlive: 0x03, Ping: 0x04,
			Registry: 0x05, ResourcePack: 0x06, KnownPacks: Absent, CodeOfConduct: Absent,
			CookieAnswer: Absent, FinishAnswer: 0x02, KeepAliveAnswer: 0x03, Pong: 0x04,
			ResourcePackAnswer: 0x05, KnownPacksAnswer: Absent, CodeOfConductAnswer: Absent,
		},
		ToClient: PlayClient{
			BatchEnd: 0x0c, BatchStart: 0x0d, Block: 0x09, Blocks: 0x45, Chunk: 0x25, Configure: 0x65,
			Cookie: Absent, Disconnect: 0x1b, Health: 0x59, KeepAlive: 0x24, Login: 0x29, Ping: 0x33,
			Position: 0x3e, ResourcePack: 0x42, SystemChat: 0x67, Transfer: Absent,
		},
		ToServer: PlayServer{
			BatchReceived: 0x07, Command: 0x04, ConfigureAnswer: 0x0b, CookieAnswer: Absent, KeepAlive: 0x14,
			Loaded: Absent, Move: 0x16, MoveLook: 0x17, Pong: 0x23, ResourcePackAnswer: 0x27, Respawn: 0x08, Teleport: 0x00,
		},
		wool: 2047, bedrock: 79, gold: 2091,
	},
	{
		Number: 765, Game: "1.20.4", DataVersion: 3700,
		Config: Config{
			Cookie: Absent, Disconnect: 0x01, Finish: 0x02, KeepAlive: 0x03, Ping: 0x04,
			Registry: 0x05, ResourcePack: 0x07, KnownPacks: Absent, CodeOfConduct: Absent,
			CookieAnswer: Absent, FinishAnswer: 0x02, KeepAliveAnswer: 0x03, Pong: 0x04,
			ResourcePackAnswer: 0x05, KnownPacksAnswer: Absent, CodeOfConductAnswer: Absent,
		},
		ToClient: PlayClient{
			BatchEnd: 0x0c, BatchStart: 0x0d, Block: 0x09, Blocks: 0x47, Chunk: 0x25, Configure: 0x67,
			Cookie: Absent, Disconnect: 0x1b, Health: 0x5b, KeepAlive: 0x24, Login: 0x29, Ping: 0x33,
			Position: 0x3e, ResourcePack: 0x44, SystemChat: 0x69, Transfer: Absent,
		},
		ToServer: PlayServer{
			BatchReceived: 0x07, Command: 0x04, ConfigureAnswer: 0x0b, CookieAnswer: Absent, KeepAlive: 0x15,
			Loaded: Absent, Move: 0x17, MoveLook: 0x18, Pong: 0x24, ResourcePackAnswer: 0x28, Respawn: 0x08, Teleport: 0x00,
		},
		wool: 2047, bedrock: 79, gold: 2091,
	},
	{
		Number: 766, Game: "1.20.6", DataVersion: 3839,
		Config: Config{
			Cookie: 0x00, Disconnect: 0x02, Finish: 0x03, KeepAlive: 0x04, Ping: 0x05,
			Registry: 0x07, ResourcePack: 0x09, KnownPacks: 0x0e, CodeOfConduct: Absent,
			CookieAnswer: 0x01, FinishAnswer: 0x03, KeepAliveAnswer: 0x04, Pong: 0x05,
			ResourcePackAnswer: 0x06, KnownPacksAnswer: 0x07, CodeOfConductAnswer: Absent,
		},
		ToClient: PlayClient{
			BatchEnd: 0x0c, BatchStart: 0x0d, Block: 0x09, Blocks: 0x49, Chunk: 0x27, Configure: 0x69,
			Cookie: 0x16, Disconnect: 0x1d, Health: 0x5d, KeepAlive: 0x26, Login: 0x2b, Ping: 0x35,
			Position: 0x40, ResourcePack: 0x46, SystemChat: 0x6c, Transfer: 0x73,
		},
		ToServer: PlayServer{
			BatchReceived: 0x08, Command: 0x04, ConfigureAnswer: 0x0c, CookieAnswer: 0x11, KeepAlive: 0x18,
			Loaded: Absent, Move: 0x1a, MoveLook: 0x1b, Pong: 0x27, ResourcePackAnswer: 0x2b, Respawn: 0x09, Teleport: 0x00,
		},
		wool: 2047, bedrock: 79, gold: 2091,
	},
	{
		Number: 767, Game: "1.21.1", DataVersion: 3955,
		Config: Config{
			Cookie: 0x00, Disconnect: 0x02, Finish: 0x03, KeepAlive: 0x04, Ping: 0x05,
			Registry: 0x07, ResourcePack: 0x09, KnownPacks: 0x0e, CodeOfConduct: Absent,
			CookieAnswer: 0x01, FinishAnswer: 0x03, KeepAliveAnswer: 0x04, Pong: 0x05,
			ResourcePackAnswer: 0x06, KnownPacksAnswer: 0x07, CodeOfConductAnswer: Absent,
		},
		ToClient: PlayClient{
			BatchEnd: 0x0c, BatchStart: 0x0d, Block: 0x09, Blocks: 0x49, Chunk: 0x27, Configure: 0x69,
			Cookie: 0x16, Disconnect: 0x1d, Health: 0x5d, KeepAlive: 0x26, Login: 0x2b, Ping: 0x35,
			Position: 0x40, ResourcePack: 0x46, SystemChat: 0x6c, Transfer: 0x73,
		},
		ToServer: PlayServer{
			BatchReceived: 0x08, Command: 0x04, ConfigureAnswer: 0x0c, CookieAnswer: 0x11, KeepAlive: 0x18,
			Loaded: Absent, Move: 0x1a, MoveLook: 0x1b, Pong: 0x27, ResourcePackAnswer: 0x2b, Respawn: 0x09, Teleport: 0x00,
		},
		wool: 2047, bedrock: 79, gold: 2091,
	},
	{
		Number: 768, Game: "1.21.3", DataVersion: 4082,
		Config: Config{
			Cookie: 0x00, Disconnect: 0x02, Finish: 0x03, KeepAlive: 0x04, Ping: 0x05,
			Registry: 0x07, ResourcePack: 0x09, KnownPacks: 0x0e, CodeOfConduct: Absent,
			CookieAnswer: 0x01, FinishAnswer: 0x03, KeepAliveAnswer: 0x04, Pong: 0x05,
			ResourcePackAnswer: 0x06, KnownPacksAnswer: 0x07, CodeOfConductAnswer: Absent,
		},
		ToClient: PlayClient{
			BatchEnd: 0x0c, BatchStart: 0x0d, Block: 0x09, Blocks: 0x4e, Chunk: 0x28, Configure: 0x70,
			Cookie: 0x16, Disconnect: 0x1d, Health: 0x62, KeepAlive: 0x27, Login: 0x2c, Ping: 0x37,
			Position: 0x42, ResourcePack: 0x4b, SystemChat: 0x73, Transfer: 0x7a,
		},
		ToServer: PlayServer{
			BatchReceived: 0x09, Command: 0x05, ConfigureAnswer: 0x0e, CookieAnswer: 0x13, KeepAlive: 0x1a,
			Loaded: Absent, Move: 0x1c, MoveLook: 0x1d, Pong: 0x29, ResourcePackAnswer: 0x2d, Respawn: 0x0a, Teleport: 0x00,
		},
		wool: 2090, bedrock: 85, gold: 2134,
	},
	{
		Number: 769, Game: "1.21.4", DataVersion: 4189,
		Config: Config{
			Cookie: 0x00, Disconnect: 0x02, Finish: 0x03, KeepAlive: 0x04, Ping: 0x05,
			Registry: 0x07, ResourcePack: 0x09, KnownPacks: 0x0e, CodeOfConduct: Absent,
			CookieAnswer: 0x01, FinishAnswer: 0x03, KeepAliveAnswer: 0x04, Pong: 0x05,
			ResourcePackAnswer: 0x06, KnownPacksAnswer: 0x07, CodeOfConductAnswer: Absent,
		},
		ToClient: PlayClient{
			BatchEnd: 0x0c, BatchStart: 0x0d, Block: 0x09, Blocks: 0x4e, Chunk: 0x28, Configure: 0x70,
			Cookie: 0x16, Disconnect: 0x1d, Health: 0x62, KeepAlive: 0x27, Login: 0x2c, Ping: 0x37,
			Position: 0x42, ResourcePack: 0x4b, SystemChat: 0x73, Transfer: 0x7a,
		},
		ToServer: PlayServer{
			BatchReceived: 0x09, Command: 0x05, ConfigureAnswer: 0x0e, CookieAnswer: 0x13, KeepAlive: 0x1a,
			Loaded: 0x2a, Move: 0x1c, MoveLook: 0x1d, Pong: 0x2b, ResourcePackAnswer: 0x2f, Respawn: 0x0a, Teleport: 0x00,
		},
		wool: 2090, bedrock: 85, gold: 2134,
	},
	{
		Number: 770, Game: "1.21.5", DataVersion: 4325,
		Config: Config{
			Cookie: 0x00, Disconnect: 0x02, Finish: 0x03, KeepAlive: 0x04, Ping: 0x05,
			Registry: 0x07, ResourcePack: 0x09, KnownPacks: 0x0e, CodeOfConduct: Absent,
			CookieAnswer: 0x01, FinishAnswer: 0x03, KeepAliveAnswer: 0x04, Pong: 0x05,
			ResourcePackAnswer: 0x06, KnownPacksAnswer: 0x07, CodeOfConductAnswer: Absent,
		},
		ToClient: PlayClient{
			BatchEnd: 0x0b, BatchStart: 0x0c, Block: 0x08, Blocks: 0x4d, Chunk: 0x27, Configure: 0x6f,
			Cookie: 0x15, Disconnect: 0x1c, Health: 0x61, KeepAlive: 0x26, Login: 0x2b, Ping: 0x36,
			Position: 0x41, ResourcePack: 0x4a, SystemChat: 0x72, Transfer: 0x7a,
		},
		ToServer: PlayServer{
			BatchReceived: 0x09, Command: 0x05, ConfigureAnswer: 0x0e, CookieAnswer: 0x13, KeepAlive: 0x1a,
			Loaded: 0x2a, Move: 0x1c, MoveLook: 0x1d, Pong: 0x2b, ResourcePackAnswer: 0x2f, Respawn: 0x0a, Teleport: 0x00,
		},
		wool: 2093, bedrock: 85, gold: 2137,
	},
	{
		Number: 771, Game: "1.21.6", DataVersion: 4435,
		Config: Config{
			Cookie: 0x00, Disconnect: 0x02, Finish: 0x03, KeepAlive: 0x04, Ping: 0x05,
			Registry: 0x07, ResourcePack: 0x09, KnownPacks: 0x0e, CodeOfConduct: Absent,
			CookieAnswer: 0x01, FinishAnswer: 0x03, KeepAliveAnswer: 0x04, Pong: 0x05,
			ResourcePackAnswer: 0x06, KnownPacksAnswer: 0x07, CodeOfConductAnswer: Absent,
		},
		ToClient: PlayClient{
			BatchEnd: 0x0b, BatchStart: 0x0c, Block: 0x08, Blocks: 0x4d, Chunk: 0x27, Configure: 0x6f,
			Cookie: 0x15, Disconnect: 0x1c, Health: 0x61, KeepAlive: 0x26, Login: 0x2b, Ping: 0x36,
			Position: 0x41, ResourcePack: 0x4a, SystemChat: 0x72, Transfer: 0x7a,
		},
		ToServer: PlayServer{
			BatchReceived: 0x0a, Command: 0x06, ConfigureAnswer: 0x0f, CookieAnswer: 0x14, KeepAlive: 0x1b,
			Loaded: 0x2b, Move: 0x1d, MoveLook: 0x1e, Pong: 0x2c, ResourcePackAnswer: 0x30, Respawn: 0x0b, Teleport: 0x00,
		},
		wool: 2093, bedrock: 85, gold: 2137,
	},
	{
		Number: 772, Game: "1.21.8", DataVersion: 4440,
		Config: Config{
			Cookie: 0x00, Disconnect: 0x02, Finish: 0x03, KeepAlive: 0x04, Ping: 0x05,
			Registry: 0x07, ResourcePack: 0x09, KnownPacks: 0x0e, CodeOfConduct: Absent,
			CookieAnswer: 0x01, FinishAnswer: 0x03, KeepAliveAnswer: 0x04, Pong: 0x05,
			ResourcePackAnswer: 0x06, KnownPacksAnswer: 0x07, CodeOfConductAnswer: Absent,
		},
		ToClient: PlayClient{
			BatchEnd: 0x0b, BatchStart: 0x0c, Block: 0x08, Blocks: 0x4d, Chunk: 0x27, Configure: 0x6f,
			Cookie: 0x15, Disconnect: 0x1c, Health: 0x61, KeepAlive: 0x26, Login: 0x2b, Ping: 0x36,
			Position: 0x41, ResourcePack: 0x4a, SystemChat: 0x72, Transfer: 0x7a,
		},
		ToServer: PlayServer{
			BatchReceived: 0x0a, Command: 0x06, ConfigureAnswer: 0x0f, CookieAnswer: 0x14, KeepAlive: 0x1b,
			Loaded: 0x2b, Move: 0x1d, MoveLook: 0x1e, Pong: 0x2c, ResourcePackAnswer: 0x30, Respawn: 0x0b, Teleport: 0x00,
		},
		wool: 2093, bedrock: 85, gold: 2137,
	},
	{
		Number: 773, Game: "1.21.10", DataVersion: 4556,
		Config: Config{
			Cookie: 0x00, Disconnect: 0x02, Finish: 0x03, KeepAlive: 0x04, Ping: 0x05,
			Registry: 0x07, ResourcePack: 0x09, KnownPacks: 0x0e, CodeOfConduct: 0x13,
			CookieAnswer: 0x01, FinishAnswer: 0x03, KeepAliveAnswer: 0x04, Pong: 0x05,
			ResourcePackAnswer: 0x06, KnownPacksAnswer: 0x07, CodeOfConductAnswer: 0x09,
		},
		ToClient: PlayClient{
			BatchEnd: 0x0b, BatchStart: 0x0c, Block: 0x08, Blocks: 0x52, Chunk: 0x2c, Configure: 0x74,
			Cookie: 0x15, Disconnect: 0x20, Health: 0x66, KeepAlive: 0x2b, Login: 0x30, Ping: 0x3b,
			Position: 0x46, ResourcePack: 0x4f, SystemChat: 0x77, Transfer: 0x7f,
		},
		ToServer: PlayServer{
			BatchReceived: 0x0a, Command: 0x06, ConfigureAnswer: 0x0f, CookieAnswer: 0x14, KeepAlive: 0x1b,
			Loaded: 0x2b, Move: 0x1d, MoveLook: 0x1e, Pong: 0x2c, ResourcePackAnswer: 0x30, Respawn: 0x0b, Teleport: 0x00,
		},
		wool: 2093, bedrock: 85, gold: 2137,
	},
	{
		Number: 774, Game: "1.21.11", DataVersion: 4671,
		Config: Config{
			Cookie: 0x00, Disconnect: 0x02, Finish: 0x03, KeepAlive: 0x04, Ping: 0x05,
			Registry: 0x07, ResourcePack: 0x09, KnownPacks: 0x0e, CodeOfConduct: 0x13,
			CookieAnswer: 0x01, FinishAnswer: 0x03, KeepAliveAnswer: 0x04, Pong: 0x05,
			ResourcePackAnswer: 0x06, KnownPacksAnswer: 0x07, CodeOfConductAnswer: 0x09,
		},
		ToClient: PlayClient{
			BatchEnd: 0x0b, BatchStart: 0x0c, Block: 0x08, Blocks: 0x52, Chunk: 0x2c, Configure: 0x74,
			Cookie: 0x15, Disconnect: 0x20, Health: 0x66, KeepAlive: 0x2b, Login: 0x30, Ping: 0x3b,
			Position: 0x46, ResourcePack: 0x4f, SystemChat: 0x77, Transfer: 0x7f,
		},
		ToServer: PlayServer{
			BatchReceived: 0x0a, Command: 0x06, ConfigureAnswer: 0x0f, CookieAnswer: 0x14, KeepAlive: 0x1b,
			Loaded: 0x2b, Move: 0x1d, MoveLook: 0x1e, Pong: 0x2c, ResourcePackAnswer: 0x30, Respawn: 0x0b, Teleport: 0x00,
		},
		wool: 2093, bedrock: 85, gold: 2137,
	},
	{
		Number: 775, Game: "26.1.2", DataVersion: 4790,
		Config: Config{
			Cookie: 0x00, Disconnect: 0x02, Finish: 0x03, KeepAlive: 0x04, Ping: 0x05,
			Registry: 0x07, ResourcePack: 0x09, KnownPacks: 0x0e, CodeOfConduct: 0x13,
			CookieAnswer: 0x01, FinishAnswer: 0x03, KeepAliveAnswer: 0x04, Pong: 0x05,
			ResourcePackAnswer: 0x06, KnownPacksAnswer: 0x07, CodeOfConductAnswer: 0x09,
		},
		ToClient: PlayClient{
			BatchEnd: 0x0b, BatchStart: 0x0c, Block: 0x08, Blocks: 0x54, Chunk: 0x2d, Configure: 0x76,
			Cookie: 0x15, Disconnect: 0x20, Health: 0x68, KeepAlive: 0x2c, Login: 0x31, Ping: 0x3d,
			Position: 0x48, ResourcePack: 0x51, SystemChat: 0x79, Transfer: 0x81,
		},
		ToServer: PlayServer{
			BatchReceived: 0x0b, Command: 0x07, ConfigureAnswer: 0x10, CookieAnswer: 0x15, KeepAlive: 0x1c,
			Loaded: 0x2c, Move: 0x1e, MoveLook: 0x1f, Pong: 0x2d, ResourcePackAnswer: 0x31, Respawn: 0x0c, Teleport: 0x00,
		},
		wool: 2293, bedrock: 85, gold: 2338,
	},
}
