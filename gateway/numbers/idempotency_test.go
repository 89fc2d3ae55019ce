package numbers

import (
	"encoding/json"
	"strings"
	"testing"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway/gatewaytest"
)

func TestAnIdempotencyKeyIsKeptAsADigest(t *testing.T) {
	t.Parallel()
	for name, fresh := range gatewaytest.Engines {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url := fresh(t)
			settings := gatewaytest.Settings(t, url)
			o := gatewaytest.Serve(t, settings, gatewaytest.Limits())
			all := o.Credential(t, backoffice.AllScopes...)
			create := func(o *gatewaytest.Office, key string) (id string) {
				t.Helper()
				_, body, _ := o.Ask(t, all, `mutation { createLabel(input: {name: "Label of `+key+`", idempotencyKey: "`+key+`"}) { label { id } userErrors { code } } }`, nil, nil)
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

			db := gatewaytest.RawDatabase(t, url)
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
			upgraded := gatewaytest.Serve(t, settings, gatewaytest.Limits())
			if kept := keys(); strings.Contains(kept, older) {
				t.Errorf("still kept are %q", kept)
			}
			if again := create(upgraded, older); again != before {
				t.Error("a retry over the upgrade made another object")
			}
		})
	}
}
