package gatewaytest

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"

	"example.org/backoffice/backoffice"
)

// User adds a user and a label to the store.
func (o *Office) User(t *testing.T, id string) string {
	t.Helper()
	err := o.Store.Write(t.Context(), func(ctx context.Context, tx backoffice.Tx) error {
		labels, err := backoffice.ReadByID(ctx, tx.Labels(), []string{"label-of-the-test"}, 0)
		if err == nil && len(labels) == 0 {
			err = tx.Labels().Insert(ctx, &backoffice.Label{ID: "label-of-the-test", Name: "Label of the test", CreatedAt: 1})
		}
		if err != nil {
			return err
		}
		return tx.Users().Insert(ctx, &backoffice.User{ID: id, FirstName: "Before", LastName: "Before", Email: "before@b.example", Version: 1})
	})
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// All reads every row of a noun.
func All[T backoffice.Entity, C comparable](t *testing.T, rows backoffice.Reader[T, C]) (list []T) {
	t.Helper()
	err := backoffice.EachPage(t.Context(), rows, backoffice.ListQuery[C]{}, backoffice.NoParent, 0, func(page []T) error {
		list = append(list, page...)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// RawDatabase opens the database of a store for SQL.
func RawDatabase(t testing.TB, url string) *sql.DB {
	t.Helper()
	driver := "pgx"
	if path, embedded := strings.CutPrefix(url, "sqlite:"); embedded {
		driver, url = "sqlite", "file:"+path+"?_pragma=busy_timeout(5000)"
	}
	db, err := sql.Open(driver, url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// MakeCustomer makes a customer with a name, an e-mail address and, for those who may, a registration number.
func (o *Office) MakeCustomer(t *testing.T) string {
	t.Helper()
	return o.MakeCustomerAs(t, o.Credential(t, backoffice.AllScopes...))
}

// MakeCustomerAs is MakeCustomer with another credential.
func (o *Office) MakeCustomerAs(t *testing.T, credential [2]string) string {
	t.Helper()
	_, body, _ := o.Ask(t, credential, `mutation {
		createCustomer(input: {type: COMPANY, name: "Before", email: "a@b.be", registrationNumber: "85073003328"}) { customer { id } userErrors { code } } }`, nil, nil)
	var answer struct {
		Data struct {
			CreateCustomer struct{ Customer struct{ ID string } }
		}
	}
	if err := json.Unmarshal(body, &answer); err != nil || answer.Data.CreateCustomer.Customer.ID == "" {
		t.Fatalf("%s %v", body, err)
	}
	return answer.Data.CreateCustomer.Customer.ID
}

// Answer is an answer of GraphQL.
type Answer struct {
	Data   json.RawMessage
	Errors []struct {
		Message    string
		Path       []any
		Locations  []struct{ Line, Column int }
		Extensions struct{ Code, RequestID string }
	}
}

// Query asks by GraphQL. An internal error fails the test.
func (o *Office) Query(t *testing.T, credential [2]string, query string, variables string) (answer Answer) {
	t.Helper()
	_, body, _ := o.Ask(t, credential, query, json.RawMessage(variables), http.Header{})
	if err := json.Unmarshal(body, &answer); err != nil {
		t.Fatalf("%v: %s", err, body)
	}
	for _, problem := range answer.Errors {
		if problem.Extensions.Code == "INTERNAL_SERVER_ERROR" {
			t.Errorf("%s\n%s: an internal error", query, variables)
		}
	}
	return answer
}

// RegisterEntries are the entries of the register of consultations: the operation, the customer and the fields.
func (o *Office) RegisterEntries(t testing.TB) []string {
	t.Helper()
	var lines []string
	err := backoffice.EachEntry(t.Context(), o.Store, backoffice.Span{}, func(e *backoffice.Consultation) error {
		customer := "nobody"
		if e.CustomerID != nil {
			customer = *e.CustomerID
		}
		lines = append(lines, fmt.Sprint(e.Operation, " ", customer, " ", e.Fields))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return lines
}

// Answers asks by GraphQL and returns the text of the answer.
func (o *Office) Answers(t testing.TB, credential [2]string, query string) string {
	t.Helper()
	_, body, _ := o.Ask(t, credential, query, nil, nil)
	return string(body)
}

// OfRequest matches what is of the request alone in an answer.
var OfRequest = regexp.MustCompile(`"requestId":"[^"]*"|"path":\[[^]]*\]`)

// InTrash lists the trash.
func (o *Office) InTrash(t testing.TB) (list []*backoffice.Trashed) {
	t.Helper()
	if err := o.Store.EachTrashed(t.Context(), func(d *backoffice.Trashed) error { list = append(list, d); return nil }); err != nil {
		t.Fatal(err)
	}
	return list
}
