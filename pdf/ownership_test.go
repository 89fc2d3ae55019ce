package pdf_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/pdf"
)

func TestADocumentShowsWhoOwnsACustomer(t *testing.T) {
	t.Parallel()
	day, err := backoffice.ParseInstant("2026-03-30T22:00:00.000Z")
	must(t, err)
	report := backoffice.OwnershipReport{
		Customer: &backoffice.Customer{ID: "acme", DisplayName: "Acme", KboNumber: "0403170701", Language: "dutch"}, At: day,
		BeneficialOwners: []backoffice.ReportedOwner{{Name: "An 85.07.30-033.28", Share: "33.3333", UpperBound: "43.3333", Vote: "40", Control: "60", Category: "OWNERSHIP"}},
		Owners:           []backoffice.ReportedOwner{{Name: "Holding", Share: "60", UpperBound: "60", Vote: "60", Control: "60"}},
		Discrepancies:    []backoffice.ReportedDiscrepancy{{Kind: "PERCENTAGE", Name: "An", Declared: "45", Computed: "33.3333"}},
	}
	page := func() *reading {
		var b bytes.Buffer
		must(t, pdf.NewDocuments(pdf.Letterhead{Name: "Kantoor"}, pdf.Fonts{}).Ownership(&b, report))
		return read(t, b.Bytes())
	}
	dutch := page()
	text := strings.Join(slices.Concat(dutch.texts("P"), dutch.texts("LBody"), dutch.texts("TD"), dutch.texts("TH")), "\n")
	for _, want := range []string{
		"31 maart 2026", "0403.170.701", "Niet alle aandelen zijn vastgelegd", "Aandelen: 33,3333\u00a0% – 43,3333\u00a0%", "Stemmen: 40\u00a0%", "Stemmen, met gecontroleerde ondernemingen: 60\u00a0%",
		"Door aandelen of stemmen", "Aandelen: 60\u00a0%", "Een ander percentage", "Gemeld: 45\u00a0%", "Berekend: 33,3333\u00a0%", "Kan komen door wat niet is vastgelegd.",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in %s", want, text)
		}
	}
	if strings.Contains(text, "Stemmen: 60") {
		t.Error("as many votes as shares are told")
	}
	if strings.Contains(text, "033.28") {
		t.Error("a number is printed")
	}
	report.Complete, report.Owners, report.Discrepancies, report.Customer.Language = true, nil, nil, "german"
	german := page()
	text = strings.Join(slices.Concat(german.texts("P"), german.texts("H2")), "\n")
	if !strings.Contains(text, "sind alle Anteile erfasst") || !strings.Contains(text, "Es sind keine erfasst.") || strings.Contains(text, "Abweichungen") {
		t.Error(text)
	}
}
