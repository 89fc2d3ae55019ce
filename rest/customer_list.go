package rest

import (
	"context"
	"slices"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
	"example.org/backoffice/privacy"
	"example.org/backoffice/rest/mapping"
)

const tagCustomers = "Customers"

// CustomerFilters select customers, in the query or the body; all that are sent must match.
type CustomerFilters struct {
	Language           Optional[string]       `query:"language" json:"language,omitempty" doc:"The preferred language." example:"dutch"`
	ResponsibleID      Optional[string]       `query:"responsible" json:"responsible,omitempty" doc:"The identifier of the responsible user."`
	Email              Optional[string]       `query:"email" json:"email,omitempty" doc:"The e-mail address, ignoring case."`
	Type               Optional[CustomerType] `query:"type" json:"type,omitempty" doc:"Company or private person."`
	CustomerCode       Optional[string]       `query:"customerCode" json:"customerCode,omitempty" doc:"The customer code."`
	KboNumber          Optional[string]       `query:"kboNumber" json:"kboNumber,omitempty" doc:"The KBO number, in any accepted notation."`
	CompanyType        Optional[LegalForm]    `query:"companyType" json:"companyType,omitempty" doc:"The legal form."`
	Scope              Optional[string]       `query:"scope" json:"scope,omitempty" doc:"A support scope." example:"checklist"`
	Search             Optional[string]       `query:"search" json:"search,omitempty" doc:"A text in the display name, the customer code or the e-mail address, ignoring case and accents; 3 to 200 characters."`
	UpdatedSince       Optional[string]       `query:"updatedSince" json:"updatedSince,omitempty" format:"date-time" doc:"Only those whose latest change became visible here at this instant or later. A change to only the registration numbers counts only for callers with privacy.read." example:"2026-06-01T00:00:00.000Z"`
	WithoutChecklistID Optional[string]       `query:"withoutChecklist" json:"withoutChecklist,omitempty" doc:"The identifier of a checklist. Only customers without a transcript of it."`
}

var customerFilter = mapping.New[CustomerFilters, backoffice.CustomerFilter](
	mapping.Except("Ids", "UpdatedSince", "RegistrationNumber", "SpouseRegistrationNumber", "Any", "Not", "SearchMode",
		"City", "PostalCode", "Country", "HasEmail", "HasPhone", "HasResponsible", "HasKboNumber",
		"CreatedFrom", "CreatedTo", "UpdatedFrom", "UpdatedTo", "Transcripts", "Relations", "LabelID", "HasDocument",
		"OwnershipDiffers", "MissingChecklistOf"),
	mapping.Convert(customerType))

func (f *CustomerFilters) filter(number, spouseNumber Optional[string]) (filter backoffice.CustomerFilter, err error) {
	filter = customerFilter.Map(f)
	filter.RegistrationNumber, filter.SpouseRegistrationNumber = value(number), value(spouseNumber)
	filter.UpdatedSince, err = instant("updatedSince", f.UpdatedSince)
	return filter, err
}

func (a *API) customers() {
	registerList(a, operation("GET /customers", "listCustomers", "List customers",
		"The customers that match all filters, by identifier."), "", func(ctx context.Context, in *struct {
		RegistrationNumber       Optional[string] `query:"registrationNumber" doc:"The national registration number. Needs the scope privacy.read. Numbers in a URL end up in logs: use POST /customers/search instead."`
		SpouseRegistrationNumber Optional[string] `query:"spouseRegistrationNumber" doc:"The partner's national registration number. Needs the scope privacy.read. Numbers in a URL end up in logs: use POST /customers/search instead."`
		CustomerFilters
		Paging
	}) (*answered[List[Customer]], error) {
		filter, err := in.filter(in.RegistrationNumber, in.SpouseRegistrationNumber)
		if err != nil {
			return nil, err
		}
		return a.listCustomers(ctx, &filter, in.Paging)
	})
	register(a, operation("GET /customers/{customerId}", "getCustomer", "Get a customer",
		"One customer."), "", func(ctx context.Context, in *struct {
		OfCustomer
		Conditional
	}) (*unlessKnown[Customer], error) {
		c, err := one(ctx, a.customersFor(ctx), backoffice.NounCustomer, in.CustomerID)
		if err != nil {
			return nil, err
		}
		return unless(in.Conditional, etag(c.Version), func() (Customer, error) { return showOne(ctx, c) })
	})
	register(a, operation("GET /customers/{customerId}/privacy", "getCustomerPrivacy",
		"Get a customer's registration numbers", "The national registration numbers of a customer and the partner. Each disclosure is recorded in the register of consultations.",
	), backoffice.PrivacyRead, func(ctx context.Context, in *OfCustomer) (*answered[RegistrationNumbers], error) {
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
	a.held()
	a.evidence()
	a.searchCustomers()
	a.customerWrites()
}

func (a *API) customersFor(ctx context.Context) backoffice.Reader[*backoffice.Customer, backoffice.CustomerCriteria] {
	return backoffice.CustomersVisibleTo(auth.From(ctx), a.Store)
}

type OfCustomer struct {
	CustomerID string `path:"customerId" doc:"The customer's identifier."`
}

// listCustomers answers a filter. It records a search by registration number under the first customers found, whatever
// page is shown, and under all that are shown.
func (a *API) listCustomers(
	ctx context.Context, filter *backoffice.CustomerFilter, paging Paging) (*answered[List[Customer]], error) {
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
		var first rows[*backoffice.Customer]
		if len(found.items) < found.total {
			first, err = read(ctx, a.customersFor(ctx), q, backoffice.Window{Limit: backoffice.MaxPageSize})
			if err != nil {
				return nil, err
			}
		}
		all := slices.Concat(first.items, found.items)
		search.Found(backoffice.Map(all, (*backoffice.Customer).Identity)...)
	}
	data, err := showCustomers(ctx, found.items)
	if err != nil {
		return nil, err
	}
	return envelope(ctx, window.Limit, found.total, data), nil
}
