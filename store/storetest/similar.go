package storetest

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"example.org/backoffice/backoffice"
)

// testSimilar asks for names that are like others among so many that not all are found that could be, and holds the
// answers against a walk over all of them: so that every engine finds the same.
func testSimilar(t *testing.T, newStore func(t testing.TB) backoffice.Store) {
	SkipUnderRace(t)
	store := newStore(t)
	r := rand.New(rand.NewPCG(7, 8))
	parts := []string{"jan", "sen", "s", "pee", "ters", "de ", "van ", "berg", "he", "mer", "tens", "é", "'", "Straße ", "x", "日本"}
	var rows []*backoffice.Customer
	for i := range backoffice.MaxSimilar + 150 {
		name := "Janssens"
		if i%5 == 0 {
			name = ""
			for range 2 + r.IntN(5) {
				name += parts[r.IntN(len(parts))]
			}
		}
		c := &backoffice.Customer{ID: fmt.Sprintf("c%d", r.IntN(1000)*1000+i), Type: backoffice.Company, OwnName: backoffice.Text(name), Version: 1 + i%2}
		c.DisplayName = backoffice.DisplayNameOf(c)
		c.Language = backoffice.Text([]string{"dutch", "french"}[i%2])
		rows = append(rows, c)
	}
	write(t, store, func(ctx context.Context, tx backoffice.Tx) error { return tx.Customers().Upsert(ctx, rows) })
	t.Run("of many that are like a search the most similar are found, on every engine the same", func(t *testing.T) {
		ctx, cut := t.Context(), false
		rapid.Check(t, func(t *rapid.T) {
			ask := backoffice.ListQuery[backoffice.CustomerCriteria]{Order: backoffice.Order{Key: backoffice.KeyRelevance}}
			ask.Criteria.Fuzzy = drawFuzzy(t, rapid.SampledFrom(rows).Draw(t, "like").DisplayName)
			if ask.Criteria.Fuzzy == "" { // the letters that were changed were all there were: it is no search
				t.Skip()
			}
			ask.Criteria.Language = either(t, "language", "dutch")
			ask.Window = backoffice.Window{Limit: rapid.SampledFrom([]int{0, 3, 500}).Draw(t, "limit"), Backward: rapid.Bool().Draw(t, "backward")}
			found := mostSimilar(rows, ask.Criteria)
			cut = cut || len(found) == backoffice.MaxSimilar
			if len(found) > 0 && rapid.Bool().Draw(t, "goes on") {
				ask.Window.HasAfter, ask.Window.After = true, found[rapid.IntRange(0, len(found)-1).Draw(t, "after")]
			}
			counts, err := backoffice.ReadCounts(ctx, store.Customers(), backoffice.Root, ask.Criteria, nil)
			if err != nil || counts[backoffice.NoParent] != len(found) {
				t.Fatalf("%q: counted %d, want %d (%v)", ask.Criteria.Fuzzy, counts[backoffice.NoParent], len(found), err)
			}
			if ask.Window.HasAfter {
				found = found[slices.Index(found, ask.Window.After)+1:]
			}
			shown := found[:min(len(found), ask.Window.Limit)]
			if ask.Window.Backward {
				shown = found[max(0, len(found)-ask.Window.Limit):]
			}
			pages, err := backoffice.ReadPages(ctx, store.Customers(), ask, nil, 0)
			page := pages[backoffice.NoParent]
			if diff := gocmp.Diff(shown, page.Positions, cmpopts.EquateEmpty()); diff != "" || page.More != (len(shown) < len(found)) || err != nil {
				t.Fatalf("%+v (%v) (-wanted +got):\n%s", ask, err, diff)
			}
		})
		if !cut {
			t.Error("never were there too many")
		}
	})
}

// mostSimilar are the places of those whom a search finds, in order.
func mostSimilar(rows []*backoffice.Customer, c backoffice.CustomerCriteria) (places []backoffice.Position) {
	trigrams := backoffice.Trigrams(c.Fuzzy)
	shared := map[string]int{}
	var found []*backoffice.Customer
	for _, row := range rows {
		text := backoffice.SearchTextOf(row)
		for _, trigram := range trigrams {
			if strings.Contains(text, trigram) {
				shared[row.ID]++
			}
		}
		if like(row, c.Fuzzy) && is(c.Language, string(row.Language)) {
			found = append(found, row)
		}
	}
	slices.SortFunc(found, func(a, b *backoffice.Customer) int {
		return cmp.Or(shared[b.ID]-shared[a.ID], strings.Compare(backoffice.Fold(a.DisplayName), backoffice.Fold(b.DisplayName)), strings.Compare(a.ID, b.ID))
	})
	for _, row := range found[:min(len(found), backoffice.MaxSimilar)] {
		places = append(places, backoffice.SimilarPlace(trigrams, row))
	}
	slices.SortFunc(places, func(a, b backoffice.Position) int { return a.Compare(b, false) })
	return places
}
