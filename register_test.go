package main

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.org/backoffice/backoffice"
)

// entries are those of the register: the operation, the customer and how many fields.
func (o *office) entries(t testing.TB) []string {
	t.Helper()
	var lines []string
	var after backoffice.ConsultationPosition
	for {
		page, err := o.store.Consultations(t.Context(), after, 1000)
		if err != nil {
			t.Fatal(err)
		}
		if len(page) == 0 {
			return lines
		}
		for _, e := range page {
			after = backoffice.ConsultationPosition{Chain: e.Chain, Number: e.Number}
			customer := "nobody"
			if e.CustomerID != nil {
				customer = *e.CustomerID
			}
			lines = append(lines, fmt.Sprint(e.Operation, " ", customer, " ", e.Fields))
		}
	}
}

func TestSendingTheStoredNumberInAnUpdateIsASearchThatFoundTheCustomer(t *testing.T) {
	t.Parallel()
	o := openOffice(t)
	all := o.pair(t, backoffice.AllScopes...)
	id := o.makeCustomer(t)
	update := func(fields string) {
		t.Helper()
		_, body, _ := o.ask(t, all, `mutation($id: ID!) { updateCustomer(input: {id: $id, `+fields+`}) { customer { id } userErrors { code } } }`,
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
	if w := o.send(t, all, "PUT", "/customers/"+id, `{"registrationNumber": "17073003384"}`); w.Code != 200 {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	want := []string{
		"SEARCH " + id + " [REGISTRATION_NUMBER]",
		"SEARCH " + id + " [REGISTRATION_NUMBER]",
		"SEARCH " + id + " [REGISTRATION_NUMBER]",
		"READ " + id + " [REGISTRATION_NUMBER]", // the answer of REST shows it
	}
	if got := o.entries(t); !slices.Equal(got, want) {
		t.Errorf("entered:\n%s", strings.Join(got, "\n"))
	}
}

func TestEveryoneIsEnteredWhomAPageOfASearchByNumberShows(t *testing.T) {
	t.Parallel()
	o := openOffice(t)
	all := o.pair(t, backoffice.AllScopes...)
	const sharing, number = 1_100, "17073003384"
	o.shareNumber(t, sharing, number)
	entered := map[string]bool{}
	missing := func(ids []string) (n int) {
		t.Helper()
		for _, line := range o.entries(t) {
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
		_, body, _ := o.ask(t, all, `{ customers(first: 500, after: `+after+`, filter: {registrationNumber: "`+number+`"}) { nodes { id } pageInfo { endCursor } } }`, nil, nil)
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
	o := openOffice(t)
	pair := o.pair(t, backoffice.AllScopes...)
	const number = "17073003384"
	o.shareNumber(t, 520, number)
	w := o.send(t, pair, "POST", "/customers/search", `{"registrationNumber": "`+number+`", "page": 6}`)
	var answer struct{ Data []map[string]any }
	if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil || len(answer.Data) != 20 {
		t.Fatalf("%d on the page: %.300s %v", len(answer.Data), w.Body, err)
	}
	entries := o.entries(t)
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

// shareNumber makes customers that have one registration number between them.
func (o *office) shareNumber(t testing.TB, n int, number string) {
	t.Helper()
	customers := make([]*backoffice.Customer, n)
	for i := range customers {
		c := &backoffice.Customer{ID: fmt.Sprintf("shared-%05d", i), Type: backoffice.Company, OwnName: "Shared", Version: 1, CreatedAt: 1, UpdatedAt: 1}
		c.DisplayName = backoffice.DisplayNameOf(c)
		var err error
		if c.Registration, err = o.keys.Seal(c.ID, backoffice.RegistrationNumber, number); err != nil {
			t.Fatal(err)
		}
		customers[i] = c
	}
	err := o.store.Write(t.Context(), func(ctx context.Context, tx backoffice.Tx) error { return tx.Customers().Upsert(ctx, customers) })
	if err != nil {
		t.Fatal(err)
	}
}

func TestARegisterThatWasEmptiedUnderAServerIsToldByReadyz(t *testing.T) {
	t.Parallel()
	for name, fresh := range engines {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url := fresh(t)
			o := openOfficeOn(t, url)
			all := o.pair(t, backoffice.AllScopes...)
			id := o.makeCustomer(t)
			read := func() int { return o.send(t, all, "GET", "/customers/"+id+"/privacy", "").Code }
			ready := func() (int, string) {
				w := o.send(t, all, "GET", "/readyz", "")
				return w.Code, w.Body.String()
			}
			if code := read(); code != 200 {
				t.Fatal(code)
			}
			if code, word := ready(); code != 200 || word != "ready\n" {
				t.Errorf("%d %q", code, word)
			}
			db := rawDatabase(t, url)
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

func TestVerifyTakesTheReceiptsThatCommandsWrite(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	s.must(t, "import", "testdata/office")
	receipts := t.TempDir()
	export := func(name string) {
		t.Helper()
		s.must(t, "export", filepath.Join(t.TempDir(), name), "--registration-numbers", "--purpose", "a test", "--receipts", receipts)
	}
	export("one")
	export("two")
	if out := s.must(t, "consultations", "verify", "--receipts", receipts); !strings.Contains(out, "2 receipts") {
		t.Errorf("%s", out)
	}
	db := rawDatabase(t, "sqlite:"+filepath.Join(s.dir, "data", "backoffice.db"))
	for _, table := range []string{"consultations", "consultation_heads"} {
		if _, err := db.ExecContext(t.Context(), "DELETE FROM "+table); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	s.must(t, "consultations", "verify") // the register alone does not show it
	code, out, _ := s.run(t, "consultations", "verify", "--receipts", receipts)
	if code != exitFailure || !strings.Contains(out, "emptied") {
		t.Errorf("%d %s", code, out)
	}
}
