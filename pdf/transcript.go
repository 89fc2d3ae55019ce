package pdf

import (
	"io"

	"example.org/backoffice/backoffice"
)

// TranscriptDocument is the content of a completed transcript's document.
type TranscriptDocument struct {
	Office          Letterhead // the accounting office
	Language        string     // of the labels: dutch, french, german or english; English for any other
	Customer        Party
	Checklist       string
	FinancialYear   string // as people write it: 2026, or 2025–2026
	CompletedAt     backoffice.Instant
	Progress        float64 // percentage
	CustomVariables backoffice.JSON
	Fonts           Fonts // for what the embedded ones lack
}

// Transcript writes the document of a transcript. It fails with BadInput when the custom variables are no JSON object,
// and with the writer's error.
func Transcript(w io.Writer, d TranscriptDocument) error {
	l := labelsFor(d.Language)
	rows, err := flatten(d.CustomVariables, l)
	if err != nil {
		return err
	}
	c := newComposer(l, d.Fonts, d.Checklist+" – "+d.Customer.Name, d.Office.Name, d.CompletedAt)
	c.head(d.Office, l.transcript, d.Checklist, d.Customer.Name)
	c.facts(
		append(d.Customer.facts(l), fact{l.kboNumber, kbo(d.Customer.KBONumber)}),
		[]fact{
			{l.financialYear, d.FinancialYear},
			{l.checklistLanguage, l.languageName(d.Language)},
			{l.completedAt, l.day(d.CompletedAt)},
			{l.progress, l.percent(d.Progress)},
		},
	)
	c.heading(l.answers)
	if len(rows) == 0 {
		c.paragraph(bodyStyle, l.none)
	} else {
		for i := range rows {
			rows[i].cells = [2]string{c.clean(rows[i].cells[0]), c.clean(rows[i].cells[1])}
		}
		c.table(table{header: [2]string{l.name, l.value}, rows: rows})
	}
	return c.finish(w, d.Office.Name+" · "+d.Checklist+" · "+d.Customer.Name)
}
