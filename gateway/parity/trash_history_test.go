package parity

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway/gatewaytest"
)

// plainTrash is an office with a trash as maps have it.
type plainTrash struct {
	codes     map[string]string    // customers: their codes
	relations map[string][2]string // relations, all of one kind
	documents map[string]string    // documents: whose they are
	trash     map[string]plainDeletion
}

type plainDeletion struct {
	customer  bool
	code      string
	relations map[string][2]string
	documents map[string]string
}

// remove deletes a customer.
func (m *plainTrash) remove(id string) {
	d := plainDeletion{customer: true, code: m.codes[id], relations: map[string][2]string{}, documents: map[string]string{}}
	for relation, ends := range m.relations {
		if slices.Contains(ends[:], id) {
			d.relations[relation] = ends
			delete(m.relations, relation)
		}
	}
	for document, of := range m.documents {
		if of == id {
			d.documents[document] = of
			delete(m.documents, document)
		}
	}
	delete(m.codes, id)
	m.trash[id] = d
}

// restore brings back, or tells that it is refused.
func (m *plainTrash) restore(ids []string) bool {
	next := plainTrash{maps.Clone(m.codes), maps.Clone(m.relations), maps.Clone(m.documents), maps.Clone(m.trash)}
	for _, id := range ids {
		d, there := m.trash[id]
		if !there {
			return false
		}
		delete(next.trash, id)
		if d.customer {
			if d.code != "" && slices.Contains(slices.Collect(maps.Values(next.codes)), d.code) {
				return false
			}
			next.codes[id] = d.code
		}
		maps.Copy(next.documents, d.documents)
	}
	for _, id := range ids {
		for relation, ends := range m.trash[id].relations {
			_, one := next.codes[ends[0]]
			_, other := next.codes[ends[1]]
			switch {
			case !one || !other:
				if !m.trash[id].customer {
					return false
				}
				next.trash[relation] = plainDeletion{relations: map[string][2]string{relation: ends}}
			case slices.Contains(slices.Collect(maps.Values(next.relations)), ends):
				return false
			default:
				next.relations[relation] = ends
			}
		}
	}
	*m = next
	return true
}

// storedTrash is the office of a store in the same form.
func storedTrash(t *testing.T, o *gatewaytest.Office) *plainTrash {
	t.Helper()
	m := &plainTrash{map[string]string{}, map[string][2]string{}, map[string]string{}, map[string]plainDeletion{}}
	for _, c := range gatewaytest.All(t, o.Store.Customers()) {
		m.codes[c.ID] = string(c.CustomerCode)
	}
	for _, r := range gatewaytest.All(t, o.Store.Relations()) {
		m.relations[r.ID] = [2]string{r.CustomerID, r.RelatedCustomerID}
	}
	for _, d := range gatewaytest.All(t, o.Store.Documents()) {
		m.documents[d.ID] = d.CustomerID
	}
	for _, entry := range o.InTrash(t) {
		d := plainDeletion{customer: entry.Noun == backoffice.NounCustomer, relations: map[string][2]string{}}
		for _, c := range backoffice.CustomerTable.In(entry) {
			d.code = string(c.CustomerCode)
		}
		for _, r := range backoffice.RelationTable.In(entry) {
			d.relations[r.ID] = [2]string{r.CustomerID, r.RelatedCustomerID}
		}
		if d.customer {
			d.documents = map[string]string{}
		}
		for _, document := range backoffice.DocumentTable.In(entry) {
			d.documents[document.ID] = document.CustomerID
		}
		m.trash[entry.ID] = d
	}
	return m
}

func TestRandomDeletionsAndRestoresAreThoseOfPlainMaps(t *testing.T) {
	t.Parallel()
	for engine, database := range gatewaytest.Engines {
		for seed := range uint64(4) {
			t.Run(fmt.Sprint(engine, " ", seed), func(t *testing.T) {
				t.Parallel()
				settings := gatewaytest.Settings(t, database(t))
				h, err := settings.Open(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				o := gatewaytest.ServeConfig(t, h, gatewaytest.Config(gatewaytest.Limits()))
				service := o.Service()
				service.Trash = time.Hour
				m := storedTrash(t, o)
				random := rand.New(rand.NewPCG(seed, 23))
				restored, refused := 0, 0
				for range 150 {
					if what := randomStep(t, o, service, m, random, &restored, &refused); !cmp.Equal(m, storedTrash(t, o), cmp.AllowUnexported(plainTrash{}, plainDeletion{})) {
						t.Fatalf("after %s: %s", what, cmp.Diff(m, storedTrash(t, o), cmp.AllowUnexported(plainTrash{}, plainDeletion{})))
					}
				}
				if restored < 5 || refused < 2 {
					t.Errorf("only %d restores and %d refusals", restored, refused)
				}
				kept := len(m.documents)
				if _, err := service.EmptyTrash(t.Context(), slices.Collect(maps.Keys(m.trash))...); err != nil || len(o.InTrash(t)) > 0 || o.KeptFiles(t) != kept {
					t.Errorf("%d files are kept of %d documents (%v)", o.KeptFiles(t), kept, err)
				}
			})
		}
	}
}

// randomStep does something at random to the store and to the maps.
func randomStep(t *testing.T, o *gatewaytest.Office, service *backoffice.Service, m *plainTrash, random *rand.Rand, restored, refused *int) (what string) {
	t.Helper()
	by := &backoffice.Principal{ClientID: "random", Scopes: backoffice.AllScopes}
	one := func(of []string) string {
		slices.Sort(of)
		if len(of) == 0 {
			return "nobody"
		}
		return of[random.IntN(len(of))]
	}
	customers := slices.Collect(maps.Keys(m.codes))
	ok := func(err error) bool {
		if err != nil && backoffice.KindOf(err) != backoffice.Refused {
			t.Fatal(err)
		}
		return err == nil
	}
	switch at := random.IntN(12); at {
	case 0, 1, 2:
		code := []string{"", "A", "B", "C"}[random.IntN(4)]
		fields := backoffice.CustomerFields{Type: backoffice.Value(backoffice.Company)}
		if code != "" {
			fields.CustomerCode = backoffice.Value(code)
		}
		if c, err := service.CreateCustomer(t.Context(), by, fields, backoffice.Optional[string]{}); ok(err) {
			m.codes[c.ID] = code
		}
		return "a customer"
	case 3, 4, 5:
		draft := backoffice.RelationDraft{CustomerID: one(customers), RelatedCustomerID: one(customers), Kind: backoffice.UBO}
		if r, err := service.CreateRelation(t.Context(), by, draft, backoffice.Optional[string]{}); ok(err) {
			m.relations[r.ID] = [2]string{r.CustomerID, r.RelatedCustomerID}
		}
		return "a relation"
	case 6:
		draft := backoffice.DocumentDraft{CustomerID: one(customers), Name: "a.txt", ContentType: "text/plain", Content: strings.NewReader("a"), Max: 10}
		if d, err := service.CreateDocument(t.Context(), by, draft, backoffice.Optional[string]{}); ok(err) {
			m.documents[d.ID] = d.CustomerID
		}
		return "a document"
	case 7, 8:
		id := one(customers)
		if _, err := service.DeleteCustomer(t.Context(), by, id, nil); ok(err) {
			m.remove(id)
		}
		return "deleting a customer"
	case 9:
		id := one(slices.Collect(maps.Keys(m.relations)))
		if ok(service.DeleteRelation(t.Context(), by, id, nil)) {
			m.trash[id] = plainDeletion{relations: map[string][2]string{id: m.relations[id]}}
			delete(m.relations, id)
		}
		return "deleting a relation"
	default:
		in := slices.Collect(maps.Keys(m.trash))
		ids := backoffice.Unique([]string{one(in), one(in)}[:1+random.IntN(2)])
		_, err := service.RestoreTrashed(t.Context(), ids...)
		if done := ok(err); done != m.restore(ids) {
			t.Fatalf("restoring %v: %v", ids, err)
		} else if done {
			*restored++
		} else {
			*refused++
		}
		return "a restore"
	}
}

// The same customer is brought back by many at once: once.
func TestManyWhoRestoreAndDeleteAtOnceLeaveOneOfEach(t *testing.T) {
	t.Parallel()
	for engine, database := range gatewaytest.Engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			o := openTrashing(t, database(t), time.Hour)
			service := o.Service()
			service.Trash = time.Hour
			by := &backoffice.Principal{ClientID: "many", Scopes: backoffice.AllScopes}
			before := storedTrash(t, o)
			for range 5 {
				crowd := func(do func(ctx context.Context) error) int {
					return atOnce(t, slices.Repeat([]func(context.Context) error{do}, 10)...)
				}
				if n := crowd(func(ctx context.Context) error { _, err := service.DeleteCustomer(ctx, by, "acme", nil); return err }); n != 1 {
					t.Fatalf("%d have deleted it", n)
				}
				if n := crowd(func(ctx context.Context) error { _, err := service.RestoreTrashed(ctx, "acme"); return err }); n != 1 {
					t.Fatalf("%d have brought it back", n)
				}
			}
			if diff := cmp.Diff(before, storedTrash(t, o), cmp.AllowUnexported(plainTrash{}, plainDeletion{})); diff != "" {
				t.Error(diff)
			}
		})
	}
}
