package sqlite

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/pressly/goose/v3"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/store"
	"example.org/backoffice/store/migrations"
)

// Examine checks whether the database at a path can be served, and changes nothing in it. It passes its findings to
// tell; ready reports that the database can be opened as it is.
func Examine(ctx context.Context, path string, tell func(backoffice.Finding)) (ready bool) {
	err := checkHeader(path)
	var have int64
	if err == nil {
		have, err = inspect(ctx, path)
	}
	if err != nil {
		tell(backoffice.Fail("database", err.Error(),
			"restore it from a backup (backoffice restore), or pass another one with --database"))
		return false
	}
	want := migrations.Version(goose.DialectSQLite3)
	switch {
	case have > want:
		tell(backoffice.Fail("schema", (&store.SchemaError{Have: have, Want: want}).Error(), "run the newer version"))
	case have < want:
		tell(backoffice.Warn("schema", fmt.Sprintf("version %d, but this program has %d", have, want),
			"make a backup: the next start migrates it"))
	default:
		tell(backoffice.Pass("schema", fmt.Sprintf("version %d", have)))
		ready = true
	}
	probe, err := os.CreateTemp(filepath.Dir(path), ".doctor-*")
	if err != nil {
		tell(backoffice.Fail("folder of the database", "cannot write next to "+path,
			"give the server's user the right to write there"))
		return false
	}
	_ = probe.Close()
	_ = os.Remove(probe.Name())
	if info, err := os.Stat(path); err == nil && info.Mode().Perm()&0o077 != 0 {
		tell(backoffice.Warn("file of the database", "users other than its owner can read or write it",
			"chmod 600 "+path))
	}
	return ready
}
