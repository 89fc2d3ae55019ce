package gateway

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/changes"
	"example.org/backoffice/files"
	"example.org/backoffice/graphql/export"
	"example.org/backoffice/privacy"
	"example.org/backoffice/store/ship"
	"example.org/backoffice/store/sqlite"
)

type shipSettings struct {
	Ship       string      `env:"BACKOFFICE_SHIP" placeholder:"URL" help:"Where serve copies the embedded store to as it is written, sealed: a folder that exists (file:PATH), or an S3 bucket's URL, not on the database's disk."`
	ShipKeep   changes.Age `default:"30d" env:"BACKOFFICE_SHIP_KEEP" placeholder:"TIME" help:"How far back the shipped store can be restored; what only older states need is deleted there (${default}; 0 keeps all)."`
	ShipKeyset string      `env:"BACKOFFICE_SHIP_KEYSET" placeholder:"PATH" predictor:"path" help:"The file with the key that seals what is shipped; the first start with --ship creates it (ship-keyset.json next to --keyset)."`
}

// ShipOptions are settings of servers that ship.
type ShipOptions struct {
	Most Size `name:"ship-most" default:"1GiB" env:"BACKOFFICE_SHIP_MOST" placeholder:"SIZE" help:"How large the database's log may grow while --ship is unreachable; then it is truncated, and a snapshot is shipped (${default})."`
	Wait bool `name:"ship-wait" env:"BACKOFFICE_SHIP_WAIT" help:"Acknowledge a write only when it is shipped."`
}

func (s *Settings) shippingKeyset() (privacy.KeysetFile, error) {
	file, err := s.KeysetFile()
	file.Path = cmp.Or(s.ShipKeyset, filepath.Join(filepath.Dir(s.Keyset), "ship-keyset.json"))
	return file, err
}

// KeysetFiles are the keyset files that exist. That of the store is the last: the commands that rewrite them open it.
func (s *Settings) KeysetFiles() ([]privacy.KeysetFile, error) {
	file, err := s.KeysetFile()
	shipping, _ := s.shippingKeyset()
	if _, missing := os.Stat(shipping.Path); errors.Is(missing, fs.ErrNotExist) {
		return []privacy.KeysetFile{file}, err
	}
	return []privacy.KeysetFile{shipping, file}, err
}

// Shipped opens a place that a server has shipped to.
func (s *Settings) Shipped(url string) (p ship.Place, err error) {
	file, err := s.shippingKeyset()
	if err != nil {
		return p, err
	}
	key, err := file.LoadShipping()
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("the shipping keyset %s does not exist: restore it from your copy, or pass it with "+
			"--ship-keyset; without it nothing that was shipped can be read", file.Path)
	}
	if err != nil {
		return p, err
	}
	p = ship.Place{Key: key, KeyID: key.ID}
	if p.From, err = files.OpenObjects(url); err != nil {
		err = fmt.Errorf("the place of shipping: %w", err)
	}
	return p, err
}

// shipper ships the backend's store as --ship says; nil without it.
func (b *Backend) shipper(ctx context.Context, c Config) (*ship.Shipper, error) {
	if b.ship == nil && c.Ship.Wait {
		return nil, errors.New("--ship-wait needs --ship")
	}
	if b.ship == nil {
		return nil, nil //nolint:nilnil // it ships nothing
	}
	store, embedded := b.Store.(*sqlite.Store)
	if !embedded {
		return nil, errors.New("--ship copies the embedded store; for PostgreSQL, use pgBackRest or WAL-G")
	}
	file, err := b.ship.shippingKeyset()
	if err != nil {
		return nil, err
	}
	key, err := file.LoadShipping()
	if errors.Is(err, fs.ErrNotExist) {
		if key, err = file.CreateShipping(); err == nil {
			c.Log.WarnContext(ctx, "made the shipping keyset: keep a copy of it elsewhere; without it nothing that is "+
				"shipped can be read", "path", file.Path)
		}
	}
	if err != nil {
		return nil, err
	}
	to, err := files.OpenObjects(b.ship.Ship)
	if err != nil {
		return nil, fmt.Errorf("--ship: %w", err)
	}
	return &ship.Shipper{Store: store, Files: b.Files, To: to, Key: key, KeyID: key.ID, Most: int64(c.Ship.Most),
		Keep: time.Duration(b.ship.ShipKeep), Wait: c.Ship.Wait, Log: c.Log}, nil
}

// ShippedOfErased is a sentence on the shipped copies of what is erased now; "" without --ship.
func (s *Settings) ShippedOfErased(now time.Time) string {
	switch {
	case s.Ship == "":
		return ""
	case s.ShipKeep == 0:
		return "Shipped copies of it are never deleted: --ship-keep is 0.\n"
	}
	return fmt.Sprintf("Shipped copies of it are deleted by %s.\n",
		ship.LastCopyDeleted(now, time.Duration(s.ShipKeep)).UTC().Format(time.DateOnly))
}

const (
	// verifyAfter is how old the last verification may be before a server makes another.
	verifyAfter = 24 * time.Hour
	// verifyPoll is how often it checks whether one is due, and verifyRetry how long after one that failed.
	verifyPoll, verifyRetry = time.Minute, time.Hour
)

// watchShipping restores what was shipped once a day, until ctx ends.
func watchShipping(ctx context.Context, shipper *ship.Shipper, log *slog.Logger) {
	backoffice.Every(ctx, verifyPoll, func() {
		at, _, err := backoffice.LastDone(ctx, shipper.Store, backoffice.DoneShipVerify)
		shipped := shipper.Last()
		if err != nil || shipped < 0 || time.Since(at.Time()).Abs() < verifyAfter {
			return
		}
		found, err := verifyShipped(ctx, shipper, shipped)
		if err != nil {
			if ctx.Err() == nil {
				log.ErrorContext(ctx, "what was shipped cannot be restored", "cause", backoffice.Cause(err))
			}
			_ = backoffice.Sleep(ctx, verifyRetry) // it is as long as the store is large
			return
		}
		log.InfoContext(ctx, "verified what was shipped", "restorable", found.String())
	})
}

// verifyShipped restores what was shipped next to the database, checks it, also that it has a change, and notes that.
func verifyShipped(ctx context.Context, s *ship.Shipper, least int64) (ship.Verified, error) {
	folder, remove, err := files.NewFolder(filepath.Join(filepath.Dir(s.Store.Path()), "verified"))
	if err != nil {
		return ship.Verified{}, err
	}
	defer remove()
	now, err := os.Stat(s.Store.Path())
	if free, unknown := export.FreeBytes(folder); err == nil && unknown == nil && free < now.Size()+roomForNow {
		return ship.Verified{}, errors.New("no room for its copy on the disk of the database: free some space")
	}
	found, err := ship.Place{From: s.To, Key: s.Key, KeyID: s.KeyID}.Verify(ctx, folder, s.Files)
	if err == nil && found.Last < least {
		err = fmt.Errorf("it ends with change %d, but %d was shipped", found.Last, least)
	}
	if err == nil {
		now := backoffice.InstantOf(time.Now())
		err = backoffice.NoteDone(ctx, s.Store, backoffice.DoneShipVerify, found.Generation, now)
	}
	return found, err
}

// VerifyShipped does what a server does once a day, but fails also for files that the server itself has lost: those may
// all be away.
func (s *Settings) VerifyShipped(ctx context.Context) (ship.Verified, error) {
	if s.Ship == "" {
		return ship.Verified{}, errors.New("pass the place with --ship URL")
	}
	place, err := s.Shipped(s.Ship)
	if err != nil {
		return ship.Verified{}, err
	}
	opened, err := s.OpenRecords(ctx)
	if err != nil {
		return ship.Verified{}, err
	}
	defer opened.Close()
	store, embedded := opened.(*sqlite.Store)
	if !embedded {
		return ship.Verified{}, errors.New("only the embedded store is shipped")
	}
	of := &ship.Shipper{Store: store, To: place.From, Key: place.Key, KeyID: place.KeyID}
	return verifyShipped(ctx, of, 0) // only the server knows how much it has shipped
}

func measureShipping(s server, shipper *ship.Shipper) {
	s.http.Gauge("backoffice_ship_lag_seconds", "How old the oldest write may be that was not shipped yet.",
		func() int64 { return int64((shipper.Lag() + time.Second - 1).Seconds()) }) // rounded up
	s.http.Gauge("backoffice_ship_unshipped_bytes", "Bytes of the database's log that were not shipped yet.",
		shipper.Behind)
	s.http.Gauge("backoffice_ship_verified_age_seconds",
		"How long ago what was shipped was restored and checked; -1 when it never was.",
		ageOf(shipper.Store, backoffice.DoneShipVerify))
}

func (s *Settings) examineShipping(ctx context.Context, store backoffice.Store, tell func(backoffice.Finding)) {
	if s.Ship == "" {
		return
	}
	const what, advice = "shipping", "check --ship and --ship-keyset, and see the log of the server"
	place, err := s.Shipped(s.Ship)
	if err != nil {
		tell(backoffice.Fail(what, err.Error(), advice))
		return
	}
	last, at, err := place.Newest(ctx)
	if err != nil {
		tell(backoffice.Fail(what, err.Error(), advice))
		return
	}
	if isStandBy(store) {
		s.examineStandBy(ctx, last, tell)
	}
	found := fmt.Sprintf("restorable to change %d, of %s", last, at.UTC().Format(time.RFC3339))
	verified, _, err := backoffice.LastDone(ctx, store, backoffice.DoneShipVerify)
	switch {
	case err != nil:
		tell(backoffice.Fail(what, err.Error(), advice))
	case time.Since(verified.Time()) > 2*verifyAfter:
		tell(backoffice.Warn(what, found+"; not verified for two days", "run backoffice ship verify"))
	default:
		tell(backoffice.Pass(what, found+"; verified "+verified.String()))
	}
}
