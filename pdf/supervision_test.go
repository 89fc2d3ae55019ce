package pdf_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/pdf"
)

func TestADocumentShowsWhatTheOfficeControlledInAYear(t *testing.T) {
	t.Parallel()
	at, err := backoffice.ParseInstant("2026-03-30T22:00:00.000Z")
	must(t, err)
	of := backoffice.SupervisionYear{
		Year: 2025, At: at,
		Customers: []backoffice.SupervisedCustomers{{Risk: "hoog", State: backoffice.ReviewsOverdue, Count: 1234}, {State: backoffice.NoReviews, Count: 7}},
		Reviews:   backoffice.ReviewCounts{Due: 40, Done: 30, Late: 3, Overdue: 2},
		Discrepancies: backoffice.DiscrepancyCounts{Opened: 5, Closed: 4, Reported: 1, Open: 6,
			ToClose: &backoffice.Turnaround{Count: 4, Middle: 129_600_000}},
		Consultations: []backoffice.PurposeCount{{Purpose: "Jaarlijks nazicht", Count: 9}, {Count: 8}}, OtherPurposes: 11,
	}
	text := func(language string) string {
		var b bytes.Buffer
		must(t, pdf.NewDocuments(pdf.Letterhead{Name: "Kantoor"}, pdf.Fonts{}).Supervision(&b, language, of))
		page := read(t, b.Bytes())
		return strings.Join(slices.Concat(page.texts("P"), page.texts("LBody"), page.texts("TH"), page.texts("TD")), "\n")
	}
	dutch := text("dutch")
	for _, want := range []string{"Alleen aantallen", "hoog · te laat", "1.234", "Risico niet bepaald · geen nazicht", "Uitgevoerd", "30", "Daarvan na de vervaldag",
		"Mediaan van vaststelling tot wegwerking, in dagen", "1,5", "–", "Jaarlijks nazicht", "Zonder doel", "Andere doelen", "11"} {
		if !strings.Contains(dutch, want) {
			t.Errorf("no %q in %s", want, dutch)
		}
	}
	of.Customers, of.Consultations, of.OtherPurposes = nil, nil, 0
	if french := text("french"); strings.Count(french, "Il n’y en a pas.") != 2 {
		t.Error(french)
	}
}
