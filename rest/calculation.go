package rest

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"example.org/backoffice/backoffice"
)

const tagCalculations = "Calculations"

func (a *API) calculations() {
	registerList(a, fileOperation(huma.Operation{
		OperationID: "downloadCustomerProposal", Method: http.MethodGet, Path: "/calculations/{customerId}/proposal/download", Tags: []string{tagCalculations},
		Summary: "Download a customer's calculation proposal", Description: "The proposal of the customer's most recently updated calculation that has one.",
	}), "", func(ctx context.Context, in *OfCustomer) (*download, error) {
		calculation, err := a.latestProposal(ctx, in.CustomerID)
		if err != nil {
			return nil, err
		}
		return a.download(ctx, backoffice.FileOwner{Kind: backoffice.CalculationFile, ID: calculation})
	})
	register(a, fileOperation(huma.Operation{
		OperationID: "downloadCalculationProposal", Method: http.MethodGet, Path: "/calculations/files/{calculationId}", Tags: []string{tagCalculations},
		Summary: "Download a calculation's proposal", Description: "The proposal of one calculation.",
	}), "", func(ctx context.Context, in *struct {
		CalculationID string `path:"calculationId" doc:"The calculation's identifier."`
	}) (*download, error) {
		return a.download(ctx, backoffice.FileOwner{Kind: backoffice.CalculationFile, ID: in.CalculationID})
	})
}

// latestProposal finds the calculation whose proposal is the customer's.
func (a *API) latestProposal(ctx context.Context, customerID string) (id string, err error) {
	if err := a.exists(ctx, customerID); err != nil {
		return "", err
	}
	pages, err := a.Store.Calculations().Pages(ctx, backoffice.Ask[backoffice.CalculationCriteria]{
		Under:    backoffice.OfCustomer,
		Criteria: backoffice.CalculationCriteria{HasProposal: true},
		Order:    backoffice.Order{Key: backoffice.KeyUpdatedAt, Descending: true},
		Window:   backoffice.Window{Limit: 1},
	}, []string{customerID}, 0)
	if err != nil {
		return "", err
	}
	items := pages[customerID].Items
	if len(items) == 0 {
		return "", backoffice.Errorf(backoffice.NotFound, "no calculation of the customer has a proposal")
	}
	return items[0].ID, nil
}

func (a *API) proposalFile(ctx context.Context, id string) (storedFile, error) {
	c, err := one(ctx, a.Store.Calculations(), backoffice.NounCalculation, id)
	if err != nil {
		return storedFile{}, err
	}
	if c.Proposal == nil {
		return storedFile{}, backoffice.Errorf(backoffice.NotFound, "the calculation has no proposal")
	}
	return storedFile{c.Proposal, "proposal-" + c.ID}, nil
}
