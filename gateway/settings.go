package gateway

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/files"
	"example.org/backoffice/pdf"
	"example.org/backoffice/privacy"
	"example.org/backoffice/privacy/kms"
	"example.org/backoffice/store/sqlite"
)

// Settings are the locations of a backend's data, and how to reach them. Each is a flag and an environment variable.
type Settings struct {
	Database string `default:"sqlite:data/backoffice.db" env:"BACKOFFICE_DATABASE" placeholder:"URL" help:"The store: sqlite:PATH, or postgres://… (${default})."`
	Files    string `default:"file:data/files" env:"BACKOFFICE_FILES" placeholder:"URL" help:"Where files are stored: file:FOLDER, or an S3 bucket's URL (${default})."`
	Keyset   string `default:"data/keyset.json" env:"BACKOFFICE_KEYSET" placeholder:"PATH" predictor:"path" help:"The file with the encryption keys; created on the first start of an embedded store, or by migrate (${default})."`
	KEK      string `name:"keyset-kms" env:"BACKOFFICE_KEYSET_KMS" placeholder:"URI" help:"The key in a key management service that wraps the keyset file: hcvault://HOST:8200/transit/keys/NAME for Vault and OpenBao, with the token in VAULT_TOKEN."`

	Receipts string `env:"BACKOFFICE_RECEIPTS" placeholder:"FOLDER" predictor:"path" help:"Where servers write signed receipts of the register of consultations, at most one a minute, for verify to check: a folder or an S3 bucket's URL, not on the database's disk."`

	Statement time.Duration `name:"limit-statement" default:"5s" env:"BACKOFFICE_LIMIT_STATEMENT" placeholder:"TIME" help:"The maximum time of one statement in the store (${default})."`

	// Opened, if set, gets each store that is opened before its first use; its error fails the opening.
	Opened func(context.Context, backoffice.Store) error `kong:"-" json:"-"`

	shipSettings
	postgresSettings
	letterheadSettings `group:"Letterhead of generated documents:"`
}

// Backend is what a server and the commands work on: the store, the stored files and the keys. Close it.
type Backend struct {
	Store backoffice.Store
	Files files.Store
	Keys  *privacy.Keyset
	Vault *privacy.Vault

	Receipts backoffice.ReceiptStore // nil when none are kept

	Documents backoffice.Documents // with the office's letterhead and fonts

	ship    *Settings // nil ships nothing
	standBy *StandBy  // nil follows nothing
}

func (b *Backend) Service() *backoffice.Service {
	return &backoffice.Service{Store: b.Store, Files: b.Files, Keys: b.Keys, Documents: b.Documents}
}

func (b *Backend) Close() error {
	b.Keys.Release()
	return errors.Join(b.Store.Close(), b.Files.Close())
}

// Embedded reports whether the store is a file of ours.
func (s *Settings) Embedded() bool { return strings.HasPrefix(s.Database, "sqlite:") }

// Open opens the store, the files and the keys. On the first start of an embedded store it makes them.
func (s *Settings) Open(ctx context.Context) (*Backend, error) {
	if err := s.mayCreate(ctx); err != nil {
		return nil, err
	}
	return s.openBackend(ctx)
}

// OpenExisting is Open for commands that must not create a store: a new one would have nothing to work on.
func (s *Settings) OpenExisting(ctx context.Context) (*Backend, error) {
	if err := s.mustExist(); err != nil {
		return nil, err
	}
	return s.openBackend(ctx)
}

func (s *Settings) openBackend(ctx context.Context) (_ *Backend, err error) {
	letterhead, err := s.letterhead()
	if err != nil {
		return nil, err
	}
	fonts, err := s.fonts()
	if err != nil {
		return nil, err
	}
	keys, err := s.openKeyset()
	if err != nil {
		return nil, err
	}
	store, err := s.openStore(ctx)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, store.Close())
		}
	}()
	if isStandBy(store) {
		err = keys.Fits(ctx, store)
	} else if err = keys.Bind(ctx, store); err == nil {
		defer func() {
			if err != nil {
				keys.Release()
			}
		}()
		if err = backoffice.SealIdempotencyKeys(ctx, store, keys); err == nil {
			err = s.mayBeLost(ctx, store)
		}
	}
	if err != nil {
		return nil, err
	}
	stored, err := s.OpenFiles(ctx, store)
	if err != nil {
		return nil, err
	}
	b := &Backend{Store: store, Files: stored, Keys: keys, Vault: privacy.NewVault(keys, store),
		Documents: pdf.NewDocuments(letterhead, fonts)}
	if s.Ship != "" {
		b.ship = s
	}
	if s.Receipts != "" {
		if b.Receipts, err = files.OpenReceipts(ctx, s.Receipts); err != nil {
			return nil, errors.Join(err, stored.Close())
		}
	}
	return b, nil
}

func (s *Settings) OpenFiles(ctx context.Context, store backoffice.Store) (files.Store, error) {
	stored, err := files.Open(ctx, s.Files)
	if err != nil {
		return nil, err
	}
	if err := files.Claim(ctx, store, stored); err != nil {
		return nil, errors.Join(err, stored.Close())
	}
	return stored, nil
}

// OpenRecords opens the store alone, for commands that open no sealed number. The store must exist.
func (s *Settings) OpenRecords(ctx context.Context) (backoffice.Store, error) {
	if err := s.mustExist(); err != nil {
		return nil, err
	}
	return s.openStore(ctx)
}

// missing reports whether the store is an embedded one without a file, or with an empty one, and returns the path.
func (s *Settings) missing() (path string, missing bool) {
	path, err := sqlite.Path(s.Database)
	if err != nil {
		return "", false
	}
	info, err := os.Stat(path)
	return path, errors.Is(err, fs.ErrNotExist) || err == nil && info.Mode().IsRegular() && info.Size() == 0
}

func (s *Settings) mustExist() error {
	if path, missing := s.missing(); missing {
		return fmt.Errorf("the database %s does not exist: run this in its folder, or pass it with --database; only serve, demo, import, pull and migrate create a new one", path)
	}
	return nil
}

// mayCreate rejects creating a store next to another's files: then the name of the database is wrong.
func (s *Settings) mayCreate(ctx context.Context) error {
	path, missing := s.missing()
	if !missing {
		return nil
	}
	if left, _ := filepath.Glob(path + ".restoring-*"); len(left) > 0 {
		return fmt.Errorf("the database %s does not exist, and an interrupted restore left %s: run backoffice restore again, or remove that to start a new store; the previous store is next to it, as %s.replaced-…", path, left[0], path)
	}
	used, err := files.InUse(ctx, s.Files)
	if err == nil && used {
		err = fmt.Errorf("the database %s does not exist, and the stored files belong to another one: pass that with --database, or, for a new one, an empty folder or bucket with --files", path)
	}
	return err
}

func (s *Settings) openStore(ctx context.Context) (backoffice.Store, error) {
	store, err := s.openEngine(ctx)
	if err != nil || s.Opened == nil {
		return store, err
	}
	if err := s.Opened(ctx, store); err != nil {
		return nil, errors.Join(err, store.Close())
	}
	return store, nil
}

func (s *Settings) openEngine(ctx context.Context) (backoffice.Store, error) {
	if s.Statement < 0 {
		return nil, errors.New("--limit-statement must be a time such as 5s, not below 0")
	}
	if s.Embedded() {
		if len(s.Replicas) > 0 {
			return nil, errors.New("--replica needs a --database in PostgreSQL; an embedded store has no replicas")
		}
		return sqlite.Open(ctx, s.Database, sqlite.Options{StatementTimeout: s.Statement})
	}
	if isPostgres(s.Database) {
		return s.postgresSettings.openStore(ctx, s.Database, s.Statement)
	}
	return nil, errors.New("--database must be sqlite:PATH or postgres://…")
}

// openKeyset reads the keys. It makes them only for an embedded store that does not exist: no data depend on others.
func (s *Settings) openKeyset() (*privacy.Keyset, error) {
	file, err := s.KeysetFile()
	if err != nil {
		return nil, err
	}
	keys, err := file.Load()
	if !errors.Is(err, fs.ErrNotExist) {
		return keys, err
	}
	if !s.Embedded() {
		return nil, fmt.Errorf("the keyset %s does not exist: pass it with --keyset PATH; every server of a PostgreSQL store needs the same one, which backoffice migrate creates with a new database", s.Keyset)
	}
	if path, missing := s.missing(); path != "" && !missing {
		return nil, fmt.Errorf("the keyset %s does not exist, but the database %s does: restore the keyset; without it the registration numbers cannot be read", s.Keyset, path)
	}
	if err := makeFolderOf(s.Keyset); err != nil {
		return nil, err
	}
	keys, err = file.Create()
	if errors.Is(err, fs.ErrExist) { // another command was faster
		return file.Load()
	}
	return keys, err
}

// KeysetFile is the file of the keys, with the key that wraps them if any.
func (s *Settings) KeysetFile() (privacy.KeysetFile, error) {
	file := privacy.KeysetFile{Path: s.Keyset}
	if s.KEK == "" {
		return file, nil
	}
	var err error
	if file.KEK, err = kms.Open(s.KEK); err != nil {
		err = fmt.Errorf("--keyset-kms: %w", err)
	}
	return file, err
}

func makeFolderOf(keyset string) error {
	if err := os.MkdirAll(filepath.Dir(keyset), 0o700); err != nil {
		return fmt.Errorf("cannot create the folder of the keyset: %w", err)
	}
	return nil
}
