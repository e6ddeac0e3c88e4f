package rehearse

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
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

// Names of a fleet's servers.
const (
	MemberName = "fleet-a" // the player joins it, and it is backed up
	bystander  = "fleet-b" // the operator offers the candidate to it, and it must not adopt the candidate
)

// Limits bounds every wait of a rehearsal. A zero field means the default in its comment.
type Limits struct {
	Start time.Duration // from adopting a revision to a ready pod: 2 minutes
	Join  time.Duration // one join of the player: 20 seconds
	Hold  time.Duration // how long the player stays in the game: 2 seconds
	Copy  time.Duration // a Backup, a Restore, or reading every byte of the claims: 3 minutes
}

func (l Limits) withDefaults() Limits {
	l.Start = cmp.Or(l.Start, 2*time.Minute)
	l.Join = cmp.Or(l.Join, 20*time.Second)
	l.Hold = cmp.Or(l.Hold, 2*time.Second)
	l.Copy = cmp.Or(l.Copy, 3*time.Minute)
	return l
}

// FleetConfig configures a fleet in one namespace of a cluster: the operator, and what the harness observes it with.
type FleetConfig struct {
	Operator    *adapter.Client
	Witness     *evidence.Witness
	Recorder    *evidence.Recorder
	Environment statement.Environment
	Template    adapter.Template // template of every server of the fleet, with the baseline's image
	Baseline    Image
	// Source, where given, is an existing server that the update is for: members and clones copy it, and Template is not
	// used.
	Source *Source
	Prefix string // before the name of everything that is made
	Game   Game
	Keep   bool // keep the clones of a Source's server for a look; they are deleted after their rehearsal otherwise
	Limits Limits
	Log    *slog.Logger // gets the progress; nil means none
}

// Game says how a player joins. The zero value of a field means the default in its comment.
type Game struct {
	Port     int           // of the server's Service: 25565
	Protocol int           // version of the protocol: what the server's status says
	Player   string        // name of the player: "rehearsal"
	Stop     time.Duration // what the game gets to save when it is stopped: the server's own, or 10 seconds
}

// Source is a running server and a Backup of it. It is watched, and never changed.
type Source struct {
	Model  *adapter.Model
	Backup string
	Env    map[string]string // of the copies, over the server's
}

// Image is the image of a game.
type Image struct {
	Name    string // for people: "1.20.2"
	Ref     string // reference by digest
	Bundle  string // digest of the signed module bundle that contains the template, "" if there is none
	Fixture bool   // a game made for tests
}

// Fleet is the state from which every rehearsal starts: two members on the baseline, and the backup of one of them.
type Fleet struct {
	config   FleetConfig
	player   *evidence.Player
	baseline statement.Revision
	marker   string
	backup   statement.Backup
	origin   *statement.Origin // nil where the member made its own world
	offering sync.Mutex        // held while a candidate is installed and offered
}

// NewFleet starts a member on the baseline, lets a player write a random marker into its world, and backs it up. A second
// member, the bystander, starts next to it. With a Source, its server is the bystander, and the member's world comes from
// its Backup. It takes about half a minute.
func NewFleet(ctx context.Context, config FleetConfig) (*Fleet, error) {
	config.Limits = config.Limits.withDefaults()
	config.Game.Port = cmp.Or(config.Game.Port, defaultPort)
	if config.Log == nil {
		config.Log = slog.New(slog.DiscardHandler)
	}
	f := &Fleet{config: config, marker: randomMarker()}
	for _, step := range []struct {
		what string
		do   func(context.Context) error
	}{
		{"install the baseline", f.installBaseline},
		{"start the members", f.startMembers},
		{"leave a marker", f.leaveMarker},
		{"take a backup", f.takeBackup},
	} {
		config.Log.Info("fleet: " + step.what)
		if err := step.do(ctx); err != nil {
			return nil, fmt.Errorf("fleet: %s: %w", step.what, err)
		}
	}
	return f, nil
}

// Environment is where the fleet is, as receipts record it.
func (f *Fleet) Environment() statement.Environment { return f.config.Environment }

func (f *Fleet) installBaseline(ctx context.Context) error {
	if f.config.Source == nil {
		if err := f.config.Operator.InstallTemplate(ctx, f.config.Template); err != nil {
			return err
		}
	}
	revision, err := f.install(ctx, f.config.Baseline)
	f.baseline = revision
	return err
}

// install installs a revision in the operator. No server adopts it yet.
func (f *Fleet) install(ctx context.Context, image Image) (statement.Revision, error) {
	installed, err := f.config.Operator.InstallRevision(ctx, f.template(), image.Ref)
	if err != nil {
		return statement.Revision{}, fmt.Errorf("install revision %s: %w", image.Name, err)
	}
	revision := image.revision()
	revision.Template, revision.TemplateDigest = f.template(), installed.TemplateDigest
	return revision, nil
}

// revision returns what is known of an image before a template has it.
func (i Image) revision() statement.Revision {
	return statement.Revision{
		Name:    i.Name,
		Image:   i.Ref,
		Digest:  statement.ImageDigest(i.Ref),
		Bundle:  i.Bundle,
		Fixture: i.Fixture,
	}
}

// template names the GameTemplate of the fleet's servers.
func (f *Fleet) template() string {
	if f.config.Source != nil {
		return f.config.Source.Model.Template
	}
	return f.config.Template.Name
}

// member is the server that is joined and backed up.
func (f *Fleet) member() string { return f.config.Prefix + MemberName }

// bystander is the server that must stay untouched until something is admitted.
func (f *Fleet) bystander() string {
	if f.config.Source != nil {
		return f.config.Source.Model.Name
	}
	return f.config.Prefix + bystander
}

func (f *Fleet) startMembers(ctx context.Context) error {
	if err := f.createMembers(ctx); err != nil {
		return err
	}
	player, err := f.config.Witness.NewPlayer(ctx, f.config.Prefix+"player")
	if err != nil {
		return err
	}
	f.player = player
	ctx, cancel := context.WithTimeout(ctx, f.config.Limits.Start)
	defer cancel()
	for _, name := range []string{f.member(), f.bystander()} {
		if _, err := f.config.Operator.AwaitRunning(ctx, name, adapter.Expect{Digest: f.baseline.Digest}); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

func (f *Fleet) createMembers(ctx context.Context) error {
	if f.config.Source != nil {
		return f.seedMember(ctx)
	}
	for _, name := range []string{f.member(), f.bystander()} {
		if err := f.config.Operator.CreateServer(ctx, f.server(name)); err != nil {
			return err
		}
	}
	return nil
}

// seedMember restores the source's Backup into the member: the marker goes into a copy, never into the source's world.
func (f *Fleet) seedMember(ctx context.Context) error {
	server := f.server(f.member())
	server.Suspend = true
	if err := f.config.Operator.CreateServer(ctx, server); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, f.config.Limits.Copy)
	defer cancel()
	done, err := f.config.Operator.Restore(ctx, f.member()+"-"+statement.PurposeSeed, f.config.Source.Backup, f.member())
	if err != nil {
		return err
	}
	f.origin = &statement.Origin{Server: f.config.Source.Model.Name, Backup: f.config.Source.Backup, Snapshot: done.Snapshot}
	return nil
}

func (f *Fleet) leaveMarker(ctx context.Context) error {
	request := f.joinRequest(f.member())
	request.SetMarker = f.marker
	joined, err := f.player.Join(ctx, request)
	if err != nil {
		return err
	}
	if joined.Depth != statement.Held || joined.Marker != f.marker {
		return fmt.Errorf("player on %s got to depth %q with marker %q: %s", f.member(), joined.Depth, joined.Marker, joined.Evidence)
	}
	if err := f.mark(ctx, f.member(), f.marker, statement.Primary, statement.Extra); err != nil {
		return err
	}
	return f.markMods(ctx, f.member(), randomMarker())
}

// mark writes a marker file to the root of the claims of a server that have one of the roles. The player marks the world
// itself; the marker files show whether a claim comes back empty, even if the game fills it again. The mods of each server
// have their own value, which shows whether a restore touched them.
func (f *Fleet) mark(ctx context.Context, server, marker string, roles ...string) error {
	claims, err := f.config.Operator.Claims(ctx, server)
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
		return fmt.Errorf("server %s: %w %s", server, errNoClaim, strings.Join(roles, " or "))
	}
	return f.config.Witness.Mark(ctx, server+"-mark-"+roles[0], marker, names...)
}

// markMods marks the mods claim of a server that has one: a source may have none.
func (f *Fleet) markMods(ctx context.Context, server, marker string) error {
	err := f.mark(ctx, server, marker, statement.Mods)
	if f.config.Source != nil && errors.Is(err, errNoClaim) {
		return nil
	}
	return err
}

// errNoClaim is wrapped where a server has no claim of a role.
var errNoClaim = errors.New("no claim of the role")

func (f *Fleet) takeBackup(ctx context.Context) error {
	name := f.config.Prefix + BackupName
	ctx, cancel := context.WithTimeout(ctx, f.config.Limits.Copy)
	defer cancel()
	backup, err := f.config.Operator.Backup(ctx, name, f.member())
	if err != nil {
		return err
	}
	f.backup = statement.Backup{
		Name:     name,
		UID:      backup.UID,
		Snapshot: backup.Snapshot,
		Source:   f.member(),
		Origin:   f.origin,
		Revision: cmp.Or(backup.Revision, f.baseline.Digest), // an operator may not record it: the member was seen to run it
	}
	return nil
}

// BackupName is the name of a fleet's Backup, after its prefix.
const BackupName = "before-update"

func (f *Fleet) server(name string) adapter.Server {
	return adapter.Server{
		Name:      name,
		Model:     f.model(),
		StopGrace: f.config.Game.Stop,
		Env:       f.env(),
		Template:  f.config.Template.Name,
		Revision:  f.baseline.TemplateDigest,
		Image:     f.baseline.Image,
	}
}

func (f *Fleet) env() map[string]string {
	if f.config.Source == nil {
		return nil
	}
	return f.config.Source.Env
}

func (f *Fleet) model() *adapter.Model {
	if f.config.Source == nil {
		return nil
	}
	return f.config.Source.Model
}

func (f *Fleet) joinRequest(server string) evidence.Session {
	return evidence.Session{
		Address:  fmt.Sprintf("%s.%s.svc:%d", server, f.config.Witness.Namespace, f.config.Game.Port),
		Protocol: f.config.Game.Protocol,
		Player:   f.config.Game.Player,
		Hold:     f.config.Limits.Hold,
		Deadline: f.config.Limits.Join,
	}
}

// defaultPort is Minecraft's.
const defaultPort = 25565

// randomMarker returns 64 random bits as 16 hex digits. No world holds them by chance.
func randomMarker() string {
	var value [8]byte
	rand.Read(value[:]) // never fails: see crypto/rand
	return hex.EncodeToString(value[:])
}
