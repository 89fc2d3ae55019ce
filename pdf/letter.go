package pdf

import (
	"io"

	"example.org/backoffice/backoffice"
)

// LetterDocument is a text with headings and amounts, from somebody to somebody: an engagement letter, an extract, a
// notice.
type LetterDocument struct {
	Sender    string
	Language  string // as TranscriptDocument has it
	Kind      string // what stands above the title, such as ENGAGEMENT LETTER
	Title     string
	Customer  Party
	Reference string
	Date      backoffice.Instant
	Parts     []LetterPart
	Outcome   Amount // as in a proposal, after the last amounts; without a text there is none
	Closing   []string
}

// LetterPart has a heading, paragraphs and amounts, each of them optional, in this order.
type LetterPart struct {
	Heading    string
	Paragraphs []string
	Amounts    []Amount
}

// Letter writes a letter. It fails only with the writer's error.
func Letter(w io.Writer, d LetterDocument) error {
	l := labelsFor(d.Language)
	c := newComposer(l, nil, d.Title+" – "+d.Customer.Name, d.Sender, d.Date)
	c.head(Letterhead{Name: d.Sender}, c.clean(d.Kind), d.Title, d.Customer.Name)
	c.facts(d.Customer.facts(l), []fact{
		{l.kboNumber, kbo(d.Customer.KBONumber)},
		{l.dateLabel, l.day(d.Date)},
		{l.reference, d.Reference},
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
		if i == outcomeAfter {
			c.outcome(d.Outcome)
		}
	}
	c.y += 12
	for _, line := range d.Closing {
		c.paragraph(bodyStyle, c.clean(line))
	}
	return c.finish(w, d.Sender+" · "+d.Title+" · "+d.Customer.Name)
}
