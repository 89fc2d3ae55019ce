package ownership

import (
	"cmp"
	"context"
	"math"
	"slices"

	"example.org/backoffice/backoffice"
)

// Discrepancy is a difference between the UBO relations of a company and its computed beneficial owners.
type Discrepancy struct {
	Kind       backoffice.DiscrepancyKind
	CustomerID string  // of the person
	RelationID string  // that declares it; "" with NotDeclared
	Declared   Percent // the relation's share
	Computed   float64 // as Stake.Share; 0 without a stake
	// Certain reports that what nobody has recorded cannot explain the difference: shares, votes, holders, directors,
	// or for whom a nominee holds.
	Certain bool
}

// rounded is by how much a declared percentage may differ: the UBO register has two decimal places. Subtracting rounds
// far less than the last part.
const rounded = 0.01 - 1e-9

// thirds is how many units a company may lack whose three owners have 33.33 % each. Outside of rings it hides no owner.
const thirds = 100

// Discrepancies compares the UBO relations of each structure of Owners with its beneficial owners by the rule of its
// day: by kind, then by person. A natural person has none.
func Discrepancies(ctx context.Context, of []*Structure, from Records) ([][]*Discrepancy, error) {
	all := make([][]*Discrepancy, len(of))
	if len(of) == 0 {
		return all, nil
	}
	day := of[0].AsOf
	owners, err := BeneficialOwners(ctx, of, "", "", from)
	if err != nil {
		return nil, err
	}
	companies := backoffice.Map(of, (*Structure).Target)
	pages, err := from.Relations(ctx, relationsOf(backoffice.UBO, day, backoffice.Outgoing), companies)
	if err != nil {
		return nil, err
	}
	for i, s := range of {
		if all[i] = []*Discrepancy{}; !s.natural(s.Target()) {
			if all[i], err = s.discrepancies(pages[i].Items, owners[i]); err != nil {
				return nil, err
			}
		}
	}
	return all, nil
}

func (s *Structure) discrepancies(
	declared []*backoffice.CustomerRelation, owners []*BeneficialOwner,
) ([]*Discrepancy, error) {
	law, complete, computed := ruleOn(s.AsOf), s.Complete(), map[string]float64{}
	almost := s.Cycles() == 0 && s.Graph.complete(s.natural, thirds)
	unsure := slices.ContainsFunc(s.Graph.holdings, func(h Holding) bool { return h.Nominee }) ||
		slices.ContainsFunc(s.Graph.held, // a sale is half recorded
			func(units int32) bool { return Percent{units: units}.Float()-100 >= rounded })
	owned := len(owners) > 0 && owners[0].Category != SeniorManager // else unrecorded directors may be meant
	for _, stake := range s.Stakes() {
		computed[stake.CustomerID] = stake.Share
	}
	missing := map[string]*BeneficialOwner{} // from the declared ones
	for _, owner := range owners {
		missing[owner.CustomerID] = owner
	}
	found := []*Discrepancy{}
	for _, relation := range declared {
		share, err := ParsePercent(string(relation.SharePercent))
		if err != nil {
			return nil, err
		}
		d := &Discrepancy{Kind: backoffice.NotComputed, CustomerID: relation.RelatedCustomerID, RelationID: relation.ID,
			Declared: share, Computed: computed[relation.RelatedCustomerID]}
		d.Certain = owned && s.allVotes && (complete || almost && d.Computed == 0)
		if missing[d.CustomerID] != nil {
			delete(missing, d.CustomerID)
			if !share.known || math.Abs(share.Float()-d.Computed) < rounded {
				continue
			}
			// More may be missing, but no missing holding makes a share smaller.
			d.Kind = backoffice.OtherPercentage
			d.Certain = complete || share.Float() < d.Computed || almost && share.Float() > d.Computed+1
		}
		found = append(found, d)
	}
	for id, owner := range missing {
		found = append(found, &Discrepancy{Kind: backoffice.NotDeclared, CustomerID: id, Computed: computed[id],
			Certain: law.enough(owner.Share) || s.allVotes && (complete || owner.Category != SeniorManager)})
	}
	for _, d := range found {
		d.Certain = d.Certain && !unsure
	}
	slices.SortFunc(found, func(a, b *Discrepancy) int {
		kinds := backoffice.DiscrepancyKinds
		return cmp.Or(cmp.Compare(slices.Index(kinds, a.Kind), slices.Index(kinds, b.Kind)),
			cmp.Compare(a.CustomerID, b.CustomerID))
	})
	return found, nil
}

// DeclaredPercent is the declared share, nil for unknown.
func (d *Discrepancy) DeclaredPercent() *float64 { return d.Declared.number() }
