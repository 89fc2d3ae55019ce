package rest

import (
	"context"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
)

func (a *API) customerWrites() {
	a.customerBatches()
	a.customerMerge()
	register(a, creation("POST /customers", "createCustomer", "Create a customer",
		"Creates a customer and returns it."), backoffice.CustomersWrite, func(ctx context.Context, in *struct {
		Idempotent
		Body NewCustomer
	}) (*madeVersioned[Customer], error) {
		c, err := a.Service.CreateCustomer(ctx, auth.From(ctx), newCustomer.Map(&in.Body), in.key())
		if err != nil {
			return nil, err
		}
		shown, err := showOne(ctx, c)
		return &madeVersioned[Customer]{ETag: etag(c.Version), Location: "/customers/" + c.ID, Body: shown}, err
	})
	register(a, operation("PUT /customers/{customerId}", "updateCustomer", "Update a customer",
		"Changes the fields that are sent, clears those that are sent as null, and returns the customer.",
	), backoffice.CustomersWrite, func(ctx context.Context, in *struct {
		OfCustomer
		Guarded
		Body CustomerChange
	}) (*versioned[Customer], error) {
		c, err := a.Service.UpdateCustomer(ctx, auth.From(ctx), in.CustomerID, customerChange.Map(&in.Body), in.match)
		if err != nil {
			return nil, inPath(err, backoffice.NounCustomer, "id")
		}
		return showVersion(ctx, c)
	})
	register(a, operation("DELETE /customers/{customerId}", "deleteCustomer", "Delete a customer",
		"Deletes the customer with its relations, transcripts, calculations, documents, discrepancies and files.",
	), backoffice.CustomersWrite, func(ctx context.Context, in *struct {
		OfCustomer
		Guarded
	}) (*nothing, error) {
		_, err := a.Service.DeleteCustomer(ctx, auth.From(ctx), in.CustomerID, in.match)
		return &nothing{}, inPath(err, backoffice.NounCustomer, "id")
	})
}
