package execute_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"example.org/backoffice/backoffice"
	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"
)

// world answers every field with data and faults that follow from a seed, the field, its parent and its arguments
// alone: whoever executes an operation finds the same.
type world struct {
	seed   uint64
	faults int // 0 for none; the larger, the rarer
}

// dice are thrown alike for equal words.
func (w *world) dice(words ...string) *rand.Rand {
	h := fnv.New64a()
	for _, word := range words {
		_, _ = h.Write([]byte(word))
		_, _ = h.Write([]byte{0})
	}
	return rand.New(rand.NewPCG(w.seed, h.Sum64()))
}

// oneIn is true once in n throws where faults are frequent.
func (w *world) oneIn(d *rand.Rand, n int) bool { return w.faults > 0 && d.IntN(n*w.faults) == 0 }

func (w *world) failure(d *rand.Rand, field string) error {
	switch d.IntN(4) {
	case 0:
		return &gqlerror.Error{Message: field + " is refused", Extensions: map[string]any{"code": "REFUSED"}}
	case 1:
		return fmt.Errorf("wrapped: %w", &gqlerror.Error{Message: field + " is refused deep down"})
	}
	return errors.New(field + " failed")
}

// single answers a root field.
func single[R any](w *world, ctx context.Context, field string, args []any, one func(d *rand.Rand) R) (result R, err error) {
	if fc := graphql.GetFieldContext(ctx); fc == nil || fc.Path().String() == "" {
		panic("a root resolver finds its field in the context")
	}
	d := w.dice(field, text(args))
	switch {
	case w.oneIn(d, 20):
		return result, w.failure(d, field)
	case w.oneIn(d, 60):
		panic(field + " panics")
	case w.oneIn(d, 60):
		graphql.AddErrorf(ctx, "%s has told its error", field)
		return result, nil
	}
	return one(d), nil
}

// batch answers a field of many parents. key tells parents apart.
func batch[P, R any](w *world, field string, parents []*P, key func(*P) string, args []any, one func(d *rand.Rand, parent *P) R) ([]R, error) {
	d := w.dice(field, text(args))
	switch {
	case w.oneIn(d, 30):
		return nil, w.failure(d, field)
	case w.oneIn(d, 100):
		panic(field + " panics")
	case w.oneIn(d, 100):
		return make([]R, len(parents)+1), nil
	}
	if err := paging(args); err != nil {
		return nil, err
	}
	results := make([]R, len(parents))
	errs := make(graphql.BatchErrorList, len(parents))
	failed := false
	for i, parent := range parents {
		if parent == nil {
			continue
		}
		d := w.dice(field, text(args), key(parent))
		results[i] = one(d, parent)
		if w.oneIn(d, 5) {
			errs[i], failed = w.failure(d, field), true
		}
	}
	if failed {
		return results, errs
	}
	return results, nil
}

func text(args []any) string {
	data, err := json.Marshal(args)
	if err != nil {
		panic(err)
	}
	return string(data)
}

// paging refuses the page sizes that the product refuses.
func paging(args []any) error {
	if len(args) < 6 {
		return nil
	}
	page := backoffice.PageArgs{First: args[0].(*int), Last: args[2].(*int), Page: args[4].(*int), PageSize: args[5].(*int)}
	_, err := page.Window(backoffice.ByID, nil)
	return err
}

// maybe is nil now and then.
func maybe[T any](w *world, d *rand.Rand, n int, make func(*rand.Rand) *T) *T {
	if w.oneIn(d, n) {
		return nil
	}
	return make(d)
}

func some[T any](w *world, d *rand.Rand, make func(*rand.Rand) *T) []*T {
	if w.oneIn(d, 12) {
		return nil
	}
	list := []*T{}
	for range d.IntN(5) {
		list = append(list, maybe(w, d, 12, make))
	}
	return list
}

var strange = []string{
	"", "x", "Peeters & Zonen", "with \"quotes\" and \\", "tab\tnewline\nreturn\r", "bell\x07 escape\x1b delete\x7f",
	"déjà vu", "日本語", "emoji 🦊", "line\u2028separator", "broken \xff\xc3", "<script>&amp;", strings.Repeat("long ", 40),
}

func word(d *rand.Rand) string           { return strange[d.IntN(len(strange))] }
func text1(d *rand.Rand) backoffice.Text { return backoffice.Text(word(d)) }
func id(d *rand.Rand) string             { return fmt.Sprintf("id-%x", d.Uint32()) }
func instant(d *rand.Rand) backoffice.Instant {
	return backoffice.InstantAt(d.Int64N(4e12)-1e12) * backoffice.Instant(min(1, d.IntN(3)))
}
func pick[T any](d *rand.Rand, from []T) T { return from[d.IntN(len(from))] }

func (w *world) customer(d *rand.Rand) *backoffice.Customer {
	return &backoffice.Customer{
		ID: id(d), Type: backoffice.Company, OwnName: text1(d), DisplayName: word(d), FirstName: text1(d),
		Scopes: pick(d, [][]string{nil, {}, {"checklist"}, {"a", word(d)}}), KboNumber: text1(d),
		CompanyType: pick(d, []backoffice.LegalForm{"", "BV", "NV"}), Address: backoffice.Address{Street: text1(d), City: text1(d)},
		Email: text1(d), CreatedAt: instant(d), UpdatedAt: instant(d), Version: d.IntN(1000) - 1,
	}
}

func (w *world) relation(d *rand.Rand) *backoffice.CustomerRelation {
	return &backoffice.CustomerRelation{ID: id(d), Kind: pick(d, backoffice.RelationKinds), SharePercent: pick(d, []backoffice.Text{"", "25", "33.3333"}), StartDate: text1(d), Nominee: d.IntN(2) == 0, CreatedAt: instant(d), Version: d.IntN(9)}
}

func (w *world) user(d *rand.Rand) *backoffice.User {
	return &backoffice.User{ID: id(d), FirstName: word(d), LastName: word(d), Email: word(d), Language: text1(d), Version: d.IntN(9)}
}

func (w *world) label(d *rand.Rand) *backoffice.Label {
	return &backoffice.Label{ID: id(d), Name: word(d), Color: text1(d), CreatedAt: instant(d)}
}

func (w *world) year(d *rand.Rand) *backoffice.FinancialYear {
	return &backoffice.FinancialYear{ID: id(d), StartDate: "2025", EndDate: word(d), IsCurrentYear: d.IntN(2) == 0, ArchivedAt: instant(d)}
}

func (w *world) checklist(d *rand.Rand) *backoffice.Checklist {
	return &backoffice.Checklist{ID: id(d), Name: word(d), Language: word(d), AuthRequired: d.IntN(2) == 0}
}

func (w *world) transcript(d *rand.Rand) *backoffice.Transcript {
	numbers := []float64{0, 100, 12.5, 1e21, 1.0 / 3, 1e-7, 123456789}
	if w.faults > 0 {
		numbers = append(numbers, math.NaN(), math.Inf(1))
	}
	return &backoffice.Transcript{
		ID: id(d), Status: pick(d, backoffice.TranscriptStatuses), UpdatedAt: instant(d), IsCompleted: d.IntN(2) == 0,
		ProgressPercentage: pick(d, numbers), DocumentGenerated: d.IntN(2) == 0, Document: maybe(w, d, 9, w.file),
		CustomVariables: pick(d, []backoffice.JSON{backoffice.JSON(`{"a":[1,null]}`), ""}),
	}
}

func (w *world) calculation(d *rand.Rand) *backoffice.Calculation {
	return &backoffice.Calculation{ID: id(d), State: "LOCKED", UpdatedAt: instant(d), Proposal: maybe(w, d, 3, w.file)}
}

func (w *world) file(d *rand.Rand) *backoffice.File {
	return &backoffice.File{Key: id(d), ContentType: word(d), Size: d.IntN(1e9), MD5Hash: word(d), TimeCreated: instant(d)}
}

func (w *world) document(d *rand.Rand) *backoffice.CustomerDocument {
	return &backoffice.CustomerDocument{ID: id(d), Name: word(d), CreatedAt: instant(d), File: maybe(w, d, 9, w.file)}
}

func (w *world) minfin(d *rand.Rand) *backoffice.MinfinDocument {
	return &backoffice.MinfinDocument{ID: id(d), Name: word(d), DocumentType: word(d), SynchronisedAt: instant(d), File: maybe(w, d, 9, w.file)}
}

func (w *world) access(d *rand.Rand) *backoffice.Consultation {
	return &backoffice.Consultation{
		ID: id(d), At: instant(d), ClientID: word(d), Purpose: maybe(w, d, 2, wordAt), Operation: "READ",
		Fields: slices.Clip([]backoffice.PrivacyField{"REGISTRATION_NUMBER"}[:d.IntN(2)]),
	}
}

func wordAt(d *rand.Rand) *string { text := word(d); return &text }

func (w *world) node(d *rand.Rand) backoffice.Node {
	switch d.IntN(15) {
	case 0:
		return nil
	case 1:
		return w.relation(d)
	case 2:
		return w.user(d)
	case 3:
		return w.label(d)
	case 4:
		return w.year(d)
	case 5:
		return w.checklist(d)
	case 6:
		return w.transcript(d)
	case 7:
		return w.calculation(d)
	case 8:
		return w.document(d)
	case 9:
		return w.minfin(d)
	case 10:
		return w.access(d)
	case 11:
		return w.discrepancy(d)
	case 12:
		return (*backoffice.Customer)(nil)
	}
	return w.customer(d)
}

func errorsOf(w *world, d *rand.Rand) []*backoffice.UserError {
	return some(w, d, func(d *rand.Rand) *backoffice.UserError {
		return &backoffice.UserError{Code: "INVALID", Message: word(d), Field: pick(d, [][]string{nil, {}, {"address", "city"}})}
	})
}

// page makes a connection. A nil among its rows makes the cursors of that page panic.
func page[T backoffice.Entity, C comparable](w *world, d *rand.Rand, rows []T) *backoffice.Connection[T, C] {
	list := &backoffice.List[C]{Seal: func(_ backoffice.Order, p backoffice.Position) string { return "cursor of " + p.ID }}
	return &backoffice.Connection[T, C]{List: list, Parent: id(d), Items: rows, More: d.IntN(2) == 0}
}
