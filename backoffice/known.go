package backoffice

import (
	"context"
	"slices"
	"strconv"
	"strings"
)

// CustomerKeys are the fields by which people tell customers apart, as in CustomerKey. Registration numbers are not:
// each search for one is an entry of the register.
var CustomerKeys = []string{"customerCode", "kboNumber"}

// CustomersBy returns the identifiers of the customers with each of the values in a field of CustomerKeys. A KBO number
// may be in any accepted notation, and several customers may have it.
func CustomersBy(
	ctx context.Context, rows Reader[*Customer, CustomerCriteria], field string, values []string,
) (map[string][]string, error) {
	found := map[string][]string{}
	values = Unique(values)
	if field == "customerCode" {
		asked := make([]*Customer, len(values))
		for i, value := range values {
			asked[i] = &Customer{ID: "#" + strconv.Itoa(i), CustomerCode: Text(value)} // no record's identifier
		}
		holders, err := rows.Holders(ctx, asked)
		for i, value := range values {
			if of := holders[asked[i].ID]; of != nil {
				found[value] = of
			}
		}
		return found, err
	}
	notations := map[string][]string{}
	var numbers []CustomerCriteria
	for _, value := range values {
		if number, err := ParseKBONumber(value); err == nil {
			if notations[number] = append(notations[number], value); len(notations[number]) == 1 {
				numbers = append(numbers, CustomerCriteria{KboNumber: number})
			}
		}
	}
	for some := range slices.Chunk(numbers, MaxAlternatives) {
		ask := ListQuery[CustomerCriteria]{Criteria: CustomerCriteria{Any: NestedOf(some...)}}
		err := EachPage(ctx, rows, ask, NoParent, rows.Columns([]string{"kboNumber"}), func(page []*Customer) error {
			for _, c := range page {
				for _, value := range notations[string(c.KboNumber)] {
					found[value] = append(found[value], c.ID)
				}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

// LookupKeys are the texts by which people know a user, as FoldKey folds them: e-mail address and name.
func (u *User) LookupKeys() []string { return []string{FoldKey(u.Email), FoldKey(u.DisplayName())} }

func (l *Label) LookupKeys() []string     { return []string{FoldKey(l.Name)} }
func (l *Checklist) LookupKeys() []string { return []string{FoldKey(l.Name)} }

// LookupKeys are the texts by which people know a year: 2026, and 2026-2027 for one that ends in another, also with
// the dash in which groups show it.
func (y *FinancialYear) LookupKeys() []string {
	if y.EndDate == "" || y.EndDate == y.StartDate {
		return []string{y.StartDate}
	}
	from, to := y.StartDate, y.EndDate
	return []string{from, from + "-" + to, from + "/" + to, from + "–" + to}
}

// FoldKey is the form in which what people write is compared with LookupKeys. E-mail addresses keep their accents.
func FoldKey(text string) string {
	if strings.Contains(text, "@") {
		return FoldEmail(text)
	}
	return Fold(text)
}
