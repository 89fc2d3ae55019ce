package rest

import (
	"context"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
)

// CustomerSearch is a search for customers; absent and null filters do not count, and all others must match.
type CustomerSearch struct {
	RegistrationNumber       Optional[string] `json:"registrationNumber,omitempty" doc:"The national registration number, with or without punctuation. Needs the scope privacy.read."`
	SpouseRegistrationNumber Optional[string] `json:"spouseRegistrationNumber,omitempty" doc:"The partner's national registration number. Needs the scope privacy.read."`
	CustomerFilters
	IDs      Optional[[]string] `json:"ids,omitempty" doc:"Only these identifiers. An empty list matches nothing."`
	Page     Optional[int]      `json:"page,omitempty" minimum:"1" doc:"The page number, instead of the query parameter."`
	PageSize Optional[int]      `json:"pageSize,omitempty" minimum:"1" maximum:"500" doc:"Items per page, instead of the query parameter."`
}

func (a *API) searchCustomers() {
	registerList(a, operation("POST /customers/search", "searchCustomers", "Search customers",
		"GET /customers with the filters in a body, which keeps registration numbers out of logs. For another page, "+
			"send the same body without page to its path."), "", func(ctx context.Context, in *struct {
		Paging
		Body CustomerSearch
	}) (*answered[List[Customer]], error) {
		number, spouse := in.Body.RegistrationNumber, in.Body.SpouseRegistrationNumber
		if value(number) != nil || value(spouse) != nil { // check the scope before anything else
			if err := auth.Require(ctx, backoffice.PrivacyRead); err != nil {
				return nil, err
			}
		}
		filter, err := in.Body.filter(number, spouse)
		if err != nil {
			return nil, inBody(err)
		}
		filter.Ids, _ = in.Body.IDs.Get()
		paging, err := in.Body.paging(ctx, in.Paging)
		if err != nil {
			return nil, err
		}
		found, err := a.listCustomers(ctx, &filter, paging)
		return found, inBody(err)
	})
}

// paging takes the page and its size from the body, else from the query.
func (s *CustomerSearch) paging(ctx context.Context, paging Paging) (Paging, error) {
	query := requestOf(ctx).query
	for _, number := range []struct {
		name string
		sent Optional[int]
		into *int
	}{{"page", s.Page, &paging.Page}, {"pageSize", s.PageSize, &paging.PageSize}} {
		sent, ok := number.sent.Get()
		if !ok {
			continue
		}
		if query.Has(number.name) && sent != *number.into {
			return paging, badParameter(number.name, "the query and the body have different ones")
		}
		*number.into = sent
	}
	return paging, nil
}
