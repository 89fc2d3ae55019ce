package ownership

import (
	"context"

	"example.org/backoffice/backoffice"
)

// Stored are the Records of a store or a transaction.
type Stored struct{ From backoffice.NounReader }

func (s Stored) Relations(ctx context.Context, list backoffice.ListQuery[backoffice.RelationCriteria],
	customerIDs []string) ([]backoffice.Page[*backoffice.CustomerRelation], error) {
	pages, err := backoffice.ReadPages(ctx, backoffice.ByName(s).Relations(), list, customerIDs, 0)
	return backoffice.Mapped(customerIDs, func(id string) backoffice.Page[*backoffice.CustomerRelation] {
		return pages[id]
	}), err
}

func (s Stored) Customers(ctx context.Context, ids []string) ([]*backoffice.Customer, error) {
	found, err := backoffice.ReadByID(ctx, backoffice.ByName(s).CustomersWithoutNumbers(), ids, 0)
	return backoffice.Mapped(ids, func(id string) *backoffice.Customer { return found[id] }), err
}

// Certain finds the discrepancies of companies on a day that shares and holders that nobody has recorded cannot
// explain. With held, it also finds those of all companies that they hold, directly or through others.
func Certain(companies []string, held bool, day string) backoffice.FindDiscrepancies {
	return func(ctx context.Context, store backoffice.NounReader) ([]string, []*backoffice.Discrepancy, error) {
		from, of := Stored{store}, companies
		ask := Question{Direction: Holdings, Depth: MaxDepth, Today: day}
		if held {
			below, err := Structures(ctx, companies, ask, from)
			if err != nil {
				return nil, nil, err
			}
			for _, s := range below {
				of = append(of, s.ids...)
			}
			of = backoffice.Unique(of)
		}
		ask.Direction = Owners
		above, err := Structures(ctx, of, ask, from)
		if err != nil {
			return nil, nil, err
		}
		all, err := Discrepancies(ctx, above, from)
		var certain []*backoffice.Discrepancy
		for i, differences := range all {
			for _, d := range differences {
				if d.Certain {
					certain = append(certain, &backoffice.Discrepancy{
						Kind: d.Kind, CustomerID: above[i].Target(), PersonID: d.CustomerID,
						DeclaredPercent: backoffice.Text(d.Declared.String()),
						ComputedPercent: backoffice.Text(Decimal(d.Computed)),
					})
				}
			}
		}
		return of, certain, err
	}
}
