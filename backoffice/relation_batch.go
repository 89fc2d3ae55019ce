package backoffice

import (
	"context"
	"maps"
	"slices"
)

// CreateRelations creates a relation for each input, like CreateRelation. Instead of TAKEN it returns the relation that
// exists or that an earlier input created. Refused as a whole like createAll.
func (s *Service) CreateRelations(
	ctx context.Context, by *Principal, inputs []BatchInput[RelationDraft], mode BatchMode, key Optional[string],
) (*BatchOutcome[CustomerRelation], error) {
	if err := require(by, CustomersWrite); err != nil {
		return nil, err
	}
	now := InstantOf(s.now())
	drafts, relations := make([]*draft[CustomerRelation], len(inputs)), make([]*CustomerRelation, len(inputs))
	var ends []string
	for i := range inputs {
		d, r := &draft[CustomerRelation]{}, &CustomerRelation{ID: NewID(), CreatedAt: now}
		d.made, d.wrong = r, relationInput.fill(&inputs[i].Input, r)
		d.content = relationInput.values(r)
		inputs[i].checkOwnKey(&d.wrong)
		drafts[i], relations[i], ends = d, r, append(ends, r.CustomerID, r.RelatedCustomerID)
	}
	ends = sound(ends...)
	var customers map[string]*Customer
	var there map[RelationDraft]*CustomerRelation
	return createAll(ctx, s, creations[CustomerRelation, RelationCriteria]{
		by: by, action: "createCustomerRelations", table: RelationTable, mode: mode, at: now, key: key, drafts: drafts,
		look: func(ctx context.Context, tx Tx) error {
			return tx.Together(ctx, func(ctx context.Context) (err error) {
				if len(ends) > 0 {
					customers, err = ReadByID(ctx, tx.Customers(), ends, 0)
				}
				return err
			}, func(ctx context.Context) (err error) {
				there, err = relationsLike(ctx, tx, relations)
				return err
			})
		},
		check: func(d *draft[CustomerRelation], check *checker) {
			checkEnds(d.made, customers, check)
			of := d.made.draft()
			if d.there = there[of]; d.there == nil && len(check.found) == 0 {
				there[of] = d.made
			}
		},
	})
}

func (r *CustomerRelation) draft() RelationDraft {
	return RelationDraft{CustomerID: r.CustomerID, RelatedCustomerID: r.RelatedCustomerID, Kind: r.Kind}
}

// relationsLike returns the stored relations with the same customers and kind.
func relationsLike(
	ctx context.Context, tx Tx, relations []*CustomerRelation,
) (map[RelationDraft]*CustomerRelation, error) {
	like := map[RelationDraft]*CustomerRelation{}
	if len(relations) == 0 {
		return like, nil
	}
	holders, err := tx.Relations().Holders(ctx, relations)
	if err != nil || len(holders) == 0 {
		return like, err
	}
	stored, err := ReadByID(ctx, tx.Relations(), slices.Collect(maps.Values(holders)), 0)
	for _, r := range stored {
		like[r.draft()] = r
	}
	return like, err
}
