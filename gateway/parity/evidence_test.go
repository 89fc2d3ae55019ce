package parity

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pdfcpu/pdfcpu/pkg/api"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/model"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/backoffice/evidence"
	"example.org/backoffice/gateway/gatewaytest"
	"example.org/backoffice/privacy"
)

// askForPack asks for a pack; purpose is "" for none.
func askForPack(t testing.TB, o *gatewaytest.Office, credential [2]string, path, purpose string) *httptest.ResponseRecorder {
	t.Helper()
	r := gatewaytest.NewRequest(t, credential, http.MethodGet, path, "")
	r.Header.Set("Accept-Encoding", "gzip, zstd")
	if purpose != "" {
		r.Header.Set(privacy.PurposeHeader, purpose)
	}
	return o.Serve(r)
}

// packOf is a pack that verifies, and its entries by name.
func packOf(t testing.TB, o *gatewaytest.Office, credential [2]string, path, purpose string) (pack []byte, m evidence.Manifest, entries map[string]string) {
	t.Helper()
	w := askForPack(t, o, credential, path, purpose)
	if w.Code != http.StatusOK || w.Header().Get("Content-Type") != "application/zip" || w.Header().Get("Content-Encoding") != "" || w.Header().Get("Cache-Control") != "no-store" {
		t.Fatalf("%s: %d %v %.300s", path, w.Code, w.Header(), w.Body)
	}
	signer, err := o.Keys.Signer()
	if err != nil {
		t.Fatal(err)
	}
	pack = w.Body.Bytes()
	found, err := evidence.Verify(bytes.NewReader(pack), int64(len(pack)), signer.Public)
	if err != nil || found.Problems != nil {
		t.Fatalf("%s: %v, %v", path, found, err)
	}
	read, err := zip.NewReader(bytes.NewReader(pack), int64(len(pack)))
	if err != nil {
		t.Fatal(err)
	}
	entries = map[string]string{}
	for _, file := range read.File {
		content, err := file.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(content)
		if err != nil {
			t.Fatal(err)
		}
		entries[file.Name] = string(text)
	}
	return pack, found.Manifest, entries
}

// compact is JSON in one line.
func compact(t testing.TB, text string) string {
	t.Helper()
	var out bytes.Buffer
	if err := json.Compact(&out, []byte(text)); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return out.String()
}

func TestAPackHasWhatIsStoredOfACustomer(t *testing.T) {
	t.Parallel()
	gatewaytest.EachOffice(t, func(t *testing.T, o *gatewaytest.Office) {
		all := o.Credential(t, backoffice.AllScopes...)
		for _, customer := range gatewaytest.All(t, o.Store.Customers()) {
			path := "/customers/" + customer.ID + "/evidence"
			pack, m, entries := packOf(t, o, all, path, "an audit")
			if again, _, _ := packOf(t, o, all, path, "an audit"); !bytes.Equal(pack, again) {
				t.Errorf("%s: two packs of one position differ", customer.ID)
			}
			if m.CustomerID != customer.ID || *m.Purpose != "an audit" || m.Requester.ClientID != all[0] || m.Requester.Restricted || m.RegistrationNumbers || len(m.LeftOut) > 0 ||
				m.To != backoffice.Today(time.Now()) || len(m.Register.Receipt) != 64 || !sameNumber(o.LatestCursor(t), m.Position.Cursor) {
				t.Errorf("the manifest is %+v", m)
			}
			// Lists and files are those of the other operations.
			for name, list := range map[string]string{"documents": "/customers/" + customer.ID + "/documents", "minfin": "/minfin?customer=" + customer.ID,
				"transcripts": "/transcripts?customer=" + customer.ID, "calculations": "/calculations?customer=" + customer.ID} {
				var rest struct{ Data json.RawMessage }
				if err := json.Unmarshal(o.Send(t, all, http.MethodGet, list, "").Body.Bytes(), &rest); err != nil {
					t.Fatal(err)
				}
				if got := compact(t, entries[name+".json"]); got != compact(t, string(rest.Data)) {
					t.Errorf("%s of %s: %s, not %s", name, customer.ID, got, rest.Data)
				}
			}
			shown := o.Send(t, all, http.MethodGet, "/customers/"+customer.ID+"/ownership?format=svg", "").Body.String()
			if entries["ownership.svg"] != shown || !strings.Contains(entries["ownership.json"], `"customer": "`+customer.ID+`"`) || !strings.Contains(entries["ownership.bods.json"], customer.ID) {
				t.Errorf("the owners of %s differ: %s", customer.ID, entries["ownership.json"])
			}
			if !strings.HasPrefix(entries["consultations.pdf"], "%PDF") || !strings.Contains(entries["journal.txt"], customer.ID) || !strings.Contains(entries["verify.html"], "verifyPack") {
				t.Errorf("%s lacks something: %q", customer.ID, slices.Sorted(maps.Keys(entries)))
			}
		}
		_, _, entries := packOf(t, o, all, "/customers/acme/evidence", "")
		for entry, path := range map[string]string{"documents/doc-1/Statuten.pdf": "/customers/documents/doc-1/download", "transcripts/tr-1/transcript.pdf": "/transcripts/download/tr-1/file",
			"calculations/calc-1/proposal.pdf": "/calculations/files/calc-1", "minfin/min-1/": "/minfin/download/min-1"} {
			want := o.Send(t, all, http.MethodGet, path, "").Body.String()
			if !slices.ContainsFunc(slices.Collect(maps.Keys(entries)), func(name string) bool { return strings.HasPrefix(name, entry) && entries[name] == want }) {
				t.Errorf("%s is not what %s answers", entry, path)
			}
		}
		if !strings.HasPrefix(entries["transcripts/tr-2/drawn.pdf"], "%PDF") || !strings.Contains(entries["transcripts.json"], `"turnover": 125000.5`) {
			t.Error("a completed transcript without a document is not drawn, or has no answers")
		}
		if file, _, _ := backoffice.Find(t.Context(), o.Store.Transcripts(), "tr-2"); file.DocumentGenerated {
			t.Error("a pack stores the document that it draws")
		}
	})
}

func TestAPackHasNoNumberUnlessItIsAskedForWithAPurposeAndIsEntered(t *testing.T) {
	t.Parallel()
	for engine, database := range gatewaytest.Engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			o := gatewaytest.OpenOn(t, database(t))
			all, none := o.Credential(t, backoffice.AllScopes...), o.Credential(t)
			const own = "85073003328"
			path, withNumbers := "/customers/els/evidence", "/customers/els/evidence?registrationNumbers=true"
			free := func(what string, entries map[string]string) {
				t.Helper()
				for name, content := range entries {
					if strings.Contains(content, own) {
						t.Errorf("%s: a number is in %s", what, name)
					}
				}
			}
			if w := askForPack(t, o, all, withNumbers, ""); w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), "x-access-purpose") {
				t.Errorf("without a purpose: %d %.300s", w.Code, w.Body)
			}
			if w := askForPack(t, o, none, withNumbers, "an audit"); w.Code != http.StatusForbidden || !strings.Contains(w.Body.String(), "privacy.read") {
				t.Errorf("without privacy.read: %d %.300s", w.Code, w.Body)
			}
			_, m, entries := packOf(t, o, none, path, "an audit")
			free("without privacy.read", entries)
			if text := entries["manifest.json"] + entries["customer.json"] + entries["journal.txt"]; strings.Contains(text, "held") || strings.Contains(text, "bewaard") || m.Register.Receipt != "" || entries["consultations.pdf"] != "" {
				t.Errorf("without privacy.read a pack tells of numbers: %s", text)
			}
			if left := fmt.Sprint(m.LeftOut); left != "[{registrationNumbers privacy.read} {minfin minfin.read} {consultations privacy.read}]" || entries["minfin.json"] != "" {
				t.Errorf("left out are %s", left)
			}
			_, _, entries = packOf(t, o, all, path+"?language=english", "an audit")
			free("without asking", entries)
			if !strings.Contains(entries["customer.json"], `"registrationNumber": "held; not consulted in this period"`) {
				t.Error(entries["customer.json"])
			}
			if found := o.RegisterEntries(t); len(found) > 0 {
				t.Errorf("packs without numbers are entered: %q", found)
			}
			head := gatewaytest.NewRequest(t, all, http.MethodHead, withNumbers, "")
			head.Header.Set(privacy.PurposeHeader, "an audit")
			if w := o.Serve(head); w.Code != http.StatusOK || w.Body.Len() > 0 || len(o.RegisterEntries(t)) > 0 {
				t.Errorf("HEAD: %d, %q", w.Code, o.RegisterEntries(t))
			}
			_, m, entries = packOf(t, o, all, withNumbers, "an audit")
			if !m.RegistrationNumbers || !strings.Contains(entries["registration-numbers.json"], own) {
				t.Errorf("%+v: %s", m, entries["registration-numbers.json"])
			}
			delete(entries, "registration-numbers.json")
			free("elsewhere than in their entry", entries)
			if found := o.RegisterEntries(t); len(found) != 1 || !strings.HasPrefix(found[0], "EXPORT els [REGISTRATION_NUMBER") {
				t.Errorf("the register has %q", found)
			}
			// The entry of the pack is of after it; days that are over are not touched by it.
			_, _, entries = packOf(t, o, all, path+"?language=english", "an audit")
			if want := "held; consulted on " + backoffice.Today(time.Now()); !strings.Contains(entries["customer.json"], want) {
				t.Errorf("%q is not in %s", want, entries["customer.json"])
			}
			past := withNumbers + "&to=" + time.Now().In(backoffice.Belgium).AddDate(0, 0, -2).Format(time.DateOnly)
			first, _, _ := packOf(t, o, all, past, "an audit")
			if second, _, _ := packOf(t, o, all, past, "an audit"); !bytes.Equal(first, second) {
				t.Error("two packs with numbers of days that are over differ")
			}
			if found := o.RegisterEntries(t); len(found) != 3 {
				t.Errorf("the register has %q", found)
			}
			if _, err := o.Keys.Verify(t.Context(), o.Store, m.Register.Receipt, func(p privacy.Problem) { t.Error(p) }); err != nil {
				t.Error(err)
			}
		})
	}
}

// A restore is entered when it is over; what it lost is of earlier days.
func TestAPackOfDaysSaysThatARestoreLostTheirEntries(t *testing.T) {
	t.Parallel()
	day := func(n int) string { return time.Now().In(backoffice.Belgium).AddDate(0, 0, n).Format(time.DateOnly) }
	const never, lost = `"registrationNumber": "held; not consulted in this period"`, `"registrationNumber": "held; entries from `
	for consulted, want := range map[bool]string{true: never, false: lost} { // what was lost begins at the newest entry
		o := gatewaytest.OpenOn(t, gatewaytest.Engines["SQLite"](t))
		all := o.Credential(t, backoffice.AllScopes...)
		if consulted {
			packOf(t, o, all, "/customers/els/evidence?registrationNumbers=true", "an audit")
		}
		path := "/customers/els/evidence?language=english&from=" + day(-9) + "&to=" + day(-2)
		_, _, before := packOf(t, o, all, path, "")
		if err := o.Keys.EnterRestore(t.Context(), o.Store); err != nil {
			t.Fatal(err)
		}
		_, _, after := packOf(t, o, all, path, "")
		if said := before["customer.json"]; !strings.Contains(said, never) {
			t.Error(said)
		}
		if said := after["customer.json"]; !strings.Contains(said, want) || (before["consultations.pdf"] == after["consultations.pdf"]) != consulted {
			t.Errorf("a register with an entry of today (%v): %s", consulted, said)
		}
		_, _, entries := packOf(t, o, all, "/customers/els/evidence?language=english", "")
		if said := entries["customer.json"]; !strings.Contains(said, "entries from ") || strings.Contains(said, "held; consulted on "+day(0)+"; entries from ") != consulted {
			t.Errorf("the pack of all days: %s", said)
		}
	}
}

func TestARestrictedCredentialGetsPacksOfWhatItSees(t *testing.T) {
	t.Parallel()
	o := gatewaytest.Open(t)
	owned(t, o)
	credential := o.RestrictedCredential(t, "restricted", backoffice.RestrictionFields{Customers: []string{"target", "holding"}})
	_, m, entries := packOf(t, o, credential, "/customers/target/evidence", "")
	if !m.Requester.Restricted || m.Register.Receipt != "" {
		t.Errorf("%+v", m)
	}
	for name, content := range entries {
		if name != evidence.PageName && (strings.Contains(content, "bert") || strings.Contains(content, "els-2")) {
			t.Errorf("%s names who is not visible: %s", name, content)
		}
	}
	if !strings.Contains(entries["ownership.json"], `"person": "holding"`) {
		t.Error(entries["ownership.json"])
	}
	unknown := askForPack(t, o, credential, "/customers/nobody/evidence", "")
	for _, invisible := range []string{"acme", "user-an", "a.b"} {
		w := askForPack(t, o, credential, "/customers/"+invisible+"/evidence", "")
		if w.Code != http.StatusNotFound || withoutID(t, w.Body.String()) != withoutID(t, unknown.Body.String()) {
			t.Errorf("%s: %d %s", invisible, w.Code, w.Body)
		}
	}
}

// withoutID is a problem without the request's id.
func withoutID(t *testing.T, text string) string {
	t.Helper()
	var problem map[string]any
	if err := json.Unmarshal([]byte(text), &problem); err != nil {
		t.Fatal(err)
	}
	delete(problem, "requestId")
	return fmt.Sprint(problem)
}

func TestTheJournalHasTheChangesOfItsDaysInWords(t *testing.T) {
	t.Parallel()
	for engine, database := range gatewaytest.Engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			o := gatewaytest.OpenOn(t, database(t))
			owned(t, o)
			credential := o.Credential(t, backoffice.CustomersWrite)
			o.Write(t, credential, `mutation { updateCustomerRelation(input: {id: "holding-2", note: "by notary"}) { userErrors { code } } }`)
			o.Write(t, credential, `mutation { deleteCustomerRelation(input: {id: "holding-6"}) { userErrors { code } } }`)
			o.Write(t, credential, `mutation { updateCustomer(input: {id: "acme", phone: "+32 9 251 11 12"}) { userErrors { code } } }`)
			today := backoffice.Today(time.Now())
			_, _, entries := packOf(t, o, credential, "/customers/target/evidence?language=english&from="+today, "")
			journal := entries["journal.txt"]
			for _, line := range []string{"Journal of customer target, " + today + " to " + today, "relation holding-2 changed by " + credential[0] + ": note\n", "relation holding-6 deleted by " + credential[0] + "\n"} {
				if !strings.Contains(journal, line) {
					t.Errorf("%q is not in\n%s", line, journal)
				}
			}
			if strings.Contains(journal, "acme") || strings.Contains(journal, "holding-3") {
				t.Errorf("another customer's changes are in\n%s", journal)
			}
			if _, _, entries = packOf(t, o, credential, "/customers/target/evidence?language=german&to=2020-06-30", ""); !strings.HasSuffix(entries["journal.txt"], "Keine Änderungen.\n") {
				t.Error(entries["journal.txt"])
			}
			if !strings.Contains(entries["ownership.json"], `"person": "els-2"`) || !strings.Contains(entries["ownership.json"], `"asOf": "2020-06-30"`) {
				t.Errorf("the owners are not those of the last day: %s", entries["ownership.json"])
			}
			for query, detail := range map[string]string{"?from=2026-02-30": "from", "?to=soon": "to", "?to=2999-01-01": "future", "?from=2021-01-01&to=2020-01-01": "from", "?language=latin": "language", "?rule=x": "unknown"} {
				if w := askForPack(t, o, credential, "/customers/target/evidence"+query, ""); w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), detail) {
					t.Errorf("%s: %d %s", query, w.Code, w.Body)
				}
			}
		})
	}
}

func TestAPackOfManyDocumentsIsReadByPageAndSentByFile(t *testing.T) {
	t.Parallel()
	o := gatewaytest.Open(t)
	credential := o.Credential(t)
	var stored *backoffice.File
	if d, _, err := backoffice.Find(t.Context(), o.Store.Documents(), "doc-1"); err != nil {
		t.Fatal(err)
	} else {
		stored = d.File
	}
	statements := func() int {
		ctx, counter := backoffice.WithStatementCount(t.Context())
		w := o.Serve(gatewaytest.NewRequest(t, credential, http.MethodGet, "/customers/brouwerij/evidence", "").WithContext(ctx))
		if w.Code != http.StatusOK {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
		return counter.Count()
	}
	statements() // signs in
	few := statements()
	err := o.Store.Write(t.Context(), func(ctx context.Context, tx backoffice.Tx) error {
		for i := range 1200 {
			file := *stored
			d := &backoffice.CustomerDocument{ID: fmt.Sprintf("many-%04d", i), Name: "Same name.pdf", CustomerID: "brouwerij", CreatedAt: 1, File: &file}
			if err := tx.Documents().Insert(ctx, d); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if many := statements(); many > few+2 {
		t.Errorf("%d statements for no document, %d for 1,200 in pages of 500", few, many)
	}
	_, m, _ := packOf(t, o, credential, "/customers/brouwerij/evidence", "")
	if len(m.Entries) < 1200 {
		t.Errorf("%d entries", len(m.Entries))
	}
}

func TestAServerWithoutASigningKeyMakesNoPacks(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	settings := gatewaytest.Settings(t, "sqlite:"+filepath.Join(folder, "backoffice.db"))
	settings.Keyset = filepath.Join(folder, "keyset.json")
	o := gatewaytest.Serve(t, settings, gatewaytest.Limits())
	credential := o.Credential(t)
	o.MakeCustomer(t)
	path := "/customers/" + gatewaytest.All(t, o.Store.Customers())[0].ID + "/evidence"
	if w := askForPack(t, o, credential, path, ""); w.Code != http.StatusConflict || !strings.Contains(w.Body.String(), "keys signing") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if _, _, err := (&privacy.KeyRotator{Keys: o.Keys, Store: o.Store}).CreateSigner(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	packOf(t, o, credential, path, "") // without a restart
}

// slow is a client that reads nothing until it is let.
type slow struct {
	*httptest.ResponseRecorder
	begun, read chan struct{}
}

func (s slow) Write(b []byte) (int, error) {
	select {
	case s.begun <- struct{}{}:
	default:
	}
	<-s.read
	return s.ResponseRecorder.Write(b)
}

func TestACredentialHasOnePackAtATimeAndASlowOneHoldsNoConnection(t *testing.T) {
	t.Parallel()
	o := gatewaytest.Open(t)
	credential, other := o.Credential(t), o.Credential(t, backoffice.MinfinRead)
	client := slow{httptest.NewRecorder(), make(chan struct{}, 1), make(chan struct{})}
	done := make(chan struct{})
	go func() {
		defer close(done)
		o.Handler.ServeHTTP(client, gatewaytest.NewRequest(t, credential, http.MethodGet, "/customers/acme/evidence", ""))
	}()
	<-client.begun
	if w := askForPack(t, o, credential, "/customers/cafe/evidence", ""); w.Code != http.StatusTooManyRequests {
		t.Errorf("a second one: %d %s", w.Code, w.Body)
	}
	for range 20 { // more than there are connections
		packOf(t, o, other, "/customers/cafe/evidence", "")
	}
	close(client.read)
	<-done
	packOf(t, o, credential, "/customers/cafe/evidence", "")
}

func TestALostFileIsToldBeforeAPackBegins(t *testing.T) {
	t.Parallel()
	o := gatewaytest.Open(t)
	d, _, err := backoffice.Find(t.Context(), o.Store.Documents(), "doc-1")
	if err != nil {
		t.Fatal(err)
	}
	if err := o.Files.Delete(t.Context(), d.File.Key); err != nil {
		t.Fatal(err)
	}
	if w := askForPack(t, o, o.Credential(t), "/customers/acme/evidence", ""); w.Code != http.StatusServiceUnavailable || !strings.Contains(w.Body.String(), "missing") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

// sameNumber reports whether two cursors are at one number of the change log.
func sameNumber(a, b string) bool {
	_, first, found := strings.Cut(a, ".")
	_, second, too := strings.Cut(b, ".")
	return found && too && first == second
}

func TestAPackOfAnOfficeWithoutChangesIsAsOfItsLastDay(t *testing.T) {
	t.Parallel()
	o := gatewaytest.OpenOn(t, gatewaytest.Engines["SQLite"](t))
	all := o.Credential(t, backoffice.AllScopes...)
	if _, err := o.Store.RemoveChanges(t.Context(), backoffice.InstantOf(time.Now().Add(time.Hour)), 1_000); err != nil {
		t.Fatal(err)
	}
	_, _, entries := packOf(t, o, all, "/customers/acme/evidence", "")
	report, err := api.ReadContext(strings.NewReader(entries["consultations.pdf"]), model.NewDefaultConfiguration())
	if err != nil {
		t.Fatal(err)
	}
	info, err := report.DereferenceDict(*report.Info)
	today := backoffice.StartOfDay(backoffice.Today(time.Now()), 0).Time().UTC().Format("(D:20060102150405")
	if dated := fmt.Sprint(info["CreationDate"]); err != nil || !strings.HasPrefix(dated, today) {
		t.Errorf("the report is of %s, not %s: %v", dated, today, err)
	}
}
