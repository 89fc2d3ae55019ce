package ownership

import (
	"context"
	"slices"

	"example.org/backoffice/backoffice"
)

// Stored are the Records of a store or a transaction.
type Stored struct{ From backoffice.NounReader }

func (s Stored) Relations(ctx context.Context, list backoffice.ListQuery[backoffice.RelationCriteria],
	customerIDs []string) ([]backoffice.Page[*backoffice.CustomerRelation], error) {
	pages, err := backoffice.ReadPages(ctx, backoffice.ByName(s).Relations(), list, customerIDs, 0)
	return backoffice.Map(customerIDs, func(id string) backoffice.Page[*backoffice.CustomerRelation] {
		return pages[id]
	}), err
}

func (s Stored) Customers(ctx context.Context, ids []string) ([]*backoffice.Customer, error) {
	found, err := backoffice.ReadByID(ctx, backoffice.ByName(s).CustomersWithoutNumbers(), ids, 0)
	return backoffice.Map(ids, func(id string) *backoffice.Customer { return found[id] }), err
}

// WithHoldings are companies, those that they direct and all that they hold on a day, directly or through others. The
// limits of a graph do not end it: each of the companies may have few owners.
func WithHoldings(ctx context.Context, store backoffice.NounReader, companies []string, day string) ([]string, error) {
	from, held := Stored{store}, backoffice.Unique(companies)
	directed, err := from.Relations(ctx, relationsOf(backoffice.Director, day, backoffice.Incoming), companies)
	list := relationsOf(backoffice.Shareholder, day, backoffice.Incoming)
	for read := 0; read < len(held) && err == nil; {
		some := held[read:min(read+backoffice.MaxPageSize, len(held))]
		read += len(some)
		var pages []backoffice.Page[*backoffice.CustomerRelation]
		pages, err = from.Relations(ctx, list, some)
		for i := range pages {
			if pages[i].More && err == nil {
				pages[i].Items, err = backoffice.ReadAll(ctx, backoffice.ByName(from).Relations(), list, some[i])
			}
		}
		held = backoffice.Unique(slices.Concat(held, heldBy(pages)))
	}
	return backoffice.Unique(slices.Concat(held, heldBy(directed))), err
}

func heldBy(pages []backoffice.Page[*backoffice.CustomerRelation]) (held []string) {
	for _, page := range pages {
		for _, r := range page.Items {
			held = append(held, r.CustomerID)
		}
	}
	return held
}

// FindDiscrepancies finds those of a day. They are certain if what nobody has recorded cannot explain them.
func FindDiscrepancies(day string) backoffice.FindDiscrepancies {
	return func(
		ctx context.Context, store backoffice.NounReader, of []string,
	) (certain, doubtful []*backoffice.Discrepancy, err error) {
		from := Stored{store}
		above, err := Structures(ctx, of, Question{Direction: Owners, Depth: MaxDepth, Today: day}, from)
		if err != nil {
			return nil, nil, err
		}
		all, err := Discrepancies(ctx, above, from)
		for i, differences := range all {
			for _, d := range differences {
				into := &doubtful
				if d.Certain {
					into = &certain
				}
				*into = append(*into, &backoffice.Discrepancy{
					Kind: d.Kind, CustomerID: above[i].Target(), PersonID: d.CustomerID,
					DeclaredPercent: backoffice.Text(d.Declared.String()),
					ComputedPercent: backoffice.Text(Decimal(d.Computed)),
				})
			}
		}
		return certain, doubtful, err
	}
}
