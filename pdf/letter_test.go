package pdf_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"example.org/backoffice/pdf"
)

func TestAProposalShowsItsAmountsAndItsOutcome(t *testing.T) {
	t.Parallel()
	for language, want := range map[string][]string{
		"dutch":   {"Aanslagjaar 2026", "−€ 9.600,00", "€ 84.123,50", "Te betalen € 3.746,85", "Datum en handtekening"},
		"french":  {"Exercice d’imposition 2026", "−9\u00a0600,00\u00a0€", "84\u00a0123,50\u00a0€", "Te betalen 3\u00a0746,85\u00a0€", "Date et signature"},
		"german":  {"Steuerjahr 2026", "−9.600,00\u00a0€", "84.123,50\u00a0€", "Te betalen 3.746,85\u00a0€", "Datum und Unterschrift"},
		"english": {"Assessment year 2026", "−€9,600.00", "€84,123.50", "Te betalen €3,746.85", "Date and signature"},
	} {
		var b bytes.Buffer
		must(t, pdf.Proposal(&b, proposal(language)))
		r := read(t, b.Bytes())
		lines := strings.Split(r.text(), "\n")
		for _, line := range want {
			if !slices.Contains(lines, line) {
				t.Errorf("%s lacks %q:\n%s", language, line, r.text())
			}
		}
		if tables := r.texts("Table"); len(tables) != 2 {
			t.Errorf("%s: %d tables", language, len(tables))
		}
	}
}

func TestEverySampleIsAWholeDocumentInEveryLanguage(t *testing.T) {
	t.Parallel()
	for _, language := range []string{"dutch", "french", "german", "english", "italian"} {
		content := pdf.SampleContent{Sender: "Kantoor Peeters & Dubois", Language: language, Customer: bakery, Reference: "2026/0417", Year: 2026, Date: completed, Base: 7_873_425}
		for _, kind := range []pdf.SampleKind{pdf.EngagementLetter, pdf.ArticlesExtract, pdf.AssessmentNotice, pdf.TaxNote} {
			var b bytes.Buffer
			must(t, pdf.Letter(&b, pdf.Sample(kind, content)))
			checkSample(t, string(kind)+" "+language, b.Bytes())
		}
		var b bytes.Buffer
		must(t, pdf.Proposal(&b, pdf.SampleProposal(content)))
		checkSample(t, "proposal "+language, b.Bytes())
	}
}

func checkSample(t *testing.T, name string, data []byte) {
	t.Helper()
	r := read(t, data)
	if r.pages > 2 || len(data) > 25_000 || len(r.texts("H1")) != 1 || len(r.texts("H2")) < 2 || len(r.text()) < 500 {
		t.Errorf("%s: %d pages, %d bytes:\n%s", name, r.pages, len(data), r.text())
	}
	if strings.ContainsAny(r.text(), "{}|◊") {
		t.Errorf("%s has something that was not filled in or drawn:\n%s", name, r.text())
	}
}

func TestASampleAddsUp(t *testing.T) {
	t.Parallel()
	d := pdf.SampleProposal(pdf.SampleContent{Sender: "x", Language: "french", Customer: bakery, Year: 2026, Date: completed, Base: 7_873_425})
	if len(d.Sections) != 2 || len(d.Notes) != 2 || d.Outcome.Cents != 314_920 {
		t.Fatalf("%+v", d)
	}
	for _, section := range d.Sections {
		sum := int64(0)
		for _, a := range section.Amounts {
			if a.Total && a.Cents != sum {
				t.Errorf("%s: %d is no sum of its lines, %d", section.Title, a.Cents, sum)
			}
			sum += a.Cents
		}
	}
}
