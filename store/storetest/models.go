package storetest

import (
	"pgregory.net/rapid"

	"example.org/backoffice/backoffice"
)

// some instants around those of the crowd.
var crowdInstants = []backoffice.Instant{backoffice.InstantAt(1_699_999_999_999), backoffice.InstantAt(1_700_000_000_010), backoffice.InstantAt(1_700_000_000_020), backoffice.InstantAt(1_700_000_000_039), backoffice.InstantAt(1_700_000_000_100)}

var byName = []backoffice.OrderKey{backoffice.KeyName}

func (o *office) yearModel() *model[backoffice.FinancialYear, *backoffice.FinancialYear, backoffice.FinancialYearCriteria] {
	type C = backoffice.FinancialYearCriteria
	return &model[backoffice.FinancialYear, *backoffice.FinancialYear, C]{
		rows:    o.years,
		lists:   map[backoffice.Parent]lists[*backoffice.FinancialYear, C]{backoffice.Root: everything[*backoffice.FinancialYear, C]()},
		matches: func(y *backoffice.FinancialYear, c C) bool { return !c.Current || y.IsCurrentYear },
		draw:    func(t *rapid.T) C { return C{Current: rapid.Bool().Draw(t, "current")} },
	}
}

func (o *office) checklistModel() *model[backoffice.Checklist, *backoffice.Checklist, backoffice.ChecklistCriteria] {
	type C = backoffice.ChecklistCriteria
	return &model[backoffice.Checklist, *backoffice.Checklist, C]{
		rows: o.checklists,
		lists: map[backoffice.Parent]lists[*backoffice.Checklist, C]{
			backoffice.Root:            everything[*backoffice.Checklist, C](),
			backoffice.OfFinancialYear: {o.yearIDs(), func(k *backoffice.Checklist, year string, _ C) bool { return k.FinancialYearID == year }},
		},
		matches: func(k *backoffice.Checklist, c C) bool {
			return !c.Nothing && is(c.Language, k.Language) && is(c.FinancialYearID, k.FinancialYearID)
		},
		draw: func(t *rapid.T) C {
			return C{Nothing: either(t, "nothing", true), Language: either(t, "language", "dutch", "french", "x\x00"), FinancialYearID: either(t, "year", o.yearIDs()...)}
		},
		orders: byName,
	}
}

func (o *office) calculationModel() *model[backoffice.Calculation, *backoffice.Calculation, backoffice.CalculationCriteria] {
	type C = backoffice.CalculationCriteria
	return &model[backoffice.Calculation, *backoffice.Calculation, C]{
		rows: o.calculations,
		lists: map[backoffice.Parent]lists[*backoffice.Calculation, C]{
			backoffice.Root:         everything[*backoffice.Calculation, C](),
			backoffice.OfCustomer:   {o.customerIDs(), func(n *backoffice.Calculation, customer string, _ C) bool { return n.CustomerID == customer }},
			backoffice.OfTranscript: {o.transcriptIDs(), func(n *backoffice.Calculation, transcript string, _ C) bool { return n.TranscriptID == transcript }},
		},
		matches: func(n *backoffice.Calculation, c C) bool {
			return !c.Nothing && is(c.CustomerID, n.CustomerID) && is(c.TranscriptID, n.TranscriptID) &&
				hasStatus(c.State, backoffice.TranscriptStatus(n.State)) && tristate(c.HasProposal, n.Proposal != nil)
		},
		draw: func(t *rapid.T) C {
			return C{
				CustomerID: either(t, "customer", o.customerIDs()...), TranscriptID: either(t, "transcript", o.transcriptIDs()...),
				State:       backoffice.StatusSet(either(t, "state", 1, 4, 12, 0b101010101, 1<<9-1)),
				HasProposal: either(t, "proposal", backoffice.Yes, backoffice.No), Nothing: either(t, "nothing", true, false, false, false),
			}
		},
		orders: []backoffice.OrderKey{backoffice.KeyUpdatedAt},
	}
}

func (o *office) relationModel() *model[backoffice.CustomerRelation, *backoffice.CustomerRelation, backoffice.RelationCriteria] {
	type C = backoffice.RelationCriteria
	return &model[backoffice.CustomerRelation, *backoffice.CustomerRelation, C]{
		rows: o.relations,
		lists: map[backoffice.Parent]lists[*backoffice.CustomerRelation, C]{
			backoffice.Root: everything[*backoffice.CustomerRelation, C](),
			backoffice.OfCustomer: {o.customerIDs(), func(r *backoffice.CustomerRelation, customer string, c C) bool {
				return c.Direction != backoffice.Incoming && r.CustomerID == customer || c.Direction != backoffice.Outgoing && r.RelatedCustomerID == customer
			}},
		},
		matches: func(r *backoffice.CustomerRelation, c C) bool {
			return !c.Nothing && is(c.Kind, r.Kind) && is(c.CustomerID, r.CustomerID) && is(c.RelatedCustomerID, r.RelatedCustomerID) &&
				inForce(r, c.AsOf)
		},
		draw: func(t *rapid.T) C {
			return C{
				CustomerID: either(t, "customer", o.customerIDs()[:20]...), RelatedCustomerID: either(t, "related", o.customerIDs()...), Nothing: either(t, "nothing", true, false, false, false),
				Kind: either(t, "kind", backoffice.RelationKinds...), Direction: either(t, "direction", backoffice.Incoming, backoffice.Outgoing),
				AsOf: either(t, "day", days...),
			}
		},
	}
}

// days are some on which relations begin or end.
var days = []string{"2019-12-31", "2020-01-01", "2025-06-15", "2025-12-31"}

func inForce(r *backoffice.CustomerRelation, day string) bool {
	return day == "" || (backoffice.Period{First: string(r.StartDate), Last: string(r.EndDate)}).Overlaps(backoffice.Period{First: day, Last: day})
}

func (o *office) documentModel() *model[backoffice.CustomerDocument, *backoffice.CustomerDocument, backoffice.DocumentCriteria] {
	type C = backoffice.DocumentCriteria
	return &model[backoffice.CustomerDocument, *backoffice.CustomerDocument, C]{
		rows: o.documents,
		lists: map[backoffice.Parent]lists[*backoffice.CustomerDocument, C]{
			backoffice.Root:       everything[*backoffice.CustomerDocument, C](),
			backoffice.OfCustomer: {o.customerIDs(), func(d *backoffice.CustomerDocument, customer string, _ C) bool { return d.CustomerID == customer }},
		},
		matches: func(d *backoffice.CustomerDocument, c C) bool { return !c.Nothing && is(c.CustomerID, d.CustomerID) },
		draw: func(t *rapid.T) C {
			return C{CustomerID: either(t, "customer", o.customerIDs()[:30]...), Nothing: either(t, "nothing", true, false, false, false)}
		},
		orders: byName,
	}
}

func (o *office) discrepancyModel() *model[backoffice.Discrepancy, *backoffice.Discrepancy, backoffice.DiscrepancyCriteria] {
	type C = backoffice.DiscrepancyCriteria
	return &model[backoffice.Discrepancy, *backoffice.Discrepancy, C]{
		rows: o.differences,
		lists: map[backoffice.Parent]lists[*backoffice.Discrepancy, C]{
			backoffice.Root: everything[*backoffice.Discrepancy, C](),
			backoffice.OfCustomer: {o.customerIDs(), func(d *backoffice.Discrepancy, customer string, _ C) bool {
				return d.CustomerID == customer || d.PersonID == customer
			}},
		},
		matches: func(d *backoffice.Discrepancy, c C) bool {
			return !c.Nothing && is(c.CustomerID, d.CustomerID) && is(c.Kind, d.Kind) &&
				tristate(c.Open, d.ClosedAt.IsZero()) && tristate(c.Reported, !d.ReportedAt.IsZero())
		},
		draw: func(t *rapid.T) C {
			return C{
				CustomerID: either(t, "customer", o.customerIDs()[:30]...), Kind: either(t, "kind", backoffice.DiscrepancyKinds...),
				Open: drawTristate(t, "open"), Reported: drawTristate(t, "reported"),
			}
		},
	}
}

func (o *office) minfinModel() *model[backoffice.MinfinDocument, *backoffice.MinfinDocument, backoffice.MinfinCriteria] {
	type C = backoffice.MinfinCriteria
	return &model[backoffice.MinfinDocument, *backoffice.MinfinDocument, C]{
		rows: o.minfin,
		lists: map[backoffice.Parent]lists[*backoffice.MinfinDocument, C]{
			backoffice.Root:            everything[*backoffice.MinfinDocument, C](),
			backoffice.OfCustomer:      {o.customerIDs(), func(d *backoffice.MinfinDocument, customer string, _ C) bool { return d.CustomerID == customer }},
			backoffice.OfFinancialYear: {o.yearIDs(), func(d *backoffice.MinfinDocument, year string, _ C) bool { return d.FinancialYearID == year }},
		},
		matches: func(d *backoffice.MinfinDocument, c C) bool {
			return !c.Nothing && is(c.CustomerID, d.CustomerID) && is(c.FinancialYearID, d.FinancialYearID) &&
				is(c.DocumentType, d.DocumentType) && since(c.SynchronisedSince, d.SynchronisedAt)
		},
		draw: func(t *rapid.T) C {
			return C{
				CustomerID: either(t, "customer", o.customerIDs()[:30]...), FinancialYearID: either(t, "year", o.yearIDs()...),
				DocumentType: either(t, "type", crowdTypes...), SynchronisedSince: either(t, "since", crowdInstants...),
			}
		},
	}
}

func (o *office) userModel() *model[backoffice.User, *backoffice.User, backoffice.UserCriteria] {
	type C = backoffice.UserCriteria
	var texts []string
	for _, u := range o.users {
		texts = append(texts, backoffice.SearchTextOfUser(u))
	}
	return &model[backoffice.User, *backoffice.User, C]{
		rows:    o.users,
		lists:   map[backoffice.Parent]lists[*backoffice.User, C]{backoffice.Root: everything[*backoffice.User, C]()},
		matches: func(u *backoffice.User, c C) bool { return contains(backoffice.SearchTextOfUser(u), c.Search) },
		draw:    func(t *rapid.T) C { return C{Search: drawSearch(t, texts)} },
		orders:  byName,
	}
}

func (o *office) labelModel() *model[backoffice.Label, *backoffice.Label, backoffice.LabelCriteria] {
	type C = backoffice.LabelCriteria
	return &model[backoffice.Label, *backoffice.Label, C]{
		rows:    o.labels,
		lists:   map[backoffice.Parent]lists[*backoffice.Label, C]{backoffice.Root: everything[*backoffice.Label, C]()},
		matches: func(*backoffice.Label, C) bool { return true },
		draw:    func(*rapid.T) C { return C{} },
		orders:  byName,
	}
}
