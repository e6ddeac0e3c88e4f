package rehearse

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/GameplanePanel/rehearsal/harness/adapter"
	"github.com/GameplanePanel/rehearsal/harness/evidence"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// Names of the servers that a fleet consists of.
const (
	member    = "fleet-a" // joined, and backed up
	bystander = "fleet-b" // must stay untouched until something is admitted
)

// Limits bounds every wait of a rehearsal. The zero value of a field means the default beside it.
type Limits struct {
	Start time.Duration // from asking for a revision to a ready pod: 2 minutes
	Join  time.Duration // one player's visit: 20 seconds
	Hold  time.Duration // how long the player stays in the game: 2 seconds
	Copy  time.Duration // a Backup, a Restore, or a reading of every byte of the claims: 3 minutes
}

func (l Limits) withDefaults() Limits {
	l.Start = cmp.Or(l.Start, 2*time.Minute)
	l.Join = cmp.Or(l.Join, 20*time.Second)
	l.Hold = cmp.Or(l.Hold, 2*time.Second)
	l.Copy = cmp.Or(l.Copy, 3*time.Minute)
	return l
}

// Stand is what a fleet is built on: a cluster with an operator, and the eyes of the harness in one namespace.
type Stand struct {
	Operator    *adapter.Client
	Witness     *evidence.Witness
	Recorder    *evidence.Recorder
	Environment statement.Environment
	Template    adapter.Template // what every server of the fleet is made from, at the baseline's image
	Baseline    Image
	Limits      Limits
	Log         *slog.Logger // gets the progress; nil means none
}

// Image is a game's image and what people call it.
type Image struct {
	Name    string // "1.20.2"
	Ref     string // reference by digest
	Bundle  string // digest of the signed module bundle that the image comes in, "" where there is none
	Fixture bool   // made for tests
}

// Fleet is what stands before any candidate is played.
type Fleet struct {
	stand    Stand
	player   *evidence.Player
	baseline statement.Revision
	marker   string
	backup   statement.Backup
	offering sync.Mutex // held while a candidate is installed and offered
}

// NewFleet starts two members on the baseline, lets a player leave a random marker in the world of the first, and
// takes a backup of it. It takes about half a minute.
func NewFleet(ctx context.Context, stand Stand) (*Fleet, error) {
	stand.Limits = stand.Limits.withDefaults()
	if stand.Log == nil {
		stand.Log = slog.New(slog.DiscardHandler)
	}
	f := &Fleet{stand: stand, marker: randomMarker()}
	for _, step := range []struct {
		what string
		do   func(context.Context) error
	}{
		{"install the baseline", f.installBaseline},
		{"start the members", f.startMembers},
		{"leave a marker", f.leaveMarker},
		{"take a backup", f.takeBackup},
	} {
		stand.Log.Info("fleet: " + step.what)
		if err := step.do(ctx); err != nil {
			return nil, fmt.Errorf("fleet: %s: %w", step.what, err)
		}
	}
	return f, nil
}

func (f *Fleet) installBaseline(ctx context.Context) error {
	if err := f.stand.Operator.InstallTemplate(ctx, f.stand.Template); err != nil {
		return err
	}
	revision, err := f.install(ctx, f.stand.Baseline)
	f.baseline = revision
	return err
}

// install makes a revision known to the operator. Nothing adopts it by that.
func (f *Fleet) install(ctx context.Context, image Image) (statement.Revision, error) {
	installed, err := f.stand.Operator.InstallRevision(ctx, f.stand.Template.Name, image.Ref)
	if err != nil {
		return statement.Revision{}, fmt.Errorf("install revision %s: %w", image.Name, err)
	}
	revision := image.revision()
	revision.Template, revision.TemplateDigest = f.stand.Template.Name, installed.TemplateDigest
	return revision, nil
}

// revision is what is known of an image before a template was made of it.
func (i Image) revision() statement.Revision {
	return statement.Revision{
		Name:    i.Name,
		Image:   i.Ref,
		Digest:  statement.ImageDigest(i.Ref),
		Bundle:  i.Bundle,
		Fixture: i.Fixture,
	}
}

func (f *Fleet) startMembers(ctx context.Context) error {
	for _, name := range []string{member, bystander} {
		if err := f.stand.Operator.CreateServer(ctx, f.server(name)); err != nil {
			return err
		}
	}
	player, err := f.stand.Witness.NewPlayer(ctx, "player")
	if err != nil {
		return err
	}
	f.player = player
	ctx, cancel := context.WithTimeout(ctx, f.stand.Limits.Start)
	defer cancel()
	for _, name := range []string{member, bystander} {
		if _, err := f.stand.Operator.AwaitRunning(ctx, name, adapter.Expect{Digest: f.baseline.Digest}); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

func (f *Fleet) leaveMarker(ctx context.Context) error {
	visit := f.visit(member)
	visit.SetMarker = f.marker
	joined, err := f.player.Join(ctx, visit)
	if err != nil {
		return err
	}
	if joined.Depth != statement.Held || joined.Marker != f.marker {
		return fmt.Errorf("player on %s got to depth %q with marker %q: %s", member, joined.Depth, joined.Marker, joined.Evidence)
	}
	if err := f.mark(ctx, member, f.marker, statement.Primary, statement.Extra); err != nil {
		return err
	}
	return f.mark(ctx, member, randomMarker(), statement.Mods)
}

// mark leaves a marker at the root of those claims of a server that have one of the roles. The world is marked by a
// player, too; its claims are marked so that one that comes back empty shows whatever the game makes of it. Mods have a
// value of their own on each server, so that a restore that touched them shows.
func (f *Fleet) mark(ctx context.Context, server, marker string, roles ...string) error {
	claims, err := f.stand.Operator.Claims(ctx, server)
	if err != nil {
		return err
	}
	var names []string
	for _, claim := range claims {
		if slices.Contains(roles, claim.Role) {
			names = append(names, claim.Name)
		}
	}
	if len(names) == 0 {
		return fmt.Errorf("server %s has no claim of the role %s", server, strings.Join(roles, " or "))
	}
	return f.stand.Witness.Mark(ctx, server+"-mark-"+roles[0], marker, names...)
}

func (f *Fleet) takeBackup(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, f.stand.Limits.Copy)
	defer cancel()
	backup, err := f.stand.Operator.Backup(ctx, backupName, member)
	if err != nil {
		return err
	}
	f.backup = statement.Backup{
		Name:     backupName,
		UID:      backup.UID,
		Snapshot: backup.Snapshot,
		Source:   member,
		Revision: backup.Revision,
	}
	return nil
}

const backupName = "before-update"

func (f *Fleet) server(name string) adapter.Server {
	return adapter.Server{
		Name:     name,
		Template: f.stand.Template.Name,
		Revision: f.baseline.TemplateDigest,
		Image:    f.baseline.Image,
	}
}

func (f *Fleet) visit(server string) evidence.Session {
	return evidence.Session{
		Address:  fmt.Sprintf("%s.%s.svc:%d", server, f.stand.Witness.Namespace, gamePort),
		Hold:     f.stand.Limits.Hold,
		Deadline: f.stand.Limits.Join,
	}
}

// gamePort is Minecraft's.
const gamePort = 25565

// randomMarker returns 64 bits that no world holds by chance, as 16 hex digits.
func randomMarker() string {
	var value [8]byte
	rand.Read(value[:]) // never fails: see crypto/rand
	return hex.EncodeToString(value[:])
}
