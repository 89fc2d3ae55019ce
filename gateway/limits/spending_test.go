package limits

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway/gatewaytest"
	"example.org/backoffice/graphql/limits"
)

// slowly restores a budget by 1 a second, so that a test has to bear with what comes back while it runs and no more.
func slowly(budget int) limits.Settings {
	bounds := gatewaytest.Limits()
	bounds.Budget, bounds.BudgetRestore = budget, 1
	return bounds
}

// tolerated is how much may have come back meanwhile.
const tolerated = 120

// left reads the headers of an answer.
func left(t *testing.T, header http.Header, budget int) (remaining int) {
	t.Helper()
	if policy := header.Get("RateLimit-Policy"); policy != fmt.Sprintf(`"cost";q=%d;w=%d`, budget, budget) {
		t.Fatalf("RateLimit-Policy: %q", policy)
	}
	var whole int
	if n, err := fmt.Sscanf(header.Get("RateLimit"), `"cost";r=%d;t=%d`, &remaining, &whole); n != 2 || err != nil || remaining+whole < budget || remaining+whole > budget+1 {
		t.Fatalf("RateLimit: %q", header.Get("RateLimit"))
	}
	return remaining
}

type costTold struct {
	Errors     []struct{ Extensions struct{ Code string } }
	Extensions struct {
		Cost struct {
			Cost   int
			Budget *limits.Allowance
		}
	}
}

func TestACredentialPaysForWhatWasReadAndIsRefusedWhenItsBudgetIsSpent(t *testing.T) {
	t.Parallel()
	const budget = 1_200
	o := gatewaytest.OpenWith(t, gatewaytest.Engines["SQLite"](t), slowly(budget))
	credential, another := o.Credential(t, backoffice.AllScopes...), o.Credential(t)
	ask := func(query string, explain bool) (code int, header http.Header, told costTold) {
		r := gatewaytest.NewRequest(t, credential, http.MethodPost, "/graphql", gatewaytest.JSON(t, map[string]any{"query": query}))
		r.Header.Set("Accept", "application/graphql-response+json")
		if explain {
			r.Header.Set("X-Explain", "true")
		}
		w := o.Serve(r)
		_ = json.Unmarshal(w.Body.Bytes(), &told)
		return w.Code, w.Header(), told
	}

	// 501 are reserved; there are few customers, and no more are charged than were read.
	code, header, told := ask(`{ customers(first: 500) { nodes { id } } }`, true)
	remaining := left(t, header, budget)
	if code != http.StatusOK || told.Extensions.Cost.Cost != 501 || remaining < budget-50 || remaining >= budget {
		t.Fatalf("%d, cost %d, %d left", code, told.Extensions.Cost.Cost, remaining)
	}
	if told.Extensions.Cost.Budget == nil || *told.Extensions.Cost.Budget != (limits.Allowance{Maximum: budget, Available: int64(remaining), RestoreRate: 1}) {
		t.Errorf("the budget that is told: %+v beside %d", told.Extensions.Cost.Budget, remaining)
	}

	// What is done even when nothing is found is charged in any case: 500 for a fuzzy search.
	before := remaining
	_, header, _ = ask(`{ customers(first: 1, filter: {search: "zzzzqqqq", searchMode: FUZZY}) { nodes { id } } }`, false)
	if remaining = left(t, header, budget); before-remaining < 500-tolerated || before-remaining > 505 {
		t.Errorf("a search that finds nothing: %d, then %d left", before, remaining)
	}

	// One that is not executed costs nothing.
	before = remaining
	if code, header, _ = ask(`{ nothing }`, false); code != http.StatusBadRequest || left(t, header, budget) < before {
		t.Errorf("a document that is refused: %d, %v", code, header)
	}

	// What costs more than there is is refused, told the budget, and told exactly when to come back.
	dear := `{ customers(first: 1, filter: {search: "zzzzqqqq", searchMode: FUZZY}) { nodes { id } } b: customers(first: 400) { nodes { id } } }`
	code, header, told = ask(dear, false)
	remaining = left(t, header, budget)
	wait, _ := strconv.Atoi(header.Get("Retry-After"))
	if code != http.StatusTooManyRequests || told.Errors[0].Extensions.Code != "RATE_LIMITED" || told.Extensions.Cost.Budget == nil {
		t.Fatalf("%d %+v", code, told)
	}
	if missing := told.Extensions.Cost.Cost - remaining; wait < missing-2 || wait > missing {
		t.Errorf("it costs %d of %d: come back in %d s", told.Extensions.Cost.Cost, remaining, wait)
	}

	// What never could be paid is no matter of waiting.
	if code, header, told = ask(`{ customers(first: 500) { nodes { id relations(first: 10) { nodes { id } } } } }`, false); code != http.StatusBadRequest || told.Errors[0].Extensions.Code != "COST_LIMIT" || header.Get("Retry-After") != "" {
		t.Errorf("more than the whole budget: %d %+v %v", code, told, header)
	}

	// Another credential has its own, and REST has the same.
	if w := o.Send(t, another, http.MethodGet, "/users?pageSize=10", ""); w.Code != http.StatusOK || left(t, w.Header(), budget) < budget-20 || left(t, w.Header(), budget) >= budget {
		t.Errorf("another credential: %d %v", w.Code, w.Header())
	}
	w := o.Send(t, credential, http.MethodGet, "/customers?pageSize=500&page=60000", "")
	if w.Code != http.StatusBadRequest {
		t.Errorf("a page that costs more than the whole budget: %d %s", w.Code, w.Body)
	}
	w = o.Send(t, credential, http.MethodGet, "/customers?pageSize=500&page=120", "")
	remaining = left(t, w.Header(), budget)
	if wait, _ = strconv.Atoi(w.Header().Get("Retry-After")); w.Code != http.StatusTooManyRequests || wait < 501+595-remaining-2 || wait > 501+595-remaining {
		t.Errorf("a page of REST: %d, %d left, come back in %d s", w.Code, remaining, wait)
	}
	if w := o.Send(t, credential, http.MethodGet, "/customers?pageSize=3", ""); w.Code != http.StatusOK || left(t, w.Header(), budget) > remaining+tolerated {
		t.Errorf("a page that there is enough for: %d", w.Code)
	}
}

func TestABatchIsChargedWhole(t *testing.T) {
	t.Parallel()
	const budget = 1_000
	o := gatewaytest.OpenWith(t, gatewaytest.Engines["SQLite"](t), slowly(budget))
	credential := o.Credential(t, backoffice.AllScopes...)
	inputs := make([]map[string]any, 60)
	for i := range inputs {
		inputs[i] = map[string]any{"type": "COMPANY", "name": fmt.Sprint("Batch ", i)}
	}
	body := gatewaytest.JSON(t, map[string]any{"query": `mutation($i: [CreateCustomerInput!]!) { createCustomers(inputs: $i) { written } }`, "variables": map[string]any{"i": inputs}})
	first := o.Send(t, credential, http.MethodPost, "/graphql", body)
	if remaining := left(t, first.Header(), budget); first.Code != http.StatusOK || remaining < budget-600 || remaining > budget-600+tolerated {
		t.Errorf("600 of %d: %d left, %d %s", budget, remaining, first.Code, first.Body)
	}
	if again := o.Send(t, credential, http.MethodPost, "/graphql", body); again.Code != http.StatusTooManyRequests {
		t.Errorf("a second batch: %d %.200s", again.Code, again.Body)
	}
	list := o.Send(t, credential, http.MethodGet, "/customers?pageSize=1&orderBy=name", "")
	if list.Code == http.StatusOK && strings.Contains(list.Body.String(), `"Batch 60"`) {
		t.Error("a batch that was refused was written")
	}
}

func TestAnExportWaitsForItsCredentialsBudget(t *testing.T) {
	t.Parallel()
	bounds := gatewaytest.Limits()
	bounds.Budget, bounds.BudgetRestore = 12, 20 // a page, again and again
	o := gatewaytest.OpenWith(t, gatewaytest.Engines["SQLite"](t), bounds)
	credential := o.Credential(t, backoffice.AllScopes...)
	err := o.Store.Write(t.Context(), func(ctx context.Context, tx backoffice.Tx) error {
		for i := range 30 {
			name := fmt.Sprintf("exported-%02d", i)
			if err := tx.Customers().Insert(ctx, &backoffice.Customer{ID: name, Type: backoffice.Company, OwnName: backoffice.Text(name), DisplayName: name, Version: 1}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	whole := o.Export(t, credential, "format=jsonl", `{ customers { nodes { id name } } }`)
	var counted struct {
		Data struct{ Customers struct{ TotalCount int } }
	}
	untilAffordable(t, o, credential, `{ customers(first: 1) { totalCount } }`, &counted)
	if whole.Status != http.StatusOK || whole.Err != nil || !whole.Complete() || counted.Data.Customers.TotalCount < 30 || len(whole.Lines()) != counted.Data.Customers.TotalCount {
		t.Errorf("%d %v, %d lines of %d, %v", whole.Status, whole.Err, len(whole.Lines()), counted.Data.Customers.TotalCount, whole.Trailer)
	}

	o = gatewaytest.OpenWith(t, gatewaytest.Engines["SQLite"](t), slowly(20))
	credential = o.Credential(t, backoffice.AllScopes...)
	if status, _, _ := o.Ask(t, credential, `mutation { createLabel(input: {name: "x"}) { label { id } } }`, nil, nil); status != http.StatusOK {
		t.Fatal(status)
	}
	if refused := o.Export(t, credential, "format=jsonl", `{ customers { nodes { id name } } }`); refused.Status != http.StatusTooManyRequests || refused.Header.Get("Retry-After") == "" || refused.Code() != "RATE_LIMITED" {
		t.Errorf("an export that cannot begin: %d %v %s", refused.Status, refused.Header, refused.Body)
	}
}

func TestTheOpeningOfASubscriptionIsChargedAndWhatItTellsIsNot(t *testing.T) {
	t.Parallel()
	const budget = 1_000
	o := gatewaytest.OpenWith(t, gatewaytest.Engines["SQLite"](t), slowly(budget))
	subscriber, writer := o.Credential(t, backoffice.AllScopes...), o.Credential(t, backoffice.SettingsWrite)
	f := o.Follower(t, subscriber)
	const query = `subscription { changes { cursor object { ... on Label { name } } } }`
	stream := f.Subscribes(t, query, nil)
	defer stream.Response.Body.Close()
	before := left(t, stream.Response.Header, budget)
	if before >= budget {
		t.Errorf("the opening costs nothing: %d", before)
	}
	for range 40 {
		if _, err := f.Subscribe(t.Context(), `subscription { changes(after: "gone.1") { cursor } }`, nil); err == nil {
			t.Error("it goes on after a change that is not there")
		}
	}
	for i := range 40 {
		if status, body, _ := o.Ask(t, writer, fmt.Sprintf(`mutation { createLabel(input: {name: "told %d"}) { label { id } } }`, i), nil, nil); status != http.StatusOK {
			t.Fatal(status, string(body))
		}
		stream.Change(t)
	}
	w := o.Send(t, subscriber, http.MethodGet, "/users?pageSize=1", "")
	if after := left(t, w.Header(), budget); after < before-5 {
		t.Errorf("%d before it was told of 40 changes, %d behind", before, after)
	}
	// It is spent by others of the credential; the stream goes on, and another one does not begin.
	for range 200 {
		if w = o.Send(t, subscriber, http.MethodGet, "/customers?pageSize=1&page=60000", ""); w.Code == http.StatusTooManyRequests {
			break
		}
	}
	if w.Code != http.StatusTooManyRequests {
		t.Fatal("the budget is never spent:", w.Code, w.Header())
	}
	for {
		if w = o.Send(t, subscriber, http.MethodGet, "/users/nobody", ""); w.Code == http.StatusTooManyRequests {
			break
		}
	}
	if _, err := f.Subscribe(t.Context(), query, nil); err == nil || !strings.Contains(err.Error(), "429") {
		t.Errorf("another subscription: %v", err)
	}
	if status, body, _ := o.Ask(t, writer, `mutation { createLabel(input: {name: "still told"}) { label { id } } }`, nil, nil); status != http.StatusOK {
		t.Fatal(status, string(body))
	}
	stream.Change(t)
}

func TestADownloadCostsWhatItDoesWithHeadersByItsSignedPath(t *testing.T) {
	t.Parallel()
	o := gatewaytest.OpenWith(t, gatewaytest.Engines["SQLite"](t), slowly(30))
	o.Fill(t)
	credential := o.Credential(t, backoffice.AllScopes...)
	var signed struct {
		Data struct {
			Documents struct {
				Nodes []struct{ File struct{ DownloadPath string } }
			}
		}
	}
	untilAffordable(t, o, credential, `{ documents(first: 1) { nodes { file { downloadPath } } } }`, &signed)
	for n := 0; ; n++ {
		w := o.Serve(httptest.NewRequest(http.MethodGet, signed.Data.Documents.Nodes[0].File.DownloadPath, nil))
		if w.Code == http.StatusTooManyRequests {
			break
		}
		if w.Code != http.StatusOK || n > 40 {
			t.Fatalf("%d downloads, the last one %d", n, w.Code)
		}
	}
}

func TestWithoutABudgetNothingIsSaidOfOne(t *testing.T) {
	t.Parallel()
	o := gatewaytest.Open(t)
	w := o.Send(t, o.Credential(t), http.MethodGet, "/users?pageSize=1", "")
	if w.Header().Get("RateLimit") != "" || w.Header().Get("RateLimit-Policy") != "" {
		t.Errorf("%v", w.Header())
	}
	_, body, _ := o.Ask(t, o.Credential(t), `{ viewer { name } }`, nil, http.Header{"X-Explain": {"true"}})
	if strings.Contains(string(body), `"budget"`) {
		t.Errorf("%s", body)
	}
}

// untilAffordable asks again while the credential's budget does not do.
func untilAffordable(t *testing.T, o *gatewaytest.Office, credential [2]string, query string, into any) {
	t.Helper()
	for {
		status, body, _ := o.Ask(t, credential, query, nil, nil)
		if status == http.StatusTooManyRequests {
			continue
		}
		if err := json.Unmarshal(body, into); err != nil || status != http.StatusOK {
			t.Fatalf("%d %s %v", status, body, err)
		}
		return
	}
}
