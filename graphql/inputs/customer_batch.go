package inputs

import "example.org/backoffice/backoffice"

type CustomersPayload struct {
	Results []*CustomersResult
	BatchOutcome
}

type CustomersResult struct {
	Customer   *backoffice.Customer
	UserErrors []*backoffice.UserError
}

type DeleteCustomersPayload struct {
	Results     []*DeleteCustomersResult
	WouldDelete *backoffice.CustomerDeletion
	BatchOutcome
}

type DeleteCustomersResult struct {
	DeletedCustomerID *string
	UserErrors        []*backoffice.UserError
}

func NewCustomers(inputs []*CreateCustomerInput) []backoffice.BatchInput[backoffice.CustomerFields] {
	customers := make([]backoffice.BatchInput[backoffice.CustomerFields], len(inputs))
	for i, in := range inputs {
		customers[i].Input, customers[i].Key = in.Fields(), backoffice.ValueOf(in.IdempotencyKey)
	}
	return customers
}

func ChangedCustomers(inputs []*UpdateCustomerInput) []backoffice.CustomerUpdate {
	return backoffice.Map(inputs, func(in *UpdateCustomerInput) backoffice.CustomerUpdate {
		return backoffice.CustomerUpdate{
			ID: in.ID, Fields: in.Fields(), Expected: backoffice.OnlyVersion(in.ExpectedVersion)}
	})
}

func CustomersToDelete(inputs []*DeleteCustomerInput) []backoffice.CustomerToDelete {
	return backoffice.Map(inputs, func(in *DeleteCustomerInput) backoffice.CustomerToDelete {
		return backoffice.CustomerToDelete{ID: in.ID, Expected: backoffice.OnlyVersion(in.ExpectedVersion)}
	})
}

func CustomersWritten(outcome *backoffice.BatchOutcome[backoffice.Customer]) *CustomersPayload {
	p := &CustomersPayload{}
	p.Results, p.BatchOutcome = resultsOf(outcome,
		func(c *backoffice.Customer, userErrors []*backoffice.UserError) *CustomersResult {
			return &CustomersResult{c, userErrors}
		})
	return p
}

func CustomersDeleted(outcome *backoffice.BatchOutcome[string],
	gone backoffice.CustomerDeletion) *DeleteCustomersPayload {
	p := &DeleteCustomersPayload{}
	p.Results, p.BatchOutcome = resultsOf(outcome,
		func(id *string, userErrors []*backoffice.UserError) *DeleteCustomersResult {
			return &DeleteCustomersResult{id, userErrors}
		})
	if p.Written > 0 {
		p.WouldDelete = &gone
	}
	return p
}
