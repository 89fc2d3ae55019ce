package demo

import (
	"embed"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strconv"
	"strings"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/pdf"
)

// The letters of an office, each in four languages.
const (
	engagementLetter = "engagement-letter"
	articlesExtract  = "articles-extract"
	assessmentNotice = "assessment-notice"
	taxNote          = "tax-note"
	proposal         = "proposal" // of a calculation, for the customer's agreement
)

// letterContent is the content specific to one letter of a kind.
type letterContent struct {
	sender    string // the office, or the administration
	language  string // dutch, french, german or english; English for any other
	customer  pdf.Party
	reference string
	year      int // the assessment year
	date      backoffice.Instant
	base      int64 // cents: the income that amounts are shares of, in tens of euros
}

//go:embed letters
var letterTexts embed.FS

// letter makes a letter of a kind from its file in letters. The lines of a file are "kind TEXT", "title TEXT",
// "## heading", "| text | share" for an amount, "|| text | share" for a total, "= text | share" for the outcome,
// "-- closing line", and paragraphs. A share is a percentage of the base. letter fills in {customer}, {sender}, {year}
// and {previous}. It panics on a missing or malformed text, because the texts are part of the program, and tested.
func letter(kind string, c letterContent) pdf.LetterDocument {
	language := c.language
	if !slices.Contains(languages, language) {
		language = "english"
	}
	data, err := fs.ReadFile(letterTexts, fmt.Sprintf("letters/%s.%s.txt", kind, language))
	if err != nil {
		panic(err)
	}
	text := strings.NewReplacer("{customer}", c.customer.Name, "{sender}", c.sender,
		"{year}", strconv.Itoa(c.year), "{previous}", strconv.Itoa(c.year-1))
	d := pdf.LetterDocument{
		Sender: c.sender, Language: c.language, Customer: c.customer, Reference: c.reference, Date: c.date,
		Agreement: kind == proposal, Parts: []pdf.LetterPart{{}},
	}
	for line := range strings.Lines(string(data)) {
		addLine(&d, text.Replace(strings.TrimSpace(line)), c.base)
	}
	return d
}

func addLine(d *pdf.LetterDocument, line string, base int64) {
	mark, rest, _ := strings.Cut(line, " ")
	part := &d.Parts[len(d.Parts)-1]
	switch mark {
	case "":
	case "kind":
		d.Kind = rest
	case "title":
		d.Title = rest
	case "##":
		d.Parts = append(d.Parts, pdf.LetterPart{Heading: rest})
	case "|", "||":
		amount := share(rest, base)
		amount.Total = mark == "||"
		part.Amounts = append(part.Amounts, amount)
	case "=":
		d.Outcome = share(rest, base)
	case "--":
		d.Closing = append(d.Closing, rest)
	default:
		part.Paragraphs = append(part.Paragraphs, line)
	}
}

func share(line string, base int64) pdf.Amount {
	text, part, _ := strings.Cut(line, " | ")
	percentage, err := strconv.ParseFloat(part, 64)
	if err != nil {
		panic("a letter's share is no number: " + line)
	}
	base -= base % 1000 // tenths of a percent become whole cents, and sums add up
	return pdf.Amount{Text: text, Cents: int64(math.Round(float64(base) * percentage / 100))}
}
