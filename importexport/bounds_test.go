package importexport

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.org/backoffice/backoffice"
)

func TestWhatIsImportedAtABoundIsExportedAndImportedAgain(t *testing.T) {
	t.Parallel()
	for engine, fresh := range map[string]func(testing.TB) *env{"SQLite": newEnv, "PostgreSQL": newPostgresEnv} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			first, second := fresh(t), fresh(t)
			first.mustLoad(t, only(t, "customers.ndjson", `{"_id":"v","type":"Company","name":"V","version":2000000000}`,
				`{"_id":"old","type":"Company","name":"O","createdAt":"0001-01-01T00:00:00.000Z","updatedAt":"0001-01-01T01:00:00.000+01:00"}`,
				`{"_id":"new","type":"Company","name":"N","createdAt":"9999-12-31T23:59:59.999Z","updatedAt":"9999-12-31T23:59:59.999999Z"}`))
			first.mustLoad(t, only(t, "customers.ndjson", `{"_id":"v","type":"Company","name":"W"}`))
			exported := first.dump(t, true)
			if text := textOf(t, exported)["customers.ndjson"]; !strings.Contains(text, `"version":1}`) {
				t.Errorf("after the largest version comes %s", text)
			}
			second.mustLoad(t, exported)
			if diff := cmp.Diff(textOf(t, exported), textOf(t, second.dump(t, true))); diff != "" {
				t.Errorf("the second export differs (-first +second):\n%s", diff)
			}
			for _, instant := range []string{"9999-12-31T23:59:59-01:00", "0001-01-01T00:00:00+14:00"} {
				if _, err := first.load(t.Context(), only(t, "customers.ndjson", `{"_id":"x","type":"Company","name":"X","createdAt":"`+instant+`"}`)); err == nil {
					t.Errorf("%s was imported", instant)
				}
			}
		})
	}
}

// instants are those of lines that are written.
var instants = regexp.MustCompile(`"[0-9]{4}-[^"]*Z"`)

// instantFields are the fields of a noun that are instants, and that of its file.
func instantFields(file table) (names []string) {
	of := reflect.ValueOf(file).Elem().FieldByName("Table").Elem()
	for i := range of.FieldByName("Fields").Len() {
		field := of.FieldByName("Fields").Index(i)
		if at := field.FieldByName("At").Elem().Type(); at.Kind() == reflect.Func && at.Out(0) == reflect.TypeFor[*backoffice.Instant]() {
			names = append(names, field.FieldByName("Name").String())
		}
	}
	if !of.FieldByName("File").IsNil() {
		names = append(names, "timeCreated")
	}
	return names
}

// Every instant of every noun, found by the tables of fields, is put at each bound. 1970 is one, for what is absent was
// kept as its number once.
func TestEveryInstantAtABoundIsExportedAndImportedByTheOtherEngine(t *testing.T) {
	t.Parallel()
	given := newEnv(t)
	given.mustLoad(t, office(t))
	whole := given.dump(t, true)
	for _, bound := range []string{"0001-01-01T00:00:00.000Z", "1969-12-31T23:59:59.999Z", "1970-01-01T00:00:00.000Z", "1970-01-01T00:00:00.001Z", "9999-12-31T23:59:59.999Z"} {
		t.Run(bound, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			must(t, os.CopyFS(folder, os.DirFS(whole)))
			for _, file := range tables {
				name := file.fileName()
				text, err := os.ReadFile(filepath.Join(folder, name))
				must(t, err)
				text = instants.ReplaceAll(text, []byte(`"`+bound+`"`))
				text = bytes.ReplaceAll(text, []byte(`"updatedAt":"9999-`), []byte(`"updatedAt":"1999-`)) // none is later than its import
				must(t, os.WriteFile(filepath.Join(folder, name), text, 0o644))
				for _, field := range instantFields(file) {
					at := bound
					if field == "updatedAt" {
						at = strings.Replace(bound, "9999-", "1999-", 1)
					}
					if !bytes.Contains(text, []byte(`"`+field+`":"`+at+`"`)) {
						t.Errorf("no line of %s has %s", name, field)
					}
				}
			}
			for first, second := range map[*env]*env{newEnv(t): newPostgresEnv(t), newPostgresEnv(t): newEnv(t)} {
				first.mustLoad(t, folder)
				exported := first.dump(t, true)
				if diff := cmp.Diff(textOf(t, folder), textOf(t, exported)); diff != "" {
					t.Errorf("it is exported as (-imported +exported):\n%s", diff)
				}
				second.mustLoad(t, exported)
				compareStores(t, first, second)
				if diff := cmp.Diff(textOf(t, exported), textOf(t, second.dump(t, true))); diff != "" {
					t.Errorf("the second export differs (-first +second):\n%s", diff)
				}
			}
		})
	}
}
