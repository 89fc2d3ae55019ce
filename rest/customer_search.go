package rest

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
)

// CustomerSearch is a search for customers; a filter that is absent or null is none, and all others must hold.
type CustomerSearch struct {
	RegistrationNumber       Optional[string]       `json:"registrationNumber,omitempty" doc:"The national registration number, with or without punctuation. Needs the scope privacy.read."`
	SpouseRegistrationNumber Optional[string]       `json:"spouseRegistrationNumber,omitempty" doc:"The partner's national registration number. Needs the scope privacy.read."`
	Language                 Optional[string]       `json:"language,omitempty" doc:"The preferred language." example:"dutch"`
	Responsible              Optional[string]       `json:"responsible,omitempty" doc:"The identifier of the responsible user."`
	Email                    Optional[string]       `json:"email,omitempty" doc:"The e-mail address, case ignored."`
	IDs                      Optional[[]string]     `json:"ids,omitempty" doc:"One of these identifiers; an empty list matches nothing."`
	Type                     Optional[CustomerType] `json:"type,omitempty" doc:"The kind of customer."`
	CustomerCode             Optional[string]       `json:"customerCode,omitempty" doc:"The customer code."`
	KboNumber                Optional[string]       `json:"kboNumber,omitempty" doc:"The KBO number, in any accepted notation."`
	CompanyType              Optional[LegalForm]    `json:"companyType,omitempty" doc:"The legal form."`
	Scope                    Optional[string]       `json:"scope,omitempty" doc:"A support scope." example:"checklist"`
	Search                   Optional[string]       `json:"search,omitempty" doc:"3 to 200 characters; the display name, the customer code or the e-mail address contains it, case and accents ignored."`
	UpdatedSince             Optional[string]       `json:"updatedSince,omitempty" format:"date-time" doc:"Whose latest change became visible here at this instant or later. A change of the registration numbers alone counts only for callers with privacy.read." example:"2026-06-01T00:00:00.000Z"`
	WithoutChecklist         Optional[string]       `json:"withoutChecklist,omitempty" doc:"The identifier of a checklist of which the customer has no transcript."`
	Page                     Optional[int]          `json:"page,omitempty" minimum:"1" doc:"The number of the page; instead of the query parameter."`
	PageSize                 Optional[int]          `json:"pageSize,omitempty" minimum:"1" maximum:"500" doc:"How many items a page has; instead of the query parameter."`
}

func (a *API) searchCustomers() {
	registerList(a, huma.Operation{
		OperationID: "searchCustomers", Method: http.MethodPost, Path: "/customers/search", Tags: []string{tagCustomers},
		Summary: "Search customers", DefaultStatus: http.StatusOK,
		Description: "The same list with the same filters as GET /customers, in a body, where a registration number gets into nobody's log. To see another page, send the same body to its path.",
	}, "", func(ctx context.Context, in *struct {
		Paging
		Body CustomerSearch
	}) (*answered[List[Customer]], error) {
		filter, err := in.Body.filter(ctx)
		if err != nil {
			return nil, err
		}
		paging, err := in.Body.paging(ctx, in.Paging)
		if err != nil {
			return nil, err
		}
		return a.listCustomers(ctx, filter, paging)
	})
}

// filter is what was sent. The scope is asked before anything is looked at.
func (s *CustomerSearch) filter(ctx context.Context) (*backoffice.CustomerFilter, error) {
	if value(s.RegistrationNumber) != nil || value(s.SpouseRegistrationNumber) != nil {
		if err := auth.Require(ctx, backoffice.PrivacyRead); err != nil {
			return nil, err
		}
	}
	filter := &backoffice.CustomerFilter{
		Language:                 value(s.Language),
		ResponsibleID:            value(s.Responsible),
		Email:                    value(s.Email),
		CustomerCode:             value(s.CustomerCode),
		KboNumber:                value(s.KboNumber),
		Scope:                    value(s.Scope),
		Search:                   value(s.Search),
		WithoutChecklistID:       value(s.WithoutChecklist),
		RegistrationNumber:       value(s.RegistrationNumber),
		SpouseRegistrationNumber: value(s.SpouseRegistrationNumber),
	}
	filter.Ids, _ = s.IDs.Get()
	if since, ok := s.UpdatedSince.Get(); ok {
		at, err := backoffice.ParseInstant(since)
		if err != nil {
			return nil, err
		}
		filter.UpdatedSince = &at
	}
	return filter, setWords(filter, value(s.Type), value(s.CompanyType))
}

// paging takes the numbers of the body where it has them, and else those of the query.
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
		if query.Has(number.name) {
			return paging, badParameter(number.name, "the query and the body both have it")
		}
		*number.into = sent
	}
	return paging, nil
}

// value is a field's value, nil for one that is absent or null.
func value[T any](field Optional[T]) *T {
	if sent, ok := field.Get(); ok {
		return &sent
	}
	return nil
}
