package limits

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway/gatewaytest"
	"example.org/backoffice/graphql/limits"
	"example.org/backoffice/store/postgres/pgtest"
)

func openFaraway(t testing.TB) *gatewaytest.Faraway {
	t.Helper()
	return openFarawayThrough(t, gatewaytest.Limits(), time.Minute, patient)
}

// openFarawayWith does it with limits of its own, of which the second is that of a statement.
func openFarawayWith(t testing.TB, bounds limits.Settings, statement time.Duration) *gatewaytest.Faraway {
	t.Helper()
	return openFarawayThrough(t, bounds, statement, func(url string) string { return url })
}

func openFarawayThrough(t testing.TB, bounds limits.Settings, statement time.Duration, of func(url string) string) *gatewaytest.Faraway {
	t.Helper()
	database := gatewaytest.PostgreSQL(t)
	id := gatewaytest.OpenOn(t, of(database)).Credential(t, backoffice.AllScopes...)
	relay := pgtest.NewRelay(t)
	settings := gatewaytest.Settings(t, of(relay.Through(database)))
	settings.Statement = statement
	return &gatewaytest.Faraway{Office: gatewaytest.Serve(t, settings, bounds), Relay: relay, ID: id}
}

func TestEveryMutationTakesFewTripsToPostgreSQL(t *testing.T) {
	t.Parallel()
	f := openFaraway(t)
	answer, _ := f.Do(t, gatewaytest.Write{Method: http.MethodPost, Path: "/graphql", Body: `{"query": "{ __type(name: \"Mutation\") { fields { name } } }"}`})
	var schema struct {
		Data struct {
			Type struct{ Fields []struct{ Name string } } `json:"__type"`
		}
	}
	if err := json.Unmarshal([]byte(answer), &schema); err != nil || len(schema.Data.Type.Fields) == 0 {
		t.Fatal(err, answer)
	}
	for _, field := range schema.Data.Type.Fields {
		wantFewTrips(t, f, field.Name, gatewaytest.MutationsOnTheWay[field.Name])
	}
}

// restOnTheWay are the writes of REST, by their operation.
var restOnTheWay = map[string]func(t testing.TB, f *gatewaytest.Faraway) gatewaytest.Write{
	"POST /checklists/assign": func(_ testing.TB, f *gatewaytest.Faraway) gatewaytest.Write {
		return gatewaytest.Write{Method: http.MethodPost, Path: "/checklists/assign", Body: `{"checklist": "list-2026-nl", "customer": "acme"}`, Key: f.Word("key")}
	},
	"POST /customers": func(_ testing.TB, f *gatewaytest.Faraway) gatewaytest.Write {
		return gatewaytest.Write{Method: http.MethodPost, Path: "/customers", Body: fmt.Sprintf(`{"type": "Company", "name": "made", "customerCode": %q, "responsible": "user-an"}`, f.Word("code")), Key: f.Word("key")}
	},
	"POST /customers/batch": func(_ testing.TB, f *gatewaytest.Faraway) gatewaytest.Write {
		input := func() string {
			return fmt.Sprintf(`{"type": "Company", "name": "made", "customerCode": %q, "responsible": "user-an"}`, f.Word("code"))
		}
		return gatewaytest.Write{Method: http.MethodPost, Path: "/customers/batch", Body: `{"mode": "each", "customers": [` + input() + ", " + input() + "]}", Key: f.Word("key")}
	},
	"PUT /customers/{customerId}": func(t testing.TB, f *gatewaytest.Faraway) gatewaytest.Write {
		return gatewaytest.Write{Method: http.MethodPut, Path: "/customers/" + f.NewCustomer(t), Body: fmt.Sprintf(`{"name": "changed", "customerCode": %q, "responsible": "user-an"}`, f.Word("code")), Key: ""}
	},
	"DELETE /customers/{customerId}": func(t testing.TB, f *gatewaytest.Faraway) gatewaytest.Write {
		return gatewaytest.Write{Method: http.MethodDelete, Path: "/customers/" + f.NewCustomer(t), Body: "", Key: ""}
	},
	"POST /customers/{customerId}/merge": func(t testing.TB, f *gatewaytest.Faraway) gatewaytest.Write {
		return gatewaytest.Write{Method: http.MethodPost, Path: "/customers/" + f.NewCustomer(t) + "/merge", Body: fmt.Sprintf(`{"dropId": %q}`, f.NewCustomer(t)), Key: f.Word("key")}
	},
	"POST /customers/{customerId}/documents": func(_ testing.TB, f *gatewaytest.Faraway) gatewaytest.Write {
		return gatewaytest.Write{Method: http.MethodPost, Path: "/customers/acme/documents?name=a.txt", Body: "text", Key: f.Word("key")}
	},
	"PUT /uploads/{documentId}": func(t testing.TB, f *gatewaytest.Faraway) gatewaytest.Write {
		answer, _ := f.Do(t, gatewaytest.Mutation("createDocumentUpload", `customerId: "acme", name: "a.txt"`, "uploadPath"))
		var made struct {
			Data struct {
				CreateDocumentUpload struct{ UploadPath string }
			}
		}
		if err := json.Unmarshal([]byte(answer), &made); err != nil {
			t.Fatal(err)
		}
		return gatewaytest.Write{Method: http.MethodPut, Path: made.Data.CreateDocumentUpload.UploadPath, Body: "text", Key: ""}
	},
	"POST /customers/{customerId}/relations": func(t testing.TB, f *gatewaytest.Faraway) gatewaytest.Write {
		return gatewaytest.Write{Method: http.MethodPost, Path: "/customers/acme/relations", Body: fmt.Sprintf(`{"relatedCustomer": %q, "kind": "director"}`, f.NewCustomer(t)), Key: f.Word("key")}
	},
	"PATCH /customers/{customerId}/relations/{relationId}": func(t testing.TB, f *gatewaytest.Faraway) gatewaytest.Write {
		return gatewaytest.Write{Method: http.MethodPatch, Path: "/customers/acme/relations/" + f.NewRelation(t), Body: `{"endDate": "2026-12-31"}`, Key: ""}
	},
	"DELETE /customers/{customerId}/relations/{relationId}": func(t testing.TB, f *gatewaytest.Faraway) gatewaytest.Write {
		return gatewaytest.Write{Method: http.MethodDelete, Path: "/customers/acme/relations/" + f.NewRelation(t), Body: "", Key: ""}
	},
	"POST /settings/labels": func(_ testing.TB, f *gatewaytest.Faraway) gatewaytest.Write {
		return gatewaytest.Write{Method: http.MethodPost, Path: "/settings/labels", Body: fmt.Sprintf(`{"name": %q, "color": "#112233"}`, f.Word("label ")), Key: f.Word("key")}
	},
	"PATCH /users/{userId}": func(t testing.TB, f *gatewaytest.Faraway) gatewaytest.Write {
		return gatewaytest.Write{Method: http.MethodPatch, Path: "/users/" + f.NewUser(t), Body: `{"firstName": "Another", "labels": ["label-audit"]}`, Key: ""}
	},
	"PATCH /discrepancies/{discrepancyId}": func(_ testing.TB, f *gatewaytest.Faraway) gatewaytest.Write {
		return gatewaytest.Write{Method: http.MethodPatch, Path: "/discrepancies/discrepancy-1", Body: fmt.Sprintf(`{"note": %q}`, f.Word("note ")), Key: ""}
	},
	"DELETE /users/{userId}": func(t testing.TB, f *gatewaytest.Faraway) gatewaytest.Write {
		return gatewaytest.Write{Method: http.MethodDelete, Path: "/users/" + f.NewUser(t), Body: "", Key: ""}
	},
}

func TestEveryWriteOfRESTTakesFewTripsToPostgreSQL(t *testing.T) {
	t.Parallel()
	f := openFaraway(t)
	writes := 0
	for path, operations := range operationsOfDocument(t, f.Office) {
		for method := range operations {
			switch name := strings.ToUpper(method) + " " + path; {
			case method == "get", method == "head", path == "/customers/search": // which only looks
			default:
				writes++
				wantFewTrips(t, f, name, restOnTheWay[name])
			}
		}
	}
	if writes < len(restOnTheWay) {
		t.Errorf("of %d writes there are %d", len(restOnTheWay), writes)
	}
}

// mostAttempts are how often a write is counted before it is one that takes too many trips.
const mostAttempts = 30

// wantFewTrips counts the trips of a kind of write.
func wantFewTrips(t *testing.T, f *gatewaytest.Faraway, name string, next func(t testing.TB, f *gatewaytest.Faraway) gatewaytest.Write) {
	t.Helper()
	if next == nil {
		t.Errorf("%s is a new write: how many trips does it take?", name)
		return
	}
	trips := leastTrips(t, f, func() int {
		_, n := f.Do(t, next(t, f))
		return n
	})
	t.Logf("%s: %d trips of %v", name, slices.Min(trips), trips)
	most := gatewaytest.MostTrips
	if name == "mergeCustomers" {
		most += 2 // what moves has moved before the customer is deleted, and its code is free after that
	}
	if least := slices.Min(trips); least > most {
		t.Errorf("%s takes %d trips to PostgreSQL, more than %d", name, least, most)
	}
}

// leastTrips counts until it is few enough, so that the least counts. Nothing hides a trip, but much adds some: the
// first time statements are prepared, a connection that rested is asked whether it lives, and by the clock the credentials
// and the keys are read anew. The slower the machine, the more of that falls into one write.
func leastTrips(t *testing.T, f *gatewaytest.Faraway, count func() int) (trips []int) {
	t.Helper()
	for len(trips) < mostAttempts {
		trips = append(trips, count())
		if len(trips) >= 4 && slices.Min(trips) <= gatewaytest.MostTrips {
			break
		}
	}
	return trips
}

func TestOneTripMoreThanMayBeIsFound(t *testing.T) {
	t.Parallel()
	f := openFaraway(t)
	least := func(asks int) int {
		return slices.Min(leastTrips(t, f, func() int {
			before := f.Relay.Trips()
			for range asks {
				if err := f.Store.Ping(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			return f.Relay.Trips() - before
		}))
	}
	if n := least(gatewaytest.MostTrips); n != gatewaytest.MostTrips {
		t.Errorf("%d trips are counted as %d", gatewaytest.MostTrips, n)
	}
	if n := least(gatewaytest.MostTrips + 1); n != gatewaytest.MostTrips+1 {
		t.Errorf("%d trips are counted as %d", gatewaytest.MostTrips+1, n)
	}
}

// patient gives a busy machine time to make connections, and to answer on those that rested. Tests of a server that
// is away do without.
func patient(url string) string { return url + "&connect_timeout=60&pool_ping_timeout=1m" }
