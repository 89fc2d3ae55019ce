package storetest

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"example.org/backoffice/backoffice"
)

// The values that the crowd's records have, few enough that filters find something.
var (
	crowdNames     = []string{"Café Één", "cafe een", "Bakkerij De Smet", "O'Neill \"quoted\"", `100% back\slash_under`, "Ørsted Straße", "Zürich", "Ćevapi", "ΑΒΓ αβγ", "De Smet", "日本語テキスト", "x"}
	crowdLanguages = []string{"", "dutch", "french", "german"}
	crowdDays      = []string{"", "2026-03-31", "2026-06-30", "2026-12-31"}
	crowdScopes    = []string{"annual-accounts", "checklist", "tax-os"}
	crowdTypes     = []string{"assessment", "reminder", "letter"}
	crowdPlaces    = [][3]string{{"Liège", "4000", "België"}, {"LIEGE", "4000", "BE"}, {"Gent", "9000", ""}, {"Córdoba", "x 5000", "AR"}, {"", "1000", "be"}}
	crowdAnswers   = []string{
		`{"car":"yes","children":2}`, `{"car":"no","children":2.0,"x":{"car":"yes"}}`, `{"children":"2","car":true}`, `{"car":null}`, `{"car":["yes"]}`,
		`{"car":"é\"x","1":1e1}`, `{"nul":"\u0000","car":"yes"}`, `{"a.b":"yes","\"q\"":"yes","":"yes"}`, `{"car":"true","big":12345678901234567890}`, `{"big":9007199254740993}`, `{"\u0063ar":"yes","x":1}`,
	}
)

// crowd is an office with many records, some of which have equal values for an order, by a fixed seed.
func crowd() *office {
	r := rand.New(rand.NewPCG(1, 2))
	pick := func(from []string) string { return from[r.IntN(len(from))] }
	maybe := func(text string) string { return []string{"", text}[r.IntN(2)] }
	id := func(noun string, i int) string { return fmt.Sprintf("%s%c-%d", noun, "AZaz_"[r.IntN(5)], i) }
	instant := func() backoffice.Instant { return backoffice.InstantAt(1_700_000_000_000 + r.Int64N(40)) }
	maybeFile := func(kind backoffice.FileKind, id string) *backoffice.File {
		if r.IntN(2) == 0 {
			return nil
		}
		return fileOf(kind, id)
	}
	o := &office{}
	for i := range 6 {
		o.labels = append(o.labels, &backoffice.Label{ID: id("l", i), Name: fmt.Sprint("label ", i), CreatedAt: instant()})
	}
	for i := range 8 {
		u := &backoffice.User{ID: id("u", i), FirstName: pick(crowdNames), LastName: pick(crowdNames), Email: fmt.Sprintf("u%d@Example.org", i), Version: 1}
		for _, label := range r.Perm(len(o.labels))[:r.IntN(4)] {
			u.LabelIDs = append(u.LabelIDs, o.labels[label].ID)
		}
		o.users = append(o.users, u)
	}
	for i := range 4 {
		year := &backoffice.FinancialYear{ID: id("y", i), StartDate: fmt.Sprint(2023 + i), EndDate: fmt.Sprint(2023 + i), IsCurrentYear: i == 3}
		if !year.IsCurrentYear {
			year.ArchivedAt = instant()
		}
		o.years = append(o.years, year)
	}
	for i := range 9 {
		o.checklists = append(o.checklists, &backoffice.Checklist{
			ID: id("k", i), Name: pick(crowdNames), Language: pick(crowdLanguages[1:]), AuthRequired: r.IntN(2) == 0, DueDate: backoffice.Text(crowdDays[i%len(crowdDays)]), FinancialYearID: o.years[r.IntN(4)].ID})
	}
	for i := range 90 {
		c := &backoffice.Customer{
			ID: id("c", i), Type: backoffice.Company, OwnName: backoffice.Text(maybe(pick(crowdNames))), Language: backoffice.Text(pick(crowdLanguages)),
			Email:     backoffice.Text(maybe(fmt.Sprintf("Klant%d@example.org", r.IntN(60)))),
			CreatedAt: instant(), UpdatedAt: instant(), Version: 1 + r.IntN(3),
		}
		if r.IntN(3) == 0 {
			c.Type, c.FirstName = backoffice.PrivatePerson, backoffice.Text(pick(crowdNames))
		} else if r.IntN(2) == 0 {
			c.KboNumber, c.CompanyType = backoffice.Text([]string{"0200065765", "0314595348", "0203884397"}[r.IntN(3)]), backoffice.LegalForms()[r.IntN(5)]
		}
		if r.IntN(3) > 0 {
			c.CustomerCode = backoffice.Text(fmt.Sprint("CODE_", i))
		}
		if r.IntN(4) > 0 {
			c.ResponsibleID = o.users[r.IntN(len(o.users))].ID
		}
		for _, scope := range crowdScopes {
			if r.IntN(2) == 0 {
				c.Scopes = append(c.Scopes, scope)
			}
		}
		if r.IntN(2) == 0 {
			c.Registration = backoffice.SealedOf([]byte(fmt.Sprint("sealed ", i)), []byte{byte(r.IntN(9)), 0, 255})
		}
		if r.IntN(4) == 0 {
			c.SpouseRegistration = backoffice.SealedOf([]byte(fmt.Sprint("sealed too ", i)), []byte{byte(r.IntN(9)), 1, 255})
		}
		if i%3 == 0 {
			c.Version, c.HiddenChanges, c.OpenUpdatedAt = c.Version+2, 2, c.UpdatedAt-backoffice.Instant(1+i%5)
		}
		c.DisplayName = backoffice.DisplayNameOf(c)
		o.customers = append(o.customers, c)
	}
	o.address()
	o.relate(r, id, instant)
	for i := range 200 {
		list := o.checklists[r.IntN(len(o.checklists))]
		t := &backoffice.Transcript{
			ID: id("t", i), OwnStatus: ownStatus(r), OwnUpdatedAt: instant(), IsCompleted: r.IntN(2) == 0, ProgressPercentage: float64(r.IntN(9)) * 12.5,
			DocumentGenerated: r.IntN(2) == 0, CustomerID: o.customers[r.IntN(60)].ID, ChecklistID: list.ID, FinancialYearID: list.FinancialYearID,
		}
		t.Document = maybeFile(backoffice.TranscriptFile, t.ID)
		t.EffectiveStatus(nil)
		o.transcripts = append(o.transcripts, t)
		if r.IntN(2) == 0 {
			c := &backoffice.Calculation{
				ID: id("n", i), State: backoffice.CalculationStates[r.IntN(len(backoffice.CalculationStates))], UpdatedAt: instant(), TranscriptID: t.ID, CustomerID: t.CustomerID}
			c.Proposal = maybeFile(backoffice.CalculationFile, c.ID)
			t.EffectiveStatus(c)
			o.calculations = append(o.calculations, c)
		}
	}
	o.answer()
	for i := range 60 {
		d := &backoffice.CustomerDocument{ID: id("d", i), Name: pick(crowdNames), CustomerID: o.customers[r.IntN(30)].ID, CreatedAt: instant()}
		d.File = fileOf(backoffice.DocumentFile, d.ID)
		o.documents = append(o.documents, d)
	}
	for i := range 60 {
		d := &backoffice.MinfinDocument{ID: id("m", i), Name: pick(crowdNames), DocumentType: pick(crowdTypes), SynchronisedAt: instant()}
		if r.IntN(3) > 0 {
			d.CustomerID = o.customers[r.IntN(30)].ID
		}
		if r.IntN(3) > 0 {
			d.FinancialYearID = o.years[r.IntN(4)].ID
		}
		d.File = fileOf(backoffice.MinfinFile, d.ID)
		o.minfin = append(o.minfin, d)
	}
	for i := range 60 {
		d := &backoffice.Discrepancy{
			ID: id("i", i), Kind: backoffice.DiscrepancyKinds[r.IntN(3)], CustomerID: o.customers[r.IntN(15)].ID, PersonID: o.customers[15+r.IntN(15)].ID,
			SeenAt: instant(), Version: 1,
		}
		if r.IntN(2) > 0 {
			d.ClosedAt = instant()
		}
		if r.IntN(2) > 0 {
			d.ReportedAt = instant()
		}
		o.differences = append(o.differences, d)
	}
	return o
}

func ownStatus(r *rand.Rand) backoffice.TranscriptStatus {
	return []backoffice.TranscriptStatus{backoffice.ToProcess, backoffice.Sent}[r.IntN(2)]
}

// address gives customers addresses and phones, which differ in case and accents from what filters look for.
func (o *office) address() {
	r := rand.New(rand.NewPCG(3, 4))
	for _, c := range o.customers {
		if r.IntN(4) == 0 {
			continue
		}
		place := crowdPlaces[r.IntN(len(crowdPlaces))]
		c.Address.City, c.Address.PostalCode, c.Address.Country = backoffice.Text(place[0]), backoffice.Text(place[1]), backoffice.Text(place[2])
		if r.IntN(2) == 0 {
			c.Phone = "+32 2 555 12 34"
		}
	}
}

// answer gives transcripts answers, and the times of what happened to them.
func (o *office) answer() {
	r := rand.New(rand.NewPCG(5, 6))
	for i, t := range o.transcripts {
		for n, at := range []*backoffice.Instant{&t.CreatedAt, &t.CompletedAt, &t.SentAt, &t.DocumentGeneratedAt} {
			if (i+n)%4 > 0 {
				*at = backoffice.InstantAt(1_700_000_000_000 + int64((7*i+11*n)%40))
			}
		}
		if r.IntN(4) > 0 {
			t.CustomVariables = backoffice.JSON(crowdAnswers[r.IntN(len(crowdAnswers))])
		}
	}
}

// relate draws relations, each triple once on a day, more of them at the first customers.
func (o *office) relate(r *rand.Rand, id func(string, int) string, instant func() backoffice.Instant) {
	for i := range 150 {
		relation := &backoffice.CustomerRelation{
			ID: id("r", i), Kind: backoffice.RelationKinds[r.IntN(4)], CustomerID: o.customers[r.IntN(20)].ID,
			RelatedCustomerID: o.customers[r.IntN(90)].ID, CreatedAt: instant(), Version: 1,
		}
		switch r.IntN(3) {
		case 0:
			relation.StartDate, relation.SharePercent = "2020-01-01", "25.5"
		case 1:
			relation.EndDate, relation.Nominee = "2025-12-31", true
		}
		same := func(other *backoffice.CustomerRelation) bool {
			return other.Kind == relation.Kind && other.CustomerID == relation.CustomerID && other.RelatedCustomerID == relation.RelatedCustomerID
		}
		if relation.CustomerID != relation.RelatedCustomerID && !slices.ContainsFunc(o.relations, same) {
			o.relations = append(o.relations, relation)
		}
	}
}
