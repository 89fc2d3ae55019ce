package parity

import (
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/backoffice/ownership"
	"example.org/backoffice/gateway/gatewaytest"
)

// owned is an office with shareholders. Ann has 10 % of Target and half of Holding, which has 60 %; Bert has the rest of
// Holding; until 2020, Els had all of Target.
func owned(t *testing.T, o *gatewaytest.Office) {
	t.Helper()
	customer := func(id string, kind backoffice.CustomerType) *backoffice.Customer {
		return &backoffice.Customer{ID: id, Type: kind, OwnName: backoffice.Text("Name of " + id), DisplayName: "Name of " + id, Version: 1}
	}
	n := 0
	relation := func(kind backoffice.RelationKind, held, holder string, share, first, last backoffice.Text) *backoffice.CustomerRelation {
		n++
		return &backoffice.CustomerRelation{ID: fmt.Sprint("holding-", n), Kind: kind, CustomerID: held, RelatedCustomerID: holder, SharePercent: share, StartDate: first, EndDate: last, Version: 1}
	}
	err := o.Store.Write(t.Context(), func(ctx context.Context, tx backoffice.Tx) error {
		return errors.Join(tx.Customers().Insert(ctx, customer("target", backoffice.Company), customer("holding", backoffice.Company),
			customer("ann", backoffice.PrivatePerson), customer("bert", backoffice.PrivatePerson), customer("els-2", backoffice.PrivatePerson)),
			tx.Relations().Insert(ctx, relation(backoffice.Shareholder, "target", "holding", "60", "2021-01-01", ""), relation(backoffice.Shareholder, "target", "ann", "10", "2021-01-01", ""),
				relation(backoffice.Shareholder, "holding", "ann", "50", "", ""), relation(backoffice.Shareholder, "holding", "bert", "50", "", ""),
				relation(backoffice.Shareholder, "target", "els-2", "100", "", "2020-12-31"), relation(backoffice.Director, "target", "bert", "", "", ""),
				relation(backoffice.UBO, "target", "ann", "45", "", ""), relation(backoffice.UBO, "target", "els-2", "", "", "")))
	})
	if err != nil {
		t.Fatal(err)
	}
}

const whoOwns = `{ customer(id: "target") { ownership%s { layers complex complete cycles unknownShares truncated
	owners { person { id } sharePercent direct control paths(first: 1) { steps { relation { id } sharePercent cumulative } } }
	belgian: beneficialOwners { person { id } category } european: beneficialOwners(rule: EU_2024) { person { id } category }
	ten: beneficialOwners(rule: CUSTOM, threshold: 10.5) { person { id } }
	discrepancies { kind person { id } relation { id } declaredPercent computedPercent certain } } } }`

func TestWhoOwnsACustomerIsComputedThroughAllLevelsOfOneDay(t *testing.T) {
	t.Parallel()
	for engine, database := range gatewaytest.Engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			o := gatewaytest.OpenOn(t, database(t))
			owned(t, o)
			credential := o.Credential(t, backoffice.CustomersWrite)
			now := `{"data":{"customer":{"ownership":{"layers":2,"complex":false,"complete":false,"cycles":0,"unknownShares":0,"truncated":false,"owners":[` +
				`{"person":{"id":"holding"},"sharePercent":60,"direct":true,"control":60,"paths":[{"steps":[{"relation":{"id":"holding-1"},"sharePercent":60,"cumulative":60}]}]},` +
				`{"person":{"id":"ann"},"sharePercent":40,"direct":true,"control":10,"paths":[{"steps":[{"relation":{"id":"holding-1"},"sharePercent":60,"cumulative":60},{"relation":{"id":"holding-3"},"sharePercent":50,"cumulative":30}]}]},` +
				`{"person":{"id":"bert"},"sharePercent":30,"direct":false,"control":0,"paths":[{"steps":[{"relation":{"id":"holding-1"},"sharePercent":60,"cumulative":60},{"relation":{"id":"holding-4"},"sharePercent":50,"cumulative":30}]}]}],` +
				`"belgian":[{"person":{"id":"ann"},"category":"OWNERSHIP"},{"person":{"id":"bert"},"category":"OWNERSHIP"}],"european":[{"person":{"id":"ann"},"category":"OWNERSHIP"},{"person":{"id":"bert"},"category":"OWNERSHIP"}],` +
				`"ten":[{"person":{"id":"ann"}},{"person":{"id":"bert"}}],"discrepancies":[` +
				`{"kind":"NOT_COMPUTED","person":{"id":"els-2"},"relation":{"id":"holding-8"},"declaredPercent":null,"computedPercent":0,"certain":false},` +
				`{"kind":"NOT_DECLARED","person":{"id":"bert"},"relation":null,"declaredPercent":null,"computedPercent":30,"certain":true},` +
				`{"kind":"PERCENTAGE","person":{"id":"ann"},"relation":{"id":"holding-7"},"declaredPercent":45,"computedPercent":40,"certain":false}]}}}}`
			for range 2 { // from memory, too
				if got := strings.TrimSpace(o.Answers(t, credential, fmt.Sprintf(whoOwns, ""))); got != now {
					t.Errorf("today:\n%s\nnot\n%s", got, now)
				}
			}
			then := strings.TrimSpace(o.Answers(t, credential, fmt.Sprintf(whoOwns, `(asOf: "2020-12-31")`)))
			if !strings.Contains(then, `"complete":true`) || !strings.Contains(then, `"belgian":[{"person":{"id":"els-2"},"category":"OWNERSHIP"}]`) {
				t.Errorf("in 2020: %s", then)
			}
			o.Write(t, credential, `mutation { updateCustomerRelation(input: {id: "holding-3", endDate: "2021-01-01"}) { userErrors { code } } }`)
			if got := o.Answers(t, credential, `{ customer(id: "target") { ownership { owners { person { id } sharePercent } } } }`); !strings.Contains(got, `{"person":{"id":"ann"},"sharePercent":10}`) {
				t.Errorf("after a relation has ended: %s", got)
			}
			for bad, message := range map[string]string{`(asOf: "2020-02-30")`: "Date", `(maxDepth: 0)`: "maxDepth must be 1 to 20", `(maxDepth: 21)`: "maxDepth must be 1 to 20"} {
				if got := o.Answers(t, credential, fmt.Sprintf(whoOwns, bad)); !strings.Contains(got, message) {
					t.Errorf("%s: %s", bad, got)
				}
			}
		})
	}
}

func TestTheOwnersOfAllCustomersAreReadWithOneStatementALevel(t *testing.T) {
	t.Parallel()
	o := gatewaytest.Open(t)
	owned(t, o)
	credential := o.Credential(t)
	count := func(ids string) int {
		_, body, calls := o.Ask(t, credential, `{ nodes(ids: [`+ids+`]) { ... on Customer { ownership { layers } } } }`, nil, nil)
		if strings.Contains(string(body), "errors") {
			t.Fatalf("%s", body)
		}
		return calls
	}
	count(`"ann"`) // signs in
	one, all := count(`"target"`), count(`"target", "acme", "els-2", "cafe"`)
	if one != all || one > 6 { // the customers, three levels, and the types of all
		t.Errorf("%d statements for one customer, %d for four", one, all)
	}
}

func TestOwnersByRESTAreThoseOfGraphQLAndHaveNoNumbers(t *testing.T) {
	t.Parallel()
	o := gatewaytest.Open(t)
	owned(t, o)
	credential := o.Credential(t)
	get := func(query string) string {
		answer := o.Send(t, credential, http.MethodGet, "/customers/target/ownership"+query, "")
		if answer.Code != http.StatusOK {
			t.Fatalf("%s: %d %s", query, answer.Code, answer.Body)
		}
		return answer.Body.String()
	}
	var shown struct {
		AsOf             string
		Owners           []struct{ Person, SharePercent, Control string }
		BeneficialOwners []struct{ Person, Category, VotePercent string }
		Discrepancies    []struct {
			Kind, Person, DisplayName, ComputedPercent string
			Relation, DeclaredPercent                  *string
			Certain                                    bool
		}
	}
	if err := json.Unmarshal([]byte(get("")), &shown); err != nil || len(shown.Owners) != 3 || shown.Owners[1].Person != "ann" || shown.Owners[1].SharePercent != "40" || len(shown.BeneficialOwners) != 2 || shown.BeneficialOwners[0].VotePercent != "40" {
		t.Errorf("%+v, %v", shown, err)
	}
	if d := shown.Discrepancies; len(d) != 3 || d[0].Person != "els-2" || d[0].DisplayName == "" || d[1].Relation != nil || !d[1].Certain || d[2].Kind != "PERCENTAGE" || *d[2].DeclaredPercent != "45" || d[2].ComputedPercent != "40" {
		t.Errorf("%+v", d)
	}
	if person := o.Send(t, credential, http.MethodGet, "/customers/ann/ownership", "").Body.String(); !strings.Contains(person, `"discrepancies":[]`) {
		t.Error("nobody owns a person:", person)
	}
	var statements []map[string]any
	if err := json.Unmarshal([]byte(get("?format=bods&asOf=2020-12-31")), &statements); err != nil || len(statements) != 3 {
		t.Errorf("%d statements, %v", len(statements), err)
	}
	for asked, want := range map[string]string{ // the format, and Accept
		"svg image/svg+xml": "image/svg+xml", "svg image/*": "image/svg+xml", "svg */*": "image/svg+xml", "svg ": "image/svg+xml", "pdf application/pdf": "application/pdf",
		"svg text/html": "406", "svg application/json": "406", "json application/pdf": "406", "bods image/svg+xml": "406", "pdf application/json, */*": "application/pdf",
		" application/pdf": "application/pdf", " image/*": "image/svg+xml", " */*": "application/json", " ": "application/json", " application/pdf, application/json;q=0.5": "application/pdf",
		" application/json, application/pdf": "application/json", " text/html": "406",
	} {
		format, accept, _ := strings.Cut(asked, " ")
		path := "/customers/target/ownership?format=" + format
		if format == "" {
			path = "/customers/target/ownership"
		}
		request := gatewaytest.NewRequest(t, credential, http.MethodGet, path, "")
		request.Header.Set("Accept", accept)
		if answer := o.Serve(request); answer.Header().Get("Content-Type") != want && (want != "406" || answer.Code != http.StatusNotAcceptable) {
			t.Errorf("%s: %d %s", asked, answer.Code, answer.Header())
		}
	}
	if page := get("?format=pdf"); !strings.HasPrefix(page, "%PDF-") {
		t.Errorf("%.100s", page)
	}
	decoder := xml.NewDecoder(strings.NewReader(get("?format=svg")))
	for {
		if _, err := decoder.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	if picture := get("?format=svg"); !strings.Contains(picture, "Name of ann") || !strings.Contains(picture, "60 %") {
		t.Errorf("%s", picture)
	}
	if got := o.Send(t, credential, http.MethodGet, "/customers/target/ownership?rule=CUSTOM", ""); got.Code != http.StatusBadRequest {
		t.Errorf("%d %s", got.Code, got.Body)
	}
	if got := o.Send(t, credential, http.MethodGet, "/customers/nobody/ownership", ""); got.Code != http.StatusNotFound {
		t.Errorf("%d %s", got.Code, got.Body)
	}
}

func TestBeneficialOwnersAreByTheRuleOfTheDayUnlessOneIsNamed(t *testing.T) {
	t.Parallel()
	o := gatewaytest.Open(t)
	owned(t, o)
	credential := o.Credential(t, backoffice.CustomersWrite)
	o.Write(t, credential, `mutation { createCustomerRelation(input: {customerId: "target", relatedCustomerId: "els-2", kind: SHAREHOLDER, sharePercent: 25, startDate: "2027-07-01"}) { userErrors { code } } }`)
	for day, want := range map[string]int{"2027-07-09": 2, "2027-07-10": 3} {
		answer := o.Answers(t, credential, `{ customer(id: "target") { ownership(asOf: "`+day+`") {
			beneficialOwners { person { id } } named: beneficialOwners(rule: BELGIUM_2018) { category } discrepancies { kind } } } }`)
		if strings.Count(answer, `"person"`) != want || strings.Count(answer, `"category"`) != 2 || strings.Count(answer, "NOT_DECLARED") != 1 {
			t.Errorf("on %s %s", day, answer)
		}
		shown := o.Send(t, credential, http.MethodGet, "/customers/target/ownership?asOf="+day, "").Body.String()
		if strings.Count(shown, `"category"`) != want {
			t.Errorf("on %s %s", day, shown)
		}
	}
}

func TestAllThatACompanyHoldsIsLookedAtAfterAChange(t *testing.T) {
	t.Parallel()
	o := gatewaytest.Open(t)
	const direct = ownership.MaxHoldings + 2 // more than a graph or a page has
	err := o.Store.Write(t.Context(), func(ctx context.Context, tx backoffice.Tx) error {
		customers := []*backoffice.Customer{{ID: "top", Type: backoffice.Company, DisplayName: "top", Version: 1}}
		var relations []*backoffice.CustomerRelation
		hold := func(holder, held string, kind backoffice.RelationKind) {
			customers = append(customers, &backoffice.Customer{ID: held, Type: backoffice.Company, DisplayName: held, Version: 1})
			relations = append(relations, &backoffice.CustomerRelation{ID: "of-" + held, Kind: kind, CustomerID: held, RelatedCustomerID: holder, Version: 1})
		}
		for i := range direct {
			hold("top", fmt.Sprint("held-", i), backoffice.Shareholder)
		}
		hold(fmt.Sprint("held-", direct-1), "below", backoffice.Shareholder)
		hold("top", "directed", backoffice.Director)
		return errors.Join(tx.Customers().Insert(ctx, customers...), tx.Relations().Insert(ctx, relations...))
	})
	if err != nil {
		t.Fatal(err)
	}
	held, err := ownership.WithHoldings(t.Context(), o.Store, []string{"top", "held-1", "top"}, "2026-03-31")
	if err != nil || len(held) != 1+direct+2 || !slices.Contains(held, "below") || !slices.Contains(held, "directed") {
		t.Error(len(held), err)
	}
}

func TestOwnersThatARestrictedCredentialDoesNotSeeAreNotThere(t *testing.T) {
	t.Parallel()
	o := gatewaytest.Open(t)
	owned(t, o)
	credential := o.RestrictedCredential(t, "some", backoffice.RestrictionFields{Customers: []string{"target", "ann"}})
	const query = `{ customer(id: "target") { ownership { layers unknownShares owners { person { id } sharePercent }
		discrepancies { person { id } computedPercent } } } }`
	got := o.Answers(t, credential, query)
	if !strings.Contains(got, `"discrepancies":[{"person":{"id":"ann"},"computedPercent":10}]`) {
		t.Errorf("%s", got)
	}
	if strings.Contains(got, "bert") || !strings.Contains(got, `{"person":{"id":"ann"},"sharePercent":10}`) {
		t.Errorf("%s", got)
	}
	answer := o.Send(t, credential, http.MethodGet, "/customers/target/ownership", "")
	if body := answer.Body.String(); strings.Contains(body, "bert") || strings.Contains(body, `"holding"`) {
		t.Errorf("%s", body)
	}
}
