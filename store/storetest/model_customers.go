package storetest

import (
	"slices"
	"strings"

	"pgregory.net/rapid"

	"example.org/backoffice/backoffice"
)

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
	return &customerModel{
		rows: o.customers,
		lists: map[backoffice.Parent]lists[*backoffice.Customer, C]{
			backoffice.Root:   everything[*backoffice.Customer, C](),
			backoffice.OfUser: {o.userIDs(), func(c *backoffice.Customer, user string, _ C) bool { return c.ResponsibleID == user }},
		},
		matches: o.meetsCustomer,
		atRoot:  func(c C) bool { return c.Fuzzy != "" },
		draw:    func(t *rapid.T) C { return o.drawCustomers(t, backoffice.MaxNesting) },
		orders:  []backoffice.OrderKey{backoffice.KeyName, backoffice.KeyCreatedAt, backoffice.KeyUpdatedAt, backoffice.KeyRelevance, backoffice.KeyRelations, backoffice.KeyOpenTranscripts},
		placed: map[backoffice.OrderKey]func(*backoffice.Customer, C) (string, float64){
			backoffice.KeyRelevance: relevance,
			backoffice.KeyRelations: func(r *backoffice.Customer, _ C) (string, float64) {
				return "", float64(o.related(r, backoffice.RelationsCriteria{}))
			},
			backoffice.KeyOpenTranscripts: func(r *backoffice.Customer, _ C) (string, float64) {
				return "", float64(o.transcribed(r, func(t *backoffice.Transcript) bool { return !t.IsCompleted }))
			},
		},
	}
}

func (o *office) meetsCustomer(r *backoffice.Customer, c backoffice.CustomerCriteria) bool {
	folded := func(wanted string, value backoffice.Text) bool { return is(wanted, backoffice.Fold(string(value))) }
	return !c.Nothing && (c.IDs == nil || slices.Contains(c.IDs.List(), r.ID)) && is(c.Type, r.Type) && is(c.Language, string(r.Language)) &&
		is(c.ResponsibleID, r.ResponsibleID) && is(c.EmailFolded, backoffice.FoldEmail(string(r.Email))) && is(c.CustomerCode, string(r.CustomerCode)) &&
		is(c.KboNumber, string(r.KboNumber)) && is(c.CompanyType, r.CompanyType) && (c.Scope == "" || slices.Contains(r.Scopes, c.Scope)) &&
		contains(backoffice.SearchTextOf(r), c.Search) && like(r, c.Fuzzy) && writtenSince(c.UpdatedSince) &&
		(c.WithoutChecklistID == "" || slices.Contains(o.checklistIDs(), c.WithoutChecklistID) &&
			o.transcribed(r, func(t *backoffice.Transcript) bool { return t.ChecklistID == c.WithoutChecklistID }) == 0) &&
		is(c.RegistrationIndex, string(r.Registration.Index())) && is(c.SpouseRegistrationIndex, string(r.SpouseRegistration.Index())) &&
		folded(c.City, r.Address.City) && folded(c.PostalCode, r.Address.PostalCode) && folded(c.Country, r.Address.Country) &&
		tristate(c.HasEmail, r.Email != "") && tristate(c.HasPhone, r.Phone != "") && tristate(c.HasResponsible, r.ResponsibleID != "") && tristate(c.HasKboNumber, r.KboNumber != "") &&
		c.Created.Holds(r.CreatedAt) && c.Updated.Holds(r.UpdatedAt) && o.meetsDependents(r, c) && o.labelled(r.ResponsibleID, c.LabelID) && tristate(c.HasDocument, o.hasDocument(r.ID)) &&
		tristate(c.OwnershipDiffers, o.ownershipDiffers(r.ID)) && (c.MissingChecklistOf == "" || o.missesUsual(r, c.MissingChecklistOf)) && within(r, c.Any, c.Not, o.meetsCustomer)
}

func (o *office) missesUsual(customer *backoffice.Customer, year string) bool {
	return slices.ContainsFunc(o.checklistIDs(), func(list string) bool {
		alike, have := 0, 0
		for _, c := range o.customers {
			if c.Type == customer.Type && c.Language == customer.Language {
				alike++
				if o.transcribed(c, func(t *backoffice.Transcript) bool { return t.ChecklistID == list && t.FinancialYearID == year }) > 0 {
					have++
				}
			}
		}
		return have > 0 && 2*have >= alike && o.transcribed(customer, func(t *backoffice.Transcript) bool { return t.ChecklistID == list }) == 0
	})
}

func (o *office) ownershipDiffers(customer string) bool {
	return slices.ContainsFunc(o.differences, func(d *backoffice.Discrepancy) bool { return d.CustomerID == customer && d.ClosedAt.IsZero() })
}

func (o *office) hasDocument(customer string) bool {
	return slices.ContainsFunc(o.documents, func(d *backoffice.CustomerDocument) bool { return d.CustomerID == customer })
}

// meetsDependents reports whether what depends on a customer meets criteria.
func (o *office) meetsDependents(r *backoffice.Customer, c backoffice.CustomerCriteria) bool {
	for _, some := range c.SomeTranscript.List() {
		if o.transcribed(r, func(t *backoffice.Transcript) bool { return o.meetsTranscript(t, some) }) == 0 {
			return false
		}
	}
	for _, none := range c.NoTranscript.List() {
		if o.transcribed(r, func(t *backoffice.Transcript) bool { return o.meetsTranscript(t, none) }) > 0 {
			return false
		}
	}
	return c.Relations.AtLeast == 0 || (o.related(r, c.Relations) < c.Relations.AtLeast) == c.Relations.Fewer
}

// transcribed counts the customer's transcripts of a kind.
func (o *office) transcribed(r *backoffice.Customer, of func(*backoffice.Transcript) bool) (n int) {
	for _, t := range o.transcripts {
		if t.CustomerID == r.ID && of(t) {
			n++
		}
	}
	return n
}

// related counts the customer's relations of a kind, direction and day.
func (o *office) related(r *backoffice.Customer, c backoffice.RelationsCriteria) (n int) {
	for _, relation := range o.relations {
		outgoing, incoming := relation.CustomerID == r.ID && c.Direction != backoffice.Incoming, relation.RelatedCustomerID == r.ID && c.Direction != backoffice.Outgoing
		if is(c.Kind, relation.Kind) && inForce(relation, c.AsOf) && (outgoing || incoming) {
			n++
		}
	}
	return n
}

// like reports whether a customer's name has enough of the trigrams of a fuzzy search.
func like(r *backoffice.Customer, words string) bool {
	if words == "" {
		return true
	}
	text := backoffice.SearchTextOf(r)
	shared, trigrams := 0, backoffice.Trigrams(words)
	for _, trigram := range trigrams {
		if strings.Contains(text[strings.LastIndex(text, "\n")+1:], trigram) {
			shared++
		}
	}
	return shared >= backoffice.LeastShared(len(trigrams))
}

// relevance is where a customer stands among those whom a search finds.
func relevance(r *backoffice.Customer, c backoffice.CustomerCriteria) (string, float64) {
	if c.Fuzzy != "" {
		return backoffice.SimilarPlace(backoffice.Trigrams(c.Fuzzy), r).Text, 0
	}
	name, class := backoffice.Fold(r.DisplayName), "4"
	switch {
	case name == c.Search:
		class = "0"
	case strings.HasPrefix(name, c.Search):
		class = "1"
	case strings.Contains(" "+name, " "+c.Search):
		class = "2"
	case strings.Contains(name, c.Search):
		class = "3"
	}
	return class + name, 0
}

// drawCustomers draws criteria, with others in them so many levels deep.
func (o *office) drawCustomers(t *rapid.T, levels int) backoffice.CustomerCriteria {
	var texts, indexes, spouses []string
	for _, c := range o.customers {
		texts = append(texts, backoffice.SearchTextOf(c))
		indexes = append(indexes, string(c.Registration.Index()))
		spouses = append(spouses, string(c.SpouseRegistration.Index()))
	}
	c := backoffice.CustomerCriteria{
		Type: pick(t, "type", backoffice.Company, backoffice.PrivatePerson), Language: pick(t, "language", "dutch", "french", "\xff"),
		ResponsibleID: pick(t, "responsible", o.userIDs()...), EmailFolded: pick(t, "email", "klant1@example.org", "klant2@example.org", "klant3@example.org"),
		CustomerCode: pick(t, "code", "CODE_1", "CODE_2", "CODE_3"), KboNumber: pick(t, "kbo", "0200065765", "0314595348"),
		CompanyType: pick(t, "company type", backoffice.LegalForms()[:5]...), Scope: pick(t, "scope", append(crowdScopes, "none")...),
		Search: drawSearch(t, texts), UpdatedSince: pick(t, "since", crowdInstants[0], afterAll),
		MissingChecklistOf: pick(t, "missing of", append(o.yearIDs(), "unknown", "\x00")...),
		WithoutChecklistID: pick(t, "without", append(o.checklistIDs(), "unknown", "\x00")...),
		RegistrationIndex:  pick(t, "registration", indexes...), SpouseRegistrationIndex: pick(t, "spouse", spouses...),
		City: pick(t, "city", "liege", "gent", "none"), PostalCode: pick(t, "postal code", "4000", "x 5000"), Country: pick(t, "country", "belgie", "be"),
		HasEmail: drawTristate(t, "e-mail"), HasPhone: drawTristate(t, "phone"), HasResponsible: drawTristate(t, "has responsible"), HasKboNumber: drawTristate(t, "has kbo"),
		Created: drawSpan(t, "created"), Updated: drawSpan(t, "changed"), Relations: drawRelations(t),
		LabelID: pick(t, "label", o.labelIDs()...), HasDocument: drawTristate(t, "has document"), OwnershipDiffers: drawTristate(t, "ownership differs"),
	}
	{
		c.IDs = backoffice.NewIDs(rapid.SliceOfN(rapid.SampledFrom(append(o.customerIDs(), "unknown")), 0, 20).Draw(t, "ids"))
	}
	sparse(t, &c)
	if levels < backoffice.MaxNesting {
		c.RegistrationIndex, c.SpouseRegistrationIndex = "", "" // which stand at the top alone
	}
	if levels > 0 {
		c.Any, c.Not = drawWithin(t, func() backoffice.CustomerCriteria { return o.drawCustomers(t, levels-1) })
		c.SomeTranscript, c.NoTranscript = drawCondition(t, o), drawCondition(t, o)
	}
	if levels == backoffice.MaxNesting && c.Search == "" && rapid.IntRange(0, 3).Draw(t, "fuzzy is set") == 0 {
		c.Fuzzy = drawFuzzy(t, rapid.SampledFrom(o.customers).Draw(t, "like").DisplayName)
	}
	return c
}

// drawCondition draws what holds of a transcript.
func drawCondition(t *rapid.T, o *office) (of backoffice.Nested[backoffice.TranscriptCriteria]) {
	if rapid.IntRange(0, 5).Draw(t, "transcripts are conditions") == 0 {
		of = backoffice.NestedOf(o.drawTranscripts(t, 1))
	}
	return of
}

// drawFuzzy draws a search for what is like a name: with letters changed, and from another word on.
func drawFuzzy(t *rapid.T, name string) string {
	letters := []rune(name + "   ")
	for range rapid.IntRange(0, 2).Draw(t, "typos") {
		letters[rapid.IntRange(0, len(letters)-1).Draw(t, "at")] = rapid.SampledFrom([]rune("aenst '\\")).Draw(t, "letter")
	}
	search, mode := string(letters)+"...", backoffice.SearchFuzzy
	criteria, err := (&backoffice.CustomerFilter{Search: &search, SearchMode: mode}).Criteria(nil)
	if err != nil {
		t.Fatal(err)
	}
	return criteria.Fuzzy
}

func drawTristate(t *rapid.T, name string) backoffice.Tristate {
	return pick(t, name, backoffice.Yes, backoffice.No)
}

func drawRelations(t *rapid.T) (c backoffice.RelationsCriteria) {
	return backoffice.RelationsCriteria{
		Kind: pick(t, "kind", backoffice.RelationKinds...), Direction: pick(t, "direction", backoffice.Incoming, backoffice.Outgoing),
		AsOf:    either(t, "day", days...),
		AtLeast: rapid.IntRange(1, 5).Draw(t, "at least"), Fewer: rapid.Bool().Draw(t, "fewer"),
	}
}
