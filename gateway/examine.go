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
func (s *Settings) Examine(ctx context.Context, people *PeopleSettings, tell func(backoffice.Finding)) {
	if _, err := s.letterhead(); err != nil {
		tell(backoffice.Fail("letterhead", err.Error(), "see --office-logo"))
	}
	if _, err := s.fonts(); err != nil {
		tell(backoffice.Fail("fonts", err.Error(), "see --fonts"))
	}
	keys := s.examineKeyset(tell)
	if !s.examineDatabase(ctx, tell) {
		people.examine(ctx, nil, tell)
	} else if opened, err := s.openStore(ctx); err != nil {
		tell(backoffice.Fail("database", err.Error(), "see the log of the server that has it open"))
	} else {
		defer func() { _ = opened.Close() }()
		s.examineStore(ctx, opened, keys, tell)
		people.examine(ctx, opened, tell)
	}
	s.examineReceipts(ctx, tell)
}

func (s *Settings) examineReceipts(ctx context.Context, tell func(backoffice.Finding)) {
	if s.Receipts == "" {
		return
	}
	folder, isFolder := files.FolderOf(s.Receipts)
	if !isFolder && !strings.Contains(s.Receipts, "://") {
		folder, isFolder = s.Receipts, true
	}
	if _, err := os.Stat(folder); isFolder && errors.Is(err, fs.ErrNotExist) {
		tell(backoffice.Warn("receipts", "the folder does not exist",
			"the next start creates it; if you had receipts, pass their folder with --receipts"))
		return
	}
	receipts, err := files.OpenReceipts(ctx, s.Receipts)
	var names []string
	if err == nil {
		names, err = receipts.Names(ctx)
	}
	if err == nil && isFolder {
		var probe *os.File
		if probe, err = os.CreateTemp(folder, ".doctor-*"); err == nil { // which is no receipt's name
			_, err = probe.WriteString("probe")
			err = errors.Join(err, probe.Close(), os.Remove(probe.Name()))
		}
	}
	if err != nil {
		tell(backoffice.Fail("receipts", err.Error(), "check --receipts, and that this user can read and write there"))
		return
	}
	tell(backoffice.Pass("receipts", fmt.Sprintf("%d found", len(names))))
}

func (s *Settings) examineKeyset(tell func(backoffice.Finding)) *privacy.Keyset {
	file, err := s.KeysetFile()
	if err != nil {
		tell(backoffice.Fail("keyset", err.Error(), "see docs/keys.md"))
		return nil
	}
	if isAnothers("keyset", s.Keyset, tell) {
		return nil
	}
	keys, err := file.Load()
	if errors.Is(err, fs.ErrNotExist) {
		tell(backoffice.Fail("keyset", s.Keyset+" does not exist",
			"pass it with --keyset, or restore it from your copy. Without it the registration numbers cannot be read; a new one is only created with a new store"))
		return nil
	}
	examineKeysetFile("keyset", file, err, tell)
	if shipping, _ := s.shippingKeyset(); !isAnothers("shipping keyset", shipping.Path, tell) {
		if _, err := shipping.LoadShipping(); !errors.Is(err, fs.ErrNotExist) { // without --ship there is none
			examineKeysetFile("shipping keyset", shipping, err, tell)
		}
	}
	return keys
}

// examineKeysetFile reports how a file that was loaded, with an error or not, is protected.
func examineKeysetFile(what string, file privacy.KeysetFile, err error, tell func(backoffice.Finding)) {
	wrapped, _ := file.Wrapped()
	info, unread := os.Stat(file.Path)
	switch {
	case err != nil && wrapped:
		tell(backoffice.Fail(what, err.Error(),
			"check --keyset-kms, and that the service is reachable and lets this server decrypt"))
	case err != nil:
		tell(backoffice.Fail(what, err.Error(), "restore it from your copy"))
	case !wrapped && file.KEK != nil:
		tell(backoffice.Warn(what, "it is not wrapped by the key of --keyset-kms", "run backoffice keys wrap"))
	case unread == nil && !wrapped && info.Mode().Perm()&0o077 != 0:
		tell(backoffice.Warn(what, "users other than its owner can read it", "chmod 600 "+file.Path))
	default:
		tell(backoffice.Pass(what, file.Path))
	}
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
	tell(backoffice.Fail(what, path+" cannot be read by this user: permission denied",
		"run this as the server's user, or give this user the right to read and write "+path+
			" and its folder (see ls -l)"))
	return true
}

func (s *Settings) examineDatabase(ctx context.Context, tell func(backoffice.Finding)) (ready bool) {
	if isPostgres(s.Database) {
		return postgres.Examine(ctx, s.Database, s.Replicas, tell)
	}
	path, err := sqlite.Path(s.Database)
	if err != nil {
		tell(backoffice.Fail("database", "--database is neither sqlite:PATH nor postgres://…", "pass one of these"))
		return false
	}
	if len(s.Replicas) > 0 {
		tell(backoffice.Fail("replicas", "an embedded store has no replicas", "leave out --replica"))
	}
	if _, missing := s.missing(); missing {
		tell(backoffice.Fail("database", path+" does not exist",
			"run this in its folder, or pass it with --database; serve, demo, import, pull and migrate create one"))
		return false
	}
	if isAnothers("database", path, tell) {
		return false
	}
	examineRoom("disk of the database", filepath.Dir(path), tell)
	return sqlite.Examine(ctx, path, tell)
}

// examineStore checks whether the database, the keyset and the stored files belong together.
func (s *Settings) examineStore(
	ctx context.Context, opened backoffice.Store, keys *privacy.Keyset, tell func(backoffice.Finding)) {
	if keys != nil {
		examineKeys(ctx, keys, opened, tell)
	}
	s.examineFiles(ctx, opened, tell)
	s.examineShipping(ctx, opened, tell)
}

func (s *Settings) examineFiles(ctx context.Context, register backoffice.Store, tell func(backoffice.Finding)) {
	folder, isFolder := files.FolderOf(s.Files)
	if err := s.mayBeLost(ctx, register); err != nil { // as at a start
		tell(backoffice.Fail("stored files", err.Error(),
			"a server does not start like this; also check that --files is the right folder"))
		return
	}
	if _, err := os.Stat(folder); isFolder && errors.Is(err, fs.ErrNotExist) {
		tell(backoffice.Warn("stored files", folder+" does not exist",
			"the next start creates it; if you had files, pass their folder with --files"))
		return
	}
	stored, err := files.Open(ctx, s.Files)
	if err != nil {
		tell(backoffice.Fail("stored files", err.Error(), "check --files, and that this user can write there"))
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
		tell(backoffice.Fail("stored files", err.Error(), "check --files"))
	case owner != "" && owner != fingerprint:
		tell(backoffice.Fail("stored files", files.ErrNotOwner.Error(),
			"check --database and --files: they do not belong together"))
	default:
		tell(backoffice.Pass("stored files", "they belong to the database and are writable"))
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
		tell(backoffice.Fail(what, found, "free some space: writes fail when it is full"))
	case free < roomForLong:
		tell(backoffice.Warn(what, found, "free some space before it is full"))
	default:
		tell(backoffice.Pass(what, found))
	}
}
