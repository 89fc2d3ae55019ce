package storetest

import (
	"slices"

	"pgregory.net/rapid"

	"example.org/backoffice/backoffice"
)

// some instants around those of the crowd.
var crowdInstants = []backoffice.Instant{1_699_999_999_999, 1_700_000_000_010, 1_700_000_000_020, 1_700_000_000_039, 1_700_000_000_100}

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

func (o *office) transcriptModel() *model[backoffice.Transcript, *backoffice.Transcript, backoffice.TranscriptCriteria] {
	type C = backoffice.TranscriptCriteria
	responsible := map[string]string{}
	for _, c := range o.customers {
		responsible[c.ID] = c.ResponsibleID
	}
	return &model[backoffice.Transcript, *backoffice.Transcript, C]{
		rows: o.transcripts,
		lists: map[backoffice.Parent]lists[*backoffice.Transcript, C]{
			backoffice.Root:            everything[*backoffice.Transcript, C](),
			backoffice.OfFinancialYear: {o.yearIDs(), func(r *backoffice.Transcript, year string, _ C) bool { return r.FinancialYearID == year }},
			backoffice.OfChecklist:     {o.checklistIDs(), func(r *backoffice.Transcript, list string, _ C) bool { return r.ChecklistID == list }},
			backoffice.OfCustomer:      {o.customerIDs(), func(r *backoffice.Transcript, customer string, _ C) bool { return r.CustomerID == customer }},
			backoffice.OfUser:          {o.userIDs(), func(r *backoffice.Transcript, user string, _ C) bool { return responsible[r.CustomerID] == user }},
		},
		matches: func(r *backoffice.Transcript, c C) bool {
			return !c.Nothing && is(c.ChecklistID, r.ChecklistID) && is(c.FinancialYearID, r.FinancialYearID) && is(c.CustomerID, r.CustomerID) &&
				is(c.ResponsibleID, responsible[r.CustomerID]) && hasStatus(c.Status, r.Status) && tristate(c.IsCompleted, r.IsCompleted) &&
				tristate(c.DocumentGenerated, r.DocumentGenerated) && writtenSince(c.UpdatedSince)
		},
		draw: func(t *rapid.T) C {
			return C{
				ChecklistID: either(t, "checklist", o.checklistIDs()...), FinancialYearID: either(t, "year", o.yearIDs()...),
				CustomerID: either(t, "customer", o.customerIDs()...), ResponsibleID: either(t, "responsible", o.userIDs()...),
				Status:      backoffice.StatusSet(either(t, "status", 1, 2, 5, 0b101010101, 1<<9-1)),
				IsCompleted: either(t, "completed", backoffice.Yes, backoffice.No), DocumentGenerated: either(t, "generated", backoffice.Yes, backoffice.No),
				UpdatedSince: either(t, "since", crowdInstants[0], afterAll), Nothing: either(t, "nothing", true, false, false, false),
			}
		},
		orders: []backoffice.OrderKey{backoffice.KeyUpdatedAt, backoffice.KeyProgress},
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
			return !c.Nothing && is(c.Kind, r.Kind) && is(c.CustomerID, r.CustomerID) && is(c.RelatedCustomerID, r.RelatedCustomerID)
		},
		draw: func(t *rapid.T) C {
			return C{
				CustomerID: either(t, "customer", o.customerIDs()[:20]...), RelatedCustomerID: either(t, "related", o.customerIDs()...), Nothing: either(t, "nothing", true, false, false, false),
				Kind: either(t, "kind", backoffice.RelationKinds...), Direction: either(t, "direction", backoffice.Incoming, backoffice.Outgoing),
			}
		},
	}
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

type customerModel = model[backoffice.Customer, *backoffice.Customer, backoffice.CustomerCriteria]

// withoutNumbers is a model of customers as a caller without privacy.read sees it, who may not look for a number.
func withoutNumbers(m *customerModel) *customerModel {
	seen := *m
	seen.rows = nil
	for _, c := range m.rows {
		seen.rows = append(seen.rows, c.VisibleTo(nil))
	}
	seen.draw = func(t *rapid.T) backoffice.CustomerCriteria {
		c := m.draw(t)
		c.RegistrationIndex, c.SpouseRegistrationIndex = "", ""
		return c
	}
	return &seen
}

func (o *office) customerModel() *customerModel {
	type C = backoffice.CustomerCriteria
	var texts, indexes, spouses []string
	has := map[[2]string]bool{} // a customer has a transcript of a checklist
	for _, t := range o.transcripts {
		has[[2]string{t.CustomerID, t.ChecklistID}] = true
	}
	for _, c := range o.customers {
		texts = append(texts, backoffice.SearchTextOf(c))
		indexes = append(indexes, string(c.Registration.Index()))
		spouses = append(spouses, string(c.SpouseRegistration.Index()))
	}
	return &customerModel{
		rows: o.customers,
		lists: map[backoffice.Parent]lists[*backoffice.Customer, C]{
			backoffice.Root:   everything[*backoffice.Customer, C](),
			backoffice.OfUser: {o.userIDs(), func(c *backoffice.Customer, user string, _ C) bool { return c.ResponsibleID == user }},
		},
		matches: func(r *backoffice.Customer, c C) bool {
			return !c.Nothing && (c.IDs == nil || slices.Contains(c.IDs.List(), r.ID)) && is(c.Type, r.Type) && is(c.Language, string(r.Language)) &&
				is(c.ResponsibleID, r.ResponsibleID) && is(c.EmailFolded, backoffice.FoldEmail(string(r.Email))) && is(c.CustomerCode, string(r.CustomerCode)) &&
				is(c.KboNumber, string(r.KboNumber)) && is(c.CompanyType, r.CompanyType) && (c.Scope == "" || slices.Contains(r.Scopes, c.Scope)) &&
				contains(backoffice.SearchTextOf(r), c.Search) && writtenSince(c.UpdatedSince) &&
				(c.WithoutChecklistID == "" || slices.Contains(o.checklistIDs(), c.WithoutChecklistID) && !has[[2]string{r.ID, c.WithoutChecklistID}]) &&
				is(c.RegistrationIndex, string(r.Registration.Index())) && is(c.SpouseRegistrationIndex, string(r.SpouseRegistration.Index()))
		},
		draw: func(t *rapid.T) C {
			c := C{
				Type: either(t, "type", backoffice.Company, backoffice.PrivatePerson), Language: either(t, "language", "dutch", "french", "\xff"),
				ResponsibleID: either(t, "responsible", o.userIDs()...), EmailFolded: either(t, "email", "klant1@example.org", "klant2@example.org", "klant3@example.org"),
				CustomerCode: either(t, "code", "CODE_1", "CODE_2", "CODE_3"), KboNumber: either(t, "kbo", "0200065765", "0314595348"),
				CompanyType: either(t, "company type", backoffice.LegalForms()[:5]...), Scope: either(t, "scope", append(crowdScopes, "none")...),
				Search: drawSearch(t, texts), UpdatedSince: either(t, "since", crowdInstants[0], afterAll),
				WithoutChecklistID: either(t, "without", append(o.checklistIDs(), "unknown", "\x00")...),
				RegistrationIndex:  either(t, "registration", indexes...), SpouseRegistrationIndex: either(t, "spouse", spouses...),
			}
			if rapid.IntRange(0, 3).Draw(t, "ids are set") == 0 {
				c.IDs = backoffice.NewIDs(rapid.SliceOfN(rapid.SampledFrom(append(o.customerIDs(), "unknown")), 0, 20).Draw(t, "ids"))
			}
			return c
		},
		orders: []backoffice.OrderKey{backoffice.KeyName, backoffice.KeyCreatedAt, backoffice.KeyUpdatedAt},
	}
}
