package backoffice

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// faults writes user errors as code and path, so that a case reads at a glance.
func faults(found []*UserError) []string {
	var list []string
	for _, one := range found {
		list = append(list, string(one.Code)+" "+strings.Join(one.Field, "."))
	}
	return list
}

func TestACustomerIsHeldToItsRules(t *testing.T) {
	t.Parallel()
	long := Text(strings.Repeat("é", MaxText+1))
	for name, c := range map[string]struct {
		customer Customer
		faults   []string
	}{
		"a company may lack both number and form":    {Customer{Type: Company}, nil},
		"a form with a number":                       {Customer{Type: Company, KboNumber: "0200065765", CompanyType: "BV"}, nil},
		"a form without a number":                    {Customer{Type: Company, CompanyType: "IN_OPRICHTING"}, nil},
		"a number without a form":                    {Customer{Type: Company, KboNumber: "BE 0200.065.765"}, nil},
		"a form that needs a number":                 {Customer{Type: Company, CompanyType: "BV"}, []string{"NOT_ALLOWED companyType"}},
		"a form that has no number":                  {Customer{Type: Company, KboNumber: "0200065765", CompanyType: "ONVERDEELDHEID"}, []string{"NOT_ALLOWED companyType"}},
		"a form with an unsound number":              {Customer{Type: Company, KboNumber: "0123456789", CompanyType: "BV"}, []string{"INVALID kboNumber"}},
		"an unknown form":                            {Customer{Type: Company, CompanyType: "GMBH"}, []string{"INVALID companyType"}},
		"a person has neither":                       {Customer{Type: PrivatePerson, KboNumber: "x", CompanyType: "BV"}, []string{"NOT_ALLOWED kboNumber", "NOT_ALLOWED companyType"}},
		"a person with a name":                       {Customer{Type: PrivatePerson, FirstName: "Ann", LastName: "Peeters"}, nil},
		"no type":                                    {Customer{}, []string{"REQUIRED type"}},
		"another type":                               {Customer{Type: "CLUB"}, []string{"INVALID type"}},
		"texts that are too long":                    {Customer{Type: Company, OwnName: long, CustomerCode: long}, []string{"INVALID name", "INVALID customerCode"}},
		"a blank name":                               {Customer{Type: Company, OwnName: "  "}, []string{"INVALID name"}},
		"a line break in a part of the address":      {Customer{Type: Company, Address: Address{Street: "Kerkstraat", Country: "Bel\ngië"}}, []string{"INVALID address.country"}},
		"each unsound scope by its place":            {Customer{Type: Company, Scopes: []string{"checklist", "Annual", "x-"}}, []string{"INVALID scopes.1", "INVALID scopes.2"}},
		"a responsible user that cannot be":          {Customer{Type: Company, ResponsibleID: "a b"}, []string{"NOT_FOUND responsibleId"}},
		"an unknown language, e-mail and phone":      {Customer{Type: Company, Language: "Dutch", Email: "ann", Phone: "call me"}, []string{"INVALID language", "INVALID email", "INVALID phone"}},
		"several problems of several parts together": {Customer{Type: PrivatePerson, KboNumber: "1", Address: Address{City: "\x00"}, Email: "@"}, []string{"NOT_ALLOWED kboNumber", "INVALID address.city", "INVALID email"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(c.faults, faults(CustomerTable.Check(&c.customer))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestEveryLegalFormGoesWithANumberOrWithoutAndNeverBoth(t *testing.T) {
	t.Parallel()
	for _, form := range LegalForms() {
		with := CustomerTable.Check(&Customer{Type: Company, CompanyType: form, KboNumber: "0200065765"})
		without := CustomerTable.Check(&Customer{Type: Company, CompanyType: form})
		if (with == nil) != form.NeedsKBO() || (without == nil) == form.NeedsKBO() {
			t.Errorf("%s: with %v, without %v", form, faults(with), faults(without))
		}
	}
}

func TestACustomerIsKeptInItsCanonicalForm(t *testing.T) {
	t.Parallel()
	c := Customer{ID: "c", Type: Company, KboNumber: "be 200.065.765", Phone: "02/555 12 12", Scopes: []string{"checklist", "acme-os", "checklist"}, CustomerCode: "K-1"}
	if found := CustomerTable.Check(&c); found != nil {
		t.Fatal(faults(found))
	}
	want := Customer{ID: "c", Type: Company, KboNumber: "0200065765", Phone: "+32 2 555 12 12", Scopes: []string{"acme-os", "checklist"}, CustomerCode: "K-1", DisplayName: "K-1"}
	if diff := cmp.Diff(want, c); diff != "" {
		t.Error(diff)
	}
}

func TestCheckingACustomerTwiceChangesNothingMore(t *testing.T) {
	t.Parallel()
	optional := func(values ...string) *rapid.Generator[Text] {
		return rapid.Map(rapid.SampledFrom(append(values, "")), func(s string) Text { return Text(s) })
	}
	rapid.Check(t, func(t *rapid.T) {
		c := Customer{
			ID: "c", Type: rapid.SampledFrom([]CustomerType{Company, PrivatePerson}).Draw(t, "type"),
			OwnName:     optional("Acme", " ", "Élan").Draw(t, "name"),
			FirstName:   optional("Ann").Draw(t, "first"),
			KboNumber:   optional("0200.065.765", "1000.000.021", "203884397", "0123456789").Draw(t, "kbo"),
			CompanyType: LegalForm(optional("BV", "PUBLIC", "NONE").Draw(t, "form")),
			Phone:       optional("0475 12 34 56", "+31 20 123 4567", "12").Draw(t, "phone"),
			Email:       optional("Ann@Example.be", "x").Draw(t, "email"),
			Language:    optional("dutch", "klingon").Draw(t, "language"),
			Scopes:      rapid.SliceOf(rapid.SampledFrom([]string{"a-os", "checklist", "B"})).Draw(t, "scopes"),
		}
		first := CustomerTable.Check(&c)
		if first != nil {
			return
		}
		before := c
		before.Scopes = slices.Clone(c.Scopes)
		if again := CustomerTable.Check(&c); again != nil {
			t.Fatalf("refused what it accepted: %v", faults(again))
		}
		if diff := cmp.Diff(before, c); diff != "" {
			t.Fatal(diff)
		}
	})
}

func TestNoMessageEchoesWhatWasSent(t *testing.T) {
	t.Parallel()
	const secret = "qzqzqz"
	c := Customer{Type: secret, OwnName: secret + "\x00", Scopes: []string{"X" + secret}, Language: secret, Email: secret, Phone: secret, ResponsibleID: secret + " "}
	found := CustomerTable.Check(&c)
	if len(found) != 7 {
		t.Fatalf("%v", faults(found))
	}
	for _, one := range found {
		if strings.Contains(one.Message, secret) {
			t.Errorf("%v: %s", one.Field, one.Message)
		}
	}
}

func TestTheOtherRecordsAreHeldToTheirRules(t *testing.T) {
	t.Parallel()
	at := Instant(1)
	for name, c := range map[string]struct {
		found  []*UserError
		faults []string
	}{
		"a user needs names and an address":   {UserTable.Check(&User{}), []string{"REQUIRED firstName", "REQUIRED lastName", "REQUIRED email"}},
		"a user's values are sound":           {UserTable.Check(&User{FirstName: "A", LastName: "B", Email: "a@b", Language: "x", LabelIDs: []string{"ok", "not ok"}}), []string{"INVALID email", "INVALID language", "NOT_FOUND labelIds.1"}},
		"a label needs a name":                {LabelTable.Check(&Label{Color: "red"}), []string{"REQUIRED name", "INVALID color"}},
		"a relation joins two":                {RelationTable.Check(&CustomerRelation{CustomerID: "a", RelatedCustomerID: "a", Kind: Director}), []string{"NOT_ALLOWED relatedCustomerId"}},
		"a relation has a kind":               {RelationTable.Check(&CustomerRelation{CustomerID: "a", RelatedCustomerID: "b"}), []string{"REQUIRED kind"}},
		"a relation's kind is a known one":    {RelationTable.Check(&CustomerRelation{CustomerID: "a", RelatedCustomerID: "b", Kind: "FRIEND"}), []string{"INVALID kind"}},
		"a year has four digits":              {FinancialYearTable.Check(&FinancialYear{StartDate: "26", EndDate: "2026"}), []string{"INVALID startDate"}},
		"a year ends after its start":         {FinancialYearTable.Check(&FinancialYear{StartDate: "2026", EndDate: "2025"}), []string{"INVALID endDate"}},
		"the current year cannot be archived": {FinancialYearTable.Check(&FinancialYear{StartDate: "2026", EndDate: "2026", IsCurrentYear: true, ArchivedAt: at}), []string{"NOT_ALLOWED archivedAt"}},
		"a checklist belongs to a year":       {ChecklistTable.Check(&Checklist{Name: "x", Language: "dutch"}), []string{"REQUIRED financialYearId"}},
		"a transcript's status is its own":    {TranscriptTable.Check(&Transcript{OwnStatus: Locked, ProgressPercentage: 101, CustomerID: "a", ChecklistID: "b", FinancialYearID: "c", OwnUpdatedAt: at}), []string{"INVALID status", "INVALID progressPercentage"}},
		"a calculation has a state":           {CalculationTable.Check(&Calculation{State: "SENT", TranscriptID: "t", UpdatedAt: at}), []string{"INVALID state"}},
		"a document has a file":               {DocumentTable.Check(&CustomerDocument{Name: "x", CustomerID: "c", CreatedAt: at}), []string{"REQUIRED file"}},
		"a minfin document has a type":        {MinfinTable.Check(&MinfinDocument{Name: "x", SynchronisedAt: at, File: &File{}}), []string{"REQUIRED documentType"}},
	} {
		if diff := cmp.Diff(c.faults, faults(c.found)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestAUsersLabelsStayInOrderEachOnce(t *testing.T) {
	t.Parallel()
	u := User{FirstName: "A", LastName: "B", Email: "a@b.be", LabelIDs: []string{"z", "a", "z", "m"}}
	if found := UserTable.Check(&u); found != nil {
		t.Fatal(faults(found))
	}
	if diff := cmp.Diff([]string{"z", "a", "m"}, u.LabelIDs); diff != "" {
		t.Error(diff)
	}
	u.LabelIDs = nil
	for i := range MaxLabels + 1 {
		u.LabelIDs = append(u.LabelIDs, fmt.Sprint(i))
	}
	if got := faults(UserTable.Check(&u)); len(got) != 1 || got[0] != "INVALID labelIds" {
		t.Errorf("%v", got)
	}
}
