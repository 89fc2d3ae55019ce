package resolvers

import (
	"context"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/loaders"
	"example.org/backoffice/privacy"
)

var customers = nounOf(backoffice.CustomerTable)

func (r query) Customer(ctx context.Context, id string) (*backoffice.Customer, error) {
	return customers.of(ctx).One(ctx, id)
}

func (query) CustomerBy(ctx context.Context, key backoffice.CustomerKey) (*backoffice.Customer, error) {
	ask, err := key.Query()
	if err != nil {
		return nil, err
	}
	noun := customers.of(ctx)
	if key.ID != nil {
		return noun.One(ctx, *key.ID)
	}
	pages, err := noun.Pages(ctx, ask, []string{backoffice.NoParent})
	if err != nil {
		return nil, err
	}
	return key.Only(pages[0].Items)
}

func (r query) Customers(ctx context.Context, first *int, after *string, last *int, before *string, page, pageSize *int,
	filter *backoffice.CustomerFilter, orderBy *backoffice.CustomerOrder) (*backoffice.CustomerConnection, error) {
	order, err := filter.OrderOf(orderBy)
	if err != nil {
		return nil, err
	}
	read := func(criteria backoffice.CustomerCriteria) (*backoffice.CustomerConnection, []string, error) {
		page, err := all(ctx, r.Root, customers.of(ctx), criteria, order,
			pageArgs(first, after, last, before, page, pageSize))
		if err != nil {
			return nil, nil, err
		}
		return page, ids(page.Items, (*backoffice.Customer).Identity), nil
	}
	return searched(ctx, filter, read)
}

// searched runs read on the customers that match a filter. A search by registration number reports to the register the
// customers that it finds and those that the answer shows.
func searched[V any](ctx context.Context, filter *backoffice.CustomerFilter,
	read func(backoffice.CustomerCriteria) (answer V, shown []string, err error)) (answer V, err error) {
	search := privacy.Search(ctx)
	criteria, err := filter.Criteria(search.Index)
	if err != nil {
		return answer, err
	}
	if criteria.RegistrationIndex == "" && criteria.SpouseRegistrationIndex == "" {
		answer, _, err = read(criteria)
		return answer, err
	}
	var found, shown []string
	unread := together(ctx,
		func(ctx context.Context) (err error) { found, err = firstFound(ctx, criteria); return err },
		func(context.Context) error { answer, shown, err = read(criteria); return nil })
	if unread != nil {
		return *new(V), unread
	}
	search.Found(found...)
	search.Found(shown...)
	return answer, err
}

// firstFound returns the first customers with a registration number. The register names them, whichever page is shown.
func firstFound(ctx context.Context, criteria backoffice.CustomerCriteria) ([]string, error) {
	ask := backoffice.ListQuery[backoffice.CustomerCriteria]{Criteria: criteria}
	ask.Window.Limit = backoffice.MaxPageSize
	found, err := customers.of(ctx).Pages(ctx, ask, []string{backoffice.NoParent})
	if err != nil {
		return nil, err
	}
	return ids(found[0].Items, (*backoffice.Customer).Identity), nil
}

func (customer) RegistrationNumber(ctx context.Context, customers []*backoffice.Customer) ([]*string, error) {
	return reveal(ctx, customers, backoffice.RegistrationNumber)
}

func (customer) SpouseRegistrationNumber(ctx context.Context, customers []*backoffice.Customer) ([]*string, error) {
	return reveal(ctx, customers, backoffice.SpouseRegistrationNumber)
}

func reveal(ctx context.Context, customers []*backoffice.Customer, field backoffice.PrivacyField) ([]*string, error) {
	asks := make([]privacy.SealedNumber, len(customers))
	for i, c := range customers {
		if c != nil {
			asks[i] = privacy.SealedNumber{CustomerID: c.ID, Field: field, Number: *c.SealedNumber(field)}
		}
	}
	return privacy.Reveal(ctx, asks)
}

func (r customer) PrivacyAccesses(ctx context.Context, customers []*backoffice.Customer, first *int, after *string,
	last *int, before *string, page, pageSize *int) ([]*backoffice.ConsultationConnection, error) {
	return below(ctx, r.Root, privacyAccesses.of(ctx), customers, (*backoffice.Customer).Identity,
		backoffice.OfCustomer, backoffice.ConsultationCriteria{}, backoffice.NewestFirst,
		pageArgs(first, after, last, before, page, pageSize))
}

func (customer) Responsible(ctx context.Context, customers []*backoffice.Customer) ([]*backoffice.User, error) {
	return linked(ctx, users.of(ctx), customers, func(c *backoffice.Customer) string { return c.ResponsibleID })
}

func (r customer) Relations(ctx context.Context, customers []*backoffice.Customer, first *int, after *string, last *int,
	before *string, page, pageSize *int, kind *backoffice.RelationKind,
	direction *backoffice.RelationDirection, asOf *string) ([]*backoffice.CustomerRelationConnection, error) {
	var criteria backoffice.RelationCriteria
	var err error
	if criteria.AsOf, err = backoffice.ParseDay(asOf); err != nil {
		return nil, err
	}
	if kind != nil {
		criteria.Kind = *kind
	}
	if direction != nil {
		criteria.Direction = *direction
	}
	plain, err := below(ctx, r.Root, relationNoun.of(ctx), customers, (*backoffice.Customer).Identity,
		backoffice.OfCustomer, criteria, backoffice.ByID, pageArgs(first, after, last, before, page, pageSize))
	if err != nil {
		return nil, err
	}
	connections := make([]*backoffice.CustomerRelationConnection, len(plain))
	for i, c := range plain {
		connections[i] = &backoffice.CustomerRelationConnection{Connection: c}
	}
	return connections, nil
}

func (r customer) Transcripts(ctx context.Context, customers []*backoffice.Customer, first *int, after *string,
	last *int, before *string, page, pageSize *int, filter *backoffice.TranscriptFilter,
	orderBy *backoffice.TranscriptOrder) ([]*backoffice.TranscriptConnection, error) {
	return transcriptsOf(ctx, r.Root, customers, (*backoffice.Customer).Identity, backoffice.OfCustomer, filter,
		orderBy, pageArgs(first, after, last, before, page, pageSize))
}

func (r customer) Documents(ctx context.Context, customers []*backoffice.Customer, first *int, after *string, last *int,
	before *string, page, pageSize *int,
	orderBy *backoffice.CustomerDocumentOrder) ([]*backoffice.CustomerDocumentConnection, error) {
	return below(ctx, r.Root, documents.of(ctx), customers, (*backoffice.Customer).Identity,
		backoffice.OfCustomer, backoffice.DocumentCriteria{}, orderBy.Order(),
		pageArgs(first, after, last, before, page, pageSize))
}

// latestProposal selects the most recently updated calculation that has a proposal.
var latestProposal = backoffice.ListQuery[backoffice.CalculationCriteria]{
	Parent:   backoffice.OfCustomer,
	Criteria: backoffice.CalculationCriteria{HasProposal: backoffice.Yes},
	Order:    backoffice.Order{Key: backoffice.KeyUpdatedAt, Descending: true},
	Window:   backoffice.Window{Limit: 1},
}

func (customer) CalculationProposal(ctx context.Context, customers []*backoffice.Customer) ([]*backoffice.File, error) {
	ctx = loaders.WithFields(ctx, proposalFields)
	latest, err := firsts(ctx, calculations.of(ctx), latestProposal, ids(customers, (*backoffice.Customer).Identity))
	if err != nil {
		return nil, err
	}
	files := make([]*backoffice.File, len(latest))
	for i, calculation := range latest {
		if calculation != nil {
			files[i] = calculation.Proposal
		}
	}
	return files, nil
}

var proposalFields = loaders.NewFields([]string{"proposal"})

func (r customer) MinfinDocuments(ctx context.Context, customers []*backoffice.Customer, first *int, after *string,
	last *int, before *string, page, pageSize *int,
	filter *backoffice.MinfinDocumentFilter) ([]*backoffice.MinfinDocumentConnection, error) {
	return below(ctx, r.Root, minfinDocuments.of(ctx), customers, (*backoffice.Customer).Identity,
		backoffice.OfCustomer, filter.Criteria(), backoffice.ByID, pageArgs(first, after, last, before, page, pageSize))
}
