package parity

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway/gatewaytest"
	"example.org/backoffice/graphql/limits"
)

const createBatch = `mutation($inputs: [CreateCustomerInput!]!, $mode: BatchMode! = ATOMIC, $key: String, $dry: Boolean) {
	createCustomers(inputs: $inputs, mode: $mode, idempotencyKey: $key, dryRun: $dry) { written results { customer { id displayName } userErrors { code field } } userErrors { code field } } }`

// companies are the inputs of a batch: companies of these names.
func companies(names ...string) []map[string]any {
	inputs := []map[string]any{}
	for _, name := range names {
		inputs = append(inputs, map[string]any{"type": "COMPANY", "name": name})
	}
	return inputs
}

func named(prefix string, n int) (names []string) {
	for i := range n {
		names = append(names, fmt.Sprint(prefix, " ", i))
	}
	return names
}

// batchAnswer is the payload of a batch.
type batchAnswer struct {
	Written    int
	UserErrors []struct {
		Code  string
		Field []string
	}
	Results []struct {
		Customer   *struct{ ID, DisplayName string }
		UserErrors []struct {
			Code  string
			Field []string
		}
	}
}

func batch(t testing.TB, o *gatewaytest.Office, credential [2]string, query string, variables map[string]any) (answer batchAnswer, body string, calls int) {
	t.Helper()
	_, text, calls := o.Ask(t, credential, query, json.RawMessage(gatewaytest.JSON(t, variables)), nil)
	var data struct{ Data map[string]batchAnswer }
	if err := json.Unmarshal(text, &data); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	for _, payload := range data.Data {
		answer = payload
	}
	return answer, string(text), calls
}

func TestAModeThatIsNullWritesNothing(t *testing.T) {
	t.Parallel()
	o := gatewaytest.Open(t)
	writer := o.Credential(t, backoffice.CustomersWrite)
	before := len(gatewaytest.All(t, o.Store.Customers()))
	for _, query := range []string{
		`mutation($m: BatchMode) { deleteCustomers(inputs: [{id: "acme"}, {id: "nobody"}], mode: $m) { written } }`,
		`mutation($m: BatchMode = EACH) { deleteCustomers(inputs: [{id: "acme"}, {id: "nobody"}], mode: $m) { written } }`,
	} {
		_, body, _ := batch(t, o, writer, query, map[string]any{"m": nil})
		if !strings.Contains(body, `the variable \"$m\" must not be null`) || !strings.Contains(body, "BAD_USER_INPUT") {
			t.Error(body)
		}
	}
	if after := len(gatewaytest.All(t, o.Store.Customers())); after != before {
		t.Errorf("%d customers are left of %d", after, before)
	}
}

func TestABatchOfAHundredInputsIsTakenAndOneOfOneMoreRefused(t *testing.T) {
	t.Parallel()
	o := gatewaytest.Open(t)
	writer := o.Credential(t, backoffice.CustomersWrite)
	answer, body, _ := batch(t, o, writer, createBatch, map[string]any{"inputs": companies(named("a", 101)...), "mode": "EACH"})
	if answer.Written != 0 || len(answer.Results) != 0 || len(answer.UserErrors) != 1 || answer.UserErrors[0].Code != "INVALID" || !slices.Equal(answer.UserErrors[0].Field, []string{"inputs"}) {
		t.Error(body)
	}
	if answer, body, _ := batch(t, o, writer, createBatch, map[string]any{"inputs": companies(named("a", 100)...)}); answer.Written != 100 || len(answer.Results) != 100 {
		t.Error(body)
	}
	if answer, body, _ := batch(t, o, writer, createBatch, map[string]any{"inputs": []any{}}); answer.Written != 0 || len(answer.UserErrors) != 0 || len(answer.Results) != 0 {
		t.Error(body)
	}
}

func TestABatchIsPricedByItsInputsHoweverOftenItIsAliased(t *testing.T) {
	t.Parallel()
	o := gatewaytest.Open(t)
	writer := o.Credential(t, backoffice.AllScopes...)
	const selected = `createCustomers(inputs: $inputs) { results { customer { relations(first: 20) { nodes { id } } } } }`
	query := `mutation($inputs: [CreateCustomerInput!]!) {`
	for i := range 19 {
		query += fmt.Sprintf(" a%d: %s", i, selected)
	}
	status, body, _ := o.Ask(t, writer, query+" }", json.RawMessage(gatewaytest.JSON(t, map[string]any{"inputs": companies(named("a", 100)...)})), nil)
	if !strings.Contains(string(body), limits.CodeCost) {
		t.Errorf("%d %.300s", status, body)
	}
	if _, body, _ := o.Ask(t, writer, `{ customers(filter: {search: "a 1"}) { totalCount } }`, nil, nil); !strings.Contains(string(body), `"totalCount":0`) {
		t.Errorf("something was written: %s", body)
	}
}

func TestABatchTakesAsManyStatementsForAHundredInputsAsForTwo(t *testing.T) {
	t.Parallel()
	for name, fresh := range gatewaytest.Engines {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := gatewaytest.OpenOn(t, fresh(t))
			writer := o.Credential(t, backoffice.AllScopes...)
			rows := 0 // statements for each row
			if name == "SQLite" {
				rows = 2 // it and its entry of the log are written one by one, where a statement has no way to go
			}
			count := func(n int) (created, updated, deleted int) {
				inputs := companies(named(fmt.Sprint("of ", n), n)...)
				for i, input := range inputs {
					input["customerCode"], input["responsibleId"], input["scopes"] = fmt.Sprint(n, "-", i), "user-an", []string{"checklist"}
				}
				made, body, created := batch(t, o, writer, createBatch, map[string]any{"inputs": inputs, "key": fmt.Sprint("key ", n)})
				if made.Written != n {
					t.Fatal(body)
				}
				changes, deletions := []map[string]any{}, []map[string]any{}
				for i, result := range made.Results {
					changes = append(changes, map[string]any{"id": result.Customer.ID, "expectedVersion": 1, "phone": "+32 9 251 11 11", "customerCode": fmt.Sprint("new ", n, "-", i)})
					deletions = append(deletions, map[string]any{"id": result.Customer.ID, "expectedVersion": 2})
				}
				changed, body, updated := batch(t, o, writer, `mutation($inputs: [UpdateCustomerInput!]!) { updateCustomers(inputs: $inputs) { written results { userErrors { code field } } } }`, map[string]any{"inputs": changes})
				if changed.Written != n {
					t.Fatal(body)
				}
				gone, body, deleted := batch(t, o, writer, `mutation($inputs: [DeleteCustomerInput!]!) { deleteCustomers(inputs: $inputs) { written results { userErrors { code field } } } }`, map[string]any{"inputs": deletions})
				if gone.Written != n {
					t.Fatal(body)
				}
				return created, updated, deleted
			}
			count(3) // what is asked once, such as of the credential, is known by then
			created, updated, deleted := count(2)
			createdMore, updatedMore, deletedMore := count(100)
			t.Logf("2 inputs: %d, %d, %d statements; 100 inputs: %d, %d, %d", created, updated, deleted, createdMore, updatedMore, deletedMore)
			if createdMore != created+98*rows || updatedMore != updated+98*rows || deletedMore != deleted+98*rows {
				t.Errorf("2 inputs take %d, %d, %d statements and 100 take %d, %d, %d", created, updated, deleted, createdMore, updatedMore, deletedMore)
			}
		})
	}
}

func TestFiftyBatchesAtOnceWithOneKeyMakeOne(t *testing.T) {
	t.Parallel()
	for name, fresh := range gatewaytest.Engines {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := gatewaytest.OpenOn(t, fresh(t))
			writer := o.Credential(t, backoffice.AllScopes...)
			inputs := companies(named("batch", 5)...)
			inputs[3]["kboNumber"] = "0200065766"
			answers := make([]string, 50)
			var all sync.WaitGroup
			for i := range answers {
				all.Go(func() {
					_, answers[i], _ = batch(t, o, writer, createBatch, map[string]any{"inputs": inputs, "mode": "EACH", "key": "one"})
				})
			}
			all.Wait()
			for _, answer := range answers {
				if answer != answers[0] || !strings.Contains(answer, `"written":4`) || !strings.Contains(answer, `["inputs","3","kboNumber"]`) {
					t.Fatalf("%s\n%s", answer, answers[0])
				}
			}
			if _, body, _ := o.Ask(t, writer, `{ customers(filter: {search: "batch"}) { totalCount } }`, nil, nil); !strings.Contains(string(body), `"totalCount":4`) {
				t.Errorf("%s", body)
			}
			if answer, body, _ := batch(t, o, writer, createBatch, map[string]any{"inputs": inputs, "mode": "ATOMIC", "key": "one"}); len(answer.UserErrors) != 1 || answer.UserErrors[0].Code != "IDEMPOTENCY_KEY_REUSED" {
				t.Error(body)
			}
		})
	}
}

func TestFiftyBatchesAtOnceForTheSameCodesWriteEachCodeOnce(t *testing.T) {
	t.Parallel()
	for name, fresh := range gatewaytest.Engines {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := gatewaytest.OpenOn(t, fresh(t))
			writer := o.Credential(t, backoffice.AllScopes...)
			written := make([]int, 50)
			var all sync.WaitGroup
			for i := range written {
				all.Go(func() {
					inputs := companies(named("same", 4)...)
					for j, input := range inputs {
						input["customerCode"] = fmt.Sprint("code ", (i+j)%6)
					}
					mode := []string{"EACH", "ATOMIC"}[i%2]
					answer, body, _ := batch(t, o, writer, createBatch, map[string]any{"inputs": inputs, "mode": mode})
					written[i] = answer.Written
					refused := 0
					for _, result := range answer.Results {
						refused += len(result.UserErrors)
					}
					if len(answer.Results) != 4 || mode == "ATOMIC" && answer.Written != 0 && answer.Written != 4 || mode == "EACH" && answer.Written+refused != 4 {
						t.Errorf("%s: %s", mode, body)
					}
				})
			}
			all.Wait()
			sum := 0
			for _, n := range written {
				sum += n
			}
			_, body, _ := o.Ask(t, writer, `{ customers(filter: {search: "same"}) { totalCount } }`, nil, nil)
			if sum == 0 || sum > 6 || !strings.Contains(string(body), fmt.Sprintf(`"totalCount":%d}`, sum)) {
				t.Errorf("%d were written by their answers: %s", sum, body)
			}
		})
	}
}

func TestABatchIsTheSameOverRESTAndGraphQL(t *testing.T) {
	t.Parallel()
	o := gatewaytest.Open(t)
	writer := o.Credential(t, backoffice.AllScopes...)
	const good, bad, taken = `{"type": "Company", "name": "One"}`, `{"type": "Company", "kboNumber": "0403019262", "phone": "x"}`, `{"type": "Company", "customerCode": "C-001"}`
	post := func(key, body string) (status int, answer string) {
		r := gatewaytest.NewRequest(t, writer, http.MethodPost, "/customers/batch", body)
		if key != "" {
			r.Header.Set("Idempotency-Key", key)
		}
		w := o.Serve(r)
		return w.Code, w.Body.String()
	}
	status, atomic := post("", `{"mode": "atomic", "customers": [`+good+`,`+bad+`,`+taken+`]}`)
	var refused struct {
		Status int
		Errors []struct{ Pointer, Code string }
	}
	if err := json.Unmarshal([]byte(atomic), &refused); err != nil || status != 422 || refused.Status != 422 {
		t.Errorf("%d %s", status, atomic)
	}
	want := []struct{ Pointer, Code string }{{"/customers/1/kboNumber", "INVALID"}, {"/customers/1/phone", "INVALID"}, {"/customers/2/customerCode", "TAKEN"}}
	if !slices.Equal(refused.Errors, want) {
		t.Errorf("%v", refused.Errors)
	}
	status, each := post("rest", `{"mode": "each", "customers": [`+good+`,`+bad+`,`+taken+`]}`)
	var done struct {
		Written int
		Results []struct {
			Status   int
			Customer *struct{ Name string }
			Problem  *struct {
				Status int
				Errors []struct{ Pointer, Code string }
			}
		}
	}
	if err := json.Unmarshal([]byte(each), &done); err != nil || status != 200 || done.Written != 1 || len(done.Results) != 3 {
		t.Fatalf("%d %s", status, each)
	}
	if r := done.Results; r[0].Status != 201 || r[0].Customer.Name != "One" || r[0].Problem != nil ||
		r[1].Status != 422 || !slices.Equal(r[1].Problem.Errors, want[:2]) ||
		r[2].Status != 409 || !slices.Equal(r[2].Problem.Errors, want[2:]) {
		t.Error(each)
	}
	if status, again := post("rest", `{"mode": "each", "customers": [`+good+`,`+bad+`,`+taken+`]}`); status != 200 || again != each {
		t.Errorf("a replay: %d %s", status, again)
	}
	if status, other := post("rest", `{"mode": "atomic", "customers": [`+good+`]}`); status != 422 || !strings.Contains(other, "IDEMPOTENCY_KEY_REUSED") {
		t.Errorf("another content: %d %s", status, other)
	}
	// GraphQL knows the key, and the content.
	graphql := []map[string]any{{"type": "COMPANY", "name": "One"}, {"type": "COMPANY", "kboNumber": "0403019262", "phone": "x"}, {"type": "COMPANY", "customerCode": "C-001"}}
	answer, body, _ := batch(t, o, writer, createBatch, map[string]any{"inputs": graphql, "mode": "EACH", "key": "rest"})
	if answer.Written != 1 || len(answer.Results[1].UserErrors) != 2 || !slices.Equal(answer.Results[2].UserErrors[0].Field, []string{"inputs", "2", "customerCode"}) {
		t.Error(body)
	}
	for body, status := range map[string]int{
		`{"customers": []}`: 200, `{"customers": [` + strings.Repeat(good+",", 100) + good + `]}`: 422, `{}`: 422, `{"mode": "both", "customers": []}`: 422,
		`{"customers": [{"type": "Company", "naam": "x"}]}`: 422, `{"customers": ["` + strings.Repeat("x", 256<<10) + `"]}`: 413,
	} {
		if got, answer := post("", body); got != status {
			t.Errorf("%.80s: %d, not %d: %.300s", body, got, status, answer)
		}
	}
}
