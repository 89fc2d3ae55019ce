package parity

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway/gatewaytest"
	"example.org/backoffice/importexport"
)

func TestAnswersKeepTheOrderInWhichTheyWereGiven(t *testing.T) {
	t.Parallel()
	const answers = `{"question 2":{"b":[{"z":1,"y":2}],"a":null},"question 10":"yes","question 1":1.50}`
	for engine, database := range gatewaytest.Engines {
		t.Run("on "+engine, func(t *testing.T) {
			t.Parallel()
			o := gatewaytest.OpenOn(t, database(t))
			credential := o.Credential(t, backoffice.AllScopes...)
			ids := map[string]string{}
			_, body, _ := o.Ask(t, credential, `mutation($v: JSON) { assignChecklist(input: {checklistId: "list-2026-nl", customerId: "acme", customVariables: $v}) { transcript { id customVariables } } }`,
				json.RawMessage(`{"v":`+answers+`}`), nil)
			var assigned struct {
				Data struct {
					AssignChecklist struct {
						Transcript struct {
							ID              string
							CustomVariables json.RawMessage
						}
					}
				}
			}
			if err := json.Unmarshal(body, &assigned); err != nil || string(assigned.Data.AssignChecklist.Transcript.CustomVariables) != answers {
				t.Errorf("GraphQL answered %s, %v", body, err)
			}
			ids["GraphQL"] = assigned.Data.AssignChecklist.Transcript.ID
			w := o.Send(t, credential, http.MethodPost, "/checklists/assign", `{"checklist":"list-2026-nl","customer":"acme","customVariables":`+answers+`}`)
			var made struct {
				ID string `json:"_id"`
			}
			if err := json.Unmarshal(w.Body.Bytes(), &made); err != nil || made.ID == "" {
				t.Fatalf("REST answered %d %s", w.Code, w.Body)
			}
			ids["REST"], ids["an import"] = made.ID, "tr-ordered"
			importer := importexport.Importer{Store: o.Store, Files: o.Files, Keys: o.Keys}
			line := func(answers string) importexport.Loaded {
				t.Helper()
				folder := t.TempDir()
				text := `{"_id":"tr-ordered","checklist":"list-2026-nl","customer":"acme","status":"To Process","customVariables":` + answers + "}\n"
				if err := os.WriteFile(filepath.Join(folder, "transcripts.ndjson"), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
				loaded, err := importer.Import(t.Context(), folder)
				if err != nil || len(loaded) != 1 {
					t.Fatal(loaded, err)
				}
				return loaded[0]
			}
			line(answers)
			// A source whose members come in another order each time changes nothing.
			if again := line(`{"question 10":"yes","question 1":1.50,"question 2":{"a":null,"b":[{"y":2,"z":1}]}}`); again.Unchanged != 1 {
				t.Errorf("the same members in another order: %+v", again)
			}
			folder := t.TempDir()
			if err := os.Remove(folder); err != nil {
				t.Fatal(err)
			}
			exporter := importexport.Exporter{Store: o.Store, Files: o.Files}
			if _, err := exporter.Export(t.Context(), folder, nil); err != nil {
				t.Fatal(err)
			}
			exported, err := os.ReadFile(filepath.Join(folder, "transcripts.ndjson"))
			if err != nil {
				t.Fatal(err)
			}
			for by, id := range ids {
				if _, body, _ := o.Ask(t, credential, `query($id: ID!) { transcript(id: $id) { customVariables } }`, json.RawMessage(`{"id":"`+id+`"}`), nil); !strings.Contains(string(body), answers) {
					t.Errorf("given by %s, GraphQL shows %s", by, body)
				}
				if w := o.Send(t, credential, http.MethodGet, "/transcripts/"+id, ""); !strings.Contains(w.Body.String(), answers) {
					t.Errorf("given by %s, REST shows %s", by, w.Body)
				}
			}
			if n := strings.Count(string(exported), `"customVariables":`+answers); n != len(ids) {
				t.Errorf("%d of %d are exported in their order:\n%s", n, len(ids), exported)
			}
			if changed := line(`{"question 10":"no","question 1":1.50}`); changed.Updated != 1 {
				t.Errorf("other answers: %+v", changed)
			}
		})
	}
}
