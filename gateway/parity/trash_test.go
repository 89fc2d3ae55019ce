package parity

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/files"
	"example.org/backoffice/gateway"
	"example.org/backoffice/gateway/gatewaytest"
	"example.org/backoffice/store/postgres/pgtest"
)

// openTrashing is the small office, served with a trash.
func openTrashing(t testing.TB, database string, keep time.Duration) *gatewaytest.Office {
	t.Helper()
	settings := gatewaytest.Settings(t, database)
	h, err := settings.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	c := gatewaytest.Config(gatewaytest.Limits())
	c.Trash.Keep = gateway.TrashTime(keep)
	o := gatewaytest.ServeConfig(t, h, c)
	o.Fill(t)
	return o
}

// acmes are the records that go with the customer acme.
var acmes = []string{"acme", "rel-1", "rel-2", "rel-3", "rel-4", "tr-1", "tr-2", "calc-1", "calc-2", "doc-1", "doc-2", "min-1"}

// lists are where REST lists the records.
var lists = []string{"/customers?pageSize=500", "/relations?pageSize=500", "/transcripts?pageSize=500", "/calculations?pageSize=500", "/documents?pageSize=500", "/minfin?pageSize=500"}

// everythingInREST is what REST answers to who may see all.
func everythingInREST(t testing.TB, o *gatewaytest.Office, credential [2]string) string {
	t.Helper()
	var all strings.Builder
	for _, path := range append(slices.Clone(lists), "/customers/acme", "/customers/els", "/customers/acme/relations", "/customers/acme/documents",
		"/customers/documents/doc-1/download", "/minfin/download/min-1", "/transcripts/download/tr-1/file", "/calculations/acme/proposal/download") {
		w := o.Send(t, credential, http.MethodGet, path, "")
		fmt.Fprintf(&all, "%s: %d %s %s\n", path, w.Code, w.Header().Get("ETag"), w.Body)
	}
	return all.String()
}

// placesOfAcme tells where something of acme is seen.
func placesOfAcme(t testing.TB, o *gatewaytest.Office, credential [2]string) (where []string) {
	t.Helper()
	has := func(face, body string) {
		for _, id := range acmes {
			if strings.Contains(body, `"`+id+`"`) {
				where = append(where, id+" in "+face)
			}
		}
	}
	for _, path := range lists {
		has(path, o.Send(t, credential, http.MethodGet, path, "").Body.String())
	}
	has("the search", o.Send(t, credential, http.MethodPost, "/customers/search", `{"search": "boekhouding"}`).Body.String())
	for _, path := range []string{
		"/customers/acme", "/customers/acme/relations", "/customers/acme/documents", "/customers/documents/doc-1/download", "/transcripts/tr-1", "/transcripts/download/tr-1/file",
		"/calculations/acme/proposal/download", "/calculations/files/calc-1", "/minfin/metadata/min-1", "/minfin/download/min-1",
	} {
		if w := o.Send(t, credential, http.MethodGet, path, ""); w.Code != http.StatusNotFound {
			where = append(where, path)
		}
	}
	variables, _ := json.Marshal(map[string]any{"ids": acmes})
	_, body, _ := o.Ask(t, credential, `query ($ids: [ID!]!) { nodes(ids: $ids) { id } customers(filter: {ids: $ids}) { nodes { id } } customerBy(key: {customerCode: "C-001"}) { id } customer(id: "acme") { id } }`, variables, nil)
	has("GraphQL", string(body))
	_, body, _ = o.Ask(t, credential, `{ customers { nodes { id relations { nodes { id otherCustomer: customer { id } relatedCustomer { id } } } transcripts { nodes { id } } documents { nodes { id } } } } }`, nil, nil)
	has("what hangs on others", string(body))
	_, body, _ = o.Ask(t, credential, `mutation { updateCustomer(input: {id: "acme", name: "Seen"}) { userErrors { code } } }`, nil, nil)
	if !strings.Contains(string(body), "NOT_FOUND") {
		where = append(where, "a write")
	}
	return where
}

func TestWhatIsInTheTrashIsGoneForEverybodyAndComesBackAsItWas(t *testing.T) {
	t.Parallel()
	for engine, database := range gatewaytest.Engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			url := database(t)
			o := openTrashing(t, url, time.Hour)
			credential := o.Credential(t, backoffice.AllScopes...)
			before, start := everythingInREST(t, o, credential), o.LatestCursor(t)
			kept := o.KeptFiles(t)
			_, body, _ := o.Ask(t, credential, `mutation { deleteCustomers(inputs: [{id: "acme", expectedVersion: 4}, {id: "els"}]) { written wouldDelete { relations transcripts calculations documents minfinDocuments files } results { userErrors { code } } } }`, nil, nil)
			if !strings.Contains(string(body), `"written":2,"wouldDelete":{"relations":4,"transcripts":4,"calculations":3,"documents":2,"minfinDocuments":1,"files":5}`) {
				t.Fatalf("%s", body)
			}
			if where := placesOfAcme(t, o, credential); len(where) > 0 {
				t.Errorf("of what lies in the trash is seen: %q", where)
			}
			if swept, err := files.Sweep(t.Context(), o.Store, o.Backend.Files, true); err != nil || swept.Orphans > 0 || o.KeptFiles(t) != kept {
				t.Errorf("a sweep takes %+v of %d files (%v)", swept, kept, err)
			}
			db := gatewaytest.RawDatabase(t, url)
			defer func() { _ = db.Close() }()
			for _, row := range rowsOf(t, db, "SELECT CAST(records AS TEXT) FROM trash") {
				if strings.Contains(row, "85073003328") || strings.Contains(row, "17073003384") {
					t.Error("a registration number is in the trash")
				}
			}
			// Its code is free, and who has it is told when the customer wants to come back.
			w := o.Send(t, credential, http.MethodPost, "/customers", `{"type": "Company", "name": "Another", "customerCode": "C-001"}`)
			var another struct {
				ID string `json:"_id"`
			}
			if err := json.Unmarshal(w.Body.Bytes(), &another); err != nil || w.Code != http.StatusCreated {
				t.Fatalf("%d %s", w.Code, w.Body)
			}
			_, err := o.Service().RestoreTrashed(t.Context(), "acme", "els")
			if said := refusalOf(err); !strings.Contains(said, another.ID) || !strings.Contains(said, "customerCode") || !strings.Contains(said, "acme") {
				t.Errorf("the restore says %q (%v)", said, err)
			}
			if n := len(o.InTrash(t)); n != 2 {
				t.Fatalf("%d are in the trash after a refusal", n)
			}
			o.Send(t, credential, http.MethodDelete, "/customers/"+another.ID, "")
			if restored, err := o.Service().RestoreTrashed(t.Context(), "els", "acme"); err != nil || restored.Rows != len(acmes)+6 || len(restored.Left) > 0 {
				t.Fatalf("%+v %v", restored, err)
			}
			after := everythingInREST(t, o, credential)
			after = strings.ReplaceAll(after, `"version":5`, `"version":4`) // the deletion guarded by a version was a change of it
			after = strings.ReplaceAll(after, `"5"`, `"4"`)
			if after != before {
				t.Errorf("it came back as\n%s\nand was\n%s", after, before)
			}
			if _, err := o.Service().RestoreTrashed(t.Context(), "acme"); backoffice.KindOf(err) != backoffice.Refused {
				t.Errorf("it comes back twice: %v", err)
			}
			told, _ := o.ChangesAfter(t, credential, start, "")
			created := map[string]bool{}
			for _, change := range told.Nodes {
				if change.Action == "CREATED" {
					created[change.ObjectID] = true
				}
			}
			for _, id := range append([]string{"els"}, acmes...) {
				if !created[id] {
					t.Errorf("the feed does not tell of %s that it is there again", id)
				}
			}
			if n := differencesIfAny(o); n > 0 {
				t.Errorf("%d answers from memory were not those of the store", n)
			}
		})
	}
}

// differencesIfAny are those of a cache, where there is one.
func differencesIfAny(o *gatewaytest.Office) int64 {
	if with, ok := o.Before.(interface{ Differences() int64 }); ok {
		return with.Differences()
	}
	return 0
}

// refusalOf is what a refusal says.
func refusalOf(err error) string {
	known, ok := err.(*backoffice.Error)
	if !ok || known.Kind != backoffice.Refused {
		return ""
	}
	return known.UserErrors[0].Message
}

// A trash that shows what lies in it: of each noun the records stay where they were. The test above finds each of
// them out.
func TestATrashThatShowsWhatLiesInItIsFoundOut(t *testing.T) {
	t.Parallel()
	for noun, stays := range map[backoffice.Noun]func(ctx context.Context, tx backoffice.Tx, d *backoffice.Trashed) error{
		backoffice.NounCustomer: func(context.Context, backoffice.Tx, *backoffice.Trashed) error { return nil },
		backoffice.NounRelation: func(ctx context.Context, tx backoffice.Tx, d *backoffice.Trashed) error {
			return tx.Relations().Insert(ctx, backoffice.RelationTable.In(d)...)
		},
		backoffice.NounTranscript: func(ctx context.Context, tx backoffice.Tx, d *backoffice.Trashed) error {
			return tx.Transcripts().Insert(ctx, backoffice.TranscriptTable.In(d)...)
		},
		backoffice.NounDocument: func(ctx context.Context, tx backoffice.Tx, d *backoffice.Trashed) error {
			return tx.Documents().Insert(ctx, backoffice.DocumentTable.In(d)...)
		},
		backoffice.NounMinfin: func(ctx context.Context, tx backoffice.Tx, d *backoffice.Trashed) error {
			return tx.MinfinDocuments().Insert(ctx, backoffice.MinfinTable.In(d)...)
		},
	} {
		t.Run(string(noun), func(t *testing.T) {
			t.Parallel()
			o := openTrashing(t, gatewaytest.Engines["SQLite"](t), time.Hour)
			credential := o.Credential(t, backoffice.AllScopes...)
			o.Send(t, credential, http.MethodDelete, "/customers/acme", "")
			d := o.InTrash(t)[0]
			if err := o.Before.Write(t.Context(), func(ctx context.Context, tx backoffice.Tx) error {
				if err := tx.Customers().Insert(ctx, backoffice.CustomerTable.In(d)...); err != nil {
					return err
				}
				return stays(ctx, tx, d)
			}); err != nil {
				t.Fatal(err)
			}
			of := map[backoffice.Noun]string{
				backoffice.NounCustomer: "acme in", backoffice.NounRelation: "rel-4 in", backoffice.NounTranscript: "tr-1 in", backoffice.NounDocument: "doc-1 in", backoffice.NounMinfin: "min-1 in",
			}[noun]
			if where := placesOfAcme(t, o, credential); !slices.ContainsFunc(where, func(face string) bool { return strings.HasPrefix(face, of) }) {
				t.Errorf("it is not found out by its %s: %q", noun, where)
			}
		})
	}
}

func TestARelationThatStaysInTheTrashIsNotToldAsRestored(t *testing.T) {
	t.Parallel()
	o := openTrashing(t, gatewaytest.Engines["SQLite"](t), time.Hour)
	credential := o.Credential(t, backoffice.AllScopes...)
	remove := func(id string) { o.Send(t, credential, http.MethodDelete, "/customers/"+id, "") }
	restore := func(id string, left ...string) {
		restored, err := o.Service().RestoreTrashed(t.Context(), id)
		if slices.Sort(restored.Left); err != nil || !slices.Equal(restored.Left, left) {
			t.Fatalf("%+v %v", restored, err)
		}
	}
	remove("acme")
	remove("els")
	restore("acme", "rel-1", "rel-2") // which wait for els
	remove("acme")
	after := o.LatestCursor(t)
	restore("els", "rel-1", "rel-2")
	told, _ := o.ChangesAfter(t, credential, after, "")
	for _, change := range told.Nodes {
		if change.Noun == "CUSTOMER_RELATION" {
			t.Errorf("told is %+v", change)
		}
	}
	if len(told.Nodes) == 0 {
		t.Error("nothing is told")
	}
}

func TestTwoRecordsThatExcludeEachOtherDoNotComeBackTogether(t *testing.T) {
	t.Parallel()
	for engine, database := range gatewaytest.Engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			o := openTrashing(t, database(t), time.Hour)
			service, by := o.Service(), &backoffice.Principal{ClientID: "twice", Scopes: backoffice.AllScopes}
			service.Trash = time.Hour
			var ids []string
			for range 2 {
				made, err := service.CreateCustomer(t.Context(), by, backoffice.CustomerFields{Type: backoffice.Value(backoffice.Company), Name: backoffice.Value("Twice"),
					CustomerCode: backoffice.Value("TWICE")}, backoffice.Optional[string]{})
				if err != nil {
					t.Fatal(err)
				}
				if _, err := service.DeleteCustomer(t.Context(), by, made.ID, nil); err != nil {
					t.Fatal(err)
				}
				ids = append(ids, made.ID)
			}
			_, err := service.RestoreTrashed(t.Context(), ids...)
			if said := refusalOf(err); !strings.Contains(said, ids[0]) || !strings.Contains(said, ids[1]) || !strings.Contains(said, "customerCode") {
				t.Errorf("it is refused with %q: %v", said, err)
			}
			if _, err := service.RestoreTrashed(t.Context(), ids[0]); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestCustomersThatComeBackOneByOneFindTheirRelationsInTheTrash(t *testing.T) {
	t.Parallel()
	for engine, database := range gatewaytest.Engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			o := openTrashing(t, database(t), time.Hour)
			credential, some := o.Credential(t, backoffice.AllScopes...), o.Credential(t, backoffice.CustomersWrite)
			updated := func() string { return o.Answers(t, some, `{ customer(id: "acme") { updatedAt } }`) }
			visibly := updated()
			o.Write(t, credential, `mutation { updateCustomer(input: {id: "acme", registrationNumber: "85073003328"}) { userErrors { code } } }`)
			relations := o.Send(t, credential, http.MethodGet, "/relations", "").Body.String()
			tag := o.Send(t, credential, http.MethodGet, "/customers/acme", "").Header().Get("ETag")
			for _, path := range []string{"/customers/acme", "/customers/els", "/users/user-an", "/customers/brouwerij/relations/rel-9"} {
				o.Send(t, credential, http.MethodDelete, path, "")
			}
			restored, err := o.Service().RestoreTrashed(t.Context(), "acme")
			if slices.Sort(restored.Left); err != nil || !slices.Equal(restored.Left, []string{"rel-1", "rel-2"}) {
				t.Fatalf("%+v %v", restored, err)
			}
			if w := o.Send(t, credential, http.MethodGet, "/customers/acme", ""); !strings.Contains(w.Body.String(), `"responsible":null`) || w.Header().Get("ETag") == tag {
				t.Errorf("with a user who is gone: %s %s", w.Header().Get("ETag"), w.Body)
			}
			if now := updated(); now != visibly {
				t.Errorf("who may not read the number that was written sees %s, not %s", now, visibly)
			}
			if _, err := o.Service().RestoreTrashed(t.Context(), "rel-1", "rel-2"); !strings.Contains(refusalOf(err), "els") {
				t.Errorf("relations with nobody come back: %v", err)
			}
			if restored, err := o.Service().RestoreTrashed(t.Context(), "els"); err != nil || len(restored.Left) > 0 || restored.Rows != 6 { // two transcripts, a calculation and two relations among them
				t.Errorf("%+v %v", restored, err)
			}
			if now := o.Send(t, credential, http.MethodGet, "/relations", "").Body.String(); now != relations {
				t.Errorf("the relations are %s and were %s", now, relations)
			}
			// A relation by itself, and one that was made again meanwhile.
			o.Send(t, credential, http.MethodDelete, "/customers/acme/relations/rel-1", "")
			o.Send(t, credential, http.MethodPost, "/customers/acme/relations", `{"relatedCustomer": "els", "kind": "director"}`)
			if _, err := o.Service().RestoreTrashed(t.Context(), "rel-1"); !strings.Contains(refusalOf(err), "is the same") {
				t.Errorf("a relation that is there comes back: %v", err)
			}
			if list := o.InTrash(t); len(list) != 1 || list[0].ID != "rel-1" || list[0].ClientID != credential[0] {
				t.Errorf("%d are in the trash", len(list))
			}
			if erased, err := o.Service().EmptyTrash(t.Context(), "rel-1"); err != nil || len(erased) != 1 || len(o.InTrash(t)) > 0 {
				t.Errorf("%v %v", erased, err)
			}
		})
	}
}

func TestAnIdentifierThatIsTakenMeanwhileIsNamed(t *testing.T) {
	t.Parallel()
	o := openTrashing(t, gatewaytest.Engines["SQLite"](t), time.Hour)
	credential := o.Credential(t, backoffice.AllScopes...)
	o.Send(t, credential, http.MethodDelete, "/customers/acme", "")
	if err := o.Store.Write(t.Context(), func(ctx context.Context, tx backoffice.Tx) error {
		return tx.Labels().Insert(ctx, &backoffice.Label{ID: "doc-2", Name: "In its place"})
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := o.Service().RestoreTrashed(t.Context(), "acme"); !strings.Contains(refusalOf(err), "doc-2") || !strings.Contains(refusalOf(err), "a label now has its identifier") {
		t.Errorf("%v", err)
	}
	if err := o.Store.Write(t.Context(), func(ctx context.Context, tx backoffice.Tx) error {
		_, err := tx.Labels().Delete(ctx, "doc-2")
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if err := o.Files.Delete(t.Context(), o.InTrash(t)[0].FileKeys()[0]); err != nil {
		t.Fatal(err)
	}
	if _, err := o.Service().RestoreTrashed(t.Context(), "acme"); backoffice.KindOf(err) != backoffice.Unavailable || len(o.InTrash(t)) != 1 {
		t.Errorf("without one of its files: %v", err)
	}
}

func TestWhatIsErasedFromTheTrashIsGoneWithItsFiles(t *testing.T) {
	t.Parallel()
	for engine, database := range gatewaytest.Engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			o := openTrashing(t, database(t), 20*time.Millisecond)
			credential := o.Credential(t, backoffice.AllScopes...)
			kept := o.KeptFiles(t)
			_, body, _ := o.Ask(t, credential, `mutation { deleteCustomer(input: {id: "acme"}, dryRun: true) { deletedCustomerId userErrors { code } } }`, nil, nil)
			if n := len(o.InTrash(t)); n > 0 || !strings.Contains(string(body), `"acme"`) {
				t.Fatalf("a dry run puts %d into the trash: %s", n, body)
			}
			o.Send(t, credential, http.MethodDelete, "/customers/acme", "")
			if o.KeptFiles(t) != kept || len(o.InTrash(t)) != 1 {
				t.Fatal("files went with what is kept")
			}
			time.Sleep(50 * time.Millisecond)
			emptied := o.Service() // of a server that keeps nothing itself
			if n, err := emptied.EmptyDueTrash(t.Context()); err != nil || n != 1 {
				t.Fatal(n, err)
			}
			if n := o.KeptFiles(t); n != kept-5 || len(o.InTrash(t)) > 0 {
				t.Errorf("%d files are left of %d", n, kept)
			}
			if forgotten, err := o.Store.ForgottenFiles(t.Context(), 10); err != nil || len(forgotten) > 0 {
				t.Errorf("%v are still to be removed (%v)", forgotten, err)
			}
			if _, err := o.Service().RestoreTrashed(t.Context(), "acme"); backoffice.KindOf(err) != backoffice.Refused {
				t.Errorf("it comes back: %v", err)
			}
		})
	}
}

func TestWithoutATrashADeletionIsForGood(t *testing.T) {
	t.Parallel()
	o := gatewaytest.Open(t)
	credential := o.Credential(t, backoffice.AllScopes...)
	kept := o.KeptFiles(t)
	o.Send(t, credential, http.MethodDelete, "/customers/acme/relations/rel-1", "")
	o.Send(t, credential, http.MethodDelete, "/customers/acme", "")
	if n := o.KeptFiles(t); n != kept-5 || len(o.InTrash(t)) > 0 {
		t.Errorf("%d files are left of %d, and %d deletions are kept", n, kept, len(o.InTrash(t)))
	}
}

// What is kept has to be read first, and written: two trips more than a deletion for good, however many records go.
func TestADeletionIntoTheTrashTakesFewTripsToPostgreSQL(t *testing.T) {
	t.Parallel()
	database := gatewaytest.PostgreSQL(t)
	id := gatewaytest.OpenOn(t, database).Credential(t, backoffice.AllScopes...)
	relay := pgtest.NewRelay(t)
	settings := gatewaytest.Settings(t, relay.Through(database))
	h, err := settings.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	c := gatewaytest.Config(gatewaytest.Limits())
	c.Trash.Keep = gateway.TrashTime(time.Hour)
	f := &gatewaytest.Faraway{Office: gatewaytest.ServeConfig(t, h, c), Relay: relay, ID: id}
	var trips []int
	for range 4 {
		_, n := f.Do(t, gatewaytest.MutationsOnTheWay["deleteCustomer"](t, f))
		trips = append(trips, n)
	}
	if least := slices.Min(trips); least > gatewaytest.MostTrips+2 || len(f.InTrash(t)) != 4 {
		t.Errorf("a deletion takes %v trips, and %d of 4 are in the trash", trips, len(f.InTrash(t)))
	}
	t.Logf("%v trips", trips)
}
