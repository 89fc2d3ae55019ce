package rest

import (
	"context"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
	"example.org/backoffice/rest/mapping"
)

type Merge struct {
	DropID string `json:"dropId" doc:"The customer to delete."`
}

type CustomerMerge struct {
	Relations        int      `json:"relations" doc:"Relations that moved, in either direction."`
	DeletedRelations int      `json:"deletedRelations" doc:"Relations between the two, or held by both."`
	Transcripts      int      `json:"transcripts" doc:"Transcripts that moved, of all years."`
	Calculations     int      `json:"calculations" doc:"Calculations that moved."`
	Documents        int      `json:"documents" doc:"Documents that moved."`
	MinfinDocuments  int      `json:"minfinDocuments" doc:"Minfin documents that moved."`
	FilledFields     []string `json:"filledFields" doc:"Fields that the kept customer lacked and got."`
}

var shownMerge = mapping.New[backoffice.CustomerMerge, CustomerMerge]()

func (a *API) customerMerge() {
	register(a, operation("POST /customers/{customerId}/merge", "mergeCustomers", "Merge another customer into one",
		"Moves the other customer's records to this one, which also gets the fields that it lacks, and deletes the "+
			"other. Needs privacy.read too: it compares registration numbers.",
	), backoffice.CustomersWrite, func(ctx context.Context, in *struct {
		OfCustomer
		Idempotent
		Body Merge
	}) (*answered[CustomerMerge], error) {
		_, merged, err := a.Service.MergeCustomers(ctx, auth.From(ctx), in.CustomerID, in.Body.DropID, in.key())
		if err != nil {
			return nil, inPath(err, backoffice.NounCustomer, "keepId")
		}
		return &answered[CustomerMerge]{shownMerge.Map(merged)}, nil
	})
}
