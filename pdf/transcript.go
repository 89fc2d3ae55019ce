package pdf

import (
	"cmp"
	"io"
	"strings"

	"example.org/backoffice/backoffice"
)

// Transcript writes the document of a completed transcript of an office, in the checklist's language if that is dutch,
// french, german or english, with fonts for what the embedded ones lack. Errors: BadInput when the custom variables are
// no JSON object, and the writer's.
func Transcript(w io.Writer, office Letterhead, fonts Fonts, of backoffice.TranscriptDocument) error {
	t, list, customer := of.Transcript, of.Checklist, PartyOf(of.Customer)
	l := labelsFor(list.Language)
	rows, err := flatten(t.CustomVariables, l)
	if err != nil {
		return err
	}
	completed := cmp.Or(t.CompletedAt, t.OwnUpdatedAt)
	years := of.FinancialYear.StartDate
	if end := of.FinancialYear.EndDate; end != years {
		years += "–" + end
	}
	c := newComposer(l, fonts, list.Name+" – "+customer.Name, office.Name, completed)
	c.head(office, l.Transcript, list.Name, customer.Name)
	c.facts(
		append(customer.facts(l), fact{l.KBONumber, kbo(customer.KBONumber)}),
		[]fact{
			{l.FinancialYear, years},
			{l.ChecklistLanguage, cmp.Or(l.Languages[strings.ToLower(list.Language)], list.Language)},
			{l.CompletedAt, l.day(completed)},
			{l.Progress, l.percent(t.ProgressPercentage)},
		},
	)
	c.heading(l.Answers)
	for i := range rows {
		rows[i].cells = [2]string{c.clean(rows[i].cells[0]), c.clean(rows[i].cells[1])}
	}
	c.tableOr(l.None, table{header: [2]string{l.Name, l.Value}, rows: rows})
	return c.finish(w, office.Name+" · "+list.Name+" · "+customer.Name)
}
