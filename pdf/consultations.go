package pdf

import (
	"fmt"
	"io"
	"strings"

	"example.org/backoffice/backoffice"
)

// Consultations writes an office's answer to a customer who asks who consulted its registration numbers. language is
// dutch, french, german or english, empty for the customer's; English for any other. It fails only with the writer's
// error.
func (d *Documents) Consultations(w io.Writer, language string, of backoffice.ConsultationReport) error {
	if language == "" && of.Customer != nil {
		language = string(of.Customer.Language)
	}
	l := labelsFor(language)
	customer := Party{Name: of.CustomerID}
	if of.Customer != nil {
		customer = PartyOf(of.Customer)
	}
	c := newComposer(l, d.fonts, l.Consultations+" – "+customer.Name, d.office.Name, of.At)
	c.head(d.office, l.Consultations, l.ConsultationsTitle, customer.Name)
	c.facts(
		append(customer.facts(l), fact{l.KBONumber, kbo(customer.KBONumber)}),
		[]fact{
			{l.DateLabel, l.second(of.At)},
			{l.Reference, of.CustomerID},
		},
	)
	c.y += 6
	compared := l.ConsultationsAlone
	if of.Receipts > 0 {
		compared = fmt.Sprintf(l.ConsultationsCompared, of.Receipts)
	}
	text, none := l.ConsultationsText, l.NoConsultations
	if of.Only != "" {
		text, none = fmt.Sprintf(l.ConsultationsPart, c.clean(of.Only)), l.NoneOfThese
	}
	c.paragraph(bodyStyle, text+" "+compared)
	c.y += 12
	rows := backoffice.Map(of.Entries, func(entry *backoffice.Consultation) row {
		return row{cells: [2]string{l.second(entry.At), c.consultation(entry)}}
	})
	c.tableOr(none, table{header: [2]string{l.ConsultedAt, l.ConsultedBy}, rows: rows})
	return c.finish(w, d.office.Name+" · "+l.ConsultationsTitle+" · "+customer.Name)
}

func (c *composer) consultation(entry *backoffice.Consultation) string {
	l := c.labels
	if entry.Operation == backoffice.RegisterRestored {
		from, to := entry.Lost()
		return fmt.Sprintf(l.Operations[string(entry.Operation)], l.second(from), l.second(to))
	}
	fields := backoffice.Map(entry.Fields, func(f backoffice.PrivacyField) string {
		return l.PrivacyFields[string(f)]
	})
	who := c.clean(entry.ClientName)
	if entry.Subject != nil && *entry.Subject != entry.ClientName {
		who += " (" + c.clean(*entry.Subject) + ")"
	}
	lines := []string{who, l.Operations[string(entry.Operation)]}
	if len(fields) > 0 { // a whole customer may have none
		lines[1] += ": " + strings.Join(fields, ", ")
	}
	if entry.Purpose != nil {
		lines = append(lines, l.Purpose+": "+c.clean(*entry.Purpose))
	}
	return strings.Join(lines, "\n")
}
