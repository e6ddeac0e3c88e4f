// Package save reads what a Minecraft server left on disk: the version that wrote it, the world's identity, the
// players' inventories. It relies on nothing that a game says about itself, and it treats every file as hostile.
package save

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/GameplanePanel/rehearsal/harness/save/tag"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// ErrNoWorld means that a directory holds no world.
var ErrNoWorld = errors.New("no world: level.dat is missing")

// World is the content of a save.
type World struct {
	DataVersion  int    `json:"dataVersion"`            // of level.dat
	Version      string `json:"version,omitempty"`      // name of the version that wrote level.dat
	Nonce        string `json:"nonce"`                  // set when a fixture generated the world, otherwise the seed
	FormatMarker string `json:"formatMarker,omitempty"` // written by a fixture that rewrote the save
	Layout       Layout `json:"layout"`

	Chunks      Chunks   `json:"chunks"`
	PlayerCount int      `json:"playerCount"`
	Players     []Player `json:"players,omitempty"` // the first ones
	// Damaged counts the region files and players that are partly unreadable. Unreadable content is not counted elsewhere,
	// so that a loss shows. Worlds with years of play have some damage.
	Damaged int `json:"damaged,omitempty"`
}

// Layout is the directory layout of a save.
type Layout string

const (
	LayoutClassic   Layout = "classic"   // region/, playerdata/
	LayoutDimension Layout = "dimension" // dimensions/minecraft/overworld/region/, players/data/: since 26.1
	LayoutMixed     Layout = "mixed"     // both: a restore merged with the old content instead of replacing it
	LayoutNone      Layout = "none"      // neither
)

// Chunks summarises the chunks of Minecraft's built-in dimensions.
type Chunks struct {
	Count  int `json:"count"`
	Oldest int `json:"oldest"` // least DataVersion, 0 if there are no chunks
	Newest int `json:"newest"`
	Unread int `json:"unread,omitempty"` // those of Count with an unknown compression or version
}

const (
	maxMarker    = 256 // limit of a marker file in bytes
	levelFile    = "level.dat"
	levelOldFile = "level.dat_old"
	formatFile   = "format.marker"
)

// Read reads the save in a directory. The error wraps ErrNoWorld if level.dat is missing.
func Read(ctx context.Context, dir string) (World, error) {
	root, err := os.OpenRoot(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return World{}, fmt.Errorf("%s: %w", dir, ErrNoWorld)
	}
	if err != nil {
		return World{}, err
	}
	defer root.Close()
	world, err := read(ctx, root)
	if err != nil {
		return World{}, fmt.Errorf("%s: %w", dir, err)
	}
	return world, nil
}

// regions are the directories of region files, before and since 26.1.
var regions = []string{
	"region", filepath.Join("DIM-1", "region"), filepath.Join("DIM1", "region"),
	filepath.Join("dimensions", "minecraft", "overworld", "region"),
	filepath.Join("dimensions", "minecraft", "the_nether", "region"),
	filepath.Join("dimensions", "minecraft", "the_end", "region"),
}

func read(ctx context.Context, root *os.Root) (World, error) {
	level, err := readLevel(root)
	if err != nil {
		return World{}, err
	}
	world := World{Layout: layoutOf(root), Players: []Player{}}
	world.DataVersion, world.Version, world.Nonce = identify(level)
	if world.Nonce == "" {
		if world.Nonce, err = seedOf26(root); err != nil {
			return World{}, err
		}
	}
	if world.FormatMarker, err = readLine(root, formatFile); err != nil {
		return World{}, err
	}
	for _, dir := range regions {
		if err := world.readChunks(ctx, root, dir); err != nil {
			return World{}, err
		}
	}
	for _, dir := range []string{"playerdata", filepath.Join("players", "data")} {
		if err := world.readPlayers(ctx, root, dir); err != nil {
			return World{}, err
		}
	}
	return world, nil
}

// readLevel reads level.dat_old if level.dat is missing, as Minecraft does.
func readLevel(root *os.Root) (tag.Compound, error) {
	for _, name := range []string{levelFile, levelOldFile} {
		level, err := readCompressed(root, name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		data, ok := level["Data"].(tag.Compound)
		if !ok {
			return nil, fmt.Errorf("%s: %w: no Data compound", name, tag.ErrMalformed)
		}
		return data, nil
	}
	return nil, ErrNoWorld
}

func identify(data tag.Compound) (dataVersion int, version, nonce string) {
	number, _ := data["DataVersion"].(int32)
	names, _ := data["Version"].(tag.Compound)
	version, _ = names["Name"].(string)
	own, _ := data["rehearsal"].(tag.Compound)
	nonce, _ = own["nonce"].(string)
	if nonce == "" {
		nonce = cmp.Or(seedOf(data["WorldGenSettings"]), seedBefore116(data))
	}
	return int(number), statement.Excerpt(version), statement.Excerpt(nonce)
}

// seedOf26 reads the seed from the world generation file, which exists since 26.1, or returns "" if it is missing.
func seedOf26(root *os.Root) (string, error) {
	settings, err := readCompressed(root, filepath.Join("data", "minecraft", "world_gen_settings.dat"))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	// Files of the data directory hold their content in "data", next to their own DataVersion.
	return cmp.Or(seedOf(settings["data"]), seedOf(settings)), nil
}

func seedOf(settings any) string {
	compound, _ := settings.(tag.Compound)
	return seedIn(compound, "seed")
}

// seedBefore116 reads the seed from before world generation settings existed. An upgrade preserves it.
func seedBefore116(data tag.Compound) string { return seedIn(data, "RandomSeed") }

func seedIn(compound tag.Compound, name string) string {
	seed, ok := compound[name].(int64)
	if !ok {
		return ""
	}
	return fmt.Sprintf("seed:%d", seed)
}

func layoutOf(root *os.Root) Layout {
	exists := func(name string) bool {
		_, err := root.Lstat(name)
		return err == nil
	}
	classic := exists("region") || exists("playerdata")
	dimension := exists("dimensions/minecraft/overworld/region") || exists("players/data")
	switch {
	case classic && dimension:
		return LayoutMixed
	case classic:
		return LayoutClassic
	case dimension:
		return LayoutDimension
	}
	return LayoutNone
}
