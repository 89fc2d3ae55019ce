package restricted

import (
	"math/rand/v2"
	"slices"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway/gatewaytest"
)

// randomRestriction is one that the office can have.
func randomRestriction(r *gatewaytest.Records, d *rand.Rand) backoffice.RestrictionFields {
	var f backoffice.RestrictionFields
	some := func(n int, one func() string) (list []string) {
		for range 1 + d.IntN(n) {
			list = append(list, one())
		}
		return list
	}
	kinds := 1 + d.IntN(15)
	if d.IntN(3) > 0 {
		kinds = 1 << d.IntN(4)
	}
	if kinds&1 != 0 {
		f.Responsible = some(2, func() string { return gatewaytest.AnyOf(d, r.Users).ID })
	}
	if kinds&2 != 0 {
		f.Labels = some(2, func() string { return gatewaytest.AnyOf(d, r.Labels).ID })
	}
	if kinds&4 != 0 {
		f.Customers = some(5, func() string { return gatewaytest.AnyOf(d, r.Customers).ID })
	}
	if kinds&8 != 0 {
		f.Years = some(2, func() string { return gatewaytest.AnyOf(d, r.Years).StartDate })
	}
	return f
}

// randomAlternatives are one to three restrictions that the office can have.
func randomAlternatives(r *gatewaytest.Records, d *rand.Rand) (all []backoffice.RestrictionFields) {
	for range 1 + d.IntN(3) {
		all = append(all, randomRestriction(r, d))
	}
	return all
}

// recordsInView are those records that a restricted credential sees, by the sentences of the documentation and nothing of the
// store's: what any alternative admits, and a relation when both of its customers are seen.
func recordsInView(r *gatewaytest.Records, alternatives ...backoffice.RestrictionFields) *gatewaytest.Records {
	of := &gatewaytest.Records{Labels: r.Labels, Users: r.Users, Years: r.Years, Checklists: r.Checklists, Numbers: r.Numbers}
	has := map[any]bool{}
	for _, f := range alternatives {
		one := recordsSeenBy(r, f)
		for _, c := range one.Customers {
			has[c] = true
		}
		for _, t := range one.Transcripts {
			has[t] = true
		}
		for _, c := range one.Calculations {
			has[c] = true
		}
		for _, d := range one.Documents {
			has[d] = true
		}
		for _, m := range one.Minfin {
			has[m] = true
		}
	}
	customers := map[string]bool{}
	for _, c := range r.Customers {
		customers[c.ID] = has[c]
	}
	of.Customers = seenOf(r.Customers, func(c *backoffice.Customer) bool { return has[c] })
	of.Relations = seenOf(r.Relations, func(n *backoffice.CustomerRelation) bool {
		return customers[n.CustomerID] && customers[n.RelatedCustomerID]
	})
	if namesCustomers(alternatives) {
		of.Users = seenOf(r.Users, func(u *backoffice.User) bool {
			return slices.ContainsFunc(of.Customers, func(c *backoffice.Customer) bool { return c.ResponsibleID == u.ID })
		})
	}
	of.Transcripts = seenOf(r.Transcripts, func(t *backoffice.Transcript) bool { return has[t] })
	of.Calculations = seenOf(r.Calculations, func(c *backoffice.Calculation) bool { return has[c] })
	of.Documents = seenOf(r.Documents, func(d *backoffice.CustomerDocument) bool { return has[d] })
	of.Minfin = seenOf(r.Minfin, func(m *backoffice.MinfinDocument) bool { return has[m] })
	return of
}

// namesCustomers reports whether a credential sees, of the users, those alone who are responsible for customers that it sees.
func namesCustomers(alternatives []backoffice.RestrictionFields) bool {
	return !slices.ContainsFunc(alternatives, func(f backoffice.RestrictionFields) bool { return f.Customers == nil })
}

// recordsSeenBy are those that one alternative admits, without relations.
func recordsSeenBy(r *gatewaytest.Records, f backoffice.RestrictionFields) *gatewaytest.Records {
	years := map[string]bool{"": true}
	for _, year := range r.Years {
		years[year.ID] = len(f.Years) == 0 || slices.Contains(f.Years, year.StartDate)
	}
	seen := map[string]bool{}
	for _, c := range r.Customers {
		labelled := len(f.Labels) == 0
		for _, user := range r.Users {
			for _, label := range user.LabelIDs {
				labelled = labelled || user.ID == c.ResponsibleID && slices.Contains(f.Labels, label)
			}
		}
		ofYear := len(f.Years) == 0 || slices.ContainsFunc(r.Transcripts, func(t *backoffice.Transcript) bool { return t.CustomerID == c.ID && years[t.FinancialYearID] })
		seen[c.ID] = labelled && ofYear && (len(f.Responsible) == 0 || slices.Contains(f.Responsible, c.ResponsibleID)) && (len(f.Customers) == 0 || slices.Contains(f.Customers, c.ID))
	}
	of := &gatewaytest.Records{}
	transcripts := map[string]bool{}
	of.Customers = seenOf(r.Customers, func(c *backoffice.Customer) bool { return seen[c.ID] })
	of.Transcripts = seenOf(r.Transcripts, func(t *backoffice.Transcript) bool {
		transcripts[t.ID] = seen[t.CustomerID] && years[t.FinancialYearID]
		return transcripts[t.ID]
	})
	of.Calculations = seenOf(r.Calculations, func(c *backoffice.Calculation) bool { return transcripts[c.TranscriptID] })
	of.Documents = seenOf(r.Documents, func(c *backoffice.CustomerDocument) bool { return seen[c.CustomerID] })
	of.Minfin = seenOf(r.Minfin, func(c *backoffice.MinfinDocument) bool { return seen[c.CustomerID] && years[c.FinancialYearID] })
	return of
}

func seenOf[T any](list []T, keep func(T) bool) (some []T) {
	for _, one := range list {
		if keep(one) {
			some = append(some, one)
		}
	}
	return some
}
