package rest

import (
	"context"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/rest/mapping"
)

type Calculation struct {
	ID           string           `json:"_id" doc:"The identifier."`
	State        CalculationState `json:"state" doc:"Its state." example:"Calculation done"`
	TranscriptID string           `json:"transcript" doc:"The identifier of the transcript."`
	CustomerID   string           `json:"customer" doc:"The identifier of the transcript's customer."`
	UpdatedAt    Instant          `json:"updatedAt" doc:"When it was last updated."`
	HasProposal  bool             `json:"hasProposal" doc:"Whether there is a proposal to the customer to download."`
}

var shownCalculation = mapping.New[backoffice.Calculation, Calculation](
	mapping.Except("Proposal", "HasProposal"),
	mapping.Convert(func(s backoffice.CalculationState) CalculationState { return CalculationState(s.Label()) }))

func showCalculation(c *backoffice.Calculation) Calculation {
	shown := shownCalculation.Map(c)
	shown.HasProposal = c.Proposal != nil
	return shown
}

type CalculationFilters struct {
	CustomerID   Optional[string]   `query:"customer" doc:"The identifier of a customer."`
	TranscriptID Optional[string]   `query:"transcript" doc:"The identifier of a transcript."`
	State        []CalculationState `query:"state,explode" nullable:"false" doc:"A state. Can be repeated to match any of several."`
	HasProposal  Optional[bool]     `query:"hasProposal" doc:"Whether there is a proposal."`
}

var calculationFilter = mapping.New[CalculationFilters, backoffice.CalculationFilter](
	mapping.Convert(allParsed[CalculationState](backoffice.ParseCalculationStateLabel)))

func (a *API) calculations() {
	registerList(a, operation("GET /calculations", "listCalculations", "List calculations",
		"The calculations that match all filters, by identifier."), "", func(ctx context.Context, in *struct {
		CalculationFilters
		Paging
	}) (*answered[List[Calculation]], error) {
		filter := calculationFilter.Map(&in.CalculationFilters)
		q := question[backoffice.CalculationCriteria]{criteria: filter.Criteria()}
		return list(ctx, a.Store.Calculations(), q, in.Paging, showCalculation)
	})
	registerList(a, fileOperation(operation("GET /calculations/{customerId}/proposal/download",
		"downloadCustomerProposal", "Download a customer's calculation proposal",
		"The proposal of the customer's most recently updated calculation that has one.",
	)), "", func(ctx context.Context, in *OfCustomer) (*download, error) {
		calculation, err := a.latestProposal(ctx, in.CustomerID)
		if err != nil {
			return nil, err
		}
		return a.download(ctx, backoffice.FileOwner{Kind: backoffice.CalculationFile, ID: calculation})
	})
	register(a, fileOperation(operation("GET /calculations/files/{calculationId}", "downloadCalculationProposal",
		"Download a calculation's proposal", "The proposal of one calculation.",
	)), "", func(ctx context.Context, in *struct {
		CalculationID string `path:"calculationId" doc:"The calculation's identifier."`
	}) (*download, error) {
		return a.download(ctx, backoffice.FileOwner{Kind: backoffice.CalculationFile, ID: in.CalculationID})
	})
}

// latestProposal returns the customer's most recently updated calculation that has a proposal.
func (a *API) latestProposal(ctx context.Context, customerID string) (id string, err error) {
	if err := a.exists(ctx, customerID); err != nil {
		return "", err
	}
	ask := backoffice.ListQuery[backoffice.CalculationCriteria]{
		Parent:   backoffice.OfCustomer,
		Criteria: backoffice.CalculationCriteria{HasProposal: backoffice.Yes},
		Order:    backoffice.Order{Key: backoffice.KeyUpdatedAt, Descending: true},
	}
	latest, ok, err := backoffice.First(ctx, a.Store.Calculations(), ask, customerID)
	switch {
	case err != nil:
		return "", err
	case !ok:
		return "", backoffice.Errorf(backoffice.NotFound, "no calculation of the customer has a proposal")
	}
	return latest.ID, nil
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
