package backoffice

import "context"

// RelationDraft is what a caller sends to make a relation.
type RelationDraft struct {
	CustomerID        string
	RelatedCustomerID string
	Kind              RelationKind
}

// CreateRelation makes a relation; it needs customers.write. Refused also with NOT_FOUND (customerId,
// relatedCustomerId), NOT_ALLOWED for a customer with itself, TAKEN when the same relation exists, and, for a key that
// was used before, as create says.
func (s *Service) CreateRelation(ctx context.Context, by *Principal, draft RelationDraft, key Optional[string]) (*CustomerRelation, error) {
	if err := require(by, CustomersWrite); err != nil {
		return nil, err
	}
	r := &CustomerRelation{ID: NewID(), CustomerID: draft.CustomerID, RelatedCustomerID: draft.RelatedCustomerID, Kind: draft.Kind, CreatedAt: InstantOf(s.now())}
	check := checker{CheckRelation(r)}
	content := values{}
	content.set("customerId", r.CustomerID)
	content.set("relatedCustomerId", r.RelatedCustomerID)
	content.set("kind", string(r.Kind))
	call := creation{by: by, action: "createCustomerRelation", noun: NounRelation, id: r.ID, key: key, content: content, wrong: &check}
	made := r
	var found map[string]*Customer
	err := s.create(ctx, call, func(ctx context.Context, tx Tx) (err error) {
		found, err = ReadByID(ctx, tx.Customers(), sound(r.CustomerID, r.RelatedCustomerID), 0)
		return err
	}, func(ctx context.Context, tx Tx, check *checker) error {
		for _, end := range []struct{ id, field string }{{r.CustomerID, "customerId"}, {r.RelatedCustomerID, "relatedCustomerId"}} {
			if CheckID(end.id) == nil && found[end.id] == nil {
				check.add(CodeNotFound, "no customer has this identifier", end.field)
			}
		}
		if err := check.refusal(); err != nil {
			return err
		}
		made = r
		return tx.Relations().Insert(ctx, r)
	}, func(ctx context.Context, tx Tx, id string) (found bool, err error) {
		made, found, err = find(ctx, tx.Relations(), id)
		return found, err
	})
	if err != nil {
		return nil, err
	}
	return made, nil
}

// sound are those of the texts that can be identifiers.
func sound(ids ...string) []string { return NewIDs(ids).List() }

// DeleteRelation removes a relation; it needs customers.write. Refused with NOT_FOUND (id).
func (s *Service) DeleteRelation(ctx context.Context, by *Principal, id string) error {
	if err := require(by, CustomersWrite); err != nil {
		return err
	}
	return s.write(ctx, func(ctx context.Context, tx Tx) (bool, error) {
		return false, remove(ctx, tx, tx.Relations(), &Change{At: InstantOf(s.now()), ClientID: by.ClientID, Action: "deleteCustomerRelation", Noun: NounRelation, ObjectID: id})
	})
}
