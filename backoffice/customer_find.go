package backoffice

import (
	"cmp"
	"context"
	"fmt"
	"strings"
)

// mostNamed is how many customers a message lists by their identifiers.
const mostNamed = 10

// FindCustomer returns the customer with an identifier, a customer code, or a whole name without regard to case and
// accents, looked for in this order. BadInput when several have the name; the message lists identifiers and codes.
func FindCustomer(ctx context.Context, reads Readers, text string) (customer *Customer, found bool, err error) {
	customers := reads.CustomersWithoutNumbers()
	if customer, found, err = Find(ctx, customers, text); found || err != nil {
		return customer, found, err
	}
	byCode, err := (&CustomerKey{CustomerCode: &text}).Query()
	if err != nil {
		return nil, false, err
	}
	if customer, found, err = First(ctx, customers, byCode, NoParent); found || err != nil {
		return customer, found, err
	}
	search, err := foldSearch(text)
	if err != nil { // too short or too long for the search
		return nil, false, nil
	}
	var named []*Customer
	byWords := ListQuery[CustomerCriteria]{Criteria: CustomerCriteria{Search: search}}
	err = eachRow(ctx, customers, byWords, NoParent, 0, func(c *Customer) error {
		if Fold(c.DisplayName) == Fold(strings.TrimSpace(text)) {
			named = append(named, c)
		}
		return nil
	})
	switch {
	case err != nil || len(named) == 0:
		return nil, false, err
	case len(named) == 1:
		return named[0], true, nil
	}
	list := Map(named[:min(len(named), mostNamed)],
		func(c *Customer) string { return fmt.Sprintf("%s (%s)", c.ID, cmp.Or(c.CustomerCode, "no code")) })
	return nil, false, Errorf(BadInput, "%d customers have this name; take the identifier or code of one: %s",
		len(named), strings.Join(list, ", "))
}
