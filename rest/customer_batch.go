package rest

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
)

type NewCustomers struct {
	Mode      BatchMode     `json:"mode,omitempty" default:"atomic" enum:"atomic,each" doc:"What to do when some are rejected: atomic writes nothing, each writes the valid ones."`
	Customers []NewCustomer `json:"customers" nullable:"false" maxItems:"100" doc:"The customers, at most 100."`
}

type BatchMode string

type CustomersMade struct {
	Results []CustomerMade `json:"results" nullable:"false" doc:"The result of each customer, in order."`
	Written int            `json:"written" doc:"How many customers were created."`
}

type CustomerMade struct {
	Status   int       `json:"status" doc:"201 for a created customer, 422 for a rejected one, 409 for one whose code is taken, 404 for one that was created with this idempotency key and deleted since." example:"201"`
	Customer *Customer `json:"customer,omitempty" doc:"The customer, if it was created."`
	Problem  *Problem  `json:"problem,omitempty" doc:"What is wrong, if it was rejected. Pointers are into the request body: /customers/3/kboNumber."`
}

func (a *API) customerBatches() {
	register(a, operation("POST /customers/batch", batchOperation, "Create customers",
		"Creates up to 100 customers in one transaction. With `atomic`, if one is rejected nothing is written, and "+
			"the answer is 422 with all errors. In both modes a body that does not fit its schema is 422 with only "+
			"those errors, and nothing is written.",
	), backoffice.CustomersWrite, func(ctx context.Context, in *struct {
		Idempotent
		Body NewCustomers
	}) (*answered[CustomersMade], error) {
		inputs := make([]backoffice.BatchInput[backoffice.CustomerFields], len(in.Body.Customers))
		for i := range in.Body.Customers {
			inputs[i].Input = newCustomer.Map(&in.Body.Customers[i])
		}
		mode := backoffice.BatchMode(strings.ToUpper(string(in.Body.Mode)))
		outcome, err := a.Service.CreateCustomers(ctx, auth.From(ctx), inputs, mode, in.key())
		if err != nil {
			return nil, err
		}
		if mode == backoffice.Atomic && outcome.Written == 0 {
			var wrong []*backoffice.UserError
			for _, result := range outcome.Results {
				wrong = append(wrong, result.UserErrors...)
			}
			if len(wrong) > 0 {
				refused := refusal(wrong)
				refused.Status = http.StatusUnprocessableEntity // conflicts, too
				refused.Title = http.StatusText(refused.Status)
				return nil, refused
			}
		}
		shown, err := showBatch(ctx, outcome)
		return &answered[CustomersMade]{shown}, err
	})
}

const batchOperation = "createCustomers"

func showBatch(ctx context.Context, outcome *backoffice.BatchOutcome[backoffice.Customer]) (CustomersMade, error) {
	var made []*backoffice.Customer
	for _, result := range outcome.Results {
		if result.Object != nil {
			made = append(made, result.Object)
		}
	}
	customers, err := showCustomers(ctx, made)
	if err != nil {
		return CustomersMade{}, err
	}
	shown := CustomersMade{Results: make([]CustomerMade, len(outcome.Results)), Written: outcome.Written}
	for i, result := range outcome.Results {
		if result.Object != nil {
			shown.Results[i] = CustomerMade{Status: http.StatusCreated, Customer: &customers[0]}
			customers = customers[1:]
			continue
		}
		p := refusal(result.UserErrors)
		shown.Results[i] = CustomerMade{Status: p.Status, Problem: p}
	}
	return shown, nil
}

func customersSent(body []byte) int {
	var sent struct{ Customers []json.RawMessage }
	_ = json.Unmarshal(body, &sent) // a malformed body is rejected later
	return max(len(sent.Customers), 1)
}
