package demo

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"example.org/backoffice/pdf"
)

var someContent = letterContent{
	sender: "Kantoor Peeters & Dubois", customer: pdf.Party{Name: "Bakkerij Van den Broeck & Zonen BV"}, reference: "2026/0417", year: 2026, base: 7_873_425,
}

func TestEveryLetterIsWholeInEveryLanguage(t *testing.T) {
	t.Parallel()
	for _, language := range append([]string{"italian"}, languages...) {
		for _, kind := range []string{engagementLetter, articlesExtract, assessmentNotice, taxNote, proposal} {
			content := someContent
			content.language = language
			d := letter(kind, content)
			text := fmt.Sprintf("%+v", struct {
				kind, title string
				parts       []pdf.LetterPart
				closing     []string
			}{d.Kind, d.Title, d.Parts, d.Closing})
			if d.Kind == "" || d.Title == "" || len(d.Parts) < 3 || len(text) < 500 {
				t.Errorf("%s in %s: %s", kind, language, text)
			}
			for _, left := range []string{"{customer}", "{sender}", "{year}", "{previous}", "|", "##"} {
				if strings.Contains(text, left) {
					t.Errorf("%s in %s has %s: %s", kind, language, left, text)
				}
			}
			var b bytes.Buffer
			if err := pdf.Letter(&b, d); err != nil || b.Len() > 25_000 {
				t.Errorf("%s in %s has %d bytes: %v", kind, language, b.Len(), err)
			}
		}
	}
}

func TestAProposalAddsUp(t *testing.T) {
	t.Parallel()
	content := someContent
	content.language = "french"
	d := letter(proposal, content)
	if len(d.Parts) != 4 || len(d.Parts[3].Paragraphs) != 2 || d.Outcome.Cents != 314_920 || !d.Agreement {
		t.Fatalf("%+v", d)
	}
	for _, part := range d.Parts {
		sum := int64(0)
		for _, a := range part.Amounts {
			if a.Total && a.Cents != sum {
				t.Errorf("%s: %d is no sum of its lines, %d", part.Heading, a.Cents, sum)
			}
			sum += a.Cents
		}
	}
}
