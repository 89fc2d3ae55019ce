package parity

import (
	"cmp"
	"math"
	"slices"

	"example.org/backoffice/backoffice"
)

// counts is a list's total.
func counts[T any](rows []T, of func(T) bool) object {
	n := 0
	for _, row := range rows {
		if of(row) {
			n++
		}
	}
	return object{"totalCount": n}
}

func (d dump) transcriptsOf(c *backoffice.Customer) (all transcripts) {
	for _, t := range d.transcripts {
		if t.CustomerID == c.ID {
			all = append(all, t)
		}
	}
	return all
}

func (d dump) labelled(c *backoffice.Customer, label string) bool {
	return c != nil && d.users[c.ResponsibleID] != nil && slices.Contains(d.users[c.ResponsibleID].LabelIDs, label)
}

// grouped are groups by one value, the largest first.
func grouped(by map[string]int) (groups []object) {
	for value, n := range by {
		key := any(value)
		if value == "" {
			key = nil
		}
		groups = append(groups, object{"count": n, "keys": []any{object{"value": key}}})
	}
	slices.SortFunc(groups, func(a, b object) int {
		value := func(o object) string {
			if text, is := o["keys"].([]any)[0].(object)["value"].(string); is {
				return text
			}
			return "\U0010ffff"
		}
		return cmp.Or(b["count"].(int)-a["count"].(int), cmp.Compare(value(a), value(b)))
	})
	return groups
}

func (d dump) turnarounds() []object {
	by, between := map[string]int{}, map[string][]float64{}
	for _, t := range d.transcripts {
		by[t.FinancialYearID]++
		if t.CreatedAt != 0 && t.CompletedAt != 0 {
			between[t.FinancialYearID] = append(between[t.FinancialYearID], float64(t.CompletedAt.Milliseconds()-t.CreatedAt.Milliseconds()))
		}
	}
	groups := grouped(by)
	for _, group := range groups {
		all := between[group["keys"].([]any)[0].(object)["value"].(string)]
		group["turnaround"] = nil
		if len(all) == 0 {
			continue
		}
		slices.Sort(all)
		sum := 0.0
		for _, each := range all {
			sum += each
		}
		days := func(ms float64) float64 { return math.Round(ms/86_400_000*1e9) / 1e9 }
		quartile := func(n int) float64 { return days(all[int(math.Ceil(float64(n*len(all))/4))-1]) }
		group["turnaround"] = object{"count": len(all), "meanDays": days(sum / float64(len(all))),
			"lowerQuartileDays": quartile(1), "medianDays": quartile(2), "upperQuartileDays": quartile(3)}
	}
	return groups
}

func (d dump) alike(by func(*backoffice.Customer) string) object {
	of := map[string][]string{}
	for _, c := range d.customers {
		if value := by(c); value != "" {
			of[value] = append(of[value], c.ID)
		}
	}
	groups, total := []object{}, 0
	for value, ids := range of {
		if len(ids) < 2 {
			continue
		}
		slices.Sort(ids)
		var shown []object
		for _, id := range ids[:min(len(ids), 10)] {
			shown = append(shown, object{"id": id})
		}
		groups, total = append(groups, object{"value": value, "count": len(ids), "customers": shown}), total+len(ids)
	}
	slices.SortFunc(groups, func(a, b object) int {
		return cmp.Or(b["count"].(int)-a["count"].(int), cmp.Compare(a["value"].(string), b["value"].(string)))
	})
	return object{"totalCount": total, "groupCount": len(groups), "groups": groups}
}

// visibleTo is what a credential that is restricted to a user's customers sees.
func (d dump) visibleTo(user string) dump {
	seen := dump{users: d.users, checklists: d.checklists}
	for _, c := range d.customers {
		if c.ResponsibleID == user {
			seen.customers = append(seen.customers, c)
		}
	}
	seen.customer = byID(seen.customers)
	for _, t := range d.transcripts {
		if seen.customer[t.CustomerID] != nil {
			seen.transcripts = append(seen.transcripts, t)
		}
	}
	for _, r := range d.relations {
		if seen.customer[r.CustomerID] != nil && seen.customer[r.RelatedCustomerID] != nil {
			seen.relations = append(seen.relations, r)
		}
	}
	for _, document := range d.documents {
		if seen.customer[document.CustomerID] != nil {
			seen.documents = append(seen.documents, document)
		}
	}
	return seen
}
