package mirror

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/importexport"
)

var faults = []string{
	"an HTML page with 200", "an HTML page of no type", "a JSON error with 200", "a text with 200", "status 500", "status 403", "status 404", "a record without an identifier", "a number as an identifier", "an empty list",
	"a wrong total", "a connection that is cut", "a slow answer",
}

// isNoFault are the cells in which the answer is what the specification says.
func isNoFault(fault, path string) bool {
	list := path == "/customers" || path == "/minfin" || path == "/checklists" || path == "/transcripts" || strings.HasSuffix(path, "ID/relations") || strings.HasSuffix(path, "ID/documents")
	return fault == "a slow answer" || !list && (strings.Contains(fault, "identifier") || fault == "an empty list" || fault == "a wrong total")
}

// pages are the files here that are something else, such as a page of a proxy.
func pages(t *testing.T, o *office) (found []string) {
	t.Helper()
	for path, address := range map[string]string{"/documents": "/customers/documents/%s/download", "/minfin": "/minfin/download/%s", "/transcripts": "/transcripts/download/%s/file"} {
		for _, r := range o.records(t, path) {
			if _, body := o.ask(t, http.MethodGet, fmt.Sprintf(address, r.id())); !strings.HasPrefix(body, "%PDF") {
				found = append(found, r.id())
			}
		}
	}
	return found
}

func counts(t *testing.T, o *office) (all []int) {
	t.Helper()
	for _, path := range []string{"/customers", "/relations", "/documents", "/transcripts", "/minfin"} {
		all = append(all, len(o.records(t, path)))
	}
	return all
}

func TestAFaultOfOneAddressCostsWhatIsThereAndIsNamed(t *testing.T) {
	t.Parallel()
	for path, address := range specPaths {
		t.Run(strings.ReplaceAll(path, "/", " "), func(t *testing.T) {
			t.Parallel()
			origin, copied := newSpecOrigin(60), newOffice(t, openSQLite(t))
			server := httptest.NewServer(origin)
			t.Cleanup(server.Close)
			pull := &Pull{Store: copied.store, Files: copied.files, Keys: copied.keys, From: server.URL, ClientID: "id", Secret: "secret", pause: 1}
			pull.mustOnce(t)
			whole := []int{60, 60, 60, 2, 3}
			if got := counts(t, copied); !slices.Equal(got, whole) {
				t.Fatalf("the first pull brings %v", got)
			}
			for path := range origin.asked {
				if specPaths[path] == "" {
					t.Errorf("nothing is said of the endpoint %s", path)
				}
			}
			for _, fault := range faults {
				origin.mu.Lock()
				moved := textOf("2026-01-02T03:04:05." + fmt.Sprintf("%03d", slices.Index(faults, fault)+1) + "Z")
				origin.lists["/transcripts"][1]["updatedAt"] = moved // so that its document is read again
				origin.asked = map[string]int{}
				origin.mu.Unlock()
				origin.set(fault, address)
				pull.later += 25 * time.Hour
				report := pull.mustOnce(t)
				if got := counts(t, copied); !slices.Equal(got, whole) {
					t.Errorf("%s: %v are left", fault, got)
				}
				if wrong := pages(t, copied); len(wrong) > 0 {
					t.Errorf("%s: the bytes of %q are those of a page", fault, wrong)
				}
				asked := origin.asked[path] > 0
				known := isNoFault(fault, path) || fault == "an empty list" || path == "/minfin/metadata/ID" && (fault == "a wrong total" || strings.HasPrefix(fault, "status 4"))
				if asked && !report.Incomplete() && !known {
					t.Errorf("%s: nothing is said of it", fault)
				}
				if path != "/customers" && origin.asked["/minfin"] == 0 {
					t.Errorf("%s: what is behind it is not read", fault)
				}
			}
			origin.set("", "none")
			pull.later += 25 * time.Hour
			pull.mustOnce(t)
			if report := pull.mustOnce(t); report.Incomplete() {
				t.Errorf("then the origin is well, and a pull ends with %+v", report)
			}
		})
	}
}

func specMirror(t *testing.T) (*specOrigin, *office, *Pull) {
	t.Helper()
	origin, copied := newSpecOrigin(60), newOffice(t, openSQLite(t))
	server := httptest.NewServer(origin)
	t.Cleanup(server.Close)
	return origin, copied, &Pull{Store: copied.store, Files: copied.files, Keys: copied.keys, From: server.URL, ClientID: "id", Secret: "secret", pause: 1}
}

func (r *Report) of(noun backoffice.Noun) *Pulled {
	return &r.Nouns[slices.IndexFunc(r.Nouns, func(n Pulled) bool { return n.Noun == noun })]
}

func TestAResponsibleUserThatIsNotHereHoldsNoCustomerBack(t *testing.T) {
	t.Parallel()
	origin, copied, pull := specMirror(t)
	for _, customer := range origin.customers {
		customer["responsible"] = textOf("nobody")
	}
	pull.pageSize = 20
	pull.Progress = func(noun backoffice.Noun, read, _ int) {
		rows, err := copied.store.Rows(t.Context())
		if must(t, err); noun == backoffice.NounCustomer && rows[noun] != read {
			t.Errorf("of %d customers that were read %d are here", read, rows[noun])
		}
	}
	pull.mustOnce(t)
}

func TestOneListThatFailsFromTheStartKeepsNothingElseAway(t *testing.T) {
	t.Parallel()
	origin, copied, pull := specMirror(t)
	origin.set("status 500", "/customers/c01/(relations|documents)")
	for range 2 {
		report := pull.mustOnce(t)
		if got := counts(t, copied); !slices.Equal(got, []int{60, 60, 59, 2, 3}) || !report.Incomplete() {
			t.Fatalf("a pull brings %v: %+v", got, report)
		}
		if left := report.of(backoffice.NounRelation).LeftOut; len(left) != 1 || !strings.Contains(left[0], "customer c01: it answered 500") {
			t.Errorf("it names %q", left)
		}
	}
	origin.set("", "none")
	if report := pull.mustOnce(t); report.Incomplete() || !slices.Equal(counts(t, copied), []int{60, 60, 60, 2, 3}) {
		t.Errorf("once it answers, a pull brings %v", counts(t, copied))
	}
}

func TestRecordsWithoutAnIdentifierCostThemselves(t *testing.T) {
	t.Parallel()
	for _, fault := range []string{"a record without an identifier", "null as a record", "a number as an identifier"} {
		origin, copied, pull := specMirror(t)
		origin.set(fault, "/customers")
		report := pull.mustOnce(t)
		if got := counts(t, copied); got[0] != 59 || got[4] != 0 || !strings.Contains(report.Nouns[4].Incomplete, "record 1 of page 1") {
			t.Errorf("%s: a pull brings %v and tells %+v", fault, got, report.Nouns[4])
		}
	}
}

func TestListsAreReadInEachWayThatTheSpecificationLeavesOpen(t *testing.T) {
	t.Parallel()
	for fault, size := range map[string]int{"422 for a large page": 0, "404 behind the last page": 10, "all at once": 10, "in no order": 10} {
		origin, copied, pull := specMirror(t)
		origin.set(fault, "/customers")
		origin.customers = append(origin.customers[1:], origin.customers[0])
		pull.pageSize = size
		if report := pull.mustOnce(t); report.Incomplete() || counts(t, copied)[0] != 60 {
			t.Errorf("%s: a pull brings %v and tells %+v", fault, counts(t, copied), report.Nouns[4])
		}
	}
}

func TestListsOfCustomersThatAreAllEmptyDeleteNothing(t *testing.T) {
	t.Parallel()
	origin, copied, pull := specMirror(t)
	pull.mustOnce(t)
	origin.set("an empty list", "/customers/c../relations")
	for range 12 {
		pull.later += 6 * time.Hour
		pull.mustOnce(t)
	}
	if got := counts(t, copied); got[1] != 60 {
		t.Errorf("%d of 60 relations are left", got[1])
	}
}

func TestTheBoundOnDeletionsIsForAllThatASweepFindsMissing(t *testing.T) {
	t.Parallel()
	origin, copied, pull := specMirror(t)
	pull.mustOnce(t)
	for i := range 10 { // each with a pull that has nothing else to tell
		id := fmt.Sprintf("c%02d", i)
		for again := range 2 {
			origin.mu.Lock()
			origin.customers[i]["email"] = textOf(fmt.Sprintf("mail%d@office.example", again))
			delete(origin.relations, id)
			origin.mu.Unlock()
			pull.later += time.Minute
			pull.mustOnce(t)
		}
	}
	if left := counts(t, copied)[1]; left != 59 {
		t.Errorf("%d of 60 relations are left, of which a day may delete one", left)
	}
	for range 8 {
		pull.later += 25 * time.Hour
		if why := pull.mustOnce(t).of(backoffice.NounRelation).Incomplete; !strings.HasPrefix(why, "9 of 59 records no longer exist") {
			t.Errorf("it ends with %q", why)
		}
	}
	pull.AllowDeletions = 10
	pull.later += 25 * time.Hour
	if pull.mustOnce(t); counts(t, copied)[1] != 50 {
		t.Error("with leave of the operator they are not deleted")
	}
}

func TestFilesOfTheTaxAdministrationAreReadOnceAndDocumentsOnceASweep(t *testing.T) {
	t.Parallel()
	origin, _, pull := specMirror(t)
	pull.mustOnce(t)
	for _, hours := range []int{0, 25} {
		origin.asked = map[string]int{}
		pull.later += time.Duration(hours) * time.Hour
		pull.mustOnce(t)
		documents := origin.asked["/customers/documents/ID/download"]
		if minfin := origin.asked["/minfin/download/ID"]; minfin != 0 || documents != map[int]int{0: 1, 25: 60}[hours] {
			t.Errorf("after %d hours it reads %d files of the tax administration and %d documents", hours, minfin, documents)
		}
	}
}

func TestARecordThatIsRejectedIsNamedAndPutAside(t *testing.T) {
	t.Parallel()
	origin, copied, pull := specMirror(t)
	origin.customers[4]["email"] = textOf("no address")
	origin.customers[7]["_id"] = textOf("c 07")
	origin.documents["c01"][0]["name"] = textOf(strings.Repeat("x", 300))
	folder := t.TempDir()
	var err error
	pull.Rejects, err = importexport.NewRejects(folder)
	must(t, err)
	defer func() { _ = pull.Rejects.Close() }()
	report := pull.mustOnce(t)
	must(t, report.WriteRejects(pull.Rejects))
	var named []string
	for _, r := range report.of(backoffice.NounCustomer).Rejected {
		named = append(named, r.Record+" "+r.Faults[0].Field)
	}
	slices.Sort(named)
	if !slices.Equal(named, []string{"c04 email", "record 8 of page 1 _id"}) || report.of(backoffice.NounCustomer).Loaded.Rejected != 2 {
		t.Errorf("it names %q", named)
	}
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join(folder, name))
		must(t, err)
		return string(text)
	}
	reasons := read("reasons.csv")
	for _, want := range []string{"file,line,field,reason\n", "\ncustomers.ndjson,1,", "\ncustomers.ndjson,2,", "\ndocuments.ndjson,1,", ",name,"} {
		if !strings.Contains(reasons, want) {
			t.Errorf("the reasons lack %q:\n%s", want, reasons)
		}
	}
	documents := strings.Replace(read("documents.ndjson"), strings.Repeat("x", 300), "mended", 1)
	must(t, os.WriteFile(filepath.Join(folder, "documents.ndjson"), []byte(documents), 0o600))
	customers := strings.NewReplacer("no address", "a@b.example", `"c 07"`, `"c07"`).Replace(read("customers.ndjson"))
	must(t, os.WriteFile(filepath.Join(folder, "customers.ndjson"), []byte(customers), 0o600))
	all, err := (&importexport.Importer{Store: copied.store, Files: copied.files, Keys: copied.keys}).Import(t.Context(), folder)
	must(t, err)
	for _, loaded := range all {
		if loaded.Created != loaded.Lines() || loaded.File == "customers.ndjson" && loaded.Created != 2 {
			t.Errorf("the import of what was put aside does %+v", loaded)
		}
	}
	origin.customers[4]["email"], origin.customers[7]["_id"] = textOf("a@b.example"), textOf("c07")
	origin.documents["c01"][0]["name"] = textOf("mended")
	must(t, pull.mustOnce(t).WriteRejects(pull.Rejects))
	if text := read("reasons.csv"); text != "file,line,field,reason\n" {
		t.Errorf("when all is well the reasons are\n%s", text)
	}
	if _, err := os.Stat(filepath.Join(folder, "customers.ndjson")); !os.IsNotExist(err) {
		t.Errorf("what was put aside before is still there: %v", err)
	}
	if _, err := importexport.NewRejects(folder); err == nil {
		t.Error("a folder that has something is taken")
	}
}

func TestWhatACutPullHasChangedIsReadByTheNext(t *testing.T) {
	t.Parallel()
	origin, copied, pull := specMirror(t)
	pull.mustOnce(t)
	origin.mu.Lock()
	origin.customers[7]["email"] = textOf("new@office.example")
	origin.relations["c07"] = append(origin.relations["c07"], record{"_id": textOf("fresh"), "kind": textOf("shareholder"), "customer": textOf("c07"), "relatedCustomer": textOf("c01")})
	origin.mu.Unlock()
	origin.set("status 500", "/customers/c07/relations")
	if report := pull.mustOnce(t); !report.Incomplete() {
		t.Error("the pull is complete")
	}
	origin.set("", "none")
	if pull.mustOnce(t); counts(t, copied)[1] != 61 {
		t.Error("the new relation is forgotten")
	}
}

func TestARelationIsDeletedOnlyWhenThreeListsInARowAreWithoutIt(t *testing.T) {
	t.Parallel()
	origin, _, pull := specMirror(t)
	pull.mustOnce(t)
	run, err := pull.begin(t.Context())
	must(t, err)
	defer run.end()
	for _, without := range []int{1, 2, 3} {
		left := without
		between := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if left--; left >= 0 {
				_, _ = w.Write([]byte(`{"total":0,"count":0,"data":[]}`))
				return
			}
			origin.ServeHTTP(w, r)
		}))
		t.Cleanup(between.Close)
		run.origin, err = (&Pull{From: between.URL, ClientID: "id", Secret: "secret"}).newOrigin()
		must(t, err)
		gone, err := run.isGone(t.Context(), nounOf(backoffice.NounRelation), stored{id: "rc07", parent: "c07"})
		must(t, err)
		if gone != (without == 3) {
			t.Errorf("after %d lists without it, it is gone: %v", without, gone)
		}
	}
}
