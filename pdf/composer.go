package pdf

import (
	"fmt"
	"io"
	"strings"

	"example.org/backoffice/backoffice"
)

// The page is A4; everything is in points from its top left.
const (
	pageWidth   = 595.28
	pageHeight  = 841.89
	marginLeft  = 64.0
	marginRight = 64.0
	marginTop   = 56.0
	bottom      = pageHeight - 62 // where content ends
	textWidth   = pageWidth - marginLeft - marginRight
)

var (
	ink    = color{28, 37, 48}
	muted  = color{90, 101, 115} // 5.9:1 on white
	accent = color{14, 88, 102}
	rule   = color{209, 216, 223}
	tint   = color{244, 247, 249}
	white  = color{255, 255, 255}
)

type style struct {
	size   float64
	strong bool
	color  color
}

var (
	eyebrowStyle = style{8, true, accent}
	titleStyle   = style{22, true, ink}
	leadStyle    = style{11, false, muted}
	headingStyle = style{12.5, true, ink}
	bodyStyle    = style{10, false, ink}
	strongStyle  = style{10, true, ink}
	labelStyle   = style{8, false, muted}
	smallStyle   = style{8, false, muted}
)

// leading is the distance from a baseline to the next one.
func (s style) leading() float64 { return s.size * 1.42 }

// ascent is the distance from a line's top to its baseline.
func (s style) ascent() float64 { return s.size * 1.07 }

// composer sets a document's content on pages, from top to bottom, and tags it.
type composer struct {
	canvas  *canvas
	tags    *structure
	labels  *labels
	meta    metadata
	y       float64
	onBreak func() // draws what a new page repeats, if anything

	unprinted []string // the scripts with undrawn characters
}

// newComposer starts a document. created is its date.
func newComposer(labels *labels, fonts Fonts, title, author string, created backoffice.Instant) *composer {
	root := &element{role: "Document"}
	c := &composer{canvas: newCanvas(fonts), tags: &structure{root: root, current: root}, labels: labels}
	c.meta.created, c.meta.language = created.Time(), labels.Tag
	c.meta.title, c.meta.author = oneLine(c.clean(title)), oneLine(c.clean(author))
	c.newPage()
	return c
}

// masked replaces a registration number: a document's readers may not see one.
const masked = "••.••.••-•••.••"

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// clean makes any text of the content fit to print.
func (c *composer) clean(text string) string {
	text = drawable(text, c.canvas.takes, c.noteUnprinted)
	return strings.TrimSpace(backoffice.MaskNationalNumbers(text, masked))
}

func (c *composer) newPage() {
	c.canvas.page = len(c.canvas.pages)
	c.canvas.pages = append(c.canvas.pages, nil)
	c.y = marginTop
	if c.onBreak != nil {
		c.onBreak()
	}
}

// need starts a new page if this one lacks the height.
func (c *composer) need(height float64) {
	if c.y+height > bottom {
		c.newPage()
	}
}

func (c *composer) tagged(draw func()) {
	c.canvas.mark(fmt.Sprintf("/%s <</MCID %d>> BDC", c.tags.current.role, c.tags.content(c.canvas.page)), draw)
}

// artifact draws what a screen reader passes over.
func (c *composer) artifact(draw func()) { c.canvas.mark("/Artifact BMC", draw) }

// lines draws lines below each other from a top, aligned to x on their left or right.
func (c *composer) lines(s style, x, top float64, right bool, lines []string) {
	for i, line := range lines {
		left := x
		if right {
			left -= c.width(s, line)
		}
		c.canvas.text(s, left, top+s.ascent()+float64(i)*s.leading(), line)
	}
}

// width is that of a line, without the space at which it was cut.
func (c *composer) width(s style, line string) float64 {
	return c.canvas.width(s, strings.TrimSuffix(line, " "))
}

// box fills a rectangle from the left margin, as a background.
func (c *composer) box(y, width, height float64, fill color) {
	c.artifact(func() { c.canvas.rectangle(marginLeft, y, width, height, fill) })
}

func (c *composer) hairline(y float64) {
	c.artifact(func() { c.canvas.line(marginLeft, y, textWidth, 0.5, rule) })
}

// wrap cuts a text into lines that fit a width: at line feeds, at spaces, and within a word only when it is too long. A
// line keeps the space at which it was cut, so that text extraction finds words, not one long one.
func (c *composer) wrap(s style, text string, width float64) []string {
	var lines []string
	for paragraph := range strings.SplitSeq(text, "\n") {
		line := ""
		words := strings.FieldsFunc(paragraph, func(r rune) bool { return r == ' ' }) // no-break spaces stay
		for _, word := range words {
			switch {
			case line == "":
				line = word
			case c.width(s, line+" "+word) <= width:
				line += " " + word
			default:
				lines = append(lines, line+" ")
				line = word
			}
			for cut := c.fitting(s, line, width); cut < len(line); cut = c.fitting(s, line, width) {
				lines = append(lines, line[:cut])
				line = line[cut:]
			}
		}
		lines = append(lines, line+" ")
	}
	last := len(lines) - 1
	lines[last] = strings.TrimSuffix(lines[last], " ")
	return lines
}

// fitting returns how many bytes of a line fit, at least one character. It reads no further.
func (c *composer) fitting(s style, word string, width float64) int {
	used := 0.0
	for i, r := range word {
		used += float64(max(c.canvas.faceOf(s, r).widths[uint16(r)], 0)) * s.size / 1000
		if used > width && i > 0 {
			return i
		}
	}
	return len(word)
}

// finish numbers the pages and writes the file.
func (c *composer) finish(w io.Writer, footer string) error {
	c.tellUnprinted()
	c.footers(oneLine(c.clean(footer)))
	f := &file{objects: make([]object, 1, 128)}
	root, info, err := c.canvas.assemble(f, c.tags, c.meta)
	if err != nil {
		return backoffice.Fault(err, "writing a document")
	}
	return f.writeTo(w, root, info)
}

func (c *composer) footers(text string) {
	const y = bottom + 14
	if lines := c.wrap(smallStyle, text, textWidth-60); len(lines) > 1 {
		text = strings.TrimSpace(lines[0]) + " …"
	}
	for page := range c.canvas.pages {
		c.canvas.page = page
		c.hairline(y)
		c.artifact(func() {
			c.lines(smallStyle, marginLeft, y+7, false, []string{text})
			number := fmt.Sprintf("%d / %d", page+1, len(c.canvas.pages))
			c.lines(smallStyle, pageWidth-marginRight, y+7, true, []string{number})
		})
	}
}
