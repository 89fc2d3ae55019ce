package mirror

import (
	"context"

	"example.org/backoffice/backoffice"
)

// dependents are the nouns whose records are deleted along with a record of another noun; ids reads those of a record.
var dependents = map[backoffice.Noun][]struct {
	of  backoffice.Noun
	ids func(ctx context.Context, readers backoffice.Readers, parent string) ([]string, error)
}{
	backoffice.NounCustomer: {
		{backoffice.NounRelation, under(backoffice.OfCustomer, backoffice.RelationTable)},
		{backoffice.NounTranscript, under(backoffice.OfCustomer, backoffice.TranscriptTable)},
		{backoffice.NounDocument, under(backoffice.OfCustomer, backoffice.DocumentTable)},
		{backoffice.NounMinfin, under(backoffice.OfCustomer, backoffice.MinfinTable)},
		{backoffice.NounDiscrepancy, discrepanciesOf},
	},
	backoffice.NounTranscript: {
		{backoffice.NounCalculation, under(backoffice.OfTranscript, backoffice.CalculationTable)},
	},
}

// discrepanciesOf leaves out those about the customer as a person, which stay.
func discrepanciesOf(ctx context.Context, readers backoffice.Readers, company string) ([]string, error) {
	var of backoffice.ListQuery[backoffice.DiscrepancyCriteria]
	of.Criteria.CustomerID = company
	found, err := backoffice.ReadAll(ctx, readers.Discrepancies(), of, backoffice.NoParent)
	return backoffice.Map(found, (*backoffice.Discrepancy).Identity), err
}

func under[T backoffice.Entity, C comparable](
	of backoffice.Parent, noun backoffice.NounOf[T, C],
) func(context.Context, backoffice.Readers, string) ([]string, error) {
	return func(ctx context.Context, readers backoffice.Readers, parent string) ([]string, error) {
		found, err := backoffice.ReadAll(ctx, noun.Reader(readers), backoffice.ListQuery[C]{Parent: of}, parent)
		return backoffice.Map(found, T.Identity), err
	}
}

// anyThere reports whether the origin has any of these records.
func (p *pulling) anyThere(ctx context.Context, n *noun, ids []string) (bool, error) {
	here, err := n.find(ctx, p.Store, ids)
	if err != nil {
		return false, err
	}
	for _, s := range here {
		if gone, err := p.isGone(ctx, n, s); err != nil || !gone {
			return !gone, err
		}
	}
	return false, nil
}

// holdsSeen reports whether a record has a dependent here that the origin has, or may have, under another record that
// this pull could not load or has not read. Deleting the record would delete the dependent too.
func (p *pulling) holdsSeen(ctx context.Context, n *noun, id string) (bool, error) {
	for _, h := range dependents[n.of] {
		done := p.done[h.of]
		if done == nil || !done.Told {
			continue
		}
		ids, err := h.ids(ctx, p.Store, id)
		if err != nil {
			return false, err
		}
		if done.sweep != nil { // the customer that has it now may not have been read yet
			if holds, err := p.anyThere(ctx, nounOf(h.of), ids); err != nil || holds {
				return holds, err
			}
			continue
		}
		for _, id := range ids {
			if p.place != nil {
				if t, open := p.place.Open[h.of][id]; open && !t.Deleted { // it may have moved
					return true, nil
				}
			}
			if _, seen := done.seen[sumOf(id)]; seen || done.Incomplete != "" {
				return true, nil
			}
		}
	}
	return false, nil
}
