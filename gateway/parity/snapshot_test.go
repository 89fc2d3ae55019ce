package parity

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway"
	"example.org/backoffice/gateway/gatewaytest"
	"example.org/backoffice/store/postgres"
	"example.org/backoffice/store/postgres/pgtest"
)

// churn has writers make customers with relations and delete them again, until the test is over.
func churn(t *testing.T, o *gatewaytest.Office, writers int) (made *atomic.Int64, end func()) {
	t.Helper()
	credential := o.Credential(t, backoffice.AllScopes...)
	over := make(chan struct{})
	var all sync.WaitGroup
	made = new(atomic.Int64)
	for range writers {
		all.Go(func() {
			for {
				select {
				case <-over:
					return
				default:
				}
				id := o.MakeCustomerAs(t, credential)
				if w := o.Send(t, credential, http.MethodPost, "/customers/"+id+"/relations", `{"relatedCustomer": "acme", "kind": "UBO"}`); w.Code != http.StatusCreated {
					t.Errorf("a relation: %d %s", w.Code, w.Body)
				}
				if w := o.Send(t, credential, http.MethodDelete, "/customers/"+id, ""); w.Code != http.StatusNoContent {
					t.Errorf("a deletion: %d %s", w.Code, w.Body)
				}
				made.Add(1)
			}
		})
	}
	return made, sync.OnceFunc(func() { close(over); all.Wait() })
}

const everything = `{ customers(first: 40) { totalCount nodes { id relations(first: 20) { totalCount edges { node { id } otherCustomer { id relations(first: 20) { totalCount edges { node { id } } } } } } } } }`

type relationsAnswer struct {
	TotalCount int
	Edges      []struct {
		Node          struct{ ID string }
		OtherCustomer *struct {
			ID        string
			Relations *relationsAnswer
		}
	}
}

// contradiction tells what in a query's answer cannot have been at one moment, "" when all of it can.
func contradiction(t *testing.T, o *gatewaytest.Office, credential [2]string) string {
	t.Helper()
	status, body, _ := o.Ask(t, credential, everything, nil, nil)
	var answer struct {
		Data *struct {
			Customers struct {
				TotalCount int
				Nodes      []struct {
					ID        string
					Relations relationsAnswer
				}
			}
		}
		Errors []any
	}
	if err := json.Unmarshal(body, &answer); err != nil || status != http.StatusOK || len(answer.Errors) > 0 || answer.Data == nil {
		return fmt.Sprintf("%d %.300s %v", status, body, err)
	}
	customers := answer.Data.Customers
	if customers.TotalCount != len(customers.Nodes) {
		return fmt.Sprintf("%d customers are counted and %d shown", customers.TotalCount, len(customers.Nodes))
	}
	there, ends := map[string]bool{}, map[string]int{}
	for _, c := range customers.Nodes {
		there[c.ID] = true
	}
	for _, c := range customers.Nodes {
		if c.Relations.TotalCount != len(c.Relations.Edges) {
			return fmt.Sprintf("%d relations of a customer are counted and %d shown", c.Relations.TotalCount, len(c.Relations.Edges))
		}
		for _, edge := range c.Relations.Edges {
			if ends[edge.Node.ID]++; edge.OtherCustomer == nil || !there[edge.OtherCustomer.ID] {
				return "the other end of a relation is no customer"
			}
			if others := edge.OtherCustomer.Relations; others.TotalCount != len(others.Edges) {
				return "a relation's other end counts others than it shows"
			}
		}
	}
	for _, n := range ends {
		if n != 2 {
			return "a relation is shown at one end alone"
		}
	}
	return ""
}

// contradictionOfREST is the same for a list of REST. New customers stand first, and those of the office stay.
func contradictionOfREST(t *testing.T, o *gatewaytest.Office, credential [2]string, stay int) string {
	t.Helper()
	w := o.Send(t, credential, http.MethodGet, "/customers?pageSize=3", "")
	var answer struct {
		Total int
		Data  []struct {
			ID string `json:"_id"`
		}
	}
	if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil || w.Code != http.StatusOK {
		return fmt.Sprintf("%d %.300s %v", w.Code, w.Body, err)
	}
	made := 0
	for _, c := range answer.Data {
		if strings.HasPrefix(c.ID, "0") {
			made++
		}
	}
	if answer.Total < stay+made {
		return fmt.Sprintf("%d customers are counted, though %d stay and %d new ones are shown", answer.Total, stay, made)
	}
	return ""
}

// withReplica is a database with a replica beside it.
func withReplica(t *testing.T) (database string, replicas []string) {
	servers := pgtest.NewPair(t)
	database = servers.Primary.URL("backoffice")
	if err := postgres.Migrate(t.Context(), database); err != nil {
		t.Fatal(err)
	}
	return database, []string{servers.Standby.URL("backoffice")}
}

// unmoored is a store whose snapshots are none.
type unmoored struct{ backoffice.Store }

func (unmoored) BeginSnapshot(context.Context) backoffice.Snapshot { return adrift{} }

type adrift struct{}

func (adrift) Unwrap() backoffice.Snapshot { return nil }
func (adrift) Close()                      {}

func TestAnAnswerIsOfOneSnapshotWhoeverWrites(t *testing.T) {
	t.Parallel()
	places := map[string]func(*testing.T) (string, []string){"PostgreSQL with a replica": withReplica}
	for engine, database := range gatewaytest.Engines {
		places[engine] = func(t *testing.T) (string, []string) { return database(t), nil }
	}
	for place, database := range places {
		t.Run("on "+place, func(t *testing.T) {
			t.Parallel()
			url, replicas := database(t)
			gatewaytest.OpenWith(t, url, gatewaytest.Limits())
			settings := gatewaytest.Settings(t, url)
			settings.Replicas = replicas

			o := gatewaytest.Serve(t, settings, gatewaytest.Limits())
			remembering := []*gatewaytest.Office{
				gatewaytest.ServeCached(t, settings, gateway.CacheSettings{Cache: 64 << 20}), gatewaytest.ServeCached(t, settings, gateway.CacheSettings{Cache: 20 << 10}),
				gatewaytest.ServeCached(t, settings, gateway.CacheSettings{Cache: 64 << 20, Check: true}),
			}
			broken := gatewaytest.ServeThrough(t, settings, gatewaytest.Limits(), func(of backoffice.Store) backoffice.Store { return unmoored{of} })
			reader := o.Credential(t)
			o.Credential(t, backoffice.AllScopes...)
			stay := 0
			if _, body, _ := o.Ask(t, reader, `{ customers { totalCount } }`, nil, nil); true {
				if _, err := fmt.Sscanf(string(body), `{"data":{"customers":{"totalCount":%d`, &stay); err != nil {
					t.Fatalf("%s: %v", body, err)
				}
			}
			made, end := churn(t, o, 4)
			defer end()
			const least = 60 // customers that came and went
			for asked := 0; made.Load() < least || asked < 40; asked++ {
				if wrong := contradiction(t, o, reader); wrong != "" {
					t.Fatalf("answer %d: %s", asked, wrong)
				}
				if wrong := contradictionOfREST(t, o, reader, stay); wrong != "" {
					t.Fatalf("answer %d of REST: %s", asked, wrong)
				}
				for _, o := range remembering {
					if wrong := contradiction(t, o, reader); wrong != "" {
						t.Fatalf("answer %d with a cache: %s", asked, wrong)
					}
					if wrong := contradictionOfREST(t, o, reader, stay); wrong != "" {
						t.Fatalf("answer %d of REST with a cache: %s", asked, wrong)
					}
				}
			}
			// The same without snapshots: were they of no use, this test could not tell.
			until := time.Now().Add(2 * time.Minute)
			for found := false; !found; found = contradiction(t, broken, reader) != "" {
				if time.Now().After(until) {
					t.Fatal("without snapshots nothing is ever mixed either, so nothing was shown")
				}
			}
			for found := false; !found; found = contradictionOfREST(t, broken, reader, stay) != "" {
				if time.Now().After(until) {
					t.Fatal("without snapshots nothing is ever mixed in REST either, so nothing was shown")
				}
			}
		})
	}
}
