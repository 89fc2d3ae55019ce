package gateway

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
	"example.org/backoffice/graphql/limits"
	"example.org/backoffice/store/postgres/pgtest"
)

// mostTrips is how often a write may go to PostgreSQL and back: with each it takes as long as the network is wide.
const mostTrips = 4

// write is a request that writes, as one of several of its kind.
type write struct {
	method, path, body string
	key                string // the idempotency key, in a header
}

// faraway is a gateway whose way to the database is counted.
type faraway struct {
	*office
	relay *pgtest.Relay
	id    [2]string
	made  atomic.Int64
}

func openFaraway(t testing.TB) *faraway {
	t.Helper()
	return openFarawayThrough(t, unhurried(), time.Minute, patient)
}

// openFarawayWith does it with limits of its own, of which the second is that of a statement.
func openFarawayWith(t testing.TB, bounds limits.Settings, statement time.Duration) *faraway {
	t.Helper()
	return openFarawayThrough(t, bounds, statement, func(url string) string { return url })
}

func openFarawayThrough(t testing.TB, bounds limits.Settings, statement time.Duration, of func(url string) string) *faraway {
	t.Helper()
	database := newPostgres(t)
	id := openOfficeOn(t, of(database)).pair(t, backoffice.AllScopes...)
	relay := pgtest.NewRelay(t)
	settings := officeSettings(t, of(relay.Through(database)))
	settings.Statement = statement
	return &faraway{office: serveOffice(t, settings, bounds), relay: relay, id: id}
}

// word is another one each time.
func (f *faraway) word(prefix string) string {
	return fmt.Sprint(prefix, f.made.Add(1))
}

func mutation(field, input, payload string) write {
	body, _ := json.Marshal(map[string]string{"query": "mutation { " + field + "(input: {" + input + "}) { " + payload + " userErrors { code field message } } }"})
	return write{method: http.MethodPost, path: "/graphql", body: string(body)}
}

// do sends a write, which must succeed, and returns its answer with the number of its trips.
func (f *faraway) do(t testing.TB, w write) (answer string, trips int) {
	t.Helper()
	before := f.relay.Trips()
	r := httptest.NewRequestWithContext(t.Context(), w.method, w.path, strings.NewReader(w.body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set(auth.ClientIDHeader, f.id[0])
	r.Header.Set(auth.ClientSecretHeader, f.id[1])
	if w.key != "" {
		r.Header.Set("Idempotency-Key", w.key)
	}
	response := httptest.NewRecorder()
	f.handler.ServeHTTP(response, r)
	trips = f.relay.Trips() - before
	answer = response.Body.String()
	if response.Code >= 300 || strings.Contains(answer, `"code"`) {
		t.Fatalf("%s %s %s: %d %s", w.method, w.path, w.body, response.Code, answer)
	}
	return answer, trips
}

// made returns the identifier of what a write made.
func (f *faraway) madeBy(t testing.TB, w write) string {
	t.Helper()
	answer, _ := f.do(t, w)
	_, id, found := strings.Cut(answer, `"id":"`)
	if !found {
		t.Fatal(answer)
	}
	id, _, _ = strings.Cut(id, `"`)
	return id
}

func (f *faraway) newCustomer(t testing.TB) string {
	return f.madeBy(t, mutation("createCustomer", `type: COMPANY, name: "made"`, "customer { id }"))
}

func (f *faraway) newRelation(t testing.TB) string {
	return f.madeBy(t, mutation("createCustomerRelation", fmt.Sprintf(`customerId: "acme", relatedCustomerId: %q, kind: DIRECTOR`, f.newCustomer(t)), "relation { id }"))
}

// newUser makes a user that is responsible for a customer: no API does.
func (f *faraway) newUser(t testing.TB) string {
	t.Helper()
	id := f.word("user-")
	if err := f.Store.Write(t.Context(), func(ctx context.Context, tx backoffice.Tx) error {
		return tx.Users().Insert(ctx, &backoffice.User{ID: id, FirstName: "An", LastName: "Peeters", Email: "an@example.org", Version: 1})
	}); err != nil {
		t.Fatal(err)
	}
	f.do(t, mutation("updateCustomer", fmt.Sprintf(`id: %q, responsibleId: %q`, f.newCustomer(t), id), "customer { id }"))
	return id
}

// mutationsOnTheWay are the dearest of each mutation.
var mutationsOnTheWay = map[string]func(t testing.TB, f *faraway) write{
	"assignChecklist": func(t testing.TB, f *faraway) write {
		return mutation("assignChecklist", fmt.Sprintf(`checklistId: "list-2026-nl", customerId: "acme", customVariables: {a: 1}, idempotencyKey: %q`, f.word("key")), "transcript { id }")
	},
	"generateTranscriptDocument": func(t testing.TB, f *faraway) write {
		return mutation("generateTranscriptDocument", `transcriptId: "tr-2"`, "transcript { id }")
	},
	"createCustomer": func(t testing.TB, f *faraway) write {
		return mutation("createCustomer", fmt.Sprintf(`type: COMPANY, name: "made", scopes: ["checklist"], customerCode: %q, responsibleId: "user-an", idempotencyKey: %q`, f.word("code"), f.word("key")), "customer { id }")
	},
	"updateCustomer": func(t testing.TB, f *faraway) write {
		return mutation("updateCustomer", fmt.Sprintf(`id: %q, name: "changed", scopes: ["checklist"], customerCode: %q, responsibleId: "user-an", expectedVersion: 1`, f.newCustomer(t), f.word("code")), "customer { id }")
	},
	"deleteCustomer": func(t testing.TB, f *faraway) write {
		customer := f.newCustomer(t)
		f.do(t, mutation("assignChecklist", fmt.Sprintf(`checklistId: "list-2026-nl", customerId: %q`, customer), "transcript { id }"))
		return mutation("deleteCustomer", fmt.Sprintf(`id: %q, expectedVersion: 1`, customer), "deletedCustomerId")
	},
	"createCustomers": func(t testing.TB, f *faraway) write {
		input := func() string {
			return fmt.Sprintf(`{type: COMPANY, name: "made", scopes: ["checklist"], customerCode: %q, responsibleId: "user-an"}`, f.word("code"))
		}
		return batchMutation("createCustomers", input()+input(), fmt.Sprintf(`idempotencyKey: %q`, f.word("key")))
	},
	"updateCustomers": func(t testing.TB, f *faraway) write {
		input := func() string {
			return fmt.Sprintf(`{id: %q, name: "changed", scopes: ["checklist"], customerCode: %q, responsibleId: "user-an", expectedVersion: 1}`, f.newCustomer(t), f.word("code"))
		}
		return batchMutation("updateCustomers", input()+input(), "")
	},
	"deleteCustomers": func(t testing.TB, f *faraway) write {
		input := func() string { return fmt.Sprintf(`{id: %q, expectedVersion: 1}`, f.newCustomer(t)) }
		return batchMutation("deleteCustomers", input()+input(), "")
	},
	"createCustomerRelations": func(t testing.TB, f *faraway) write {
		input := func() string {
			return fmt.Sprintf(`{customerId: "acme", relatedCustomerId: %q, kind: DIRECTOR}`, f.newCustomer(t))
		}
		return batchMutation("createCustomerRelations", input()+input(), fmt.Sprintf(`idempotencyKey: %q`, f.word("key")))
	},
	"assignChecklists": func(t testing.TB, f *faraway) write {
		return mutation("assignChecklists", fmt.Sprintf(`checklistId: "list-2026-nl", customerIds: [%q, %q], idempotencyKey: %q`, f.newCustomer(t), f.newCustomer(t), f.word("key")), "assigned")
	},
	"createCustomerRelation": func(t testing.TB, f *faraway) write {
		return mutation("createCustomerRelation", fmt.Sprintf(`customerId: "acme", relatedCustomerId: %q, kind: DIRECTOR, idempotencyKey: %q`, f.newCustomer(t), f.word("key")), "relation { id }")
	},
	"deleteCustomerRelation": func(t testing.TB, f *faraway) write {
		return mutation("deleteCustomerRelation", fmt.Sprintf(`id: %q`, f.newRelation(t)), "deletedRelationId")
	},
	"createDocumentUpload": func(testing.TB, *faraway) write {
		return mutation("createDocumentUpload", `customerId: "acme", name: "a.txt"`, "uploadPath")
	},
	"createLabel": func(t testing.TB, f *faraway) write {
		return mutation("createLabel", fmt.Sprintf(`name: %q, idempotencyKey: %q`, f.word("label "), f.word("key")), "label { id }")
	},
	"updateUser": func(t testing.TB, f *faraway) write {
		return mutation("updateUser", fmt.Sprintf(`id: %q, firstName: "Another", labelIds: ["label-audit"], expectedVersion: 1`, f.newUser(t)), "user { id }")
	},
	"saveQuery": func(t testing.TB, f *faraway) write {
		return mutation("saveQuery", fmt.Sprintf(`name: %q, document: "query Q { viewer { name } }"`, strings.ReplaceAll(f.word("query-"), " ", "")), "savedQuery { name }")
	},
	"removeSavedQuery": func(t testing.TB, f *faraway) write {
		name := f.word("query-")
		f.do(t, mutation("saveQuery", fmt.Sprintf(`name: %q, document: "query Q { viewer { name } }"`, name), "savedQuery { name }"))
		return mutation("removeSavedQuery", fmt.Sprintf(`name: %q`, name), "removedName")
	},
	"deleteUser": func(t testing.TB, f *faraway) write {
		return mutation("deleteUser", fmt.Sprintf(`id: %q, expectedVersion: 1`, f.newUser(t)), "deletedUserId")
	},
}

func batchMutation(field, inputs, others string) write {
	body, _ := json.Marshal(map[string]string{"query": "mutation { " + field + "(inputs: [" + inputs + "] " + others + ") { written userErrors { code field message } results { userErrors { code field message } } } }"})
	return write{method: http.MethodPost, path: "/graphql", body: string(body)}
}

func TestEveryMutationTakesFewTripsToPostgreSQL(t *testing.T) {
	t.Parallel()
	f := openFaraway(t)
	answer, _ := f.do(t, write{method: http.MethodPost, path: "/graphql", body: `{"query": "{ __type(name: \"Mutation\") { fields { name } } }"}`})
	var schema struct {
		Data struct {
			Type struct{ Fields []struct{ Name string } } `json:"__type"`
		}
	}
	if err := json.Unmarshal([]byte(answer), &schema); err != nil || len(schema.Data.Type.Fields) == 0 {
		t.Fatal(err, answer)
	}
	for _, field := range schema.Data.Type.Fields {
		f.fewTrips(t, field.Name, mutationsOnTheWay[field.Name])
	}
}

// restOnTheWay are the writes of REST, by their operation.
var restOnTheWay = map[string]func(t testing.TB, f *faraway) write{
	"POST /checklists/assign": func(_ testing.TB, f *faraway) write {
		return write{http.MethodPost, "/checklists/assign", `{"checklist": "list-2026-nl", "customer": "acme"}`, f.word("key")}
	},
	"POST /customers": func(_ testing.TB, f *faraway) write {
		return write{http.MethodPost, "/customers", fmt.Sprintf(`{"type": "Company", "name": "made", "customerCode": %q, "responsible": "user-an"}`, f.word("code")), f.word("key")}
	},
	"POST /customers/batch": func(_ testing.TB, f *faraway) write {
		input := func() string {
			return fmt.Sprintf(`{"type": "Company", "name": "made", "customerCode": %q, "responsible": "user-an"}`, f.word("code"))
		}
		return write{http.MethodPost, "/customers/batch", `{"mode": "each", "customers": [` + input() + ", " + input() + "]}", f.word("key")}
	},
	"PUT /customers/{customerId}": func(t testing.TB, f *faraway) write {
		return write{http.MethodPut, "/customers/" + f.newCustomer(t), fmt.Sprintf(`{"name": "changed", "customerCode": %q, "responsible": "user-an"}`, f.word("code")), ""}
	},
	"DELETE /customers/{customerId}": func(t testing.TB, f *faraway) write {
		return write{http.MethodDelete, "/customers/" + f.newCustomer(t), "", ""}
	},
	"POST /customers/{customerId}/documents": func(_ testing.TB, f *faraway) write {
		return write{http.MethodPost, "/customers/acme/documents?name=a.txt", "text", f.word("key")}
	},
	"PUT /uploads/{documentId}": func(t testing.TB, f *faraway) write {
		answer, _ := f.do(t, mutation("createDocumentUpload", `customerId: "acme", name: "a.txt"`, "uploadPath"))
		var made struct {
			Data struct {
				CreateDocumentUpload struct{ UploadPath string }
			}
		}
		if err := json.Unmarshal([]byte(answer), &made); err != nil {
			t.Fatal(err)
		}
		return write{http.MethodPut, made.Data.CreateDocumentUpload.UploadPath, "text", ""}
	},
	"POST /customers/{customerId}/relations": func(t testing.TB, f *faraway) write {
		return write{http.MethodPost, "/customers/acme/relations", fmt.Sprintf(`{"relatedCustomer": %q, "kind": "director"}`, f.newCustomer(t)), f.word("key")}
	},
	"DELETE /customers/{customerId}/relations/{relationId}": func(t testing.TB, f *faraway) write {
		return write{http.MethodDelete, "/customers/acme/relations/" + f.newRelation(t), "", ""}
	},
	"POST /settings/labels": func(_ testing.TB, f *faraway) write {
		return write{http.MethodPost, "/settings/labels", fmt.Sprintf(`{"name": %q, "color": "#112233"}`, f.word("label ")), f.word("key")}
	},
	"PATCH /users/{userId}": func(t testing.TB, f *faraway) write {
		return write{http.MethodPatch, "/users/" + f.newUser(t), `{"firstName": "Another", "labels": ["label-audit"]}`, ""}
	},
	"DELETE /users/{userId}": func(t testing.TB, f *faraway) write {
		return write{http.MethodDelete, "/users/" + f.newUser(t), "", ""}
	},
}

func TestEveryWriteOfRESTTakesFewTripsToPostgreSQL(t *testing.T) {
	t.Parallel()
	f := openFaraway(t)
	writes := 0
	for path, operations := range f.operations(t) {
		for method := range operations {
			switch name := strings.ToUpper(method) + " " + path; {
			case method == "get", method == "head", path == "/customers/search": // which only looks
			default:
				writes++
				f.fewTrips(t, name, restOnTheWay[name])
			}
		}
	}
	if writes < len(restOnTheWay) {
		t.Errorf("of %d writes there are %d", len(restOnTheWay), writes)
	}
}

// mostAttempts are how often a write is counted before it is one that takes too many trips.
const mostAttempts = 30

// fewTrips counts the trips of a kind of write.
func (f *faraway) fewTrips(t *testing.T, name string, next func(t testing.TB, f *faraway) write) {
	t.Helper()
	if next == nil {
		t.Errorf("%s is a new write: how many trips does it take?", name)
		return
	}
	trips := f.leastTrips(t, func() int {
		_, n := f.do(t, next(t, f))
		return n
	})
	t.Logf("%s: %d trips of %v", name, slices.Min(trips), trips)
	if least := slices.Min(trips); least > mostTrips {
		t.Errorf("%s takes %d trips to PostgreSQL, more than %d", name, least, mostTrips)
	}
}

// leastTrips counts until it is few enough, so that the least counts. Nothing hides a trip, but much adds some: the
// first time statements are prepared, a connection that rested is asked whether it lives, and by the clock the pairs
// and the keys are read anew. The slower the machine, the more of that falls into one write.
func (f *faraway) leastTrips(t *testing.T, count func() int) (trips []int) {
	t.Helper()
	for len(trips) < mostAttempts {
		trips = append(trips, count())
		if len(trips) >= 4 && slices.Min(trips) <= mostTrips {
			break
		}
	}
	return trips
}

func TestOneTripMoreThanMayBeIsFound(t *testing.T) {
	t.Parallel()
	f := openFaraway(t)
	least := func(asks int) int {
		return slices.Min(f.leastTrips(t, func() int {
			before := f.relay.Trips()
			for range asks {
				if err := f.Store.Ping(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			return f.relay.Trips() - before
		}))
	}
	if n := least(mostTrips); n != mostTrips {
		t.Errorf("%d trips are counted as %d", mostTrips, n)
	}
	if n := least(mostTrips + 1); n != mostTrips+1 {
		t.Errorf("%d trips are counted as %d", mostTrips+1, n)
	}
}
