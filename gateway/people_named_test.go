package gateway_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"example.org/backoffice/auth/people/peopletest"
	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway"
	"example.org/backoffice/gateway/gatewaytest"
)

// namedInMaps are the members of a rule that name records, and how the map is refused where there is none.
var namedInMaps = map[string]string{
	"onlyResponsible": "rule 2: no user has this identifier", "onlyLabel": "rule 2: no label has this identifier", "onlyCustomer": "rule 2: no customer has this identifier",
}

func mapNaming(member, id string) string {
	return fmt.Sprintf(`{"rules": [{"claim": "groups", "value": "managers"}, {"claim": "groups", "value": "some", %q: [%q]}]}`, member, id)
}

func TestAServerDoesNotStartWithAMapThatNamesWhatIsNotThere(t *testing.T) {
	t.Parallel()
	for engine, database := range gatewaytest.Engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			o := gatewaytest.OpenOn(t, database(t))
			for member, refused := range namedInMaps {
				c := gatewaytest.Config(gatewaytest.Limits())
				c.People = gateway.PeopleSettings{Issuer: "https://login.example/office", Audience: "backoffice", Map: peopletest.Map(t, mapNaming(member, "secret-7"))}
				_, end, err := gateway.NewServer(o.Backend, c)
				if err == nil {
					end()
				}
				if err == nil || !strings.Contains(err.Error(), refused) || strings.Contains(err.Error(), "secret") {
					t.Errorf("%s: %v", member, err)
				}
			}
			there := strings.ReplaceAll(gatewaytest.UsualMap, `"onlyResponsible": ["user-an"]`, `"onlyResponsible": ["user-an"], "onlyLabel": ["label-tax"]`)
			c := gatewaytest.Config(gatewaytest.Limits())
			c.People = gateway.PeopleSettings{Issuer: "https://login.example/office", Audience: "backoffice", Map: peopletest.Map(t, there)}
			_, end, err := gateway.NewServer(o.Backend, c)
			if err != nil {
				t.Fatal(err)
			}
			end()
		})
	}
}

func TestAMapThatNamesWhatIsNotThereCountsOnceItIs(t *testing.T) {
	t.Parallel()
	d := gatewaytest.OpenDesk(t, gatewaytest.Config(gatewaytest.Limits()), func(of backoffice.Store) backoffice.Store { return of })
	visitor := d.Token(t, "bea@office", map[string]any{"groups": []string{"acme"}})
	sees := func(want string) {
		t.Helper()
		for began := time.Now(); ; time.Sleep(50 * time.Millisecond) {
			said := d.Says(t, visitor, `{ viewer { restriction } customers { nodes { id } } }`)
			if strings.Contains(said, want) {
				return
			}
			if time.Since(began) > 30*time.Second {
				t.Fatal(said)
			}
		}
	}
	sees(`"nodes":[{"id":"acme"}]`)
	peopletest.Write(t, d.Path, strings.ReplaceAll(gatewaytest.UsualMap, `"onlyCustomer": ["acme"]`, `"onlyCustomer": ["later"]`))
	for began := time.Now(); !strings.Contains(d.Log.String(), "rule 2: no customer has this identifier"); time.Sleep(50 * time.Millisecond) {
		sees(`"nodes":[{"id":"acme"}]`) // what the map said before
		if time.Since(began) > 30*time.Second {
			t.Fatal(d.Log.String())
		}
	}
	err := d.Store.Write(t.Context(), func(ctx context.Context, tx backoffice.Tx) error {
		return tx.Customers().Insert(ctx, &backoffice.Customer{ID: "later", Type: backoffice.Company, OwnName: "Later", DisplayName: "Later", Version: 1})
	})
	if err != nil {
		t.Fatal(err)
	}
	sees(`"nodes":[{"id":"later"}]`)
	if n := strings.Count(d.Log.String(), "rule 2: no customer has this identifier"); n != 1 {
		t.Errorf("it is said %d times", n)
	}
}

// slowUsers is a store that takes its time for users, once it is told to.
type slowUsers struct {
	backoffice.Store
	next       atomic.Bool
	held, goOn chan struct{}
}

func (s *slowUsers) Users() backoffice.Reader[*backoffice.User, backoffice.UserCriteria] {
	if s.next.CompareAndSwap(true, false) {
		close(s.held)
		<-s.goOn
	}
	return s.Store.Users()
}

func TestOneRequestAloneWaitsUntilTheStoreHasWhatANewMapNames(t *testing.T) {
	t.Parallel()
	store := &slowUsers{held: make(chan struct{}), goOn: make(chan struct{})}
	d := gatewaytest.OpenDesk(t, gatewaytest.Config(gatewaytest.Limits()), func(of backoffice.Store) backoffice.Store { store.Store = of; return store })
	visitor := d.Token(t, "bea@office", map[string]any{"groups": []string{"acme"}})
	asks := func() <-chan string {
		said := make(chan string, 1)
		go func() { said <- d.Says(t, visitor, `{ viewer { subject } }`) }()
		return said
	}
	<-asks()
	store.next.Store(true)
	peopletest.Write(t, d.Path, strings.ReplaceAll(gatewaytest.UsualMap, `"gone"`, `"away"`))
	first := make([]<-chan string, 0, 100)
	for held := false; !held; {
		first = append(first, asks())
		select {
		case <-store.held:
			held = true
		case <-time.After(100 * time.Millisecond):
		}
	}
	for range 3 {
		time.Sleep(1100 * time.Millisecond) // when it would be looked at again
		select {
		case said := <-asks():
			if !strings.Contains(said, "bea@office") {
				t.Error(said)
			}
		case <-time.After(10 * time.Second):
			t.Error("another request waits")
		}
	}
	close(store.goOn)
	for _, said := range first {
		<-said
	}
}
