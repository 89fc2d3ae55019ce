package backoffice

import "context"

// RelationDraft is the input to create a relation; nil fields are absent.
type RelationDraft struct {
	CustomerID        string
	RelatedCustomerID string
	Kind              RelationKind
	SharePercent      *string
	VotePercent       *string
	StartDate         *string
	EndDate           *string
	Note              *string
	Nominee           *bool
}

// RelationFields is the input to change a relation: absent keeps, null clears.
type RelationFields struct {
	SharePercent Optional[string]
	VotePercent  Optional[string]
	StartDate    Optional[string]
	EndDate      Optional[string]
	Note         Optional[string]
	Nominee      Optional[bool]
}

var (
	relationInput  = inputOf[RelationDraft](RelationTable)
	relationChange = inputOf[RelationFields](RelationTable)
)

// CreateRelation needs customers.write. Refused also with NOT_FOUND (customerId, relatedCustomerId), NOT_ALLOWED for a
// customer with itself, TAKEN when the same relation exists in the period, and like create for a used idempotency key.
func (s *Service) CreateRelation(
	ctx context.Context, by *Principal, draft RelationDraft, key Optional[string],
) (*CustomerRelation, error) {
	if err := require(by, CustomersWrite); err != nil {
		return nil, err
	}
	r := &CustomerRelation{ID: NewID(), CreatedAt: InstantOf(s.now()), Version: 1}
	wrong := relationInput.fill(&draft, r)
	var found map[string]*Customer
	return create(ctx, s, creation[CustomerRelation, RelationCriteria]{
		by: by, action: "createCustomerRelation", table: RelationTable, made: r, key: key,
		content: relationInput.values(r), wrong: wrong,
		told: func() map[string]any { return relationInput.told(&draft) },
		look: func(ctx context.Context, tx Tx) (err error) {
			found, err = ReadByID(ctx, tx.Customers(), sound(r.CustomerID, r.RelatedCustomerID), 0)
			return err
		},
		check: func(check *checker) { checkEnds(r, found, check) },
	})
}

// checkEnds checks that the customers of a relation exist.
func checkEnds(r *CustomerRelation, customers map[string]*Customer, check *checker) {
	for _, end := range []struct{ id, field string }{
		{r.CustomerID, "customerId"}, {r.RelatedCustomerID, "relatedCustomerId"},
	} {
		if CheckID(end.id) == nil && customers[end.id] == nil {
			check.add(CodeNotFound, "no customer has this identifier", end.field)
		}
	}
}

// sound returns the well-formed identifiers, sorted, each once.
func sound(ids ...string) []string { return NewIDs(ids).List() }

// UpdateRelation changes a relation, such as its last day; it needs customers.write. An update without any change
// leaves the version alone and is not logged. Refused also with NOT_FOUND (id), STALE_VERSION, and TAKEN (startDate or
// endDate) when the same relation exists in the period.
func (s *Service) UpdateRelation(
	ctx context.Context, by *Principal, id string, in RelationFields, expected Versions,
) (*CustomerRelation, error) {
	if err := require(by, CustomersWrite); err != nil {
		return nil, err
	}
	return update(ctx, s, updating[CustomerRelation, RelationFields, RelationCriteria]{
		by: by, action: "updateCustomerRelation", input: relationChange, id: id, in: &in, expected: expected,
	})
}

// DeleteRelation needs customers.write. The relation can be restored within Service.Trash. Refused with NOT_FOUND (id)
// and STALE_VERSION.
func (s *Service) DeleteRelation(ctx context.Context, by *Principal, id string, expected Versions) error {
	if err := requireDelete(by, CustomersWrite); err != nil {
		return err
	}
	return s.write(ctx, func(ctx context.Context, tx Tx) (bool, error) {
		now := InstantOf(s.now())
		s.keepDeleted(tx, by, now, "")
		change := changeBy(by, now, "deleteCustomerRelation", NounRelation, id)
		return removeVersion(ctx, tx, RelationTable, change, expected)
	})
}
