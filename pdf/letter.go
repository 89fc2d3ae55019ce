package pdf

import (
	"io"

	"example.org/backoffice/backoffice"
)

// LetterDocument is a text with headings and amounts: an engagement letter, an extract, a notice, a proposal.
type LetterDocument struct {
	Sender    string
	Language  string // of the labels: dutch, french, german or english; English for any other
	Kind      string // above the title, such as ENGAGEMENT LETTER
	Title     string
	Customer  Party
	Reference string
	Date      backoffice.Instant
	Parts     []LetterPart
	Outcome   Amount // to pay or to get back, printed large after the last amounts; none without a text
	Agreement bool   // asks for a signature, on the page of the outcome
	Closing   []string
}

// LetterPart has a heading, paragraphs and amounts, each of them optional, in this order.
type LetterPart struct {
	Heading    string
	Paragraphs []string
	Amounts    []Amount
}

type Amount struct {
	Text  string
	Cents int64
	Total bool // emphasised
}

// Letter writes a letter. It fails only with the writer's error.
func Letter(w io.Writer, d LetterDocument) error {
	l := labelsFor(d.Language)
	c := newComposer(l, nil, d.Title+" – "+d.Customer.Name, d.Sender, d.Date)
	c.head(Letterhead{Name: d.Sender}, c.clean(d.Kind), d.Title, d.Customer.Name)
	c.facts(d.Customer.facts(l), []fact{
		{l.KBONumber, kbo(d.Customer.KBONumber)},
		{l.DateLabel, l.day(d.Date)},
		{l.Reference, d.Reference},
	})
	c.y += 10
	outcomeAfter := len(d.Parts) - 1
	for i, part := range d.Parts {
		if len(part.Amounts) > 0 {
			outcomeAfter = i
		}
	}
	for i, part := range d.Parts {
		if part.Heading != "" {
			c.heading(c.clean(part.Heading))
		}
		for _, text := range part.Paragraphs {
			c.paragraph(bodyStyle, c.clean(text))
			c.y += 7
		}
		if len(part.Amounts) > 0 {
			c.y += 2
			c.amounts(part.Amounts)
		}
		if i == outcomeAfter && !d.Agreement {
			c.outcome(d.Outcome)
		}
	}
	if d.Agreement {
		c.agreement(d.Outcome)
	}
	c.y += 12
	for _, line := range d.Closing {
		c.paragraph(bodyStyle, c.clean(line))
	}
	return c.finish(w, d.Sender+" · "+d.Title+" · "+d.Customer.Name)
}

func (c *composer) amounts(amounts []Amount) {
	t := table{header: [2]string{c.labels.Description, c.labels.AmountHeader}, amounts: true}
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
	const padding = outcomePadding
	text, figure := outcomeText, outcomeFigure
	amount := c.labels.euros(a.Cents)
	lines := c.outcomeLines(a)
	lines[len(lines)-1] += " " // between the text and the amount, for screen readers
	height := outcomeHeight(lines)
	c.y += 6
	c.need(height)
	c.box(c.y, textWidth, height, accent)
	c.tags.within("P", "", func() {
		c.tagged(func() {
			c.lines(text, marginLeft+padding, c.y+(height-float64(len(lines))*text.leading())/2, false, lines)
			c.lines(figure, pageWidth-marginRight-padding, c.y+(height-figure.leading())/2, true, []string{amount})
		})
	})
	c.y += height + 6
}

const outcomePadding = 14.0

var outcomeText, outcomeFigure = style{11, true, white}, style{16, true, white}

func (c *composer) outcomeLines(a Amount) []string {
	return c.wrap(outcomeText, c.clean(a.Text), textWidth-2*outcomePadding-160)
}

func outcomeHeight(lines []string) float64 {
	return max(float64(len(lines))*outcomeText.leading(), outcomeFigure.leading()) + 2*outcomePadding
}

// agreement leaves room for a signature, on the page with the agreed amount.
func (c *composer) agreement(outcome Amount) {
	const room = 46.0
	text := c.wrap(bodyStyle, c.labels.AgreementText, textWidth)
	c.need(6 + outcomeHeight(c.outcomeLines(outcome)) + 6 +
		12 + headingStyle.leading() + 5 + float64(len(text))*bodyStyle.leading() + room + 4 + labelStyle.leading())
	c.outcome(outcome)
	c.heading(c.labels.Agreement)
	c.paragraph(bodyStyle, c.labels.AgreementText)
	c.y += room
	c.artifact(func() { c.canvas.line(marginLeft, c.y, 220, 0.6, muted) })
	c.y += 4
	c.paragraph(labelStyle, c.labels.DateAndSignature)
}
