package numbers

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway/gatewaytest"
)

func TestSendingTheStoredNumberInAnUpdateIsASearchThatFoundTheCustomer(t *testing.T) {
	t.Parallel()
	o := gatewaytest.Open(t)
	all := o.Credential(t, backoffice.AllScopes...)
	id := o.MakeCustomer(t)
	update := func(fields string) {
		t.Helper()
		_, body, _ := o.Ask(t, all, `mutation($id: ID!) { updateCustomer(input: {id: $id, `+fields+`}) { customer { id } userErrors { code } } }`,
			json.RawMessage(`{"id": "`+id+`"}`), nil)
		if strings.Contains(string(body), `"errors"`) {
			t.Errorf("%s", body)
		}
	}
	update(`registrationNumber: "85.07.30-033.28"`)
	update(`name: "Renamed", registrationNumber: "85073003328"`)
	update(`registrationNumber: "17073003384"`)                                 // another one: a write
	update(`spouseRegistrationNumber: null`)                                    // there was none
	update(`expectedVersion: 1, registrationNumber: "17073003384"`)             // refused before anything is compared
	update(`registrationNumber: "17073003384", email: "nobody"`)                // refused too
	update(`registrationNumber: "17073003385", spouseRegistrationNumber: null`) // no number
	if w := o.Send(t, all, "PUT", "/customers/"+id, `{"registrationNumber": "17073003384"}`); w.Code != 200 {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	want := []string{
		"SEARCH " + id + " [REGISTRATION_NUMBER]",
		"SEARCH " + id + " [REGISTRATION_NUMBER]",
		"SEARCH " + id + " [REGISTRATION_NUMBER]",
		"READ " + id + " [REGISTRATION_NUMBER]", // the answer of REST shows it
	}
	if got := o.RegisterEntries(t); !slices.Equal(got, want) {
		t.Errorf("entered:\n%s", strings.Join(got, "\n"))
	}
}

func TestEveryoneIsEnteredWhomAPageOfASearchByNumberShows(t *testing.T) {
	t.Parallel()
	o := gatewaytest.Open(t)
	all := o.Credential(t, backoffice.AllScopes...)
	const sharing, number = 1_100, "17073003384"
	shareNumber(t, o, sharing, number)
	entered := map[string]bool{}
	missing := func(ids []string) (n int) {
		t.Helper()
		for _, line := range o.RegisterEntries(t) {
			if name, ok := strings.CutPrefix(line, "SEARCH "); ok {
				entered[strings.Fields(name)[0]] = true
			}
		}
		for _, id := range ids {
			if !entered[id] {
				n++
			}
		}
		return n
	}
	var walked []string
	after := "null"
	for range 3 {
		_, body, _ := o.Ask(t, all, `{ customers(first: 500, after: `+after+`, filter: {registrationNumber: "`+number+`"}) { nodes { id } pageInfo { endCursor } } }`, nil, nil)
		var answer struct {
			Data struct {
				Customers struct {
					Nodes    []struct{ ID string }
					PageInfo struct{ EndCursor string }
				}
			}
		}
		if err := json.Unmarshal(body, &answer); err != nil {
			t.Fatal(err)
		}
		for _, c := range answer.Data.Customers.Nodes {
			walked = append(walked, c.ID)
		}
		after = `"` + answer.Data.Customers.PageInfo.EndCursor + `"`
		if n := missing(walked); n != 0 {
			t.Fatalf("%d of the %d that were shown are not entered", n, len(walked))
		}
	}
	if len(walked) != sharing {
		t.Fatalf("%d customers share the number", len(walked))
	}
}

func TestEveryoneIsEnteredWhomAPageOfRESTShows(t *testing.T) {
	t.Parallel()
	o := gatewaytest.Open(t)
	credential := o.Credential(t, backoffice.AllScopes...)
	const number = "17073003384"
	shareNumber(t, o, 520, number)
	w := o.Send(t, credential, "POST", "/customers/search", `{"registrationNumber": "`+number+`", "page": 6}`)
	var answer struct{ Data []map[string]any }
	if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil || len(answer.Data) != 20 {
		t.Fatalf("%d on the page: %.300s %v", len(answer.Data), w.Body, err)
	}
	entries := o.RegisterEntries(t)
	searches := 0
	for _, line := range entries {
		if strings.HasPrefix(line, "SEARCH ") {
			searches++
		}
	}
	if searches != 520 {
		t.Errorf("%d searches are entered, for the first 500 and the 20 that are shown", searches)
	}
	for _, c := range answer.Data {
		if !slices.Contains(entries, fmt.Sprint("SEARCH ", c["_id"], " [REGISTRATION_NUMBER]")) {
			t.Errorf("%v is shown and not entered", c["_id"])
		}
	}
}

func TestEveryoneIsEnteredWhoIsFoundToShareANumberAlsoByACountAlone(t *testing.T) {
	t.Parallel()
	gatewaytest.EachOffice(t, func(t *testing.T, o *gatewaytest.Office) {
		all := o.Credential(t, backoffice.AllScopes...)
		shareNumber(t, o, 2, "17073003384")
		want := []string{"SEARCH shared-00000 [REGISTRATION_NUMBER]", "SEARCH shared-00001 [REGISTRATION_NUMBER]"}
		for _, of := range []string{
			`first: 0) { totalCount }`,
			`first: 1) { groups { customers { id } } }`,
			`filter: {ids: ["shared-00000", "shared-00001"]}) { groupCount }`,
		} {
			before := len(o.RegisterEntries(t))
			_, body, _ := o.Ask(t, all, `{ duplicates(by: REGISTRATION_NUMBER, `+of+` }`, nil, nil)
			if got := o.RegisterEntries(t)[before:]; !slices.Equal(got, want) || strings.Contains(string(body), `"errors"`) {
				t.Errorf("%s: %s entered %q", of, body, got)
			}
		}
		if got := o.Answers(t, all, `{ duplicates(by: REGISTRATION_NUMBER, first: 0) { groupCount groups { count } } }`); !strings.Contains(got, `"groupCount":1,"groups":[]`) {
			t.Error(got)
		}
	})
}

func TestAMergeIsASearchThatFoundBothWhoseNumbersItCompares(t *testing.T) {
	t.Parallel()
	o := gatewaytest.Open(t)
	all := o.Credential(t, backoffice.AllScopes...)
	shareNumber(t, o, 3, "17073003384")
	other := o.MakeCustomer(t)
	o.Ask(t, all, `mutation { updateCustomer(input: {id: "`+other+`", registrationNumber: "85073003328"}) { customer { id } } }`, nil, nil)
	entering := func(what string, told string, do func() string, found ...string) {
		t.Helper()
		before := len(o.RegisterEntries(t))
		body := do()
		var want []string
		for _, id := range found {
			want = append(want, "SEARCH "+id+" [REGISTRATION_NUMBER]")
		}
		if got := o.RegisterEntries(t)[before:]; !slices.Equal(got, want) || !strings.Contains(body, told) {
			t.Errorf("%s: %s entered %q", what, body, got)
		}
	}
	merge := func(keep, drop, dry string) func() string {
		return func() string {
			return o.Answers(t, all, `mutation { mergeCustomers(input: {keepId: "`+keep+`", dropId: "`+drop+`"}`+dry+`) { merged { filledFields } userErrors { code } } }`)
		}
	}
	entering("a dry run", `"userErrors":[]`, merge("shared-00000", "shared-00001", ", dryRun: true"), "shared-00000", "shared-00001")
	entering("a refusal", `"userErrors":[{"code":"NOT_ALLOWED"}`, merge("shared-00000", other, ", dryRun: true"), "shared-00000", other)
	entering("nobody", `"NOT_FOUND"`, merge("shared-00000", "unknown", ""))
	entering("a merge", `"userErrors":[]`, merge("shared-00000", "shared-00001", ""), "shared-00000", "shared-00001")
	entering("REST", `"relations"`, func() string {
		return o.Send(t, all, "POST", "/customers/shared-00000/merge", `{"dropId": "shared-00002"}`).Body.String()
	}, "shared-00000", "shared-00002")
}

func TestARefusedAssignmentByNumberIsEnteredUnderWhomItFound(t *testing.T) {
	t.Parallel()
	o := gatewaytest.Open(t)
	all := o.Credential(t, backoffice.AllScopes...)
	shareNumber(t, o, 600, "17073003384")
	variables := gatewaytest.JSON(t, map[string]any{"v": map[string]string{"note": strings.Repeat("x", 30_000)}})
	_, body, _ := o.Ask(t, all, `mutation($v: JSON) { assignChecklists(input: {checklistId: "list-2026-nl", filter: {registrationNumber: "17073003384"}, customVariables: $v}) { assigned userErrors { code field } } }`, json.RawMessage(variables), nil)
	entries := o.RegisterEntries(t)
	if !strings.Contains(string(body), `"field":["customVariables"]`) || len(entries) != 600 || slices.ContainsFunc(entries, func(e string) bool { return !strings.HasPrefix(e, "SEARCH shared-") }) {
		t.Errorf("%.300s entered %q", body, entries)
	}
}

// shareNumber makes customers that have one registration number between them.
func shareNumber(t testing.TB, o *gatewaytest.Office, n int, number string) {
	t.Helper()
	customers := make([]*backoffice.Customer, n)
	for i := range customers {
		c := &backoffice.Customer{ID: fmt.Sprintf("shared-%05d", i), Type: backoffice.Company, OwnName: "Shared", Version: 1, CreatedAt: 1, UpdatedAt: 1}
		c.DisplayName = backoffice.DisplayNameOf(c)
		var err error
		if c.Registration, err = o.Keys.Seal(c.ID, backoffice.RegistrationNumber, number); err != nil {
			t.Fatal(err)
		}
		customers[i] = c
	}
	err := o.Store.Write(t.Context(), func(ctx context.Context, tx backoffice.Tx) error { return tx.Customers().Upsert(ctx, customers) })
	if err != nil {
		t.Fatal(err)
	}
}

func TestARegisterThatWasEmptiedUnderAServerIsToldByReadyz(t *testing.T) {
	t.Parallel()
	for name, fresh := range gatewaytest.Engines {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url := fresh(t)
			o := gatewaytest.OpenOn(t, url)
			all := o.Credential(t, backoffice.AllScopes...)
			id := o.MakeCustomer(t)
			read := func() int { return o.Send(t, all, "GET", "/customers/"+id+"/privacy", "").Code }
			ready := func() (int, string) {
				w := o.Send(t, all, "GET", "/readyz", "")
				return w.Code, w.Body.String()
			}
			if code := read(); code != 200 {
				t.Fatal(code)
			}
			if code, word := ready(); code != 200 || word != "ready\n" {
				t.Errorf("%d %q", code, word)
			}
			db := gatewaytest.RawDatabase(t, url)
			for _, table := range []string{"consultations", "consultation_heads"} {
				if _, err := db.ExecContext(t.Context(), "DELETE FROM "+table); err != nil {
					t.Fatal(err)
				}
			}
			if code := read(); code != 503 {
				t.Errorf("the disclosure behind it is answered with %d", code)
			}
			if code, word := ready(); code != 200 || !strings.HasPrefix(word, "ready\nalarm: ") || !strings.Contains(word, "emptied") {
				t.Errorf("%d %q", code, word)
			}
			if code := read(); code != 200 {
				t.Errorf("in a new chain it is answered with %d", code)
			}
		})
	}
}

// What is told of a customer to a credential without privacy.read is the same byte by byte, however often its registration
// numbers are written, and a credential that has the scope sees each of those changes.
func TestAChangeOfNumbersAloneMovesNothingThatOtherCredentialsSee(t *testing.T) {
	t.Parallel()
	for name, fresh := range gatewaytest.Engines {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := gatewaytest.OpenOn(t, fresh(t))
			all, none := o.Credential(t, backoffice.AllScopes...), o.Credential(t, backoffice.CustomersWrite)
			id := o.MakeCustomer(t)
			version := func(credential [2]string) (version int, etag, updatedAt string) {
				t.Helper()
				w := o.Send(t, credential, "GET", "/customers/"+id, "")
				var c struct {
					Version   int
					UpdatedAt string
				}
				if err := json.Unmarshal(w.Body.Bytes(), &c); err != nil {
					t.Fatal(err)
				}
				_, body, _ := o.Ask(t, credential, `query($id: ID!) { customer(id: $id) { version updatedAt } }`, json.RawMessage(`{"id": "`+id+`"}`), nil)
				if want := fmt.Sprintf(`{"version":%d,"updatedAt":%q}`, c.Version, c.UpdatedAt); !strings.Contains(string(body), want) {
					t.Errorf("GraphQL says %s, REST %s", body, want)
				}
				return c.Version, w.Header().Get("ETag"), c.UpdatedAt
			}
			_, _, since := version(none)
			seen := func() (all string) {
				for _, path := range []string{"/customers/" + id, "/customers?updatedSince=" + since, "/customers?search=before"} {
					w := o.Send(t, none, "GET", path, "")
					all += w.Header().Get("ETag") + w.Body.String()
				}
				for _, query := range []string{
					`{ customer(id: "` + id + `") { name version updatedAt } node(id: "` + id + `") { ... on Customer { version updatedAt } } }`,
					`{ customers(orderBy: {field: UPDATED_AT, direction: DESC}, first: 500) { nodes { id version updatedAt } edges { cursor } } }`,
					`{ customers(filter: {updatedSince: "` + since + `"}) { totalCount nodes { id } } }`,
				} {
					_, body, _ := o.Ask(t, none, query, nil, nil)
					all += string(body)
				}
				return all
			}
			before := seen()
			write := func(credential [2]string, fields string) string {
				t.Helper()
				_, body, _ := o.Ask(t, credential, `mutation($id: ID!) { updateCustomer(input: {id: $id, `+fields+`}) { customer { version } userErrors { code } } }`,
					json.RawMessage(`{"id": "`+id+`"}`), nil)
				return string(body)
			}
			for i, fields := range []string{`registrationNumber: "17073003384"`, `registrationNumber: null`, `spouseRegistrationNumber: "17073003384"`} {
				answer := write(all, fields)
				if want := fmt.Sprintf(`"version":%d`, i+2); !strings.Contains(answer, want) {
					t.Errorf("the answer to who may see it is %s", answer)
				}
				if after := seen(); after != before {
					t.Fatalf("without the scope one sees\n%s\nwhere it was\n%s", after, before)
				}
				if got, etag, moved := version(all); got != i+2 || etag != fmt.Sprintf("%q", fmt.Sprint(i+2)) || moved < since {
					t.Errorf("who may see it sees version %d, %s, %s", got, etag, moved)
				}
			}
			_, _, moved := version(all)
			w := o.Send(t, all, "GET", "/customers?updatedSince="+moved, "")
			if !strings.Contains(w.Body.String(), id) {
				t.Errorf("who may see it does not learn of it by updatedSince: %s", w.Body)
			}

			// Each guards by what it sees.
			if got := write(all, `expectedVersion: 1, registrationNumber: "85073003328"`); !strings.Contains(got, "STALE_VERSION") {
				t.Errorf("a number was written over a newer one: %s", got)
			}
			if got := write(none, `expectedVersion: 1, name: "Renamed"`); !strings.Contains(got, `"version":2`) {
				t.Errorf("a credential without the scope cannot write: %s", got)
			}
			if got := write(all, `expectedVersion: 4, name: "Later"`); !strings.Contains(got, "STALE_VERSION") {
				t.Errorf("a name was written over a newer one: %s", got)
			}
			if got, _, _ := version(all); got != 5 {
				t.Errorf("after the fifth change it has version %d", got)
			}
			if got, _, _ := version(none); got != 2 {
				t.Errorf("after the second change that can be seen it has version %d", got)
			}
		})
	}
}
