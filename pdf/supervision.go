package pdf

import (
	"io"
	"strconv"

	"example.org/backoffice/backoffice"
)

// Supervision writes what an office controlled in a year, in numbers. language is dutch, french, german or english;
// English for any other. It fails only with the writer's error.
func (d *Documents) Supervision(w io.Writer, language string, of backoffice.SupervisionYear) error {
	l := labelsFor(language)
	year := strconv.Itoa(of.Year)
	c := newComposer(l, d.fonts, l.SupervisionTitle+" – "+year, d.office.Name, of.At)
	c.head(d.office, l.Supervision, l.SupervisionTitle, year)
	c.facts([]fact{{l.DateLabel, l.second(of.At)}}, nil)
	c.paragraph(bodyStyle, l.SupervisionText)

	var customers []row
	for _, n := range of.Customers {
		risk := l.NoRisk
		if n.Risk != "" {
			risk = c.clean(n.Risk)
		}
		customers = append(customers, c.count(risk+" · "+l.ReviewStates[string(n.State)], n.Count))
	}
	c.counts(l.CustomersByRisk, customers)
	c.counts(l.Reviews, []row{
		c.count(l.ReviewsDue, of.Reviews.Due), c.count(l.ReviewsDone, of.Reviews.Done),
		c.count(l.ReviewsLate, of.Reviews.Late), c.count(l.ReviewsOverdue, of.Reviews.Overdue),
	})
	found := of.Discrepancies
	c.counts(l.Discrepancies, []row{
		c.count(l.DiscrepanciesOpened, found.Opened), c.count(l.DiscrepanciesClosed, found.Closed),
		c.count(l.DiscrepanciesReported, found.Reported), c.count(l.DiscrepanciesOpen, found.Open),
		c.days(l.DaysToClose, found.ToClose), c.days(l.DaysToReport, found.ToReport),
	})
	var purposes []row
	for _, p := range of.Consultations {
		purpose := l.NoPurpose
		if p.Purpose != "" {
			purpose = c.clean(p.Purpose)
		}
		purposes = append(purposes, c.count(purpose, p.Count))
	}
	if of.OtherPurposes > 0 {
		purposes = append(purposes, c.count(l.OtherPurposes, of.OtherPurposes))
	}
	c.counts(l.ConsultationsByPurpose, purposes)
	return c.finish(w, d.office.Name+" · "+l.SupervisionTitle+" · "+year)
}

func (c *composer) count(name string, n int) row {
	return row{cells: [2]string{name, groups(strconv.Itoa(n), c.labels.Thousands)}}
}

// days is a row of a median, with one decimal.
func (c *composer) days(name string, of *backoffice.Turnaround) row {
	text := "–"
	if of != nil {
		text = c.labels.decimal(of.MedianDays())
	}
	return row{cells: [2]string{name, text}}
}

func (c *composer) counts(heading string, rows []row) {
	c.heading(heading)
	header := [2]string{c.labels.Description, c.labels.Number}
	c.tableOr(c.labels.NoNumbers, table{header: header, rows: rows, amounts: true})
}
