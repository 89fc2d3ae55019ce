package backoffice

import (
	"context"
	"maps"
	"slices"
)

// CreateRelations creates a relation for each input, like CreateRelation. Instead of TAKEN it returns the relation that
// exists or that an earlier input created, unless the input has more to say of it. Refused as a whole like createAll.
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
		d, r := &draft[CustomerRelation]{}, &CustomerRelation{ID: NewID(), CreatedAt: now, Version: 1}
		d.made, d.wrong = r, relationInput.fill(&inputs[i].Input, r)
		d.content = relationInput.values(r)
		inputs[i].checkOwnKey(&d.wrong)
		drafts[i], relations[i], ends = d, r, append(ends, r.CustomerID, r.RelatedCustomerID)
	}
	ends = sound(ends...)
	var customers map[string]*Customer
	var there map[string][]*CustomerRelation
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
			wanted := RelationTable.UniqueValue(d.made)
			taken := false
			for _, r := range there[wanted.Value] {
				conflicts, sameEnd := wanted.Conflicts(RelationTable.UniqueValue(r)), r.EndDate == d.made.EndDate
				taken = taken || conflicts
				if conflicts && !adds(d.made, r) && !moves(d.made, r) && (sameEnd || d.there == nil) {
					d.there = r
				}
			}
			if taken && d.there == nil {
				check.add(CodeTaken, "the same relation exists with other days, shares, votes, a note or a nominee")
			} else if !taken && len(check.found) == 0 {
				there[wanted.Value] = append(there[wanted.Value], d.made)
			}
		},
	})
}

// moves reports whether a relation has a first or last day, and the other one has another.
func moves(r, there *CustomerRelation) bool {
	return r.StartDate != "" && r.StartDate != there.StartDate || r.EndDate != "" && r.EndDate != there.EndDate
}

// relationsLike returns the stored relations in conflict with relations, by their unique value.
func relationsLike(
	ctx context.Context, tx Tx, relations []*CustomerRelation,
) (map[string][]*CustomerRelation, error) {
	like := map[string][]*CustomerRelation{}
	if len(relations) == 0 {
		return like, nil
	}
	holders, err := tx.Relations().Holders(ctx, relations)
	if err != nil || len(holders) == 0 {
		return like, err
	}
	stored, err := ReadByID(ctx, tx.Relations(), Unique(slices.Concat(slices.Collect(maps.Values(holders))...)), 0)
	for _, id := range slices.Sorted(maps.Keys(stored)) {
		value := RelationTable.UniqueValue(stored[id]).Value
		like[value] = append(like[value], stored[id])
	}
	return like, err
}
