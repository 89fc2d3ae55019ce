package ship

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/files"
	"example.org/backoffice/files/s3test"
	"example.org/backoffice/privacy"
	"example.org/backoffice/store/sqlite"
	"example.org/backoffice/store/sqlite/sqlitetest"
)

// office is a store that is shipped to a folder, or to a bucket.
type office struct {
	*backoffice.Service
	store  *sqlite.Store
	path   string
	place  string // the folder, if it is one
	url    string // of the place
	key    *privacy.ShippingKey
	log    *lines
	states map[int64]string // the digest of the store, by the last number of its change log
}

// lines are the messages of a log.
type lines struct {
	mu  sync.Mutex
	all strings.Builder
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all.String()
}

var operator = &backoffice.Principal{ClientID: "operator", Name: "operator", Scopes: backoffice.AllScopes}

// inEachPlace runs a test with an office that is shipped to a place of each kind.
func inEachPlace(t *testing.T, test func(t *testing.T, o *office)) {
	for kind, url := range map[string]func(*testing.T) string{
		"folder": func(t *testing.T) string { return "file:" + t.TempDir() },
		"bucket": func(t *testing.T) string { return s3test.Start(t, "ship").URL("office") },
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			o := newOffice(t)
			o.url = url(t)
			o.place, _ = strings.CutPrefix(o.url, "file:")
			test(t, o)
		})
	}
}

func newOffice(t testing.TB) *office {
	t.Helper()
	url := sqlitetest.URL(t)
	path := strings.TrimPrefix(url, "sqlite:")
	o := &office{path: path, place: t.TempDir(), log: &lines{}, states: map[int64]string{}}
	o.url = "file:" + o.place
	o.store = o.open(t)
	stored, err := files.OpenFolder(filepath.Join(t.TempDir(), "files"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = stored.Close() })
	keys, err := privacy.NewKeyset()
	if err != nil {
		t.Fatal(err)
	}
	o.Service = &backoffice.Service{Store: o.store, Files: stored, Keys: keys}
	if o.key, err = (privacy.KeysetFile{Path: filepath.Join(t.TempDir(), "ship.json")}).CreateShipping(); err != nil {
		t.Fatal(err)
	}
	return o
}

// again is the office with a restored store.
func (o *office) again(t testing.TB, path string) *office {
	t.Helper()
	again := &office{path: path, place: o.place, url: o.url, key: o.key, log: o.log, states: map[int64]string{}}
	again.store = again.open(t)
	service := *o.Service
	service.Store = again.store
	again.Service = &service
	return again
}

// open opens the store once more, as another process does.
func (o *office) open(t testing.TB) *sqlite.Store {
	t.Helper()
	store, err := sqlite.Open(context.Background(), "sqlite:"+o.path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	return store
}

func (o *office) objects(t testing.TB) backoffice.ObjectStore {
	t.Helper()
	to, err := files.OpenObjects(o.url)
	if err != nil {
		t.Fatal(err)
	}
	return to
}

func (o *office) shipper(t testing.TB) *Shipper {
	t.Helper()
	return &Shipper{
		Store: o.store, Files: o.Files, To: o.objects(t), Key: o.key, KeyID: o.key.ID, Most: 1 << 30,
		Log: slog.New(slog.NewTextHandler(o.log, nil)), period: 10 * time.Millisecond, renewAt: 200 << 10,
	}
}

// ships starts to ship; stop ends that as a server does that stops.
func (o *office) ships(t testing.TB, change ...func(*Shipper)) (s *Shipper, stop func()) {
	t.Helper()
	made := o.shipper(t)
	for _, do := range change {
		do(made)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); made.Run(ctx) }()
	stop = sync.OnceFunc(func() { cancel(); <-done })
	t.Cleanup(stop)
	return made, stop
}

// away waits until all that is committed now is shipped.
func (o *office) away(t testing.TB, s *Shipper) {
	t.Helper()
	now := int64(time.Since(started))
	o.wait(t, func() bool { return s.whole.Load() > now && s.last.Load() >= 0 })
}

func (o *office) wait(t testing.TB, until func() bool) {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); !until(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("it does not come: %s", o.log)
		}
	}
}

// note keeps the digest of the store, by its number.
func (o *office) note(t testing.TB) int64 {
	t.Helper()
	last := latest(t, o.path)
	o.states[last] = digest(t, o.path)
	return last
}

func latest(t testing.TB, path string) (last int64) {
	t.Helper()
	withDatabase(t, path, func(db *sql.DB) {
		if err := db.QueryRow("SELECT COALESCE(MAX(sequence), 0) FROM changes").Scan(&last); err != nil {
			t.Fatal(err)
		}
	})
	return last
}

func withDatabase(t testing.TB, path string, do func(*sql.DB)) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=busy_timeout(5000)")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	do(db)
}

// digest covers every row of every table.
func digest(t testing.TB, path string) string {
	t.Helper()
	sum := sha256.New()
	withDatabase(t, path, func(db *sql.DB) {
		db.SetMaxOpenConns(1)
		if _, err := db.Exec("BEGIN"); err != nil { // one state
			t.Fatal(err)
		}
		rows, err := db.Query("SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY name")
		if err != nil {
			t.Fatal(err)
		}
		var tables []string
		for rows.Next() {
			var name string
			if err := rows.Scan(&name); err != nil {
				t.Fatal(err)
			}
			tables = append(tables, name)
		}
		for _, table := range tables {
			rows, err := db.Query(`SELECT * FROM "` + table + `"`)
			if err != nil {
				t.Fatal(err)
			}
			columns, _ := rows.Columns()
			values, into := make([]any, len(columns)), make([]any, len(columns))
			for i := range values {
				into[i] = &values[i]
			}
			for rows.Next() {
				if err := rows.Scan(into...); err != nil {
					t.Fatal(err)
				}
				fmt.Fprintf(sum, "%s %q\n", table, values)
			}
			if rows.Err() != nil {
				t.Fatal(rows.Err())
			}
		}
	})
	return hex.EncodeToString(sum.Sum(nil))
}

func (o *office) from(t testing.TB) Place {
	return Place{From: o.objects(t), Key: o.key, KeyID: o.key.ID}
}

// restored restores to a target, checks the pages and returns the path.
func (o *office) restored(t testing.TB, target Target) (string, Restored) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "backoffice.db")
	r, err := o.from(t).Restore(t.Context(), target, path)
	if err != nil {
		t.Fatal(err)
	}
	if problems, err := sqlite.Integrity(t.Context(), path); err != nil || len(problems) > 0 {
		t.Fatal(err, problems)
	}
	return path, r
}

func (o *office) label(t testing.TB, name string) {
	t.Helper()
	if _, err := o.CreateLabel(t.Context(), operator, backoffice.LabelDraft{Name: name}, backoffice.Optional[string]{}); err != nil {
		t.Fatal(err)
	}
}

func (o *office) customer(t testing.TB, name string) string {
	t.Helper()
	made, err := o.CreateCustomer(t.Context(), operator, backoffice.CustomerFields{
		Type: backoffice.Value(backoffice.Company), Name: backoffice.Value(name)}, backoffice.Optional[string]{})
	if err != nil {
		t.Fatal(err)
	}
	return made.ID
}

func (o *office) document(t testing.TB, customer, content string) string {
	t.Helper()
	made, err := o.CreateDocument(t.Context(), operator, backoffice.DocumentDraft{CustomerID: customer, Name: "a.txt",
		ContentType: "text/plain", Content: strings.NewReader(content), Max: 1 << 20}, backoffice.Optional[string]{})
	if err != nil {
		t.Fatal(err)
	}
	return made.File.Key
}

// contents are the bytes of all objects, and their names.
func (o *office) contents(t testing.TB) (names []string, all string) {
	t.Helper()
	var text strings.Builder
	err := o.objects(t).List(t.Context(), "", "", func(name string) error {
		names = append(names, name)
		reader, err := o.objects(t).Get(t.Context(), name)
		if err != nil {
			return err
		}
		defer reader.Close()
		_, err = io.Copy(&text, reader)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names, text.String()
}

// remove removes objects from the place.
func (o *office) remove(t testing.TB, names ...string) {
	t.Helper()
	for _, name := range names {
		if err := os.Remove(filepath.Join(o.place, name)); err != nil {
			t.Fatal(err)
		}
	}
}
