package backoffice

import (
	"cmp"
	"context"
	"fmt"
	"strings"
)

// mostNamed is how many customers a message lists by their identifiers.
const mostNamed = 10

// CustomerNamed returns the identifier of the customer with an identifier, a customer code, or a whole name without
// regard to case and accents, looked for in this order. A text that names nobody is returned unchanged: the customer of
// this identifier may be deleted. BadInput when several have the name; the message lists their identifiers and codes.
func CustomerNamed(ctx context.Context, reads Readers, text string) (string, error) {
	customers := reads.CustomersWithoutNumbers()
	if _, found, err := Find(ctx, customers, text); found || err != nil {
		return text, err
	}
	byCode, err := (&CustomerKey{CustomerCode: &text}).Query()
	if err != nil {
		return "", err
	}
	if customer, found, err := First(ctx, customers, byCode, NoParent); err != nil {
		return "", err
	} else if found {
		return customer.ID, nil
	}
	search, err := foldSearch(text)
	if err != nil { // too short or too long for the search
		return text, nil
	}
	var named []string
	byWords := ListQuery[CustomerCriteria]{Criteria: CustomerCriteria{Search: search}}
	err = eachRow(ctx, customers, byWords, NoParent, 0, func(c *Customer) error {
		if Fold(c.DisplayName) == Fold(strings.TrimSpace(text)) {
			named = append(named, fmt.Sprintf("%s (%s)", c.ID, cmp.Or(c.CustomerCode, "no code")))
		}
		return nil
	})
	switch {
	case err != nil:
		return "", err
	case len(named) == 0:
		return text, nil
	case len(named) == 1:
		id, _, _ := strings.Cut(named[0], " ")
		return id, nil
	}
	list := strings.Join(named[:min(len(named), mostNamed)], ", ")
	return "", Errorf(BadInput, "%d customers have this name; take the identifier or code of one: %s", len(named), list)
}
