package mirror

import (
	"context"

	"example.org/backoffice/backoffice"
)

// dependents are the nouns whose records go with those of another one, and how the identifiers of those that hang on a
// record are read.
var dependents = map[backoffice.Noun][]struct {
	of  backoffice.Noun
	ids func(ctx context.Context, readers backoffice.Readers, parent string) ([]string, error)
}{
	backoffice.NounCustomer: {
		{backoffice.NounRelation, under(backoffice.OfCustomer, backoffice.RelationTable)},
		{backoffice.NounTranscript, under(backoffice.OfCustomer, backoffice.TranscriptTable)},
		{backoffice.NounDocument, under(backoffice.OfCustomer, backoffice.DocumentTable)},
		{backoffice.NounMinfin, under(backoffice.OfCustomer, backoffice.MinfinTable)},
	},
	backoffice.NounTranscript: {
		{backoffice.NounCalculation, under(backoffice.OfTranscript, backoffice.CalculationTable)},
	},
}

func under[T backoffice.Entity, C comparable](
	of backoffice.Parent, noun backoffice.NounOf[T, C],
) func(context.Context, backoffice.Readers, string) ([]string, error) {
	return func(ctx context.Context, readers backoffice.Readers, parent string) (ids []string, err error) {
		err = backoffice.EachPage(ctx, noun.Reader(readers), backoffice.ListQuery[C]{Under: of}, parent, 0, func(page []T) error {
			for _, row := range page {
				ids = append(ids, row.Identity())
			}
			return nil
		})
		return ids, err
	}
}

// anyThere reports whether the origin has one of some records.
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

// holdsSeen reports whether something hangs on a record here that the origin has, or may have: it hangs on another one
// there, and this pull could not load that or has not seen all of its noun. Deleting the record would take it along.
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
		if done.sweep != nil { // the turn of the customer that has it now may be to come
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
