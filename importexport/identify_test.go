package importexport

import (
	"context"
	"testing"

	"example.org/backoffice/backoffice"
)

func TestAKeyFindsWhatSomebodyAddedAfterItsLineWasRead(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, h *env) {
		importer := &Importer{Store: h.store, Files: h.files, Keys: h.keys, Key: "customerCode", Portion: 1}
		_, err := importer.Import(t.Context(), desk(t))
		must(t, err)
		var list, customerID string
		must(t, eachOf(t.Context(), h.store, backoffice.ChecklistTable, func(c *checklist) {
			if c.Name == "Vennootschapsbelasting" {
				list = c.ID
			}
		}))
		must(t, eachOf(t.Context(), h.store, backoffice.CustomerTable, func(c *customer) {
			if c.CustomerCode == "KL/003" {
				customerID = c.ID
			}
		}))
		service := &backoffice.Service{Store: h.store, Files: h.files, Keys: h.keys}
		colleague := &backoffice.Principal{ClientID: "c", Scopes: backoffice.AllScopes}
		for _, c := range []struct {
			file  string
			lines []string // the first one makes a record, in a portion of its own
			add   func() error
		}{
			{"transcripts.csv", []string{"customer;checklist;isCompleted", "KL/002;Vennootschapsbelasting;ja", "KL/003;Vennootschapsbelasting;ja"}, func() error {
				_, err := service.AssignChecklist(t.Context(), colleague, backoffice.Assignment{ChecklistID: list, CustomerID: customerID}, backoffice.Optional[string]{})
				return err
			}},
			{"users.csv", []string{"email;firstName;lastName", "first@kantoor.example;First;Maes", "new@kantoor.example;Imported;Maes"}, func() error {
				return h.store.Write(t.Context(), func(ctx context.Context, tx backoffice.Tx) error {
					return tx.Users().Insert(ctx, &user{ID: "colleague", FirstName: "Typed", LastName: "Maes", Email: "New@kantoor.example"})
				})
			}},
		} {
			added := false
			importer.Progress = func(p Progress) {
				if !p.Writing && !added {
					added = true
					must(t, c.add())
				}
			}
			all, err := importer.Import(t.Context(), only(t, c.file, c.lines...))
			if must(t, err); all[0].Created != 1 || all[0].Updated != 1 || all[0].Unchanged != 0 {
				t.Errorf("%s: %+v", c.file, all[0])
			}
			importer.Progress = nil
			all, err = importer.Import(t.Context(), only(t, c.file, c.lines...))
			if must(t, err); all[0].Unchanged != 2 {
				t.Errorf("%s again: %+v", c.file, all[0])
			}
		}
	})
}

func TestLabelsAndYearsAreFoundByWhatPeopleWrite(t *testing.T) {
	t.Parallel()
	h := newEnv(t)
	h.mustLoad(t, with(t, only(t, "labels.ndjson", `{"_id":"vip","name":"VIP"}`), "financialyears.ndjson",
		`{"_id":"broken","startDate":"2025","endDate":"2026","isCurrentYear":true}`))
	importer := &Importer{Store: h.store, Files: h.files, Keys: h.keys, Key: "email"}
	_, err := importer.Import(t.Context(), with(t, with(t, only(t, "labels.csv", "name;color", "vip;#123456"),
		"users.csv", "email;firstName;lastName;labels", "els@kantoor.example;Els;Janssens;Vip"),
		"checklists.csv", "name;language;financialYear", "Btw;nl;2025–2026"))
	must(t, err)
	if got := one(t, h.store.Labels(), "vip"); got.Name != "vip" || got.Color != "#123456" {
		t.Errorf("the label is %+v", got)
	}
}

func TestANameThatWasExportedFollowsANewLastName(t *testing.T) {
	t.Parallel()
	h := newEnv(t)
	h.mustLoad(t, only(t, "customers.ndjson", `{"_id":"jan","type":"Private Person","firstName":"Jan","lastName":"Maes"}`))
	h.mustLoad(t, only(t, "customers.ndjson", `{"_id":"jan","name":"Jan Maes","firstName":"Jan","lastName":"Janssens"}`))
	if got := one(t, h.store.Customers(), "jan"); got.DisplayName != "Jan Janssens" || got.OwnName != "" {
		t.Errorf("after a new last name: %q, %q", got.DisplayName, got.OwnName)
	}
	h.mustLoad(t, only(t, "customers.ndjson", `{"_id":"jan","name":"J. Janssens"}`))
	if got := one(t, h.store.Customers(), "jan"); got.DisplayName != "J. Janssens" {
		t.Errorf("after a name of their own: %q", got.DisplayName)
	}
}

func TestTheKeyThatALineWithAnIdentifierSetsIsNoOtherRecords(t *testing.T) {
	t.Parallel()
	h := newEnv(t)
	h.mustLoad(t, with(t, only(t, "customers.ndjson", `{"_id":"c1","type":"Company","name":"A"}`),
		"users.ndjson", `{"_id":"u1","firstName":"E","lastName":"J","email":"old@x.be"}`))
	importer := &Importer{Store: h.store, Files: h.files, Keys: h.keys, Key: "kboNumber"}
	for name, lines := range map[string][]string{
		"customers.ndjson": {`{"_id":"c1","kboNumber":"0200065765"}`, `{"kboNumber":"0200.065.765","type":"Company","name":"B"}`},
		"users.ndjson":     {`{"_id":"u1","email":"new@x.be"}`, `{"email":"New@x.be","firstName":"N","lastName":"J"}`},
	} {
		importer.Rejects = t.TempDir()
		all, err := importer.Import(t.Context(), only(t, name, lines...))
		must(t, err)
		if l := all[0]; l.Created != 0 || l.Updated != 1 || l.Rejected != 1 || l.Bad[0].Faults[0].Why != "duplicate key, first on line 1" {
			t.Errorf("%s: it did %+v", name, l)
		}
	}
	importer.Rejects = ""
	all, err := importer.Import(t.Context(), only(t, "customers.ndjson", `{"_id":"c1","kboNumber":"0200065765"}`, `{"_id":"c2","type":"Company","kboNumber":"0200065765"}`))
	if must(t, err); all[0].Created != 1 { // both are named, and may share it
		t.Errorf("it did %+v", all[0])
	}
}
