package webhooks

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"example.org/backoffice/backoffice"
)

// move writes customers of two users, gives them from one to the other, relates them and deletes some, and a label
// last.
func (o *office) move(t testing.TB, seed uint64) (last string) {
	t.Helper()
	d := rand.New(rand.NewPCG(seed, 3))
	write := func(do func(ctx context.Context, tx backoffice.Tx) error) {
		if err := o.Write(t.Context(), do); err != nil {
			t.Fatal(err)
		}
	}
	write(func(ctx context.Context, tx backoffice.Tx) error {
		return tx.Users().Upsert(ctx, []*backoffice.User{
			{ID: "user-1", FirstName: "A", LastName: "B", Email: "1@example.org", Version: 1}, {ID: "user-2", FirstName: "A", LastName: "B", Email: "2@example.org", Version: 1},
		})
	})
	customer := func(no int) *backoffice.Customer {
		name := fmt.Sprint("name ", d.IntN(100))
		return &backoffice.Customer{ID: fmt.Sprint("customer-", no), Type: backoffice.Company, OwnName: backoffice.Text(name), DisplayName: name, ResponsibleID: fmt.Sprint("user-", 1+d.IntN(2)), Version: 1}
	}
	for range 30 {
		write(func(ctx context.Context, tx backoffice.Tx) error {
			return tx.Customers().Upsert(ctx, []*backoffice.Customer{customer(d.IntN(8)), customer(8 + d.IntN(4))})
		})
		if d.IntN(4) == 0 {
			write(func(ctx context.Context, tx backoffice.Tx) error {
				_, err := tx.Customers().Delete(ctx, fmt.Sprint("customer-", d.IntN(8)))
				return err
			})
		}
	}
	write(func(ctx context.Context, tx backoffice.Tx) error {
		for no := range 12 {
			if err := tx.Customers().Upsert(ctx, []*backoffice.Customer{customer(no)}); err != nil {
				return err
			}
		}
		for no := range 10 {
			r := &backoffice.CustomerRelation{ID: fmt.Sprint("relation-", no), Kind: backoffice.RelationKinds[0], CustomerID: fmt.Sprint("customer-", no), RelatedCustomerID: fmt.Sprint("customer-", no+1+d.IntN(2)), CreatedAt: 1}
			if err := tx.Relations().Insert(ctx, r); err != nil {
				return err
			}
		}
		return nil
	})
	return o.labels(t, "last", 1)[0]
}

func TestAWebhookOfARestrictedCredentialIsToldWhatTheLogTellsThatCredentialAndNoMore(t *testing.T) {
	t.Parallel()
	for engine, open := range engines {
		t.Run("on "+engine, func(t *testing.T) {
			t.Parallel()
			o := newOffice(t, open(t), nil)
			last := o.move(t, 1)
			restriction, err := backoffice.NewRestriction(backoffice.RestrictionFields{Responsible: []string{"user-1"}})
			if err != nil {
				t.Fatal(err)
			}
			told := map[string][]string{}
			for name, of := range map[string]backoffice.Restriction{"everybody": {}, "north": restriction} {
				credential := &backoffice.Credential{ID: name, Name: name, CreatedAt: 1, Scopes: backoffice.AllScopes, Restriction: of}
				if err := o.CreateCredential(t.Context(), credential); err != nil {
					t.Fatal(err)
				}
				r := receive(t, nil)
				if _, _, err := Create(t.Context(), o.Store, o.keys, Draft{ClientID: name, URL: r.URL, From: o.cursor(t, 0)}); err != nil {
					t.Fatal(err)
				}
				if n, want := o.behind(t), len(o.listed(t, of)); n != want {
					t.Errorf("%s is %d behind, want %d", name, n, want)
				}
				_, stop := o.sender(t, nil)
				waits(t, "all is told", func() bool { ids, _ := r.told(); return slices.Contains(ids, last) })
				waits(t, "nothing is left to tell", func() bool { return o.behind(t) == 0 })
				stop()
				if told[name], err = r.told(); err != nil {
					t.Fatal(err)
				}
				if copied, seen := o.copyOf(t, r, of), o.seen(t, of); !maps.Equal(copied, seen) {
					t.Errorf("%s: by what it is told, a copy has %q, and the credential sees %q", name, copied, seen)
				}
				if listed := o.listed(t, of); !slices.Equal(told[name], listed) {
					t.Errorf("%s is told %q, and the log lists %q", name, told[name], listed)
				}
			}
			if n, all := len(told["north"]), len(told["everybody"]); n < 5 || n >= all {
				t.Errorf("of %d changes north is told %d, so this test shows nothing", all, n)
			}
		})
	}
}

// seen are the customers and relations that a credential sees, by noun and identifier, and on which customers they hang.
func (o *office) seen(t testing.TB, to backoffice.Restriction) map[string]string {
	t.Helper()
	ctx, seen := backoffice.WithRestriction(t.Context(), to), map[string]string{}
	err := backoffice.EachPage(ctx, o.Customers(), backoffice.ListQuery[backoffice.CustomerCriteria]{}, backoffice.NoParent, 0, func(page []*backoffice.Customer) error {
		for _, c := range page {
			seen["CUSTOMER "+c.ID] = c.ID
		}
		return nil
	})
	err = errors.Join(err, backoffice.EachPage(ctx, o.Relations(), backoffice.ListQuery[backoffice.RelationCriteria]{}, backoffice.NoParent, 0, func(page []*backoffice.CustomerRelation) error {
		for _, r := range page {
			seen["CUSTOMER_RELATION "+r.ID] = r.CustomerID + " " + r.RelatedCustomerID
		}
		return nil
	}))
	if err != nil {
		t.Fatal(err)
	}
	return seen
}

// copyOf is what a receiver has that obeys its messages, by the rules of docs/sync.md, and reads each record anew.
func (o *office) copyOf(t testing.TB, r *receiver, to backoffice.Restriction) map[string]string {
	t.Helper()
	now, copied := o.seen(t, to), map[string]string{}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, p := range r.taken {
		for _, c := range p.message.Data.Changes {
			key := c.Noun + " " + c.ID
			if on, there := now[key]; there && c.Action != "DELETED" {
				copied[key] = on
				continue
			}
			delete(copied, key)
			if c.Noun == "CUSTOMER" {
				maps.DeleteFunc(copied, func(_, on string) bool { return slices.Contains(strings.Fields(on), c.ID) })
			}
		}
	}
	maps.DeleteFunc(copied, func(key, _ string) bool { return !strings.HasPrefix(key, "CUSTOMER") })
	return copied
}

// behind is how far the newest webhook is behind.
func (o *office) behind(t testing.TB) int {
	t.Helper()
	hooks, err := o.Webhooks(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	behind, err := Behind(t.Context(), o.Store, hooks)
	if err != nil {
		t.Fatal(err)
	}
	return behind[hooks[len(hooks)-1].ID]
}

// listed are the objects of the changes that the log tells whoever is restricted.
func (o *office) listed(t testing.TB, to backoffice.Restriction) (ids []string) {
	t.Helper()
	ctx := backoffice.WithRestriction(t.Context(), to)
	kinds := backoffice.ChangesVisibleTo(&backoffice.Principal{Scopes: backoffice.AllScopes, Restriction: to}, nil)
	q := backoffice.ChangeQuery{After: backoffice.FromOldest, First: 1000, Kinds: kinds}
	for more := true; more; { // a page ends where customers moved
		page, err := backoffice.ReadChangePage(ctx, o.Store, q)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range page.Changes {
			ids, q.After = append(ids, c.ObjectID), c.Sequence
		}
		more = page.More
	}
	return ids
}
