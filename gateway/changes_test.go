package gateway

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"example.org/backoffice/backoffice"
)

// toldChange is an entry of the feed as a client reads it.
type toldChange struct {
	Cursor, Noun, ObjectID, Action string
	Sequence                       int
	Fields                         []string
	ClientID                       *string
	Parents                        []struct{ Noun, ID string }
	Object                         *struct {
		ID string `json:"id"`
	}
}

type toldChanges struct {
	LatestCursor string
	Nodes        []toldChange
}

// changesAfter asks for the changes after a cursor.
func (o *office) changesAfter(t testing.TB, pair [2]string, after string, arguments string) (told toldChanges, calls int) {
	t.Helper()
	_, body, calls := o.ask(t, pair, `query($after: String) { changes(after: $after, first: 500`+arguments+`) { latestCursor
		nodes { cursor sequence noun objectId action fields clientId parents { noun id } object { id } } } }`, json.RawMessage(encoded(t, map[string]string{"after": after})), nil)
	var answer struct {
		Data   struct{ Changes toldChanges }
		Errors []any
	}
	if err := json.Unmarshal(body, &answer); err != nil || answer.Errors != nil {
		t.Fatalf("%s %v", body, err)
	}
	return answer.Data.Changes, calls
}

// now is the cursor at the end of the feed.
func (o *office) now(t testing.TB) string {
	t.Helper()
	told, _ := o.changesAfter(t, o.pair(t, backoffice.AllScopes...), o.cursor(t, 0), "")
	return told.LatestCursor
}

// cursor is that of a number of the log as it is now.
func (o *office) cursor(t testing.TB, after int64) string {
	t.Helper()
	page, err := backoffice.ReadChangePage(t.Context(), o.Store, backoffice.ChangeQuery{After: backoffice.FromOldest})
	if err != nil {
		t.Fatal(err)
	}
	return backoffice.ChangeCursor(page.History, after)
}

// write sends a mutation, which has to succeed.
func (o *office) write(t testing.TB, pair [2]string, mutation string) {
	t.Helper()
	if _, body, _ := o.ask(t, pair, mutation, nil, nil); strings.Contains(string(body), `"errors"`) || strings.Contains(string(body), `"code"`) {
		t.Fatalf("%s: %s", mutation, body)
	}
}

func shortly(changes []toldChange) (list []string) {
	for _, c := range changes {
		list = append(list, strings.TrimSpace(c.Noun+" "+c.ObjectID+" "+c.Action+" "+strings.Join(c.Fields, ",")))
	}
	return list
}

func TestTheFeedTellsWhatMutationsDidAndToWhomItMay(t *testing.T) {
	t.Parallel()
	for engine, database := range engines {
		t.Run("on "+engine, func(t *testing.T) {
			t.Parallel()
			o := openOfficeOn(t, database(t))
			all, some := o.pair(t, backoffice.AllScopes...), o.pair(t, backoffice.CustomersWrite)
			expect := func(sentence, after string, everything, visible []string) {
				t.Helper()
				told, _ := o.changesAfter(t, all, after, "")
				if got := shortly(told.Nodes); !slices.Equal(got, everything) {
					t.Errorf("%s: %q, want %q", sentence, got, everything)
				}
				seen, _ := o.changesAfter(t, some, after, "")
				newest := after // it does not tell how many numbers were written
				if len(seen.Nodes) > 0 {
					newest = seen.Nodes[len(seen.Nodes)-1].Cursor
				}
				if got := shortly(seen.Nodes); !slices.Equal(got, visible) || seen.LatestCursor != newest {
					t.Errorf("%s, without scopes: %q up to %s, want %q up to %s", sentence, got, seen.LatestCursor, visible, newest)
				}
			}

			after := o.now(t)
			o.write(t, all, `mutation { updateCustomer(input: {id: "acme", email: "new@acme.example", registrationNumber: "85073003328"}) { userErrors { code } } }`)
			expect("a number beside another field", after, []string{"CUSTOMER acme UPDATED email,registrationNumber"}, []string{"CUSTOMER acme UPDATED email"})

			after = o.now(t)
			o.write(t, all, `mutation { updateCustomer(input: {id: "acme", registrationNumber: null}) { userErrors { code } } }`)
			expect("a number alone", after, []string{"CUSTOMER acme UPDATED registrationNumber"}, nil)
			o.write(t, all, `mutation { updateCustomer(input: {id: "acme", phone: "+32 2 555 12 34"}) { userErrors { code } } }`)
			if told, _ := o.changesAfter(t, some, after, ""); len(told.Nodes) != 1 || told.Nodes[0].Sequence == 0 {
				t.Errorf("%+v", told)
			}

			after = o.now(t)
			o.write(t, all, `mutation { deleteUser(input: {id: "user-an"}) { userErrors { code } } }`)
			told, _ := o.changesAfter(t, some, after, "")
			if len(told.Nodes) < 2 || !slices.Contains(shortly(told.Nodes), "USER user-an DELETED") || !slices.Contains(shortly(told.Nodes), "CUSTOMER brouwerij UPDATED responsibleId") {
				t.Errorf("a user that goes: %q", shortly(told.Nodes))
			}
			for _, c := range told.Nodes {
				if len(c.Parents) != 0 || c.ClientID == nil || *c.ClientID != all[0] || (c.Object == nil) != (c.Action == "DELETED") {
					t.Errorf("%+v", c)
				}
			}

			after = o.now(t)
			o.write(t, all, `mutation { deleteCustomer(input: {id: "acme"}) { userErrors { code } } }`)
			told, _ = o.changesAfter(t, all, after, "")
			gone := map[string]int{}
			for _, c := range told.Nodes {
				if c.Action != "DELETED" || c.Object != nil || len(c.Fields) != 0 {
					t.Errorf("%+v", c)
				}
				if c.Noun != "CUSTOMER" && !slices.ContainsFunc(c.Parents, func(p struct{ Noun, ID string }) bool { return p.Noun == "CUSTOMER" && p.ID == "acme" }) {
					t.Errorf("%s %s hung on the customer: %+v", c.Noun, c.ObjectID, c.Parents)
				}
				gone[c.Noun]++
			}
			if gone["CUSTOMER"] != 1 || gone["CUSTOMER_RELATION"] < 2 || gone["TRANSCRIPT"] < 1 || gone["CALCULATION"] < 1 || gone["CUSTOMER_DOCUMENT"] < 1 || gone["MINFIN_DOCUMENT"] < 1 {
				t.Errorf("what goes with a customer has entries of its own: %v", gone)
			}
			seen, _ := o.changesAfter(t, some, after, "")
			if len(seen.Nodes) != len(told.Nodes)-gone["MINFIN_DOCUMENT"] || seen.LatestCursor != seen.Nodes[len(seen.Nodes)-1].Cursor {
				t.Errorf("without minfin.read %d of %d", len(seen.Nodes), len(told.Nodes))
			}
		})
	}
}

func TestAPageOfChangesWithItsObjectsIsOneStatementANoun(t *testing.T) {
	t.Parallel()
	o := openOffice(t)
	all := o.pair(t, backoffice.AllScopes...)
	told, calls := o.changesAfter(t, all, o.cursor(t, 0), "")
	nouns := map[string]bool{}
	for _, c := range told.Nodes {
		nouns[c.Noun] = true
	}
	if len(nouns) != 10 || calls != 1+len(nouns) {
		t.Errorf("%d statements for the objects of %d nouns", calls, len(nouns))
	}
	latest, _ := o.changesAfter(t, all, o.cursor(t, 0), ", latestOnly: true")
	if len(latest.Nodes) >= len(told.Nodes) ||
		latest.Nodes[len(latest.Nodes)-1].Cursor != told.Nodes[len(told.Nodes)-1].Cursor {
		t.Errorf("%d of %d changes are the last of their objects", len(latest.Nodes), len(told.Nodes))
	}
}

func TestNothingIsLostByGoingOnFromTheLatestCursor(t *testing.T) {
	t.Parallel()
	o := openOffice(t)
	all := o.pair(t, backoffice.AllScopes...)
	after := o.now(t)
	for range 3 {
		if told, _ := o.changesAfter(t, all, after, ""); len(told.Nodes) != 0 || told.LatestCursor != after {
			t.Errorf("%+v", told)
		}
		id := o.makeCustomer(t)
		told, _ := o.changesAfter(t, all, after, "")
		if len(told.Nodes) != 1 || told.Nodes[0].ObjectID != id || told.Nodes[0].Cursor != told.LatestCursor {
			t.Errorf("%+v", told)
		}
		after = told.LatestCursor
	}
}
