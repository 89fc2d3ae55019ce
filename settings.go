package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
	"example.org/backoffice/files"
	"example.org/backoffice/pdf"
	"example.org/backoffice/privacy"
	"example.org/backoffice/store/sqlite"
)

// Settings are what all commands share. Each flag has an environment variable.
type Settings struct {
	Database string `default:"sqlite:data/backoffice.db" env:"BACKOFFICE_DATABASE" placeholder:"URL" help:"The store: sqlite:PATH, or postgres://… (${default})."`
	Files    string `default:"file:data/files" env:"BACKOFFICE_FILES" placeholder:"URL" help:"Where stored files are kept: file:FOLDER, or an S3 bucket's URL (${default})."`
	Keyset   string `default:"data/keyset.json" env:"BACKOFFICE_KEYSET" placeholder:"PATH" help:"The file with the encryption keys; made on the first start of an embedded store, or by migrate (${default})."`

	Statement time.Duration `name:"limit-statement" default:"5s" env:"BACKOFFICE_LIMIT_STATEMENT" placeholder:"TIME" help:"The longest that one statement of the store may take (${default})."`

	postgresSettings
}

// house is what a command works with. Close it.
type house struct {
	store backoffice.Store
	files files.Store
	keys  *privacy.Keyset
}

// office does the writes of the faces and of the commands.
func (h *house) office() *backoffice.Office {
	return &backoffice.Office{Store: h.store, Files: h.files, Keys: h.keys, Documents: pdf.Documents{Office: "Backoffice"}}
}

func (h *house) Close() error { return errors.Join(h.store.Close(), h.files.Close()) }

// embedded tells whether the store is a file of ours, and which.
func (s *Settings) embedded() (path string, ok bool) { return strings.CutPrefix(s.Database, "sqlite:") }

// open opens the store, the files and the keys. On the first start of an embedded store it makes them.
func (s *Settings) open(ctx context.Context) (*house, error) {
	keys, err := s.openKeyset()
	if err != nil {
		return nil, err
	}
	store, err := s.openStore(ctx)
	if err != nil {
		return nil, err
	}
	fingerprint, err := keys.Fingerprint()
	if err == nil {
		err = store.ClaimKeyset(ctx, fingerprint)
	}
	if err == nil {
		err = backoffice.SealIdempotencyKeys(ctx, store, keys)
	}
	if err != nil {
		return nil, errors.Join(err, store.Close())
	}
	stored, err := files.Open(ctx, s.Files)
	if err != nil {
		return nil, errors.Join(err, store.Close())
	}
	return &house{store, stored, keys}, nil
}

// openRecords opens the store alone, for commands that open no sealed number. An embedded store that does not exist yet
// gets its keys with it, as open would give it.
func (s *Settings) openRecords(ctx context.Context) (backoffice.Store, error) {
	if path, embedded := s.embedded(); embedded {
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			if _, err := s.openKeyset(); err != nil {
				return nil, err
			}
		}
	}
	return s.openStore(ctx)
}

func (s *Settings) openStore(ctx context.Context) (backoffice.Store, error) {
	if _, ok := s.embedded(); ok {
		if len(s.Replicas) > 0 {
			return nil, fmt.Errorf("--replica goes with a --database in PostgreSQL; an embedded store has no replicas")
		}
		return sqlite.Open(ctx, s.Database, sqlite.Options{StatementTimeout: s.Statement})
	}
	if isPostgres(s.Database) {
		return s.postgresSettings.openStore(ctx, s.Database, s.Statement)
	}
	return nil, fmt.Errorf("--database is sqlite:PATH or postgres://…")
}

// openKeyset reads the keys. It makes new ones only where no data can be waiting for old ones: beside an embedded store
// that does not exist yet.
func (s *Settings) openKeyset() (*privacy.Keyset, error) {
	keys, err := privacy.LoadKeyset(s.Keyset)
	if !errors.Is(err, fs.ErrNotExist) {
		return keys, err
	}
	path, embedded := s.embedded()
	if !embedded {
		return nil, fmt.Errorf("the keyset %s does not exist; every server of a PostgreSQL store needs the same one, which backoffice migrate makes with a new database: --keyset PATH", s.Keyset)
	}
	if _, err := os.Stat(path); err == nil {
		return nil, fmt.Errorf("the keyset %s does not exist, but the database %s does: restore the keyset, for without it the registration numbers cannot be read", s.Keyset, path)
	}
	if err := makeFolderOf(s.Keyset); err != nil {
		return nil, err
	}
	return privacy.CreateKeyset(s.Keyset)
}

func makeFolderOf(keyset string) error {
	if err := os.MkdirAll(filepath.Dir(keyset), 0o700); err != nil {
		return fmt.Errorf("cannot make the folder of the keyset: %w", err)
	}
	return nil
}

// authenticator checks pairs against the house's store. Close it.
func (h *house) authenticator() *auth.Authenticator { return auth.NewAuthenticator(h.store) }
