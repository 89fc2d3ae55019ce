package pdf

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf16"
)

// canvas is a document's pages with what is drawn on them. Coordinates are in points from a page's top left.
type canvas struct {
	pages   [][]byte
	page    int // the current one, from 0
	regular *face
	strong  *face
	others  []*face       // for what these two lack
	fonts   Fonts         // those of the others
	taken   map[rune]bool // characters that need the others
	logo    *Logo         // nil for none
}

func newCanvas(fonts Fonts) *canvas {
	c := &canvas{
		regular: &face{typeface: regular(), resource: "R", used: map[rune]bool{}},
		strong:  &face{typeface: strong(), resource: "S", used: map[rune]bool{}},
		fonts:   fonts, taken: map[rune]bool{},
	}
	for i, t := range fonts {
		c.others = append(c.others, &face{typeface: t, resource: fmt.Sprintf("F%d", i), used: map[rune]bool{}})
	}
	return c
}

func (c *canvas) draws(r rune) bool { return c.regular.draws(r) || c.fonts.draw(r) }

// charactersMost is how many different characters are taken from fonts other than the embedded ones. Nobody's answers
// have as many. It bounds the parts of fonts that a document embeds, and the time to cut them.
const charactersMost = 4_000

// takes reports whether a character can be drawn, and counts it against charactersMost.
func (c *canvas) takes(r rune) bool {
	switch {
	case c.regular.draws(r) || c.taken[r]:
		return true
	case len(c.taken) >= charactersMost || !c.fonts.draw(r):
		return false
	}
	c.taken[r] = true
	return true
}

// faceOf is the face that draws a character of a style: the first that has it.
func (c *canvas) faceOf(s style, r rune) *face {
	own := c.face(s)
	if len(c.others) == 0 || own.draws(r) {
		return own
	}
	for _, other := range c.others {
		if other.draws(r) {
			return other
		}
	}
	return own
}

func (c *canvas) width(s style, line string) float64 {
	if len(c.others) == 0 {
		return c.face(s).width(line, s.size)
	}
	sum := 0
	for _, r := range shaped(line, c.draws) {
		sum += int(max(c.faceOf(s, r).widths[r], 0))
	}
	return float64(sum) * s.size / 1000
}

func (c *canvas) face(s style) *face {
	if s.strong {
		return c.strong
	}
	return c.regular
}

func (c *canvas) drawf(format string, args ...any) {
	c.pages[c.page] = append(fmt.Appendf(c.pages[c.page], format, args...), '\n')
}

// mark encloses what draw draws in marked content.
func (c *canvas) mark(opening string, draw func()) {
	c.drawf("%s", opening)
	draw()
	c.drawf("EMC")
}

// text draws one line from a baseline's start.
func (c *canvas) text(s style, x, baseline float64, text string) {
	f := c.face(s)
	if strings.ContainsFunc(text, func(r rune) bool { return !f.draws(r) && c.fonts.draw(r) }) {
		c.mixedText(s, x, baseline, text)
		return
	}
	c.drawf("BT /%s %.4g Tf %s rg %.2f %.2f Td %s Tj ET",
		f.resource, s.size, s.color, x, pageHeight-baseline, f.appendText(nil, text))
}

// mixedText draws a line in as many fonts as it takes, from left to right. Readers reorder right-to-left text.
func (c *canvas) mixedText(s style, x, baseline float64, text string) {
	line := visual([]rune(shaped(strings.TrimSuffix(text, " "), c.draws)))
	if strings.HasSuffix(text, " ") { // at which a line was cut: it has no width in print
		line = append(line, ' ')
	}
	b := fmt.Appendf(nil, "BT %s rg %.2f %.2f Td", s.color, x, pageHeight-baseline)
	for len(line) > 0 {
		f, n := c.faceOf(s, line[0]), 1
		for n < len(line) && c.faceOf(s, line[n]) == f {
			n++
		}
		b = f.appendText(fmt.Appendf(b, " /%s %.4g Tf ", f.resource, s.size), string(line[:n]))
		b = append(b, " Tj"...)
		line = line[n:]
	}
	c.drawf("%s ET", b)
}

func (c *canvas) rectangle(x, y, width, height float64, fill color) {
	c.drawf("%s rg %.2f %.2f %.2f %.2f re f", fill, x, pageHeight-y-height, width, height)
}

func (c *canvas) picture(x, y, width, height float64) {
	c.drawf("q %.2f 0 0 %.2f %.2f %.2f cm /L Do Q", width, height, x, pageHeight-y-height)
}

func (c *canvas) line(x, y, length, thickness float64, stroke color) {
	c.drawf("%s RG %.2f w %.2f %.2f m %.2f %.2f l S", stroke, thickness, x, pageHeight-y, x+length, pageHeight-y)
}

// color is red, green and blue of 255.
type color struct{ r, g, b int }

// String writes the operands of a colour operator.
func (c color) String() string {
	return fmt.Sprintf("%.3f %.3f %.3f", float64(c.r)/255, float64(c.g)/255, float64(c.b)/255)
}

// metadata is what a reader shows of a document, and how it reads it aloud.
type metadata struct {
	title, author string
	language      string // BCP 47
	created       time.Time
}

// assemble makes a file of the pages, their fonts and their structure; it returns the file's root and information.
func (c *canvas) assemble(f *file, tags *structure, m metadata) (root, info int, err error) {
	root = f.reserve()
	tree := f.reserve()
	var resources strings.Builder
	for i, face := range append([]*face{c.regular, c.strong}, c.others...) {
		if i > 1 && len(face.used) == 0 {
			continue
		}
		number, err := face.appendTo(f)
		if err != nil {
			return 0, 0, err
		}
		resources.WriteString("/" + face.resource + " " + ref(number))
	}
	pages := make([]int, len(c.pages))
	var kids strings.Builder
	for i, content := range c.pages {
		pages[i] = f.add(fmt.Sprintf("<</Type/Page/Parent %s/StructParents %d/Tabs/S/Contents %s>>", ref(tree), i,
			ref(f.stream("", content))))
		kids.WriteString(ref(pages[i]) + " ")
	}
	pictures := ""
	if c.logo != nil {
		pictures = "/XObject<</L " + ref(c.logo.appendTo(f)) + ">>"
	}
	f.put(tree, fmt.Sprintf("<</Type/Pages/Count %d/Kids[%s]/MediaBox[0 0 %.2f %.2f]/Resources<</Font<<%s>>%s>>>>",
		len(pages), kids.String(), pageWidth, pageHeight, resources.String(), pictures))
	f.put(root, fmt.Sprintf("<</Type/Catalog/Pages %s/Lang(%s)/MarkInfo<</Marked true>>/StructTreeRoot %s"+
		"/ViewerPreferences<</DisplayDocTitle true>>>>", ref(tree), m.language, ref(tags.appendTo(f, pages))))
	date := m.created.UTC().Format("20060102150405")
	info = f.add(fmt.Sprintf("<</Title%s/Author%s/Producer(Backoffice)/CreationDate(D:%s+00'00')"+
		"/ModDate(D:%s+00'00')>>", textString(m.title), textString(m.author), date, date))
	return root, info, nil
}

// textString writes any text as PDF's UTF-16 (7.9.2.2).
func textString(text string) string { return "<FEFF" + utf16Hex(text) + ">" }

func utf16Hex(text string) string {
	var b []byte
	for _, unit := range utf16.Encode([]rune(text)) {
		b = fmt.Appendf(b, "%04X", unit)
	}
	return string(b)
}
