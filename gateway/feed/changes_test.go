package feed

import (
	"slices"
	"strings"
	"testing"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway/gatewaytest"
)

func shortly(changes []gatewaytest.Change) (list []string) {
	for _, c := range changes {
		list = append(list, strings.TrimSpace(c.Noun+" "+c.ObjectID+" "+c.Action+" "+strings.Join(c.Fields, ",")))
	}
	return list
}

func TestTheFeedTellsWhatMutationsDidAndToWhomItMay(t *testing.T) {
	t.Parallel()
	for engine, database := range gatewaytest.Engines {
		t.Run("on "+engine, func(t *testing.T) {
			t.Parallel()
			o := gatewaytest.OpenOn(t, database(t))
			all, some := o.Credential(t, backoffice.AllScopes...), o.Credential(t, backoffice.CustomersWrite)
			expect := func(sentence, after string, everything, visible []string) {
				t.Helper()
				told, _ := o.ChangesAfter(t, all, after, "")
				if got := shortly(told.Nodes); !slices.Equal(got, everything) {
					t.Errorf("%s: %q, want %q", sentence, got, everything)
				}
				seen, _ := o.ChangesAfter(t, some, after, "")
				newest := after // it does not tell how many numbers were written
				if len(seen.Nodes) > 0 {
					newest = seen.Nodes[len(seen.Nodes)-1].Cursor
				}
				if got := shortly(seen.Nodes); !slices.Equal(got, visible) || seen.LatestCursor != newest {
					t.Errorf("%s, without scopes: %q up to %s, want %q up to %s", sentence, got, seen.LatestCursor, visible, newest)
				}
			}

			after := o.LatestCursor(t)
			o.Write(t, all, `mutation { updateCustomer(input: {id: "acme", email: "new@acme.example", registrationNumber: "85073003328"}) { userErrors { code } } }`)
			expect("a number beside another field", after, []string{"CUSTOMER acme UPDATED email,registrationNumber"}, []string{"CUSTOMER acme UPDATED email"})

			after = o.LatestCursor(t)
			o.Write(t, all, `mutation { updateCustomer(input: {id: "acme", registrationNumber: null}) { userErrors { code } } }`)
			expect("a number alone", after, []string{"CUSTOMER acme UPDATED registrationNumber"}, nil)
			o.Write(t, all, `mutation { updateCustomer(input: {id: "acme", phone: "+32 2 555 12 34"}) { userErrors { code } } }`)
			if told, _ := o.ChangesAfter(t, some, after, ""); len(told.Nodes) != 1 || told.Nodes[0].Sequence == 0 {
				t.Errorf("%+v", told)
			}

			after = o.LatestCursor(t)
			o.Write(t, all, `mutation { deleteUser(input: {id: "user-an"}) { userErrors { code } } }`)
			told, _ := o.ChangesAfter(t, some, after, "")
			if len(told.Nodes) < 2 || !slices.Contains(shortly(told.Nodes), "USER user-an DELETED") || !slices.Contains(shortly(told.Nodes), "CUSTOMER brouwerij UPDATED responsibleId") {
				t.Errorf("a user that goes: %q", shortly(told.Nodes))
			}
			for _, c := range told.Nodes {
				if len(c.Parents) != 0 || c.ClientID == nil || *c.ClientID != all[0] || (c.Object == nil) != (c.Action == "DELETED") {
					t.Errorf("%+v", c)
				}
			}

			after = o.LatestCursor(t)
			o.Write(t, all, `mutation { deleteCustomer(input: {id: "acme"}) { userErrors { code } } }`)
			told, _ = o.ChangesAfter(t, all, after, "")
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
			seen, _ := o.ChangesAfter(t, some, after, "")
			if len(seen.Nodes) != len(told.Nodes)-gone["MINFIN_DOCUMENT"] || seen.LatestCursor != seen.Nodes[len(seen.Nodes)-1].Cursor {
				t.Errorf("without minfin.read %d of %d", len(seen.Nodes), len(told.Nodes))
			}
		})
	}
}

func TestAPageOfChangesWithItsObjectsIsOneStatementANoun(t *testing.T) {
	t.Parallel()
	o := gatewaytest.Open(t)
	all := o.Credential(t, backoffice.AllScopes...)
	told, calls := o.ChangesAfter(t, all, o.Cursor(t, 0), "")
	nouns := map[string]bool{}
	for _, c := range told.Nodes {
		nouns[c.Noun] = true
	}
	if len(nouns) != 11 || calls != 1+len(nouns) {
		t.Errorf("%d statements for the objects of %d nouns", calls, len(nouns))
	}
	latest, _ := o.ChangesAfter(t, all, o.Cursor(t, 0), ", latestOnly: true")
	if len(latest.Nodes) >= len(told.Nodes) ||
		latest.Nodes[len(latest.Nodes)-1].Cursor != told.Nodes[len(told.Nodes)-1].Cursor {
		t.Errorf("%d of %d changes are the last of their objects", len(latest.Nodes), len(told.Nodes))
	}
}

func TestNothingIsLostByGoingOnFromTheLatestCursor(t *testing.T) {
	t.Parallel()
	o := gatewaytest.Open(t)
	all := o.Credential(t, backoffice.AllScopes...)
	after := o.LatestCursor(t)
	for range 3 {
		if told, _ := o.ChangesAfter(t, all, after, ""); len(told.Nodes) != 0 || told.LatestCursor != after {
			t.Errorf("%+v", told)
		}
		id := o.MakeCustomer(t)
		told, _ := o.ChangesAfter(t, all, after, "")
		if len(told.Nodes) != 1 || told.Nodes[0].ObjectID != id || told.Nodes[0].Cursor != told.LatestCursor {
			t.Errorf("%+v", told)
		}
		after = told.LatestCursor
	}
}
