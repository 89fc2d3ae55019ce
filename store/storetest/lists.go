package storetest

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"example.org/backoffice/backoffice"
)

func testLists(t *testing.T, newStore func(t testing.TB) backoffice.Store) {
	SkipUnderRace(t)
	store := newStore(t)
	crowd().insert(t, store)
	o := crowd()
	run := func(name string, check func(t *testing.T)) {
		t.Run("every window of every list of "+name+" holds the rows it should, and counts agree", check)
	}
	run("years", func(t *testing.T) { o.yearModel().check(t, store.FinancialYears()) })
	run("checklists", func(t *testing.T) { o.checklistModel().check(t, store.Checklists()) })
	run("transcripts", func(t *testing.T) { o.transcriptModel().check(t, store.Transcripts()) })
	run("calculations", func(t *testing.T) { o.calculationModel().check(t, store.Calculations()) })
	run("customers", func(t *testing.T) { o.customerModel().check(t, store.Customers()) })
	run("customers without numbers", func(t *testing.T) { withoutNumbers(o.customerModel()).check(t, store.CustomersWithoutNumbers()) })
	run("relations", func(t *testing.T) { o.relationModel().check(t, store.Relations()) })
	run("documents", func(t *testing.T) { o.documentModel().check(t, store.Documents()) })
	run("minfin documents", func(t *testing.T) { o.minfinModel().check(t, store.MinfinDocuments()) })
	run("discrepancies", func(t *testing.T) { o.discrepancyModel().check(t, store.Discrepancies()) })
	run("users", func(t *testing.T) { o.userModel().check(t, store.Users()) })
	run("labels", func(t *testing.T) { o.labelModel().check(t, store.Labels()) })

	t.Run("transcripts are found by a variable, however its key is written", func(t *testing.T) {
		m, ctx := o.transcriptModel(), t.Context()
		rapid.Check(t, func(t *rapid.T) {
			ask := backoffice.ListQuery[backoffice.TranscriptCriteria]{Criteria: backoffice.TranscriptCriteria{Variable: drawVariable(t)}}
			if pick(t, "not", false, true) {
				ask.Criteria = backoffice.TranscriptCriteria{Not: backoffice.NestedOf(ask.Criteria)}
			}
			checkStatusCounts(ctx, t, store, m, ask, []string{backoffice.NoParent})
		})
	})

	t.Run("a filter of more conditions than a statement takes is bad input, and of fewer is answered", func(t *testing.T) {
		for alternatives, fits := range map[int]bool{10: true, 50: true, 600: false, 2_500: false} {
			var all []backoffice.CustomerCriteria
			for i := range alternatives {
				text := strconv.Itoa(i)
				all = append(all, backoffice.CustomerCriteria{
					Language: text, ResponsibleID: text, EmailFolded: text, CustomerCode: text, KboNumber: text, Scope: text,
					City: text, PostalCode: text, Country: text, LabelID: text, WithoutChecklistID: text, MissingChecklistOf: text,
					Created: backoffice.Span{HasFrom: true, HasTo: true, To: backoffice.Instant(i)},
				})
			}
			var arms []backoffice.CustomerCriteria
			for some := range slices.Chunk(all, backoffice.MaxAlternatives) {
				arms = append(arms, backoffice.CustomerCriteria{Any: backoffice.NestedOf(some...)})
			}
			criteria := backoffice.CustomerCriteria{Any: backoffice.NestedOf(arms...)}
			_, err := backoffice.ReadCounts(t.Context(), store.Customers(), backoffice.Root, criteria, nil)
			if fits != (err == nil) || !fits && backoffice.KindOf(err) != backoffice.BadInput {
				t.Errorf("%d alternatives: %v (%v)", alternatives, err, errorCause(err))
			}
		}
	})

	t.Run("transcripts are counted by status, in the order of the statuses", func(t *testing.T) {
		m, ctx := o.transcriptModel(), t.Context()
		rapid.Check(t, func(t *rapid.T) {
			ask, parents := m.drawAsk(t)
			checkStatusCounts(ctx, t, store, m, ask, parents)
		})
	})
}

// readStatusCounts counts each parent's list by status, by parent.
func readStatusCounts(ctx context.Context, r backoffice.TranscriptReader, under backoffice.Parent, criteria backoffice.TranscriptCriteria, parents []string) (map[string][]backoffice.TranscriptStatusCount, error) {
	if under == backoffice.Root {
		parents = []string{backoffice.NoParent}
	}
	var b backoffice.Batch
	counts := make([][]backoffice.TranscriptStatusCount, len(parents))
	r.StatusCounts(&b, under, criteria, parents, counts)
	if err := r.Send(ctx, &b); err != nil {
		return nil, err
	}
	byParent := map[string][]backoffice.TranscriptStatusCount{}
	for i, parent := range parents {
		byParent[parent] = counts[i]
	}
	return byParent, nil
}

func checkStatusCounts(ctx context.Context, t *rapid.T, store backoffice.Store,
	m *model[backoffice.Transcript, *backoffice.Transcript, backoffice.TranscriptCriteria], ask backoffice.ListQuery[backoffice.TranscriptCriteria], parents []string) {
	got, err := readStatusCounts(ctx, store.Transcripts(), ask.Parent, ask.Criteria, parents)
	if err != nil {
		t.Fatalf("%+v: %v (%v)", ask, err, errorCause(err))
	}
	want := map[string][]backoffice.TranscriptStatusCount{}
	for _, parent := range parents {
		want[parent] = nil
		list := m.list(ask, parent)
		for _, status := range backoffice.TranscriptStatuses {
			n := 0
			for _, row := range list {
				if row.Status == status {
					n++
				}
			}
			if n > 0 {
				want[parent] = append(want[parent], backoffice.TranscriptStatusCount{Status: status, Count: n})
			}
		}
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("%+v (-wanted +got):\n%s", ask, diff)
	}
}

// either draws one of the values, or the zero value, which is no criterion.
func either[V any](t *rapid.T, name string, values ...V) (v V) {
	if rapid.IntRange(0, 3).Draw(t, name+" is set") > 0 {
		return v
	}
	return rapid.SampledFrom(values).Draw(t, name)
}

// rowOf is a pointer to a record.
type rowOf[T any] interface {
	*T
	backoffice.Entity
}

func ids[R any](rows []R, id func(R) string) []string {
	list := make([]string, len(rows))
	for i, row := range rows {
		list[i] = id(row)
	}
	return list
}

func is[V comparable](wanted, value V) bool {
	var none V
	return wanted == none || wanted == value
}

func (o *office) labelIDs() []string {
	return ids(o.labels, func(l *backoffice.Label) string { return l.ID })
}
func (o *office) yearIDs() []string {
	return ids(o.years, func(y *backoffice.FinancialYear) string { return y.ID })
}
func (o *office) checklistIDs() []string {
	return ids(o.checklists, func(c *backoffice.Checklist) string { return c.ID })
}
func (o *office) customerIDs() []string {
	return ids(o.customers, func(c *backoffice.Customer) string { return c.ID })
}
func (o *office) userIDs() []string {
	return ids(o.users, func(u *backoffice.User) string { return u.ID })
}
func (o *office) transcriptIDs() []string {
	return ids(o.transcripts, func(t *backoffice.Transcript) string { return t.ID })
}

// drawSearch draws a part of what is searched in, or a text that is nowhere.
func drawSearch(t *rapid.T, texts []string) string {
	if rapid.IntRange(0, 2).Draw(t, "search is set") > 0 {
		return ""
	}
	if rapid.IntRange(0, 5).Draw(t, "search is junk") == 0 {
		return rapid.SampledFrom([]string{"nowhere", `"""`, "%%%", "___", `\\\`, "***", "a\x00b", "OR x", "日本x"}).Draw(t, "search")
	}
	text := []rune(strings.ReplaceAll(rapid.SampledFrom(texts).Draw(t, "searched"), "\n", " "))
	if len(text) < 3 {
		return ""
	}
	from := rapid.IntRange(0, len(text)-3).Draw(t, "from")
	return string(text[from:rapid.IntRange(from+3, len(text)).Draw(t, "to")])
}

// contains reports whether a search finds a text: newlines part what is searched in, and no search has one.
func contains(text, search string) bool { return strings.Contains(text, search) }

// afterAll is an instant at which no test writes.
var afterAll = backoffice.InstantAt(9_000_000_000_000)

// writtenSince reports whether a row that a test wrote became visible at an instant or later, whatever it shows.
func writtenSince(wanted backoffice.Instant) bool { return wanted < afterAll }

func since(wanted, at backoffice.Instant) bool { return at >= wanted }

func tristate(wanted backoffice.Tristate, value bool) bool {
	return wanted == backoffice.Either || (wanted == backoffice.Yes) == value
}

func hasStatus(wanted backoffice.StatusSet, status backoffice.TranscriptStatus) bool {
	return wanted == 0 || slices.Contains(wanted.List(), status)
}

// listed reads a list in both directions and counts it.
func listed[T any, C comparable](t *testing.T, reader backoffice.Reader[*T, C], under backoffice.Parent, parent string, criteria C, want int, key backoffice.OrderKey) {
	t.Helper()
	for _, order := range []backoffice.Order{{Key: key}, {Key: key, Descending: true}} {
		ask := backoffice.ListQuery[C]{Parent: under, Criteria: criteria, Order: order, Window: backoffice.Window{Limit: 10}}
		pages, err := backoffice.ReadPages(t.Context(), reader, ask, []string{parent}, 0)
		if err != nil || len(pages[parent].Items) != want {
			t.Errorf("%T: %d rows under %q, want %d (%v)", reader, len(pages[parent].Items), parent, want, err)
		}
	}
	counts, err := backoffice.ReadCounts(t.Context(), reader, under, criteria, []string{parent})
	if err != nil || counts[parent] != want {
		t.Errorf("%T: counted %d under %q, want %d (%v)", reader, counts[parent], parent, want, err)
	}
}
