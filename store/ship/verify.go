package ship

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
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
// there that it names.
func (p Place) Verify(ctx context.Context, folder string) (v Verified, err error) {
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
	there := map[string]bool{}
	err = p.From.List(ctx, shipped, "", func(name string) error {
		there[strings.TrimPrefix(name, shipped+"/")] = true
		return nil
	})
	missing := 0
	if err == nil {
		err = backoffice.EachStoredFile(ctx, store, func(file *backoffice.File) error {
			if v.Files++; !there[file.Key] {
				missing++
			}
			return nil
		})
	}
	if err == nil && missing > 0 {
		err = fmt.Errorf("%d of %d stored files were not shipped", missing, v.Files)
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
