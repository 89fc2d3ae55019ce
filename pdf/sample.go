package pdf

import (
	"embed"
	"fmt"
	"io/fs"
	"math"
	"strconv"
	"strings"

	"example.org/backoffice/backoffice"
)

// SampleKind names a realistic document for demonstration data.
type SampleKind string

const (
	// EngagementLetter and ArticlesExtract are customer documents.
	EngagementLetter SampleKind = "engagement-letter"
	ArticlesExtract  SampleKind = "articles-extract"
	// AssessmentNotice and TaxNote are documents of the tax administration.
	AssessmentNotice SampleKind = "assessment-notice"
	TaxNote          SampleKind = "tax-note"

	proposalSample SampleKind = "proposal"
)

// SampleContent is what one sample differs by from another.
type SampleContent struct {
	Sender    string // the office, or the administration
	Language  string // dutch, french, german or english; English for any other
	Customer  Party
	Reference string
	Year      int // the assessment year
	Date      backoffice.Instant
	Base      int64 // cents: the income that amounts are calculated from, taken in tens of euros
}

//go:embed samples
var sampleTexts embed.FS

// Sample makes the content of a letter of a kind.
func Sample(kind SampleKind, s SampleContent) LetterDocument {
	parsed := readSample(kind, s)
	return LetterDocument{
		Sender: s.Sender, Language: s.Language, Customer: s.Customer, Reference: s.Reference, Date: s.Date,
		Kind: parsed.kind, Title: parsed.title, Parts: parsed.parts, Outcome: parsed.outcome, Closing: parsed.closing,
	}
}

// SampleProposal makes the content of a proposal.
func SampleProposal(s SampleContent) ProposalDocument {
	parsed := readSample(proposalSample, s)
	d := ProposalDocument{
		Office: s.Sender, Language: s.Language, Customer: s.Customer, AssessmentYear: strconv.Itoa(s.Year),
		Reference: s.Reference, Date: s.Date, Outcome: parsed.outcome, Notes: parsed.closing,
	}
	for _, part := range parsed.parts {
		d.Sections = append(d.Sections, ProposalSection{Title: part.Heading, Amounts: part.Amounts})
	}
	return d
}

// sampleText is what a file in samples holds, line by line: "kind TEXT", "title TEXT", "## heading", "| text | share" for
// an amount, "|| text | share" for a total, "= text | share" for the outcome, "-- closing line", and anything else is a
// paragraph. A share is a percentage of the base. {customer}, {sender}, {year} and {previous} are filled in.
type sampleText struct {
	kind, title string
	parts       []LetterPart
	outcome     Amount
	closing     []string
}

// readSample panics when a text is missing or malformed: the texts are a part of the program, and tested.
func readSample(kind SampleKind, s SampleContent) sampleText {
	language := strings.ToLower(strings.TrimSpace(s.Language))
	if _, known := languages[language]; !known {
		language = "english"
	}
	data, err := fs.ReadFile(sampleTexts, fmt.Sprintf("samples/%s.%s.txt", kind, language))
	if err != nil {
		panic(err)
	}
	text := strings.NewReplacer("{customer}", s.Customer.Name, "{sender}", s.Sender,
		"{year}", strconv.Itoa(s.Year), "{previous}", strconv.Itoa(s.Year-1))
	var parsed sampleText
	for line := range strings.Lines(string(data)) {
		parsed.add(text.Replace(strings.TrimSpace(line)), s.Base)
	}
	return parsed
}

func (t *sampleText) add(line string, base int64) {
	mark, rest, _ := strings.Cut(line, " ")
	switch mark {
	case "":
	case "kind":
		t.kind = rest
	case "title":
		t.title = rest
	case "##":
		t.parts = append(t.parts, LetterPart{Heading: rest})
	case "|", "||":
		amount := sampleAmount(rest, base)
		amount.Total = mark == "||"
		t.part().Amounts = append(t.part().Amounts, amount)
	case "=":
		t.outcome = sampleAmount(rest, base)
	case "--":
		t.closing = append(t.closing, rest)
	default:
		t.part().Paragraphs = append(t.part().Paragraphs, line)
	}
}

// part is the one that is being filled.
func (t *sampleText) part() *LetterPart {
	if len(t.parts) == 0 {
		t.parts = append(t.parts, LetterPart{})
	}
	return &t.parts[len(t.parts)-1]
}

func sampleAmount(line string, base int64) Amount {
	text, share, _ := strings.Cut(line, " | ")
	percentage, err := strconv.ParseFloat(share, 64)
	if err != nil {
		panic("a sample's share is no number: " + line)
	}
	base -= base % 1000 // so that tenths of a percent are whole cents, and sums add up
	return Amount{Text: text, Cents: int64(math.Round(float64(base) * percentage / 100))}
}
