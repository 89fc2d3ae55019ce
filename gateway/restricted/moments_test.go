package restricted

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
	"example.org/backoffice/changes"
	"example.org/backoffice/gateway/gatewaytest"
)

// restricted is the small office with a credential that sees the customers of one user.
func restricted(t testing.TB, database string, f backoffice.RestrictionFields) (o *gatewaytest.Office, admin, credential [2]string) {
	t.Helper()
	o = gatewaytest.OpenOn(t, database)
	return o, o.RestrictedCredential(t, "admin", backoffice.RestrictionFields{}), o.RestrictedCredential(t, credentialOfTests, f)
}

func wants(t testing.TB, answer string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(answer, part) {
			t.Errorf("%q is not in %s", part, answer)
		}
	}
}

func TestAReplayOfWhatIsNotInViewIsNotFound(t *testing.T) {
	t.Parallel()
	for engine, database := range gatewaytest.Engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			o, admin, credential := restricted(t, database(t), backoffice.RestrictionFields{Responsible: []string{"user-an"}})
			create := `mutation { createCustomer(input: {type: COMPANY, name: "New", responsibleId: "user-an", idempotencyKey: "k"}) { customer { id } userErrors { code message } } }`
			made := o.Answers(t, credential, create)
			if again := o.Answers(t, credential, create); again != made {
				t.Errorf("%s, and again %s", made, again)
			}
			var answer struct {
				Data struct {
					CreateCustomer struct{ Customer struct{ ID string } }
				}
			}
			if err := json.Unmarshal([]byte(made), &answer); err != nil || answer.Data.CreateCustomer.Customer.ID == "" {
				t.Fatal(made, err)
			}
			id := answer.Data.CreateCustomer.Customer.ID
			wants(t, o.Answers(t, admin, `mutation { updateCustomer(input: {id: "`+id+`", responsibleId: "user-bruno"}) { userErrors { code } } }`), `"userErrors":[]`)
			wants(t, o.Answers(t, credential, create), `"customer":null`, `"NOT_FOUND"`)
			wants(t, o.Answers(t, credential, `mutation { updateCustomer(input: {id: "`+id+`", responsibleId: "user-an"}) { userErrors { code } } }`), `"NOT_FOUND"`)
			wants(t, o.Answers(t, credential, `{ customer(id: "`+id+`") { id } node(id: "`+id+`") { id } }`), `"customer":null`, `"node":null`)
		})
	}
}

func TestAWriteThatLeadsOutOfViewIsNotAllowed(t *testing.T) {
	t.Parallel()
	for engine, database := range gatewaytest.Engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			o, admin, credential := restricted(t, database(t), backoffice.RestrictionFields{Responsible: []string{"user-an"}})
			wants(t, o.Answers(t, admin, `mutation { updateCustomer(input: {id: "acme", responsibleId: "user-an"}) { userErrors { code } } }`), `"userErrors":[]`)
			wants(t, o.Answers(t, admin, `mutation { updateCustomer(input: {id: "cafe", responsibleId: "user-bruno", customerCode: "SECRET"}) { userErrors { code } } }`), `"userErrors":[]`)
			for _, dry := range []string{"", ", dryRun: true"} {
				for _, write := range []string{
					`createCustomer(input: {type: COMPANY, name: "New"}`, `createCustomer(input: {type: COMPANY, name: "New", responsibleId: "user-bruno"}`,
					`updateCustomer(input: {id: "acme", responsibleId: null}`, `updateCustomer(input: {id: "acme", responsibleId: "user-bruno"}`,
					`deleteUser(input: {id: "user-bruno"}`, `deleteUser(input: {id: "user-an"}`, `deleteCustomer(input: {id: "acme"}`,
				} {
					wants(t, o.Answers(t, credential, "mutation { "+write+dry+") { userErrors { code } } }"), `"NOT_ALLOWED"`)
				}
				for _, write := range []string{
					`updateCustomer(input: {id: "cafe", name: "Mine"}`, `deleteCustomer(input: {id: "cafe"}`, `createDocumentUpload(input: {customerId: "cafe", name: "a.pdf"}`,
					`createCustomerRelation(input: {customerId: "acme", relatedCustomerId: "cafe", kind: UBO}`, `assignChecklist(input: {checklistId: "list-2026-nl", customerId: "cafe"}`,
				} {
					wants(t, o.Answers(t, credential, "mutation { "+write+dry+") { userErrors { code } } }"), `"NOT_FOUND"`)
				}
			}
			taken := o.Answers(t, credential, `mutation { createCustomer(input: {type: COMPANY, name: "New", responsibleId: "user-an", customerCode: "SECRET"}) { userErrors { code message } } }`)
			if wants(t, taken, `"TAKEN"`); strings.Contains(taken, "cafe") {
				t.Errorf("it is told who has the code: %s", taken)
			}
			each := o.Answers(t, credential, `mutation { createCustomers(inputs: [{type: COMPANY, name: "A", responsibleId: "user-an"}, {type: COMPANY, name: "B"}], mode: EACH) { written userErrors { code } results { customer { name } userErrors { code field } } } }`)
			wants(t, each, `"written":1`, `"NOT_ALLOWED"`, `["inputs","1","responsibleId"]`)
			_, twin, _ := strings.Cut(o.Answers(t, credential, `mutation { createCustomer(input: {type: COMPANY, name: "Acme", responsibleId: "user-an"}) { customer { id } } }`), `"id":"`)
			twin, _, _ = strings.Cut(twin, `"`)
			merge := `mutation { mergeCustomers(input: {keepId: "` + twin + `", dropId: "acme"}) { userErrors { code field } } }`
			wants(t, o.Answers(t, credential, merge), `"NOT_ALLOWED"`, `["dropId"]`)
			one := `mutation { deleteCustomers(inputs: [{id: "acme"}]) { results { userErrors { code field } } userErrors { code } } }`
			wants(t, o.Answers(t, credential, one), `{"userErrors":[{"code":"NOT_ALLOWED","field":["inputs","0","id"]}]}`, `"userErrors":[]}}`)
			both := `mutation { deleteCustomers(inputs: [{id: "` + twin + `"}, {id: "acme"}], mode: EACH) { written results { deletedCustomerId userErrors { code field } } } }`
			wants(t, o.Answers(t, credential, both), `"written":1`, `"deletedCustomerId":"`+twin, `{"code":"NOT_ALLOWED","field":["inputs","1","id"]}`)
			wants(t, o.Answers(t, admin, `{ user(id: "user-an") { id } cafe: customer(id: "cafe") { name } acme: customer(id: "acme") { responsible { id } } }`), `"user-an"`, `"acme":{"responsible":{"id":"user-an"}}`)
		})
	}
}

func TestARefusalNamesTheResponsibleWhereAnotherOneWouldHelp(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		f    backoffice.RestrictionFields
		want string
	}{
		"a customer":               {backoffice.RestrictionFields{Customers: []string{"acme"}}, `"field":null`},
		"a year":                   {backoffice.RestrictionFields{Years: []string{"2026"}}, `"field":null`},
		"a year and a responsible": {backoffice.RestrictionFields{Years: []string{"2026"}, Responsible: []string{"user-an"}}, `"field":null`},
		"a responsible":            {backoffice.RestrictionFields{Responsible: []string{"user-an"}}, `"field":["responsibleId"]`},
		"a label":                  {backoffice.RestrictionFields{Labels: []string{"label-plain"}}, `"field":["responsibleId"]`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o, _, credential := restricted(t, gatewaytest.Engines["SQLite"](t), c.f)
			for _, responsible := range []string{"", `, responsibleId: "user-bruno"`} {
				if c.f.Customers != nil && responsible != "" {
					continue // who is responsible for none of its customers is nobody
				}
				wants(t, o.Answers(t, credential, `mutation { createCustomer(input: {type: COMPANY, name: "New"`+responsible+`}) { userErrors { code field } } }`), `"NOT_ALLOWED"`, c.want)
			}
		})
	}
}

func TestACredentialThatSeesTheCustomersOfALabelDoesNotGiveOrTakeIt(t *testing.T) {
	t.Parallel()
	o, admin, credential := restricted(t, gatewaytest.Engines["SQLite"](t), backoffice.RestrictionFields{Labels: []string{"label-plain"}})
	wants(t, o.Answers(t, admin, `mutation { updateUser(input: {id: "user-an", labelIds: ["label-plain"]}) { userErrors { code } } b: updateUser(input: {id: "user-bruno", labelIds: []}) { userErrors { code } } }`), `"userErrors":[]`)
	wants(t, o.Answers(t, credential, `mutation { updateUser(input: {id: "user-bruno", labelIds: ["label-plain"]}) { userErrors { code field } } }`), `"NOT_ALLOWED"`, `"labelIds"`)
	wants(t, o.Answers(t, credential, `mutation { updateUser(input: {id: "user-an", labelIds: []}) { userErrors { code } } }`), `"NOT_ALLOWED"`)
	wants(t, o.Answers(t, credential, `mutation { updateUser(input: {id: "user-bruno", firstName: "Bo"}) { userErrors { code } } }`), `"userErrors":[]`)
}

func TestASignedPathEndsWhenItsFileLeavesTheView(t *testing.T) {
	t.Parallel()
	o, admin, credential := restricted(t, gatewaytest.Engines["SQLite"](t), backoffice.RestrictionFields{Responsible: []string{"user-an"}})
	own := func(user string) {
		wants(t, o.Answers(t, admin, `mutation { updateCustomer(input: {id: "acme", responsibleId: "`+user+`"}) { userErrors { code } } }`), `"userErrors":[]`)
	}
	own("user-an")
	var answer struct {
		Data struct {
			Customer struct {
				Documents struct {
					Nodes []struct{ File struct{ DownloadPath string } }
				}
			}
		}
	}
	text := o.Answers(t, credential, `{ customer(id: "acme") { documents { nodes { file { downloadPath } } } } }`)
	if err := json.Unmarshal([]byte(text), &answer); err != nil || len(answer.Data.Customer.Documents.Nodes) == 0 {
		t.Fatal(text, err)
	}
	path := answer.Data.Customer.Documents.Nodes[0].File.DownloadPath
	for _, step := range []struct {
		user string
		want int
	}{{"user-an", http.StatusOK}, {"user-bruno", http.StatusNotFound}, {"user-an", http.StatusOK}} {
		own(step.user)
		if got := o.Send(t, [2]string{}, http.MethodGet, path, "").Code; got != step.want {
			t.Errorf("of %s: %d", step.user, got)
		}
	}
}

func TestACredentialThatSeesAYearIsToldToReadAgainWhenOneMoves(t *testing.T) {
	t.Parallel()
	for engine, database := range gatewaytest.Engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			o, _, credential := restricted(t, database(t), backoffice.RestrictionFields{Years: []string{"2026"}})
			var place struct{ Latest string }
			text := o.Send(t, credential, http.MethodGet, "/changes", "").Body.String()
			if err := json.Unmarshal([]byte(text), &place); err != nil || place.Latest == "" {
				t.Fatal(text, err)
			}
			moved := &backoffice.FinancialYear{ID: "year-2026", StartDate: "2030", EndDate: "2030", IsCurrentYear: true}
			err := o.Store.Write(t.Context(), func(ctx context.Context, tx backoffice.Tx) error {
				change := backoffice.Change{
					Noun: backoffice.NounFinancialYear, ObjectID: moved.ID, Action: "import", Done: backoffice.Updated,
				}
				err := tx.FinancialYears().Upsert(ctx, []*backoffice.FinancialYear{moved})
				return errors.Join(err, tx.LogChanges(ctx, &change))
			})
			if err != nil {
				t.Fatal(err)
			}
			told := o.Send(t, credential, http.MethodGet, "/changes?after="+place.Latest, "").Body.String()
			wants(t, told, `"RESET"`, `"TRANSCRIPT"`)
		})
	}
}

func TestARestrictedCredentialFollowsWhatIsInView(t *testing.T) {
	t.Parallel()
	for engine, database := range gatewaytest.Engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			o, admin, _ := restricted(t, database(t), backoffice.RestrictionFields{Customers: []string{"acme"}})
			r, err := backoffice.NewRestriction(backoffice.RestrictionFields{Customers: []string{"acme"}})
			if err != nil {
				t.Fatal(err)
			}
			kinds := backoffice.ChangesVisibleTo(&backoffice.Principal{Scopes: backoffice.AllScopes}, nil)
			ctx, cancel := context.WithTimeout(auth.WithPrincipal(t.Context(), &backoffice.Principal{ClientID: credentialOfTests, Restriction: r}), time.Minute)
			defer cancel()
			feed := changes.New(o.Store, changes.Options{})
			t.Cleanup(feed.Close)
			reader, err := feed.Follow(ctx, "", backoffice.FromOldest, kinds)
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range []string{"One", "Two"} {
				for _, id := range []string{"cafe", "acme"} {
					wants(t, o.Answers(t, admin, `mutation { updateCustomer(input: {id: "`+id+`", name: "`+name+`"}) { userErrors { code } } }`), `"userErrors":[]`)
				}
			}
			wants(t, o.Answers(t, admin, `mutation { deleteCustomer(input: {id: "cafe"}) { userErrors { code } } }`), `"userErrors":[]`)
			wants(t, o.Answers(t, admin, `mutation { deleteCustomer(input: {id: "acme"}) { userErrors { code } } }`), `"userErrors":[]`)
			updated := 0
			for {
				told, err := reader.Next(ctx, 1)
				if err != nil {
					t.Fatal(err)
				}
				c := told[0]
				if c.ObjectID == "cafe" {
					t.Errorf("it is told of what it may not see: %+v", c)
				}
				for _, parent := range c.Parents {
					if parent.ID == "cafe" {
						t.Errorf("it is told of a parent that it may not see: %+v", c)
					}
				}
				if c.ObjectID != "acme" {
					continue
				}
				if c.Action == backoffice.Deleted {
					break
				}
				updated++
			}
			if updated > 2 {
				t.Errorf("%d updates", updated)
			}
		})
	}
}
