package ship

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/store/sqlite"
)

// Verified is what a verification found.
type Verified struct {
	Restored
	Files int // that the database names
	Took  time.Duration
}

func (v Verified) String() string {
	return fmt.Sprintf("to change %d, of %s, with %s; took %s", v.Last, v.At.UTC().Format(time.RFC3339),
		backoffice.Plural(v.Files, "file", "files"), v.Took.Round(time.Millisecond))
}

// Verify restores the latest state into an empty folder and checks the database, its counters, and that every file is
// there that it names. What own, if not nil, has lost too was not shipped: a check of the store reports it.
func (p Place) Verify(ctx context.Context, folder string, own backoffice.FileStore) (v Verified, err error) {
	began, path := time.Now(), filepath.Join(folder, "backoffice.db")
	if v.Restored, err = p.Restore(ctx, Target{}, path); err != nil {
		return v, err
	}
	problems, err := sqlite.Integrity(ctx, path)
	if err != nil {
		return v, err
	}
	store, err := sqlite.Open(ctx, "sqlite:"+path, sqlite.Options{Readers: 1})
	if err != nil {
		return v, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	wrong, err := store.Counters(ctx)
	if err != nil {
		return v, err
	}
	if problems = append(problems, wrong...); len(problems) > 0 {
		return v, fmt.Errorf("what was shipped is damaged: %s", strings.Join(problems[:min(len(problems), 3)], "; "))
	}
	missing, lost := map[string]bool{}, []string{}
	err = backoffice.EachStoredFile(ctx, store, func(file *backoffice.File) error {
		v.Files, missing[file.Key] = v.Files+1, true
		return nil
	})
	if err == nil {
		err = p.From.List(ctx, shipped, "", func(name string) error {
			delete(missing, strings.TrimPrefix(name, shipped+"/"))
			return nil
		})
	}
	if err == nil && len(missing) > 0 && own != nil {
		lost, err = own.Missing(ctx, slices.Collect(maps.Keys(missing)))
	}
	if unshipped := len(missing) - len(lost); err == nil && unshipped > 0 {
		err = fmt.Errorf("%d of %d stored files were not shipped", unshipped, v.Files)
	}
	v.Took = time.Since(began)
	return v, err
}

// Newest returns the number of the last shipped entry of the change log, and when it was shipped.
func (p Place) Newest(ctx context.Context) (last int64, at time.Time, err error) {
	c, err := p.choose(ctx, Target{})
	if err != nil {
		return 0, at, err
	}
	o := c[len(c)-1]
	return o.to, o.at, nil
}
