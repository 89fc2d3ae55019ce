package importexport

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"example.org/backoffice/backoffice"
)

// eachEngine runs a test over an empty store of either engine.
func eachEngine(t *testing.T, test func(t *testing.T, h *env)) {
	for name, open := range map[string]func(testing.TB) *env{"SQLite": newEnv, "PostgreSQL": newPostgresEnv} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, open(t))
		})
	}
}

func TestRecordsMaySwapWhatOnlyOneMayHave(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, h *env) {
		h.mustLoad(t, office(t))
		h.mustLoad(t, with(t, only(t, "customers.ndjson",
			`{"_id":"a","type":"Company","customerCode":"A","name":"a"}`, `{"_id":"b","type":"Company","customerCode":"B","name":"b"}`),
			"relations.ndjson", `{"_id":"r1","kind":"director","customer":"a","relatedCustomer":"b"}`, `{"_id":"r2","kind":"UBO","customer":"a","relatedCustomer":"b","createdAt":"2020-01-02T03:04:05.678Z"}`))
		h.mustLoad(t, with(t, with(t, only(t, "labels.ndjson", `{"_id":"l1","name":"one"}`, `{"_id":"l2","name":"two","color":"#aabbcc"}`),
			"transcripts.ndjson", `{"_id":"t1","customer":"a","checklist":"checklist-2026","status":"Sent"}`, `{"_id":"t2","customer":"b","checklist":"checklist-2026"}`),
			"calculations.ndjson", `{"_id":"c1","transcript":"t1","state":"Approved"}`, `{"_id":"c2","transcript":"t2","state":"Locked"}`))
		swapped := only(t, "labels.ndjson", `{"_id":"l1","name":"two"}`, `{"_id":"l2","name":"one"}`)
		with(t, swapped, "customers.ndjson", `{"_id":"a","customerCode":"B"}`, `{"_id":"b","customerCode":"A"}`)
		with(t, swapped, "relations.ndjson", `{"_id":"r1","kind":"UBO"}`, `{"_id":"r2","kind":"director"}`)
		with(t, swapped, "calculations.ndjson", `{"_id":"c1","transcript":"t2"}`, `{"_id":"c2","transcript":"t1"}`)
		for file, loaded := range h.mustLoad(t, swapped) {
			if loaded.Updated != 2 {
				t.Errorf("%s: the import did %+v", file, loaded)
			}
		}
		a, b := one(t, h.store.Customers(), "a"), one(t, h.store.Customers(), "b")
		if a.CustomerCode != "B" || b.CustomerCode != "A" || a.OwnName != "a" || b.Version != 2 {
			t.Errorf("the customers are %+v and %+v", a, b)
		}
		l1, l2 := one(t, h.store.Labels(), "l1"), one(t, h.store.Labels(), "l2")
		if l1.Name != "two" || l2.Name != "one" || l2.Color != "#aabbcc" {
			t.Errorf("the labels are %+v and %+v", l1, l2)
		}
		r1, r2 := one(t, h.store.Relations(), "r1"), one(t, h.store.Relations(), "r2")
		if r1.Kind != backoffice.UBO || r2.Kind != backoffice.Director || r2.CustomerID != "a" || r2.CreatedAt.String() != "2020-01-02T03:04:05.678Z" {
			t.Errorf("the relations are %+v and %+v", r1, r2)
		}
		t1, t2 := one[transcript](t, h.store.Transcripts(), "t1"), one[transcript](t, h.store.Transcripts(), "t2")
		if t1.Status != backoffice.Locked || t2.Status != backoffice.Approved || one(t, h.store.Calculations(), "c1").CustomerID != "b" {
			t.Errorf("the transcripts are %+v and %+v", t1, t2)
		}
		for file, loaded := range h.mustLoad(t, swapped) {
			if loaded.Unchanged != 2 {
				t.Errorf("%s: again, the import did %+v", file, loaded)
			}
		}
	})
}

func TestARelationMayComeBackInAnotherPeriod(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, h *env) {
		h.mustLoad(t, only(t, "customers.ndjson", `{"_id":"a","type":"Company"}`, `{"_id":"b","type":"Company"}`))
		line := func(id, first, last string) string {
			return `{"_id":"` + id + `","kind":"shareholder","customer":"a","relatedCustomer":"b","startDate":` + first + `,"endDate":` + last + `}`
		}
		relations := func(lines ...string) string { return only(t, "relations.ndjson", lines...) }
		loaded := h.mustLoad(t, relations(line("r1", `null`, `"2020-12-31"`), line("r2", `"2021-01-01"`, `"2021-12-31"`), line("r3", `"2023-01-01"`, `null`)))
		if got := loaded["relations.ndjson"]; got.Created != 3 {
			t.Fatalf("the import did %+v", got)
		}
		for _, file := range []string{
			relations(line("r4", `"2022-01-01"`, `null`)),
			relations(line("r4", `"2022-01-01"`, `"2022-02-01"`), line("r5", `"2022-02-01"`, `"2022-03-01"`)),
			relations(line("r1", `null`, `null`), line("r2", `"2023-01-01"`, `null`)),
		} {
			_, err := h.load(t.Context(), file)
			if bad := (*BadFile)(nil); !errors.As(err, &bad) || bad.Lines[0].Faults[0].Why != taken {
				t.Errorf("%v", err)
			}
		}
		// The first gives its days to the second, which gives its own to the first.
		swapped := relations(line("r1", `"2021-01-01"`, `"2022-12-31"`), line("r2", `null`, `"2020-12-31"`))
		if got := h.mustLoad(t, swapped)["relations.ndjson"]; got.Updated != 2 {
			t.Errorf("the import did %+v", got)
		}
		if r := one(t, h.store.Relations(), "r1"); r.StartDate != "2021-01-01" || r.EndDate != "2022-12-31" || r.Version != 2 {
			t.Errorf("%+v", r)
		}
		if got := h.mustLoad(t, swapped)["relations.ndjson"]; got.Unchanged != 2 {
			t.Errorf("again, the import did %+v", got)
		}
	})
}

func TestADeletedRecordLeavesItsValueToAnotherLine(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, h *env) {
		h.mustLoad(t, only(t, "customers.ndjson", `{"_id":"a","type":"Company","customerCode":"A"}`))
		loaded := h.mustLoad(t, only(t, "customers.ndjson", `{"_id":"b","type":"Company","customerCode":"A"}`, `{"_id":"a","_deleted":true}`))
		if got := loaded["customers.ndjson"]; got.Created != 1 || got.Deleted != 1 {
			t.Errorf("the import did %+v", got)
		}
	})
}

func TestCodesGoRoundAmongMoreCustomersThanTravelTogether(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, h *env) {
		const n = 2*chunkRows + 500
		folder := func(shift int) string {
			lines := make([]string, n)
			for i := range lines {
				lines[i] = fmt.Sprintf(`{"_id":"c%04d","type":"Company","customerCode":"K%d"}`, i, (i+shift)%n)
			}
			return only(t, "customers.ndjson", lines...)
		}
		h.mustLoad(t, folder(0))
		if got := h.mustLoad(t, folder(1))["customers.ndjson"]; got.Updated != n {
			t.Errorf("the import did %+v", got)
		}
		if got := h.mustLoad(t, folder(1))["customers.ndjson"]; got.Unchanged != n {
			t.Errorf("again, the import did %+v", got)
		}
	})
}

// TestTheEndOfAFileDecidesWhoHasACode compares imports of random lines with a model in which all lines take effect at
// once.
func TestTheEndOfAFileDecidesWhoHasACode(t *testing.T) {
	t.Parallel()
	h := newEnv(t)
	ids, codes := []string{"a", "b", "c", "d", "e", "f"}, []string{"", "1", "2", "3", "4"}
	model := map[string]string{}
	rapid.Check(t, func(r *rapid.T) {
		next := map[string]string{}
		for id, code := range model {
			next[id] = code
		}
		var lines []string
		for _, id := range rapid.Permutation(ids).Draw(r, "order")[:rapid.IntRange(1, len(ids)).Draw(r, "lines")] {
			if rapid.IntRange(0, 5).Draw(r, "delete") == 0 {
				delete(next, id)
				lines = append(lines, `{"_id":"`+id+`","_deleted":true}`)
				continue
			}
			code := rapid.SampledFrom(codes).Draw(r, "code")
			next[id] = code
			value := `"` + code + `"`
			if code == "" {
				value = "null"
			}
			lines = append(lines, `{"_id":"`+id+`","type":"Company","customerCode":`+value+`}`)
		}
		owners := map[string]int{}
		sound := true
		for _, code := range next {
			owners[code]++
			sound = sound && (code == "" || owners[code] == 1)
		}
		_, err := h.load(t.Context(), only(t, "customers.ndjson", lines...))
		if sound != (err == nil) {
			r.Fatalf("from %v, %v gives %v", model, lines, err)
		}
		if sound {
			model = next
		}
		for _, id := range ids {
			row := one(t, h.store.Customers(), id)
			code, there := model[id]
			if there != (row != nil) || there && string(row.CustomerCode) != code {
				r.Fatalf("%s is %+v, not there %t with code %q", id, row, there, code)
			}
		}
	})
}

func TestEachLineThatWantsWhatAnotherKeepsIsTold(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, h *env) {
		h.mustLoad(t, only(t, "customers.ndjson", `{"_id":"a","type":"Company","customerCode":"A"}`, `{"_id":"b","type":"Company","customerCode":"B"}`,
			`{"_id":"c","type":"Company","customerCode":"C"}`))
		got := reports(t, h, only(t, "customers.ndjson", `{"_id":"a","customerCode":"B"}`, `{"_id":"c","customerCode":"B"}`, `{"_id":"d","type":"Company","customerCode":"A"}`, `{"_id":"b","name":"b"}`))
		wanted := []string{"customers.ndjson:1: customerCode: " + taken, "customers.ndjson:2: customerCode: " + taken}
		if !slices.Equal(got, wanted) {
			t.Errorf("it is reported as\n%s", strings.Join(got, "\n"))
		}
	})
}

func TestALineThatIsRejectedForItsCodeKeepsTheCodeOfItsRecord(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, h *env) {
		h.mustLoad(t, only(t, "customers.ndjson", `{"_id":"c1","type":"Company","customerCode":"A"}`))
		importer := &Importer{Store: h.store, Files: h.files, Keys: h.keys, Rejects: t.TempDir()}
		all, err := importer.Import(t.Context(), only(t, "customers.ndjson", `{"_id":"c3","type":"Company","customerCode":"X"}`,
			`{"_id":"c1","customerCode":"X"}`, `{"_id":"c4","type":"Company","customerCode":"A"}`))
		must(t, err)
		if all[0].Created != 1 || all[0].Rejected != 2 || one(t, h.store.Customers(), "c1").CustomerCode != "A" || one(t, h.store.Customers(), "c4") != nil {
			t.Errorf("it did %+v", all)
		}
	})
}

func TestARelationThatOverlapsTwoStoredPeriodsIsRejectedOnce(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, h *env) {
		h.mustLoad(t, only(t, "customers.ndjson", `{"_id":"a","type":"Company"}`, `{"_id":"b","type":"Company"}`))
		line := func(id, days string) string {
			return `{"_id":"` + id + `","kind":"shareholder","customer":"a","relatedCustomer":"b"` + days + `}`
		}
		h.mustLoad(t, only(t, "relations.ndjson", line("r1", `,"startDate":"2020-01-01","endDate":"2020-12-31"`), line("r2", `,"startDate":"2023-01-01"`)))
		folder := only(t, "relations.ndjson", line("r3", ""))
		if got := reports(t, h, folder); len(got) != 1 {
			t.Errorf("it is reported as %q", got)
		}
		importer := &Importer{Store: h.store, Files: h.files, Keys: h.keys, Rejects: filepath.Join(t.TempDir(), "rejects")}
		all, err := importer.Import(t.Context(), folder)
		must(t, err)
		if lines := linesOf(t, filepath.Join(importer.Rejects, "relations.ndjson")); len(lines) != 1 || all[0].Rejected != 1 {
			t.Errorf("it did %+v, and the rejects are %q", all[0], lines)
		}
	})
}
