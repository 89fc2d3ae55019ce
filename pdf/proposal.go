package pdf

import (
	"io"

	"example.org/backoffice/backoffice"
)

// ProposalDocument is the content of a calculation's proposal: what the office calculated, for its customer to agree to.
type ProposalDocument struct {
	Office         string
	Language       string // as TranscriptDocument has it
	Customer       Party
	AssessmentYear string
	Reference      string
	Date           backoffice.Instant
	Sections       []ProposalSection
	Outcome        Amount // what is to be paid or comes back, printed large
	Notes          []string
}

// ProposalSection is one table of amounts under its title.
type ProposalSection struct {
	Title   string
	Amounts []Amount
}

// Amount is a line with euros.
type Amount struct {
	Text  string
	Cents int64
	Total bool // stands out
}

// Proposal writes the proposal of a calculation. It fails only with the writer's error.
func Proposal(w io.Writer, d ProposalDocument) error {
	l := labelsFor(d.Language)
	title := l.proposalLead + " " + d.AssessmentYear
	c := newComposer(l, title+" – "+d.Customer.Name, d.Office, d.Date)
	c.head(d.Office, l.proposal, title, d.Customer.Name)
	c.facts(d.Customer.facts(l), []fact{
		{l.kboNumber, kbo(d.Customer.KBONumber)},
		{l.dateLabel, l.day(d.Date)},
		{l.reference, d.Reference},
	})
	for _, section := range d.Sections {
		c.heading(c.clean(section.Title))
		c.amounts(section.Amounts)
	}
	c.outcome(d.Outcome)
	if len(d.Notes) > 0 {
		c.heading(l.notes)
		for _, note := range d.Notes {
			c.paragraph(bodyStyle, c.clean(note))
			c.y += 6
		}
	}
	c.agreement()
	return c.finish(w, d.Office+" · "+title+" · "+d.Customer.Name)
}

func (c *composer) amounts(amounts []Amount) {
	t := table{header: [2]string{c.labels.description, c.labels.amountHeader}, amounts: true}
	for _, a := range amounts {
		t.rows = append(t.rows, row{cells: [2]string{c.clean(a.Text), c.labels.euros(a.Cents)}, strong: a.Total})
	}
	c.table(t)
}

// outcome is the one line that the reader looks for.
func (c *composer) outcome(a Amount) {
	if a.Text == "" {
		return
	}
	const padding = 14.0
	text, figure := style{11, true, white}, style{16, true, white}
	amount := c.labels.euros(a.Cents)
	lines := c.wrap(text, c.clean(a.Text), textWidth-2*padding-160)
	lines[len(lines)-1] += " " // between the text and the amount, for who listens
	height := max(float64(len(lines))*text.leading(), figure.leading()) + 2*padding
	c.y += 6
	c.need(height)
	c.box(marginLeft, c.y, textWidth, height, accent)
	c.tags.within("P", "", func() {
		c.tagged(func() {
			c.lines(text, marginLeft+padding, c.y+(height-float64(len(lines))*text.leading())/2, false, lines)
			c.lines(figure, pageWidth-marginRight-padding, c.y+(height-figure.leading())/2, true, []string{amount})
		})
	})
	c.y += height + 6
}

// agreement leaves room for a signature.
func (c *composer) agreement() {
	const room = 46.0
	c.need(headingStyle.leading() + 2*bodyStyle.leading() + room + labelStyle.leading() + 34)
	c.heading(c.labels.agreement)
	c.paragraph(bodyStyle, c.labels.agreementText)
	c.y += room
	c.artifact(func() { c.canvas.line(marginLeft, c.y, 220, 0.6, muted) })
	c.y += 4
	c.paragraph(labelStyle, c.labels.dateAndSignature)
}
