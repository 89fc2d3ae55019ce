package parity

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"github.com/Khan/genqlient/graphql"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway/gatewaytest"
	"example.org/backoffice/graphql/integration"
)

// signedIn sends a credential with every request, as an integration's HTTP client does.
type signedIn struct {
	credential [2]string
	http       *http.Client
}

func (s signedIn) Do(r *http.Request) (*http.Response, error) {
	r.Header.Set(auth.ClientIDHeader, s.credential[0])
	r.Header.Set(auth.ClientSecretHeader, s.credential[1])
	return s.http.Do(r)
}

func TestAnIntegrationCreatesACompanyWithItsDirectorsAndAssignsAChecklist(t *testing.T) {
	t.Parallel()
	o := gatewaytest.Open(t)
	server := httptest.NewServer(o.Handler)
	defer server.Close()
	client := graphql.NewClient(server.URL+"/graphql", signedIn{o.Credential(t, backoffice.AllScopes...), server.Client()})
	ctx := t.Context()

	create := func(input integration.CreateCustomerInput) string {
		t.Helper()
		made, err := integration.CreateCustomer(ctx, client, input)
		if err != nil {
			t.Fatal(err)
		}
		if len(made.CreateCustomer.UserErrors) > 0 {
			t.Fatalf("%+v", made.CreateCustomer.UserErrors)
		}
		return made.CreateCustomer.Customer.Id
	}
	company := integration.CreateCustomerInput{
		Type: integration.CustomerTypeCompany, Name: new("Bakkerij Peeters"), KboNumber: new("BE 0314.595.348"), CompanyType: new(integration.LegalFormBv),
		Scopes: []string{"checklist"}, Address: &integration.AddressInput{City: new("Gent"), Country: new("Belgium")}, IdempotencyKey: new("company-1"),
	}
	id := create(company)
	if again := create(company); again != id { // the answer was lost, and the integration tries again
		t.Fatalf("a second company: %s and %s", id, again)
	}
	directors := map[string]string{"Els Peeters": "85073003328", "Jan Peeters": "17073003384"}
	for _, first := range []string{"Els", "Jan"} {
		number := directors[first+" Peeters"]
		director := create(integration.CreateCustomerInput{Type: integration.CustomerTypePrivatePerson, FirstName: &first, LastName: new("Peeters"), RegistrationNumber: &number})
		related, err := integration.CreateRelation(ctx, client, integration.CreateCustomerRelationInput{CustomerId: id, RelatedCustomerId: director, Kind: integration.RelationKindDirector})
		if err != nil || related.CreateCustomerRelation.Relation.RelatedCustomer.DisplayName != first+" Peeters" {
			t.Fatalf("%+v %v", related, err)
		}
	}
	year, err := integration.CurrentChecklists(ctx, client)
	if err != nil {
		t.Fatal(err)
	}
	checklist := year.CurrentFinancialYear.Checklists.Nodes[0]
	assigned, err := integration.AssignChecklist(ctx, client, integration.AssignChecklistInput{ChecklistId: checklist.Id, CustomerId: id, CustomVariables: new(json.RawMessage(`{"vat":true}`))})
	if err != nil || assigned.AssignChecklist.Transcript.Status != integration.TranscriptStatusToProcess {
		t.Fatalf("%+v %v", assigned, err)
	}

	read, err := integration.Company(ctx, client, id)
	if err != nil {
		t.Fatal(err)
	}
	c := read.Customer
	if *c.Name != "Bakkerij Peeters" || *c.KboNumber != "0314595348" || *c.CompanyType != integration.LegalFormBv || *c.Address.City != "Gent" || c.Relations.TotalCount != 2 {
		t.Errorf("%+v", c)
	}
	var found []string
	for _, edge := range c.Relations.Edges {
		other := edge.OtherCustomer
		if edge.Direction != integration.RelationDirectionOutgoing || other.RegistrationNumber == nil || *other.RegistrationNumber != directors[other.DisplayName] {
			t.Errorf("%+v", edge)
		}
		found = append(found, other.DisplayName)
	}
	if slices.Sort(found); !slices.Equal(found, []string{"Els Peeters", "Jan Peeters"}) {
		t.Errorf("directors %q", found)
	}
	if nodes := c.Transcripts.Nodes; len(nodes) != 1 || nodes[0].Id != assigned.AssignChecklist.Transcript.Id || nodes[0].Checklist.Name != checklist.Name || string(nodes[0].CustomVariables) != `{"vat":true}` {
		t.Errorf("%+v", nodes)
	}

	refused, err := integration.CreateCustomer(ctx, client, integration.CreateCustomerInput{Type: integration.CustomerTypePrivatePerson, KboNumber: new("0200065765"), Address: &integration.AddressInput{Country: new(" ")}})
	if err != nil || refused.CreateCustomer.Customer != nil {
		t.Fatalf("%+v %v", refused, err)
	}
	var paths [][]string
	for _, one := range refused.CreateCustomer.UserErrors {
		paths = append(paths, one.Field)
	}
	if !slices.EqualFunc(paths, [][]string{{"kboNumber"}, {"address", "country"}}, slices.Equal) {
		t.Errorf("%q", paths)
	}
}
