package rest

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
	"example.org/backoffice/privacy"
)

const tagCustomers = "Customers"

// CustomerFilters are the query parameters that pick among customers; all that are sent must hold.
type CustomerFilters struct {
	RegistrationNumber       string       `query:"registrationNumber" doc:"The national registration number. Needs the scope privacy.read. Numbers in an address end up in logs: better use POST /customers/search."`
	SpouseRegistrationNumber string       `query:"spouseRegistrationNumber" doc:"The partner's national registration number. Needs the scope privacy.read. Numbers in an address end up in logs: better use POST /customers/search."`
	Language                 string       `query:"language" doc:"The preferred language." example:"dutch"`
	Responsible              string       `query:"responsible" doc:"The identifier of the responsible user."`
	Email                    string       `query:"email" doc:"The e-mail address, case ignored."`
	Type                     CustomerType `query:"type" doc:"The kind of customer."`
	CustomerCode             string       `query:"customerCode" doc:"The customer code."`
	KboNumber                string       `query:"kboNumber" doc:"The KBO number, in any accepted notation."`
	CompanyType              LegalForm    `query:"companyType" doc:"The legal form."`
	Scope                    string       `query:"scope" doc:"A support scope." example:"checklist"`
	Search                   string       `query:"search" doc:"3 to 200 characters; the display name, the customer code or the e-mail address contains it, case and accents ignored."`
	UpdatedSince             string       `query:"updatedSince" format:"date-time" doc:"Whose latest change became visible here at this instant or later. A change of the registration numbers alone counts only for callers with privacy.read." example:"2026-06-01T00:00:00.000Z"`
	WithoutChecklist         string       `query:"withoutChecklist" doc:"The identifier of a checklist of which the customer has no transcript."`
}

// filter is what was sent.
func (f *CustomerFilters) filter(ctx context.Context) (*backoffice.CustomerFilter, error) {
	since, err := givenInstant(ctx, "updatedSince", f.UpdatedSince)
	if err != nil {
		return nil, err
	}
	filter := &backoffice.CustomerFilter{
		Language:                 given(ctx, "language", f.Language),
		ResponsibleID:            given(ctx, "responsible", f.Responsible),
		Email:                    given(ctx, "email", f.Email),
		CustomerCode:             given(ctx, "customerCode", f.CustomerCode),
		KboNumber:                given(ctx, "kboNumber", f.KboNumber),
		Scope:                    given(ctx, "scope", f.Scope),
		Search:                   given(ctx, "search", f.Search),
		UpdatedSince:             since,
		WithoutChecklistID:       given(ctx, "withoutChecklist", f.WithoutChecklist),
		RegistrationNumber:       given(ctx, "registrationNumber", f.RegistrationNumber),
		SpouseRegistrationNumber: given(ctx, "spouseRegistrationNumber", f.SpouseRegistrationNumber),
	}
	return filter, setWords(filter, given(ctx, "type", f.Type), given(ctx, "companyType", f.CompanyType))
}

// setWords sets the filters that have a fixed set of values.
func setWords(filter *backoffice.CustomerFilter, kind *CustomerType, form *LegalForm) error {
	if kind != nil {
		parsed, err := backoffice.ParseCustomerTypeLabel(string(*kind))
		if err != nil {
			return err
		}
		filter.Type = &parsed
	}
	if form != nil {
		parsed, err := backoffice.ParseLegalForm(string(*form))
		if err != nil {
			return err
		}
		filter.CompanyType = &parsed
	}
	return nil
}

func (a *API) customers() {
	registerList(a, huma.Operation{
		OperationID: "listCustomers", Method: http.MethodGet, Path: "/customers", Tags: []string{tagCustomers},
		Summary: "List customers", Description: "The customers that match all filters, by identifier.",
	}, "", func(ctx context.Context, in *struct {
		CustomerFilters
		Paging
	}) (*answered[List[Customer]], error) {
		filter, err := in.filter(ctx)
		if err != nil {
			return nil, err
		}
		return a.listCustomers(ctx, filter, in.Paging)
	})
	register(a, huma.Operation{
		OperationID: "getCustomer", Method: http.MethodGet, Path: "/customers/{customerId}", Tags: []string{tagCustomers},
		Summary: "Get a customer", Description: "One customer.",
	}, "", func(ctx context.Context, in *struct {
		OfCustomer
		Conditional
	}) (*unlessKnown[Customer], error) {
		c, err := one(ctx, a.customersFor(ctx), backoffice.NounCustomer, in.CustomerID)
		if err != nil {
			return nil, err
		}
		return unless(in.Conditional, etag(c.Version), func() (Customer, error) {
			shown, err := showCustomers(ctx, []*backoffice.Customer{c})
			if err != nil {
				return Customer{}, err
			}
			return shown[0], nil
		})
	})
	register(a, huma.Operation{
		OperationID: "getCustomerPrivacy", Method: http.MethodGet, Path: "/customers/{customerId}/privacy", Tags: []string{tagCustomers},
		Summary:     "Get a customer's registration numbers",
		Description: "The national registration numbers of a customer and the partner. Each disclosure is entered in the register of consultations.",
	}, backoffice.PrivacyRead, func(ctx context.Context, in *OfCustomer) (*answered[RegistrationNumbers], error) {
		c, err := one(ctx, a.customersFor(ctx), backoffice.NounCustomer, in.CustomerID)
		if err != nil {
			return nil, err
		}
		numbers, err := reveal(ctx, []*backoffice.Customer{c})
		if err != nil {
			return nil, err
		}
		return &answered[RegistrationNumbers]{numbers[0]}, nil
	})
	a.searchCustomers()
	a.customerWrites()
}

// customersFor are the customers as the pair of the request sees them.
func (a *API) customersFor(ctx context.Context) backoffice.Reader[*backoffice.Customer, backoffice.CustomerCriteria] {
	return backoffice.CustomersVisibleTo(auth.From(ctx), a.Store)
}

// OfCustomer names a customer in the path.
type OfCustomer struct {
	CustomerID string `path:"customerId" doc:"The customer's identifier."`
}

// listCustomers answers a filter. A search by registration number is entered under the first of those whom it found,
// whatever page is shown, and under all that are shown.
func (a *API) listCustomers(ctx context.Context, filter *backoffice.CustomerFilter, paging Paging) (*answered[List[Customer]], error) {
	window, err := paging.window()
	if err != nil {
		return nil, err
	}
	search := privacy.Search(ctx)
	criteria, err := filter.Criteria(search.Index)
	if err != nil {
		return nil, err
	}
	q := question[backoffice.CustomerCriteria]{criteria: criteria}
	found, err := read(ctx, a.customersFor(ctx), q, window)
	if err != nil {
		return nil, err
	}
	if criteria.RegistrationIndex != "" || criteria.SpouseRegistrationIndex != "" {
		lists := [][]*backoffice.Customer{found.items}
		if len(found.items) < found.total {
			all, err := read(ctx, a.customersFor(ctx), q, backoffice.Window{Limit: backoffice.MaxPageSize})
			if err != nil {
				return nil, err
			}
			lists = [][]*backoffice.Customer{all.items, found.items}
		}
		for _, list := range lists {
			for _, c := range list {
				search.Found(c.ID)
			}
		}
	}
	data, err := showCustomers(ctx, found.items)
	if err != nil {
		return nil, err
	}
	return envelope(ctx, window.Limit, found.total, data), nil
}
