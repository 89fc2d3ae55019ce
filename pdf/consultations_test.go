package pdf_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/pdf"
)

func TestAReportOfConsultationsTellsWhoWhatWhenAndWhyOverAllItsPages(t *testing.T) {
	t.Parallel()
	report := backoffice.ConsultationReport{
		CustomerID: "0199c0de-0000-7000-8000-000000000001", At: completed,
		Customer: &backoffice.Customer{DisplayName: "Jérôme Lefèbvre", Language: "french"},
	}
	for i := range 60 {
		report.Entries = append(report.Entries, &backoffice.Consultation{
			At: completed, ClientName: fmt.Sprint("Portal ", i), Operation: backoffice.AllPrivacyOperations[i%3], Fields: backoffice.AllPrivacyFields,
			Purpose: new("annual accounts of 85.07.30-033.28"),
		})
	}
	var b bytes.Buffer
	must(t, pdf.NewDocuments(pdf.Letterhead{Name: "Kantoor"}, pdf.Fonts{}).Consultations(&b, "", report))
	r := read(t, b.Bytes())
	if h1 := r.texts("H1"); len(h1) != 1 || h1[0] != "Qui a consulté vos numéros de registre national" {
		t.Errorf("the title is %q", h1)
	}
	whens, what := r.texts("TH"), r.texts("TD")
	if len(whens) != 62 || len(what) != 60 || whens[2] != "1er juin 2026 00:30:00 UTC+02:00" {
		t.Fatalf("%d %d %q", len(whens), len(what), whens)
	}
	for i, operation := range []string{"Affichage", "Recherche", "Exportation"} {
		if want := fmt.Sprint("Portal ", i, " ", operation, ": numéro de registre national, numéro de registre national du conjoint Finalité: annual accounts"); !strings.HasPrefix(what[i], want) {
			t.Errorf("%q instead of %q", what[i], want)
		}
	}
	if strings.Contains(strings.Join(what, ""), "033.28") {
		t.Error("a number is printed")
	}
	winter, err := backoffice.ParseInstant("2026-11-23T14:02:38.900Z")
	must(t, err)
	report.Entries = []*backoffice.Consultation{{At: winter, ClientName: "Portal", Operation: backoffice.AllPrivacyOperations[0], Fields: backoffice.AllPrivacyFields}}
	for language, want := range map[string]string{
		"dutch": "23 november 2026 15:02:38 UTC+01:00", "french": "23 novembre 2026 15:02:38 UTC+01:00", "german": "23. November 2026 15:02:38 UTC+01:00",
		"english": "23 November 2026 15:02:38 UTC+01:00",
	} {
		b.Reset()
		must(t, pdf.NewDocuments(pdf.Letterhead{Name: "Kantoor"}, pdf.Fonts{}).Consultations(&b, language, report))
		if whens := read(t, b.Bytes()).texts("TH"); whens[len(whens)-1] != want {
			t.Errorf("%s: %q", language, whens)
		}
	}
	report.Entries = []*backoffice.Consultation{backoffice.NewRegisterRestored(winter, winter+1000)}
	b.Reset()
	must(t, pdf.NewDocuments(pdf.Letterhead{Name: "Kantoor"}, pdf.Fonts{}).Consultations(&b, "english", report))
	if cells := strings.Join(read(t, b.Bytes()).texts("TD"), " "); !strings.Contains(cells,
		"from 23 November 2026 15:02:38 UTC+01:00 to 23 November 2026 15:02:39 UTC+01:00 are lost") {
		t.Errorf("of a restore it prints %q", cells)
	}
	report.Entries, report.Customer = nil, nil
	b.Reset()
	must(t, pdf.NewDocuments(pdf.Letterhead{Name: "Kantoor"}, pdf.Fonts{}).Consultations(&b, "", report))
	if texts := strings.Join(read(t, b.Bytes()).texts("P"), " "); !strings.Contains(texts, "Nobody consulted") {
		t.Errorf("%s", texts)
	}
	report.Only = "2026-01-01 – 2026-12-31"
	for _, language := range []string{"dutch", "french", "german", "english"} {
		b.Reset()
		must(t, pdf.NewDocuments(pdf.Letterhead{Name: "Kantoor"}, pdf.Fonts{}).Consultations(&b, language, report))
		texts := strings.Join(read(t, b.Bytes()).texts("P"), " ")
		if !strings.Contains(texts, report.Only) || strings.Contains(texts, "Nobody") || strings.Contains(texts, "Niemand") || strings.Contains(texts, "Personne") {
			t.Errorf("of a part of them it says, in %s: %s", language, texts)
		}
	}
}
