package gateway

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/files"
	"example.org/backoffice/graphql/export"
	"example.org/backoffice/privacy"
	"example.org/backoffice/store/postgres"
	"example.org/backoffice/store/sqlite"
)

// Examine checks all that a server needs, and changes nothing. It passes its findings to tell.
func (s *Settings) Examine(ctx context.Context, tell func(backoffice.Finding)) {
	if _, err := s.letterhead(); err != nil {
		tell(backoffice.Wrong("letterhead", err.Error(), "see --office-logo"))
	}
	if _, err := s.fonts(); err != nil {
		tell(backoffice.Wrong("fonts", err.Error(), "see --fonts"))
	}
	keys := s.examineKeyset(tell)
	if s.examineDatabase(ctx, tell) {
		s.examineStore(ctx, keys, tell)
	}
	s.examineReceipts(ctx, tell)
}

func (s *Settings) examineReceipts(ctx context.Context, tell func(backoffice.Finding)) {
	if s.Receipts == "" {
		return
	}
	_, err := os.Stat(strings.TrimPrefix(s.Receipts, "file:"))
	if errors.Is(err, fs.ErrNotExist) && !strings.Contains(s.Receipts, "://") {
		tell(backoffice.Doubtful("receipts", "their folder does not exist",
			"the next start makes it; if there were receipts, name where they are with --receipts"))
		return
	}
	receipts, err := files.OpenReceipts(ctx, s.Receipts)
	var names []string
	if err == nil {
		names, err = receipts.Names(ctx)
	}
	if err != nil {
		tell(backoffice.Wrong("receipts", err.Error(), "see --receipts, and that this user may read and write there"))
		return
	}
	tell(backoffice.Fine("receipts", fmt.Sprintf("%d are there", len(names))))
}

func (s *Settings) examineKeyset(tell func(backoffice.Finding)) *privacy.Keyset {
	file, err := s.KeysetFile()
	if err != nil {
		tell(backoffice.Wrong("keyset", err.Error(), "see docs/keys.md"))
		return nil
	}
	if isAnothers("keyset", s.Keyset, tell) {
		return nil
	}
	keys, err := file.Load()
	if errors.Is(err, fs.ErrNotExist) {
		tell(backoffice.Wrong("keyset", s.Keyset+" does not exist",
			"name it with --keyset, or restore it from your copy; without it the registration numbers cannot be read. A new one is made with a new store alone"))
		return nil
	}
	wrapped, _ := file.Wrapped()
	if err != nil {
		advice := "restore it from your copy"
		if wrapped {
			advice = "see --keyset-kms, and that the service can be reached and lets this server decrypt"
		}
		tell(backoffice.Wrong("keyset", err.Error(), advice))
		return nil
	}
	if !wrapped && file.KEK != nil {
		tell(backoffice.Doubtful("keyset", "it is not wrapped by the key of --keyset-kms", "run backoffice keys wrap"))
		return keys
	}
	if info, err := os.Stat(s.Keyset); err == nil && !wrapped && info.Mode().Perm()&0o077 != 0 {
		tell(backoffice.Doubtful("keyset", "others than its owner can read it", "chmod 600 "+s.Keyset))
		return keys
	}
	tell(backoffice.Fine("keyset", s.Keyset))
	return keys
}

// isAnothers reports a file that this user may not read as such: nothing is wrong with the file.
func isAnothers(what, path string, tell func(backoffice.Finding)) bool {
	file, err := os.Open(path)
	if err == nil {
		_ = file.Close()
	}
	if !errors.Is(err, fs.ErrPermission) {
		return false
	}
	tell(backoffice.Wrong(what, path+" cannot be read by this user: permission denied",
		"run this as the user that the server runs as, or give this user the right to read and write "+path+
			" and its folder (see ls -l)"))
	return true
}

func (s *Settings) examineDatabase(ctx context.Context, tell func(backoffice.Finding)) (ready bool) {
	if isPostgres(s.Database) {
		return postgres.Examine(ctx, s.Database, s.Replicas, tell)
	}
	path, err := sqlite.Path(s.Database)
	if err != nil {
		tell(backoffice.Wrong("database", "--database is neither sqlite:PATH nor postgres://…", "name one of these"))
		return false
	}
	if len(s.Replicas) > 0 {
		tell(backoffice.Wrong("replicas", "an embedded store has none", "leave out --replica"))
	}
	if _, missing := s.missing(); missing {
		tell(backoffice.Wrong("database", path+" does not exist",
			"run this where it is, or name it with --database; serve, demo, import, pull and migrate make a new one"))
		return false
	}
	if isAnothers("database", path, tell) {
		return false
	}
	examineRoom("disk of the database", filepath.Dir(path), tell)
	return sqlite.Examine(ctx, path, tell)
}

// examineStore checks whether the database, the keyset and the stored files belong together.
func (s *Settings) examineStore(ctx context.Context, keys *privacy.Keyset, tell func(backoffice.Finding)) {
	opened, err := s.openStore(ctx)
	if err != nil {
		tell(backoffice.Wrong("database", err.Error(), "see the log of the server that has it open"))
		return
	}
	defer func() { _ = opened.Close() }()
	if keys != nil {
		examineKeys(ctx, keys, opened, tell)
	}
	s.examineFiles(ctx, opened, tell)
}

func (s *Settings) examineFiles(ctx context.Context, register backoffice.Store, tell func(backoffice.Finding)) {
	folder, isFolder := files.FolderOf(s.Files)
	if err := s.mayBeLost(ctx, register); err != nil { // as at a start
		tell(backoffice.Wrong("stored files", err.Error(),
			"a server does not start like this; see also whether --files names the right folder"))
		return
	}
	if _, err := os.Stat(folder); isFolder && errors.Is(err, fs.ErrNotExist) {
		tell(backoffice.Doubtful("stored files", folder+" does not exist",
			"the next start makes it; if there were files, name where they are with --files"))
		return
	}
	stored, err := files.Open(ctx, s.Files)
	if err != nil {
		tell(backoffice.Wrong("stored files", err.Error(), "see --files, and that this user may write there"))
		return
	}
	defer func() { _ = stored.Close() }()
	owner, err := stored.Owner(ctx)
	fingerprint := ""
	if err == nil {
		fingerprint, err = register.Fingerprint(ctx)
	}
	switch {
	case err != nil:
		tell(backoffice.Wrong("stored files", err.Error(), "see --files"))
	case owner != "" && owner != fingerprint:
		tell(backoffice.Wrong("stored files", files.ErrNotOwner.Error(),
			"the name of the database, or that of the files, is another's"))
	default:
		tell(backoffice.Fine("stored files", "they belong to the database, and can be written"))
	}
	if isFolder {
		examineRoom("disk of the stored files", folder, tell)
	}
}

// Room that a disk should have, and must have.
const (
	roomForLong = 2 << 30
	roomForNow  = 100 << 20
)

func examineRoom(what, folder string, tell func(backoffice.Finding)) {
	free, err := export.FreeBytes(folder)
	if err != nil || free == math.MaxInt64 {
		return // the system does not report it
	}
	found := fmt.Sprintf("%.1f GiB are free", float64(free)/(1<<30))
	switch {
	case free < roomForNow:
		tell(backoffice.Wrong(what, found, "make room: writes fail when it is full"))
	case free < roomForLong:
		tell(backoffice.Doubtful(what, found, "make room before it is full"))
	default:
		tell(backoffice.Fine(what, found))
	}
}
