package importexport

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// record is a line as it should be.
type record map[string]any

func (r record) with(key string, value any) record {
	changed := maps.Clone(r)
	changed[key] = value
	return changed
}

func (r record) line() string {
	text, err := json.Marshal(r)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// fileOfLines is a file of a folder: its lines as they should be, and as they are.
type fileOfLines struct {
	name        string
	sound, mess []string
}

// messy makes a folder of a small office with mistakes in it, of which some make what refers to them a mistake as
// well. With claims some lines take what belongs to others.
func messy(seed uint64, claims bool) (files []fileOfLines) {
	r := rand.New(rand.NewPCG(seed, 17))
	moment := "2026-02-03T04:05:06.007Z"
	add := func(name string, n int, make func(i int) record, mistakes ...func(record) string) {
		f := fileOfLines{name: name}
		for i := range n {
			sound := make(i)
			f.sound = append(f.sound, sound.line())
			if mess := sound.line(); r.IntN(4) > 0 {
				f.mess = append(f.mess, mess)
			} else {
				f.mess = append(f.mess, mistakes[r.IntN(len(mistakes))](sound))
			}
		}
		files = append(files, f)
	}
	claim := func(key string, value any) func(record) string {
		return func(r record) string {
			if !claims {
				value = 7
			}
			return r.with(key, value).line()
		}
	}
	set := func(key string, value any) func(record) string {
		return func(r record) string { return r.with(key, value).line() }
	}
	id := func(noun string, n int) string { return fmt.Sprintf("%s-%d", noun, r.IntN(n)) }
	cut := func(r record) string { return r.line()[:len(r.line())/2] }
	long := func(r record) string { return r.with("name", strings.Repeat("x", MaxLine)).line() }
	noText := func(r record) string { return r.line()[:9] + "\xff" + r.line()[9:] }
	add("labels.ndjson", 8, func(i int) record {
		return record{"_id": fmt.Sprintf("label-%d", i), "name": fmt.Sprintf("label %d", i), "createdAt": moment}
	}, set("color", "red"), claim("name", "label 1"), set("createdAt", "yesterday"), cut, long)
	add("users.ndjson", 8, func(i int) record {
		return record{"_id": fmt.Sprintf("user-%d", i), "firstName": "U", "lastName": fmt.Sprint(i), "email": fmt.Sprintf("u%d@office.example", i), "labels": []string{id("label", 8)}}
	}, set("email", "n/a"), set("labels", []string{"nobody"}), claim("_id", "label-1"), cut, noText)
	add("financialyears.ndjson", 4, func(i int) record {
		year := record{"_id": fmt.Sprintf("year-%d", i), "startDate": fmt.Sprint(2023 + i), "isCurrentYear": i == 3}
		if i < 3 {
			year["archivedAt"] = moment
		}
		return year
	}, set("startDate", "soon"), set("colour", 1), claim("isCurrentYear", true))
	add("checklists.ndjson", 8, func(i int) record {
		return record{"_id": fmt.Sprintf("list-%d", i), "name": fmt.Sprintf("list %d", i), "language": "dutch", "financialYear": fmt.Sprintf("year-%d", i%4)}
	}, set("language", "Dutch"), set("financialYear", "never"), set("name", nil))
	add("customers.ndjson", 60, func(i int) record {
		return record{"_id": fmt.Sprintf("c-%d", i), "type": "Company", "name": fmt.Sprintf("Zaak %d é", i), "customerCode": fmt.Sprintf("C%d", i), "responsible": id("user", 8),
			"phone": "09 123 45 67", "registrationNumber": "85073003328", "createdAt": moment, "updatedAt": moment}
	}, set("phone", "n/a"), set("kboNumber", "0200065766"), claim("customerCode", "C1"), set("responsible", "user-99"), set("email", "x@"), set("registrationNumber", "85073003329"),
		claim("_id", "c-2"), set("type", nil), cut, noText)
	add("relations.ndjson", 60, func(i int) record {
		return record{"_id": fmt.Sprintf("r-%d", i), "kind": "UBO", "customer": fmt.Sprintf("c-%d", i), "relatedCustomer": fmt.Sprintf("c-%d", (i+7)%60), "createdAt": moment}
	}, set("kind", "friend"), set("relatedCustomer", "c-99"))
	add("transcripts.ndjson", 60, func(i int) record {
		return record{"_id": fmt.Sprintf("t-%d", i), "customer": fmt.Sprintf("c-%d", i), "checklist": id("list", 8), "createdAt": moment, "updatedAt": moment}
	}, set("financialYear", "year-9"), set("progressPercentage", 101), set("documentGenerated", true))
	add("calculations.ndjson", 30, func(i int) record {
		return record{"_id": fmt.Sprintf("k-%d", i), "transcript": fmt.Sprintf("t-%d", i), "state": "Approved", "updatedAt": moment}
	}, set("state", "done"), set("file", "files/none.pdf"))
	add("documents.ndjson", 30, func(i int) record {
		return record{"_id": fmt.Sprintf("d-%d", i), "name": "Statuten.txt", "customer": fmt.Sprintf("c-%d", i), "file": fmt.Sprintf("files/deep/%d.txt", i%5), "createdAt": moment, "timeCreated": moment}
	}, set("file", "files/none.txt"), set("file", "../secret.txt"), set("customer", nil))
	return files
}

// folderOfLines writes a folder, with the files that its lines name.
func folderOfLines(t testing.TB, files []fileOfLines, lines func(fileOfLines) []string) string {
	folder := t.TempDir()
	for _, f := range files {
		with(t, folder, f.name, lines(f)...)
	}
	must(t, os.MkdirAll(filepath.Join(folder, "files", "deep"), 0o700))
	for i := range 5 {
		must(t, os.WriteFile(filepath.Join(folder, "files", "deep", fmt.Sprintf("%d.txt", i)), fmt.Appendf(nil, "text %d", i), 0o600))
	}
	return folder
}

// loadWithout imports a folder as often as it takes, each time without the lines that were told to be bad: what an
// import that passes them over has to come to. It returns the bad lines by file.
func (h *env) loadWithout(t *testing.T, files []fileOfLines) map[string][]string {
	bad := map[string][]string{}
	left := map[string][]string{}
	for _, f := range files {
		left[f.name] = slices.Clone(f.mess)
	}
	for {
		folder := folderOfLines(t, files, func(f fileOfLines) []string { return left[f.name] })
		_, err := h.load(t.Context(), folder)
		var told *BadFile
		if !errors.As(err, &told) {
			must(t, err)
			return bad
		}
		for _, line := range slices.Backward(told.Lines) {
			at := line.Line - 1
			bad[told.File] = append(bad[told.File], left[told.File][at])
			left[told.File] = slices.Delete(left[told.File], at, at+1)
		}
	}
}

func linesOf(t testing.TB, path string) []string {
	text, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	must(t, err)
	return strings.Split(strings.TrimSuffix(strings.TrimPrefix(string(text), "\ufeff"), "\n"), "\n")
}

func TestEveryLineIsEitherInTheStoreOrAmongTheRejectsWithItsReason(t *testing.T) {
	t.Parallel()
	for engine, open := range map[string]func(testing.TB) *env{"SQLite": newEnv, "PostgreSQL": newPostgresEnv} {
		for seed := range uint64(4) {
			t.Run(fmt.Sprint(engine, seed), func(t *testing.T) {
				t.Parallel()
				files := messy(seed, seed%2 == 0)
				want, got, clean := open(t), open(t), open(t)
				wantBad := want.loadWithout(t, files)
				mess := folderOfLines(t, files, func(f fileOfLines) []string { return f.mess })

				dry, err := (&Importer{Store: got.store, Files: got.files, Keys: got.keys, DryRun: true}).Import(t.Context(), mess)
				must(t, err)
				if n, stored := len(got.changes(t)), got.storedFiles(t); n+stored > 0 {
					t.Fatalf("a dry run left %d changes and %d files", n, stored)
				}
				rejects := filepath.Join(t.TempDir(), "rejects")
				importer := &Importer{Store: got.store, Files: got.files, Keys: got.keys, Rejects: rejects}
				all, err := importer.Import(t.Context(), mess)
				must(t, err)
				if diff := cmp.Diff(dry, all); diff != "" {
					t.Errorf("a dry run tells something else (-dry +real):\n%s", diff)
				}
				if diff := cmp.Diff(textOf(t, want.dump(t, true)), textOf(t, got.dump(t, true))); diff != "" {
					t.Errorf("the store has something else (-want +got):\n%s", diff)
				}
				reasons := readCSV(t, filepath.Join(rejects, reasonsFile))
				rejected := 0
				for i, f := range files {
					lines := linesOf(t, filepath.Join(rejects, f.name))
					rejected += len(lines)
					if all[i].Rejected != len(lines) || all[i].Lines() != len(f.mess) {
						t.Errorf("%s: %d lines of %d are rejected, and it did %+v", f.name, len(lines), len(f.mess), all[i])
					}
					slices.Sort(wantBad[f.name])
					if diff := cmp.Diff(wantBad[f.name], slices.Sorted(slices.Values(lines))); diff != "" {
						t.Errorf("%s: other lines are rejected (-want +got):\n%.2000s", f.name, diff)
					}
					mended := make([]string, len(lines))
					for j, line := range lines {
						at := slices.Index(f.mess, line)
						mended[j] = f.sound[at]
						if !slices.ContainsFunc(reasons, func(row []string) bool { return row[0] == f.name && row[1] == fmt.Sprint(at+1) && row[3] != "" }) {
							t.Errorf("%s:%d has no reason", f.name, at+1)
						}
					}
					if len(mended) > 0 {
						with(t, rejects, f.name, mended...)
					}
				}
				if rejected < 20 {
					t.Fatalf("only %d lines were rejected, so little was tried", rejected)
				}
				if !slices.ContainsFunc(reasons, func(row []string) bool { return row[3] == "the customer with this identifier was rejected" }) {
					t.Error("no line tells that what it refers to was rejected")
				}
				if seed%2 == 0 { // who has taken something keeps it
					return
				}
				got.mustLoad(t, rejects)
				clean.mustLoad(t, folderOfLines(t, files, func(f fileOfLines) []string { return f.sound }))
				if diff := cmp.Diff(textOf(t, clean.dump(t, true)), textOf(t, got.dump(t, true))); diff != "" {
					t.Errorf("with the rejects mended the store has something else (-want +got):\n%s", diff)
				}
			})
		}
	}
}

func readCSV(t testing.TB, path string) [][]string {
	file, err := os.Open(path)
	must(t, err)
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	must(t, err)
	if len(rows) == 0 || strings.Join(rows[0], ",") != "file,line,field,reason" {
		t.Fatalf("%s begins with %v", path, rows)
	}
	return rows[1:]
}

func TestWhoseCodeIsNotGivenUpAfterAllKeepsIt(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, h *env) {
		h.mustLoad(t, only(t, "customers.ndjson", `{"_id":"a","type":"Company","customerCode":"A"}`, `{"_id":"b","type":"Company","customerCode":"B"}`, `{"_id":"c","type":"Company","customerCode":"C"}`))
		rejects := filepath.Join(t.TempDir(), "rejects")
		all, err := (&Importer{Store: h.store, Files: h.files, Keys: h.keys, Rejects: rejects}).Import(t.Context(),
			only(t, "customers.ndjson", `{"_id":"a","customerCode":"B"}`, `{"_id":"b","customerCode":"C"}`, `{"_id":"d","type":"Company","customerCode":"D"}`))
		must(t, err)
		if all[0].Rejected != 2 || all[0].Created != 1 || one(t, h.store.Customers(), "a").CustomerCode != "A" || one(t, h.store.Customers(), "b").CustomerCode != "B" {
			t.Errorf("it did %+v", all)
		}
	})
}

func TestAFieldThatIsToBeRepairedIsLeftOut(t *testing.T) {
	t.Parallel()
	h := newEnv(t)
	h.mustLoad(t, only(t, "customers.ndjson", `{"_id":"old","type":"Company","email":"old@office.example","phone":"09 123 45 67"}`))
	folder := only(t, "customers.ndjson",
		`{"_id":"old","email":"n/a","phone":"n/a","name":"Old"}`,
		`{"_id":"new","type":"Company","email":"@@","phone":"n/a","responsible":"nobody","name":"New"}`,
		`{"_id":"bad","type":"Company","email":"@@","kboNumber":"1"}`)
	importer := &Importer{Store: h.store, Files: h.files, Keys: h.keys, Repair: []string{"email", "phone", "responsible"}}
	if _, err := importer.Import(t.Context(), folder); err == nil {
		t.Error("a line whose other field is bad was loaded")
	}
	importer.Rejects = t.TempDir()
	all, err := importer.Import(t.Context(), folder)
	must(t, err)
	before, after := one(t, h.store.Customers(), "old"), one(t, h.store.Customers(), "new")
	if before.Email != "old@office.example" || before.OwnName != "Old" || before.Phone == "" || after.Email != "" || after.Phone != "" || after.ResponsibleID != "" || after.OwnName != "New" {
		t.Errorf("the customers are %+v and %+v", before, after)
	}
	if len(all[0].Repaired) != 2 || len(all[0].Repaired[1].Faults) != 3 || all[0].Rejected != 1 {
		t.Errorf("it tells %+v", all[0])
	}
	if rows := readCSV(t, filepath.Join(importer.Rejects, reasonsFile)); len(rows) < 6 {
		t.Errorf("the reasons are %q", rows)
	}
	for _, name := range []string{"nope", "file", "_id", "displayName"} {
		importer := &Importer{Store: h.store, Files: h.files, Keys: h.keys, Repair: []string{name}}
		if _, err := importer.Import(t.Context(), folder); err == nil || strings.Contains(err.Error(), "customers.ndjson") {
			t.Errorf("%s may be left out: %v", name, err)
		}
	}
}

func TestTheKeyOfALineIsNotRepaired(t *testing.T) {
	t.Parallel()
	h := newEnv(t)
	importer := &Importer{Store: h.store, Files: h.files, Keys: h.keys, Key: "kboNumber", Repair: []string{"kboNumber"}, Rejects: t.TempDir()}
	all, err := importer.Import(t.Context(), only(t, "customers.csv", "kboNumber,type,name", "0200.065.766,Company,A"))
	must(t, err)
	if all[0].Created != 0 || all[0].Rejected != 1 {
		t.Errorf("it did %+v", all[0])
	}
}

func TestRejectsNeverMixWithWhatLiesInAFolder(t *testing.T) {
	t.Parallel()
	h := newEnv(t)
	taken := only(t, "labels.ndjson", `{"_id":"a"}`)
	if _, err := (&Importer{Store: h.store, Files: h.files, Keys: h.keys, Rejects: taken}).Import(t.Context(), office(t)); err == nil || len(h.changes(t)) > 0 {
		t.Errorf("a folder that holds something took rejects: %v", err)
	}
}

func TestAFieldWithSeveralUnknownReferencesIsLeftOutOnce(t *testing.T) {
	t.Parallel()
	h := newEnv(t)
	h.mustLoad(t, only(t, "users.ndjson", `{"_id":"old","firstName":"O","lastName":"J","email":"o@x.be"}`))
	importer := &Importer{Store: h.store, Files: h.files, Keys: h.keys, Repair: []string{"labels"}}
	all, err := importer.Import(t.Context(), only(t, "users.ndjson",
		`{"_id":"u1","firstName":"E","lastName":"J","email":"e@x.be","labels":["gone1","gone2"]}`, `{"_id":"old","lastName":"K","labels":["gone1","gone2"]}`))
	must(t, err)
	if all[0].Created != 1 || all[0].Updated != 1 || len(all[0].Repaired) != 2 || len(all[0].Repaired[0].Faults) != 1 {
		t.Errorf("it did %+v", all[0])
	}
}

func TestAnAttachmentOfARejectIsBesideItUnlessImportWouldReadIt(t *testing.T) {
	t.Parallel()
	h := newEnv(t)
	h.mustLoad(t, office(t))
	for source, mapping := range map[string]map[string]Mapping{"documents.csv": nil, "stukken.txt": {"documents": {}}} {
		folder, rejects := t.TempDir(), t.TempDir()
		lines := []string{"_id;customer;file"}
		must(t, os.Mkdir(filepath.Join(folder, "files"), 0o700))
		for i, name := range []string{"note.txt", "table.TSV", "files/users.txt", "Users.txt", "a.csv", source} {
			must(t, os.WriteFile(filepath.Join(folder, name), []byte(name), 0o600))
			lines = append(lines, fmt.Sprintf("bad-%d;company;%s", i, name))
		}
		with(t, folder, source, lines...)
		importer := &Importer{Store: h.store, Files: h.files, Keys: h.keys, Rejects: rejects, Mapping: mapping}
		_, err := importer.Import(t.Context(), filepath.Join(folder, source))
		must(t, err)
		for _, name := range []string{"note.txt", "table.TSV", "files/users.txt"} {
			if text, err := os.ReadFile(filepath.Join(rejects, name)); err != nil || string(text) != name {
				t.Errorf("%s: %q, %v", name, text, err)
			}
		}
		found, err := filepath.Glob(filepath.Join(rejects, "*"))
		if must(t, err); len(found) != 5 || len(linesOf(t, filepath.Join(rejects, source))) != len(lines) {
			t.Errorf("the rejects of %s are %q", source, found)
		}
	}
}

func TestAnAttachmentOfARejectMayHaveAnyNameThatAFileMayHave(t *testing.T) {
	t.Parallel()
	h := newEnv(t)
	folder, rejects := t.TempDir(), t.TempDir()
	var lines []string
	names := []string{strings.Repeat("x", 251) + ".pdf", "a.part", "a", "documents.ndjson.part"}
	for i, name := range names {
		must(t, os.WriteFile(filepath.Join(folder, name), []byte(name), 0o600))
		lines = append(lines, fmt.Sprintf(`{"_id":"bad-%d","file":%q}`, i, name))
	}
	_, err := (&Importer{Store: h.store, Files: h.files, Keys: h.keys, Rejects: rejects}).Import(t.Context(), with(t, folder, "documents.ndjson", lines...))
	must(t, err)
	for _, name := range names {
		if text, err := os.ReadFile(filepath.Join(rejects, name)); err != nil || string(text) != name {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
	if got := linesOf(t, filepath.Join(rejects, "documents.ndjson")); !slices.Equal(got, lines) {
		t.Errorf("the rejects are %q", got)
	}
}

func TestWhatEveryRecordHasIsLeftOutOfANewOneToo(t *testing.T) {
	t.Parallel()
	h := newEnv(t)
	h.mustLoad(t, only(t, "customers.ndjson", `{"_id":"old","type":"Company","createdAt":"2020-01-02T03:04:05.678Z","version":3}`))
	importer := &Importer{Store: h.store, Files: h.files, Keys: h.keys, Repair: []string{"createdAt", "updatedAt", "version"}}
	all, err := importer.Import(t.Context(), only(t, "customers.ndjson", `{"_id":"new","type":"Company","createdAt":"?","updatedAt":"?","version":0}`,
		`{"_id":"old","name":"Old","createdAt":"?","updatedAt":null,"version":"x"}`))
	must(t, err)
	made, old := one(t, h.store.Customers(), "new"), one(t, h.store.Customers(), "old")
	if len(all[0].Repaired) != 2 || made.Version != 1 || made.CreatedAt < old.UpdatedAt-60_000 || made.UpdatedAt != made.CreatedAt || old.Version != 4 || old.CreatedAt.String() != "2020-01-02T03:04:05.678Z" {
		t.Errorf("it did %+v: %+v, %+v", all, made, old)
	}
}

func TestDuplicatesAreCountedTogetherWhereverTheFirstOneIs(t *testing.T) {
	t.Parallel()
	h := newEnv(t)
	importer := &Importer{Store: h.store, Files: h.files, Keys: h.keys, DryRun: true}
	all, err := importer.Import(t.Context(), only(t, "labels.ndjson", `{"_id":"a","name":"a"}`, `{"_id":"b","name":"b"}`, `{"_id":"a"}`, `{"_id":"b"}`))
	must(t, err)
	want := []Reason{{Fault{"_id", "duplicate identifier"}, 2}}
	if !slices.Equal(all[0].Reasons, want) || all[0].Bad[1].Faults[0].Why != "duplicate identifier, first on line 2" {
		t.Errorf("it did %+v", all[0])
	}
}

func TestRejectsOfAFileWithItsOwnNameAreImportedAsTheyAre(t *testing.T) {
	t.Parallel()
	h := newEnv(t)
	rejects := filepath.Join(t.TempDir(), "rejects")
	mapping := map[string]Mapping{"labels": {Columns: map[string]string{"Naam": "name"}}}
	importer := &Importer{Store: h.store, Files: h.files, Keys: h.keys, Mapping: mapping, Rejects: rejects}
	all, err := importer.Import(t.Context(), filepath.Join(only(t, "Etiketten.csv", "_id,Naam,color", "a,A,red", "b,B,#123456"), "Etiketten.csv"))
	if must(t, err); all[0].Created != 1 || all[0].Rejected != 1 {
		t.Fatalf("it did %+v", all)
	}
	with(t, rejects, "Etiketten.csv", "_id,Naam,color", "a,A,#ff0000")
	importer.Rejects = ""
	all, err = importer.Import(t.Context(), rejects)
	if must(t, err); len(all) != 1 || all[0].Created != 1 {
		t.Errorf("it did %+v", all)
	}
	with(t, rejects, "labels.csv", "_id,Naam", "c,C")
	if _, err := importer.Import(t.Context(), rejects); err == nil {
		t.Error("of two files of one noun one is read")
	}
}
