package save

import (
	"context"
	"fmt"
	"os"
	"path"
	"strings"

	"github.com/google/uuid"

	"github.com/GameplanePanel/rehearsal/harness/save/tag"
)

// Player is a player's data in a save.
type Player struct {
	ID          string     `json:"id"`
	DataVersion int        `json:"dataVersion"`
	Position    [3]float64 `json:"position"`
	Items       []Item     `json:"items"`
}

// Item is one stack in a player's inventory.
type Item struct {
	Slot   int        `json:"slot"`
	ID     string     `json:"id"`
	Count  int        `json:"count"`
	Name   string     `json:"name,omitempty"` // set on an anvil, as plain text
	Format ItemFormat `json:"format"`
}

// ItemFormat is the format of an item's special properties.
type ItemFormat string

const (
	ItemTag        ItemFormat = "tag"        // id, Count, tag: before 1.20.5
	ItemComponents ItemFormat = "components" // id, count, components: since
)

const maxItems = 256

const (
	maxPlayers       = 1 << 20 // limit of counted player files
	maxListedPlayers = 1024    // limit of players listed in detail
)

// readPlayers adds the players of a directory. A file that is damaged, for example by a crash, is not counted.
func (w *World) readPlayers(ctx context.Context, root *os.Root, dir string) error {
	names, err := list(root, dir, "*.dat", maxPlayers)
	if err != nil {
		return err
	}
	for _, name := range names {
		id, err := uuid.Parse(strings.TrimSuffix(path.Base(name), ".dat"))
		if err != nil {
			continue // not a player's file
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		player, err := readPlayer(root, name, id)
		if err != nil {
			if err := w.tolerate(err); err != nil {
				return err
			}
			continue
		}
		w.PlayerCount++
		if len(w.Players) < maxListedPlayers {
			w.Players = append(w.Players, player)
		}
	}
	return nil
}

func readPlayer(root *os.Root, name string, id uuid.UUID) (Player, error) {
	data, err := readCompressed(root, name)
	if err != nil {
		return Player{}, err
	}
	player, err := playerOf(id, data)
	if err != nil {
		return Player{}, fmt.Errorf("%s: %w", name, err)
	}
	return player, nil
}

func playerOf(id uuid.UUID, data tag.Compound) (Player, error) {
	version, _ := data["DataVersion"].(int32)
	player := Player{ID: id.String(), DataVersion: int(version), Items: []Item{}}
	position, _ := data["Pos"].([]any)
	for i := range min(len(position), len(player.Position)) {
		player.Position[i], _ = position[i].(float64)
	}
	inventory, _ := data["Inventory"].([]any)
	if len(inventory) > maxItems {
		return Player{}, fmt.Errorf("%w: %d items", tag.ErrMalformed, len(inventory))
	}
	for _, element := range inventory {
		if compound, ok := element.(tag.Compound); ok {
			player.Items = append(player.Items, itemOf(compound))
		}
	}
	return player, nil
}

func itemOf(data tag.Compound) Item {
	slot, _ := data["Slot"].(int8)
	item := Item{Slot: int(slot)}
	item.ID, _ = data["id"].(string)
	if count, ok := data["count"].(int32); ok {
		item.Count, item.Format = int(count), ItemComponents
		components, _ := data["components"].(tag.Compound)
		item.Name = textOf(components["minecraft:custom_name"])
		return item
	}
	count, _ := data["Count"].(int8)
	item.Count, item.Format = int(count), ItemTag
	tags, _ := data["tag"].(tag.Compound)
	display, _ := tags["display"].(tag.Compound)
	item.Name = textOf(display["Name"])
	return item
}

// textOf reads a name: a JSON string at first, a text component as a tag since 1.21.5.
func textOf(value any) string {
	if text, ok := value.(string); ok {
		if plain := tag.TextJSON(text); plain != "" {
			return plain
		}
		return text
	}
	return tag.Flatten(value)
}
