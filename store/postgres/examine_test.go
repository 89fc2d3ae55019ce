package postgres_test

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/store/postgres"
	"example.org/backoffice/store/postgres/pgtest"
	"example.org/backoffice/store/storetest"
)

// examined is what is found wrong or doubtful of a database, by what it is about, and what is fine.
func examined(t *testing.T, url string, replicas ...string) (ready bool, fine []string, found map[string]backoffice.Finding) {
	t.Helper()
	found = map[string]backoffice.Finding{}
	ready = postgres.Examine(t.Context(), url, replicas, func(f backoffice.Finding) {
		if f.Advice == "" {
			fine = append(fine, f.What)
			return
		}
		found[f.What] = f
	})
	return ready, fine, found
}

func TestAGoodDatabaseIsFoundWellAndStaysAsItIs(t *testing.T) {
	storetest.SkipUnderRace(t)
	t.Parallel()
	url := migrated(t)
	ready, fine, found := examined(t, url)
	delete(found, "durability") // the server of the tests may be a fast one
	for _, what := range []string{"server", "clock", "extensions", "schema", "privileges", "triggers", "advisory locks"} {
		if !slices.Contains(fine, what) {
			t.Errorf("%s is not fine", what)
		}
	}
	if len(found) > 0 {
		t.Errorf("%t %v", ready, found)
	}
	store, err := postgres.Open(t.Context(), url, postgres.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = store.Close() }()
	if problems, err := store.Counters(t.Context()); err != nil || len(problems) > 0 {
		t.Errorf("%v %v", problems, err)
	}
}

func TestADatabaseThatCannotStoreEveryCharacterIsRefused(t *testing.T) {
	storetest.SkipUnderRace(t)
	t.Parallel()
	url := pgtest.Database(t, "ENCODING 'LATIN1' TEMPLATE template0 LOCALE 'C'")
	_, opening := postgres.Open(t.Context(), url, postgres.Options{})
	for _, err := range []error{postgres.Migrate(t.Context(), url), opening} {
		if err == nil || !strings.Contains(err.Error(), "encoding is not UTF8") {
			t.Error(err)
		}
	}
	if ready, _, found := examined(t, url); ready || !strings.Contains(found["database"].Found, "UTF8") {
		t.Errorf("%t %v", ready, found)
	}
}

func TestWhatIsWrongWithADatabaseIsFound(t *testing.T) {
	storetest.SkipUnderRace(t)
	t.Parallel()
	for what, spoil := range map[string]func(t *testing.T) (url string, replicas []string){
		"schema":    func(t *testing.T) (string, []string) { t.Helper(); return pgtest.Schema(t), nil },
		"database":  func(t *testing.T) (string, []string) { t.Helper(); return "postgres://nobody@127.0.0.1:1/none", nil },
		"replica 1": func(t *testing.T) (string, []string) { t.Helper(); of := migrated(t); return of, []string{of} },
		"replica 2": func(t *testing.T) (string, []string) {
			t.Helper()
			of := migrated(t)
			return of, []string{of, "postgres://nobody@127.0.0.1:1/none"}
		},
		"triggers": func(t *testing.T) (string, []string) {
			t.Helper()
			of := migrated(t)
			pgtest.Execute(t, of, "ALTER TABLE labels DISABLE TRIGGER labels_count_insert")
			return of, nil
		},
		"privileges": func(t *testing.T) (string, []string) {
			t.Helper()
			of := migrated(t)
			parsed, err := url.Parse(of)
			if err != nil {
				t.Fatal(err)
			}
			role := "doctor_" + strings.ToLower(strings.ReplaceAll(backoffice.NewID(), "-", "")[:12])
			pgtest.Execute(t, of, "CREATE ROLE "+role+" LOGIN; GRANT "+role+" TO current_user; DO $$ BEGIN EXECUTE format('GRANT USAGE ON SCHEMA %I TO "+role+"', current_schema()); EXECUTE format('GRANT SELECT ON ALL TABLES IN SCHEMA %I TO "+role+"', current_schema()); END $$")
			parsed.User = url.User(role)
			t.Cleanup(func() { pgtest.Execute(t, of, "DROP OWNED BY "+role+"; DROP ROLE "+role) })
			return parsed.String(), nil
		},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			url, replicas := spoil(t)
			ready, _, found := examined(t, url, replicas...)
			if f, known := found[what]; !known || f.Advice == "" || ready && !strings.HasPrefix(what, "replica") {
				t.Errorf("%t %v", ready, found)
			}
		})
	}
}

func TestLocksThatDoNotExcludeAreFound(t *testing.T) {
	storetest.SkipUnderRace(t)
	t.Parallel()
	one := pgtest.Schema(t)
	for other, want := range map[string]string{one: "", pgtest.Database(t): "advisory locks"} {
		if got := postgres.ExamineLocks(t, one, other); got != want {
			t.Errorf("%q is wrong, not %q", got, want)
		}
	}
}
