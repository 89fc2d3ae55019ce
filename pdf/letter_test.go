package pdf_test

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/pdf"
)

func TestAProposalShowsItsAmountsAndItsOutcome(t *testing.T) {
	t.Parallel()
	for language, want := range map[string][]string{
		"dutch":   {"Aanslagjaar 2026", "−€ 9.600,00", "€ 84.123,50", "Te betalen € 3.746,85", "Datum en handtekening"},
		"french":  {"Aanslagjaar 2026", "−9\u00a0600,00\u00a0€", "84\u00a0123,50\u00a0€", "Te betalen 3\u00a0746,85\u00a0€", "Date et signature"},
		"german":  {"Aanslagjaar 2026", "−9.600,00\u00a0€", "84.123,50\u00a0€", "Te betalen 3.746,85\u00a0€", "Datum und Unterschrift"},
		"english": {"Aanslagjaar 2026", "−€9,600.00", "€84,123.50", "Te betalen €3,746.85", "Date and signature"},
	} {
		var b bytes.Buffer
		must(t, pdf.Letter(&b, proposal(language)))
		r := read(t, b.Bytes())
		lines := strings.Split(r.text(), "\n")
		for _, line := range want {
			if !slices.Contains(lines, line) {
				t.Errorf("%s lacks %q:\n%s", language, line, r.text())
			}
		}
		if tables := r.texts("Table"); len(tables) != 2 {
			t.Errorf("%s: %d tables", language, len(tables))
		}
	}
}

func TestTheSignatureStaysWithTheAmount(t *testing.T) {
	t.Parallel()
	for notes := range 40 {
		d := proposal("dutch")
		for range notes {
			last := &d.Parts[len(d.Parts)-1]
			last.Paragraphs = append(last.Paragraphs, "Nog een opmerking bij deze berekening.")
		}
		var b bytes.Buffer
		must(t, pdf.Letter(&b, d))
		r := read(t, b.Bytes())
		amount, signature := pageOf(r, "Te betalen € 3.746,85"), pageOf(r, "Datum en handtekening")
		if amount < 0 || amount != signature {
			t.Errorf("%d notes: the amount is on page %d, the signature on page %d", notes, amount, signature)
		}
	}
}

// pageOf is the page of the element that reads so, -1 for none or several.
func pageOf(r *reading, text string) int {
	found := -1
	for _, e := range r.elements {
		if e.text == text && len(e.pages) == 1 {
			for page := range e.pages {
				found = page
			}
		}
	}
	return found
}

func TestALetterheadShowsTheOfficeAndItsLogo(t *testing.T) {
	t.Parallel()
	picture := image.NewNRGBA(image.Rect(0, 0, 900, 300))
	for x := range 900 {
		for y := range 300 {
			picture.Set(x, y, color.NRGBA{R: 200, G: uint8(x / 4), B: 40, A: uint8(y / 2)})
		}
	}
	var encoded, plain bytes.Buffer
	must(t, png.Encode(&encoded, picture))
	logo, err := pdf.ReadLogo(&encoded)
	must(t, err)
	d := transcript("dutch", answers)
	d.Office = pdf.Letterhead{Name: "Kantoor Peeters & Dubois", Address: []string{"Kouter 1", "9000 Gent"}, Logo: logo}
	must(t, d.write(&plain))
	if at := os.Getenv("PDF_PICTURE"); at != "" {
		must(t, os.WriteFile(at, plain.Bytes(), 0o600))
	}
	r := read(t, plain.Bytes())
	if lines := strings.Split(r.text(), "\n"); !slices.Contains(lines, "Kantoor Peeters & Dubois") || !slices.Contains(lines, "Kouter 1 9000 Gent") {
		t.Errorf("the letterhead reads %q", lines[:min(4, len(lines))])
	}
	shown := map[string]int{}
	for _, entry := range r.Table {
		if stream, ok := entry.Object.(types.StreamDict); ok && stream.NameEntry("Subtype") != nil && *stream.NameEntry("Subtype") == "Image" {
			if *stream.IntEntry("Width") != 540 || *stream.IntEntry("Height") != 180 {
				t.Errorf("the logo has %d × %d pixels", *stream.IntEntry("Width"), *stream.IntEntry("Height"))
			}
			shown[*stream.NameEntry("ColorSpace")]++
		}
	}
	if !maps.Equal(shown, map[string]int{"DeviceRGB": 1, "DeviceGray": 1}) || plain.Len() > 200_000 {
		t.Errorf("the pictures are %v, in %d bytes", shown, plain.Len())
	}
	for name, bad := range map[string]string{"nothing": "", "a text": "<svg/>", "half a picture": encoded.String() + "\x89PNG\r\n\x1a\n"} {
		if _, err := pdf.ReadLogo(strings.NewReader(bad)); backoffice.KindOf(err) != backoffice.BadInput {
			t.Errorf("%s: %v", name, err)
		}
	}
}
