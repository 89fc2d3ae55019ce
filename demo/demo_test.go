package demo

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/files"
	"example.org/backoffice/privacy"
	"example.org/backoffice/store/sqlite"
)

var today = time.Date(2026, 6, 15, 10, 0, 0, 0, time.UTC)

func newDemo(t testing.TB, customers int) *Demo {
	t.Helper()
	dir := t.TempDir()
	store, err := sqlite.Open(t.Context(), "sqlite:"+filepath.Join(dir, "demo.db"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	folder, err := files.OpenFolder(filepath.Join(dir, "files"))
	if err != nil {
		t.Fatal(err)
	}
	keys, err := privacy.NewKeyset()
	if err != nil {
		t.Fatal(err)
	}
	return &Demo{Store: store, Files: folder, Keys: keys, Customers: customers, Seed: 1, Now: today}
}

func fill(t testing.TB, d *Demo) {
	t.Helper()
	if err := d.Fill(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// every reads all rows of a noun, in a page.
func every[T backoffice.Entity, C comparable](t testing.TB, rows backoffice.Reader[T, C]) []T {
	t.Helper()
	pages, err := backoffice.ReadPages(t.Context(), rows, backoffice.ListQuery[C]{Window: backoffice.Window{Limit: 100_000}}, []string{backoffice.NoParent}, 0)
	if err != nil {
		t.Fatal(err)
	}
	return pages[backoffice.NoParent].Items
}

func TestEveryRecordKeepsTheRulesOfTheDomain(t *testing.T) {
	t.Parallel()
	d := newDemo(t, 1200)
	fill(t, d)
	t.Run("and there is something of everything", func(t *testing.T) { somethingOfEverything(t, d) })
	check := func(id string, wrong []*backoffice.UserError) {
		for _, one := range wrong {
			t.Errorf("%s: %v: %s", id, one.Field, one.Message)
		}
	}
	for _, c := range every(t, d.Store.Customers()) {
		before := *c
		check(c.ID, backoffice.CustomerTable.Check(c))
		if diff := cmp.Diff(&before, c); diff != "" {
			t.Fatalf("%s is not in the form in which it would be stored:\n%s", c.ID, diff)
		}
	}
	for _, r := range every(t, d.Store.Relations()) {
		check(r.ID, backoffice.RelationTable.Check(r))
	}
	for _, row := range every(t, d.Store.Transcripts()) {
		check(row.ID, backoffice.TranscriptTable.Check(row))
		if canonical, err := backoffice.ParseJSON([]byte(row.CustomVariables.String())); err != nil || canonical.String() != row.CustomVariables.String() {
			t.Errorf("%s has custom variables that are not as they would be read", row.ID)
		}
	}
	for _, c := range every(t, d.Store.Calculations()) {
		check(c.ID, backoffice.CalculationTable.Check(c))
	}
	for _, u := range every(t, d.Store.Users()) {
		check(u.ID, backoffice.UserTable.Check(u))
	}
	for _, l := range every(t, d.Store.Labels()) {
		check(l.ID, backoffice.LabelTable.Check(l))
	}
	for _, l := range every(t, d.Store.Checklists()) {
		check(l.ID, backoffice.ChecklistTable.Check(l))
	}
	for _, y := range every(t, d.Store.FinancialYears()) {
		check(y.ID, backoffice.FinancialYearTable.Check(y))
	}
	for _, row := range every(t, d.Store.Documents()) {
		check(row.ID, backoffice.DocumentTable.Check(row))
	}
	for _, row := range every(t, d.Store.MinfinDocuments()) {
		check(row.ID, backoffice.MinfinTable.Check(row))
	}
}

func TestNationalNumbersAreValid(t *testing.T) {
	t.Parallel()
	p := newPlan(1, 1, today)
	r := p.draw(99)
	for range 5000 {
		who := newPerson(r, regionFor(r))
		if _, err := backoffice.ParseNationalNumber(who.number, today); err != nil {
			t.Fatalf("a number that starts with %s is not valid: %v", who.number[:2], err)
		}
	}
}

func TestTheSameSeedMakesTheSameRecordsAndAnotherOneOthers(t *testing.T) {
	t.Parallel()
	first, second, other := newDemo(t, 40), newDemo(t, 40), newDemo(t, 40)
	other.Seed = 2
	for _, d := range []*Demo{first, second, other} {
		fill(t, d)
	}
	ignored := cmp.FilterPath(func(p cmp.Path) bool { return p.Last().String() == ".Key" }, cmp.Ignore())
	sealed := cmp.Comparer(func(a, b backoffice.Sealed) bool { return a.IsZero() == b.IsZero() })
	compare := func(a, b any) string { return cmp.Diff(a, b, ignored, sealed) }
	for name, differs := range map[string][2]string{
		"customers":    {compare(every(t, first.Store.Customers()), every(t, second.Store.Customers())), compare(every(t, first.Store.Customers()), every(t, other.Store.Customers()))},
		"relations":    {compare(every(t, first.Store.Relations()), every(t, second.Store.Relations())), compare(every(t, first.Store.Relations()), every(t, other.Store.Relations()))},
		"transcripts":  {compare(every(t, first.Store.Transcripts()), every(t, second.Store.Transcripts())), compare(every(t, first.Store.Transcripts()), every(t, other.Store.Transcripts()))},
		"calculations": {compare(every(t, first.Store.Calculations()), every(t, second.Store.Calculations())), compare(every(t, first.Store.Calculations()), every(t, other.Store.Calculations()))},
		"documents":    {compare(every(t, first.Store.Documents()), every(t, second.Store.Documents())), compare(every(t, first.Store.Documents()), every(t, other.Store.Documents()))},
	} {
		if differs[0] != "" {
			t.Errorf("the %s of the same seed differ:\n%s", name, differs[0])
		}
		if differs[1] == "" {
			t.Errorf("the %s of another seed are the same", name)
		}
	}
}

func somethingOfEverything(t *testing.T, d *Demo) {
	var b backoffice.Batch
	var counts [1][]backoffice.TranscriptStatusCount
	d.Store.Transcripts().StatusCounts(&b, backoffice.Root, backoffice.TranscriptCriteria{}, nil, counts[:])
	if err := d.Store.Send(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	if got := len(counts[0]); got != len(backoffice.TranscriptStatuses) {
		t.Errorf("transcripts have %d of the %d statuses", got, len(backoffice.TranscriptStatuses))
	}
	states, kinds, forms, scopes, languages := map[any]bool{}, map[any]bool{}, map[any]bool{}, map[any]bool{}, map[any]bool{}
	for _, c := range every(t, d.Store.Calculations()) {
		states[c.State] = true
	}
	edges := map[string][]string{}
	for _, r := range every(t, d.Store.Relations()) {
		kinds[r.Kind] = true
		edges[r.CustomerID] = append(edges[r.CustomerID], r.RelatedCustomerID)
	}
	sealed := 0
	for _, c := range every(t, d.Store.Customers()) {
		forms[c.CompanyType], languages[c.Language] = true, true
		for _, scope := range c.Scopes {
			scopes[scope] = true
		}
		if !c.SpouseRegistration.IsZero() {
			sealed++
		}
	}
	for what, got := range map[string]int{
		"states of calculations": len(states) - len(backoffice.CalculationStates), "kinds of relations": len(kinds) - len(backoffice.RelationKinds),
		"legal forms": len(forms) - 11, "support scopes": len(scopes) - 6, "languages": len(languages) - 4, "spouses": sealed - 100,
		"years": len(every(t, d.Store.FinancialYears())) - 5, "documents": len(every(t, d.Store.Documents())) - 60,
		"minfin documents": len(every(t, d.Store.MinfinDocuments())) - 20,
	} {
		if got < 0 {
			t.Errorf("there are too few %s, by %d", what, -got)
		}
	}
	mutual, longest := 0, 0
	for from, targets := range edges {
		for _, to := range targets {
			for _, back := range edges[to] {
				if back == from {
					mutual++
				}
			}
		}
		longest = max(longest, depth(edges, from, map[string]bool{}))
	}
	if mutual == 0 || longest < 5 {
		t.Errorf("%d relations are mutual, and the longest chain has %d", mutual, longest)
	}
	current, _ := backoffice.ReadCounts(t.Context(), d.Store.FinancialYears(), backoffice.Root, backoffice.FinancialYearCriteria{Current: true}, []string{backoffice.NoParent})
	if current[backoffice.NoParent] != 1 {
		t.Errorf("%d years are current", current[backoffice.NoParent])
	}
}

// depth is how far one gets along relations without coming back, at most 8.
func depth(edges map[string][]string, from string, on map[string]bool) int {
	if len(on) == 8 {
		return 0
	}
	on[from] = true
	defer delete(on, from)
	far := 0
	for _, to := range edges[from] {
		if !on[to] {
			far = max(far, 1+depth(edges, to, on))
		}
	}
	return far
}

func TestAnInterruptedFillIsFinishedByTheNext(t *testing.T) {
	t.Parallel()
	d, whole := newDemo(t, 60), newDemo(t, 60)
	d.chunk, whole.chunk = 20, 20
	fill(t, whole)
	ctx := t.Context()
	if err := d.Store.Write(ctx, newPlan(d.Seed, d.Customers, d.Now).storeFrame); err != nil {
		t.Fatal(err)
	}
	if done, err := Finished(ctx, d.Store); err != nil || done {
		t.Fatalf("a store that was filled in part is said to be finished: %v, %v", done, err)
	}
	fill(t, d)
	if done, err := Finished(ctx, d.Store); err != nil || !done {
		t.Fatalf("a store that was filled is said to be unfinished: %v, %v", done, err)
	}
	if a, b := len(every(t, d.Store.Relations())), len(every(t, whole.Store.Relations())); a != b || a < 60 {
		t.Errorf("there are %d relations, not %d", a, b)
	}
}
