package gateway

import (
	"database/sql"
	"encoding/json"
	"strings"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"

	"example.org/backoffice/backoffice"
)

// rawDatabase opens the database of a store for SQL of a test's own.
func rawDatabase(t testing.TB, url string) *sql.DB {
	t.Helper()
	driver := "pgx"
	if path, embedded := strings.CutPrefix(url, "sqlite:"); embedded {
		driver, url = "sqlite", "file:"+path+"?_pragma=busy_timeout(5000)"
	}
	db, err := sql.Open(driver, url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func TestAnIdempotencyKeyIsKeptAsADigest(t *testing.T) {
	t.Parallel()
	for name, fresh := range engines {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url := fresh(t)
			settings := officeSettings(t, url)
			o := serveOffice(t, settings, unhurried())
			all := o.pair(t, backoffice.AllScopes...)
			create := func(o *office, key string) (id string) {
				t.Helper()
				_, body, _ := o.ask(t, all, `mutation { createLabel(input: {name: "Label of `+key+`", idempotencyKey: "`+key+`"}) { label { id } userErrors { code } } }`, nil, nil)
				var answer struct {
					Data struct {
						CreateLabel struct{ Label struct{ ID string } }
					}
				}
				if err := json.Unmarshal(body, &answer); err != nil || answer.Data.CreateLabel.Label.ID == "" {
					t.Fatalf("%s %v", body, err)
				}
				return answer.Data.CreateLabel.Label.ID
			}
			const key, older = "85.01.01-123.45", "of an earlier version"
			made, before := create(o, key), create(o, older)
			if again := create(o, key); again != made {
				t.Error("a retry made another object")
			}

			db := rawDatabase(t, url)
			keys := func() (all string) {
				rows, err := db.QueryContext(t.Context(), "SELECT key FROM idempotency_keys ORDER BY created_at")
				if err != nil {
					t.Fatal(err)
				}
				defer rows.Close()
				for rows.Next() {
					var one string
					if err := rows.Scan(&one); err != nil {
						t.Fatal(err)
					}
					all += one + "\n"
				}
				return all
			}
			if kept := keys(); strings.Contains(kept, key) || strings.Count(kept, "\n") != 2 {
				t.Errorf("kept are %q", kept)
			}

			// As an earlier version left it: the key as it was sent.
			if _, err := db.ExecContext(t.Context(), "UPDATE idempotency_keys SET key = '"+older+"', sealed = false WHERE object_id = '"+before+"'"); err != nil {
				t.Fatal(err)
			}
			upgraded := serveOffice(t, settings, unhurried())
			if kept := keys(); strings.Contains(kept, older) {
				t.Errorf("still kept are %q", kept)
			}
			if again := create(upgraded, older); again != before {
				t.Error("a retry over the upgrade made another object")
			}
		})
	}
}
