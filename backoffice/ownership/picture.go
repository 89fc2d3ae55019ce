package ownership

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Picture draws the graph as SVG: boxes with arrows from holders to what they hold, and the same in words for those who
// cannot see it. Dashed arrows have an unknown share; red ones close a ring. It draws at most 60 customers, those with
// the largest shares, and shows how many it leaves out.
func (g *Graph) Picture(describe Describe) []byte {
	p := &picture{layout: g.layOut(), describe: describe, names: map[int32]string{}}
	p.ports = p.spreadPorts()
	left, right := math.Inf(1), math.Inf(-1)
	for _, b := range p.boxes {
		left, right = min(left, b.x-boxWidth/2-margin), max(right, b.x+boxWidth/2+margin)
		if b.customer >= 0 {
			p.names[b.customer] = describe(g.ids[b.customer]).Name
		}
	}
	notes := p.notes()
	height := float64(len(p.rows)*rowHeight-rowGap+2*margin) + float64(len(notes)*lineHeight)
	width := max(right-left, leastWidth)
	left -= (width - right + left) / 2
	p.writef(`<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-labelledby="ownership-title ownership-text" `+
		`width="%.0f" height="%.0f" viewBox="%.1f 0 %.1f %.1f" font-family="Helvetica, Arial, sans-serif">`,
		width, height, left, width, height)
	title := "Owners of "
	if g.direction == Holdings {
		title = "Holdings of "
	}
	p.writef("\n"+`<title id="ownership-title">%s</title>`, escaped(title+p.names[target]))
	p.writef("\n"+`<desc id="ownership-text">%s</desc>`, escaped(p.words(notes)))
	p.writef("\n"+`<rect x="%.1f" width="%.1f" height="%.1f" fill="#ffffff"/>`, left, width, height)
	for i := range p.lines {
		p.line(i)
	}
	for i, b := range p.boxes {
		if b.customer >= 0 {
			p.box(i)
		}
	}
	for i := range p.lines {
		p.label(i)
	}
	for i, note := range notes {
		p.writef("\n"+`<text x="%.1f" y="%.1f" font-size="12" fill="#333333">%s</text>`,
			left+margin, height-margin/2-float64((len(notes)-1-i)*lineHeight), escaped(note))
	}
	p.writef("\n</svg>\n")
	return p.out.Bytes()
}

const (
	margin      = 24
	leastWidth  = 420
	lineHeight  = 18
	longestName = 150.0 // of a box
)

type picture struct {
	*layout
	describe Describe
	names    map[int32]string
	ports    map[port]place
	out      bytes.Buffer
}

// port is an end of a line at a box.
type port struct {
	line int
	side int // of the box
}

type place struct {
	x     float64
	level int // labels of neighbours are at different heights
}

func (p *picture) writef(format string, values ...any) { fmt.Fprintf(&p.out, format, values...) }

// spreadPorts gives each line a place of its own at its boxes, in the order in which the lines come.
func (p *picture) spreadPorts() map[port]place {
	ends := make([][2][]int, len(p.boxes)) // the lines at each side of each box
	for i := range p.lines {
		for _, side := range []int{above, below} {
			end, _ := p.lines[i].end(side)
			ends[end][side] = append(ends[end][side], i)
		}
	}
	ports := map[port]place{}
	for _, sides := range ends {
		for side, lines := range sides {
			slices.SortStableFunc(lines, func(i, j int) int {
				_, first := p.lines[i].end(side)
				_, second := p.lines[j].end(side)
				return cmp.Compare(p.boxes[first].x, p.boxes[second].x)
			})
			p.placePorts(lines, side, ports)
		}
	}
	return ports
}

// placePorts gives the lines of a box's side their places. Lines that come together from a bend share one.
func (p *picture) placePorts(lines []int, side int, ports map[port]place) {
	numbers := make([]int, len(lines)) // of the places
	for n := 1; n < len(lines); n++ {
		_, last := p.lines[lines[n-1]].end(side)
		_, next := p.lines[lines[n]].end(side)
		numbers[n] = numbers[n-1]
		if last != next || p.boxes[next].customer >= 0 {
			numbers[n]++
		}
	}
	labels := 0
	for n, i := range lines {
		b, _ := p.lines[i].end(side)
		places := float64(numbers[len(lines)-1] + 2)
		ports[port{i, side}] = place{
			x: p.boxes[b].x + boxWidth*(float64(numbers[n]+1)/places-0.5), level: labels % 3,
		}
		if p.lines[i].back == (side == above) {
			labels++
		}
	}
}

// end is the box of which a line uses the side, and the next one on the line.
func (l *line) end(side int) (box, next int) {
	if side == below {
		return l.via[0], l.via[1]
	}
	return l.via[len(l.via)-1], l.via[len(l.via)-2]
}

func (p *picture) top(b int) float64 { return float64(margin + p.boxes[b].row*rowHeight) }

func (p *picture) line(i int) {
	line := &p.lines[i]
	h := &p.g.holdings[line.holding]
	color, dashes := line.color(), ""
	if !h.Share.known {
		dashes = ` stroke-dasharray="6 4"`
	}
	x, y := p.ports[port{i, below}].x, p.top(line.via[0])+boxHeight
	tipX, tipY, up := p.ports[port{i, above}].x, p.top(line.via[len(line.via)-1]), -1.0
	p.writef("\n"+`<path fill="none" stroke="%s" stroke-width="1.5"%s d="M%.1f %.1f`, color, dashes, x, y)
	for n, b := range line.via[1:] {
		nextX, nextY := p.boxes[b].x, p.top(b)
		if n == len(line.via)-2 {
			nextX = tipX
		}
		p.writef(" C%.1f %.1f %.1f %.1f %.1f %.1f", x, y+rowGap/2, nextX, nextY-rowGap/2, nextX, nextY)
		x, y = nextX, nextY+boxHeight
		if n < len(line.via)-2 {
			p.writef(" V%.1f", y)
		}
	}
	if line.back { // the tip is at the upper box
		tipX, tipY, up = p.ports[port{i, below}].x, p.top(line.via[0])+boxHeight, 1
	}
	p.writef(`"/>`+"\n"+`<path fill="%s" d="M%.1f %.1f l-4.5 %.0f h9 z"/>`, color, tipX, tipY, up*9)
}

// label is the percentage, beside the holder's box.
func (p *picture) label(i int) {
	line := &p.lines[i]
	h := &p.g.holdings[line.holding]
	side, y := below, p.top(line.via[0])+boxHeight+15
	if line.back {
		side, y = above, p.top(line.via[len(line.via)-1])-19
	}
	at := p.ports[port{i, side}]
	y += float64(at.level*lineHeight) * map[bool]float64{false: 1, true: -1}[line.back]
	x, text := p.along(line, i, y), shareText(h)
	width := float64(len([]rune(text)))*6.2 + 6
	p.writef("\n"+`<rect x="%.1f" y="%.1f" width="%.1f" height="14" rx="3" fill="#ffffff"/>`, x-width/2, y-7, width)
	p.writef("\n"+`<text x="%.1f" y="%.1f" font-size="11" text-anchor="middle" fill="%s">%s</text>`,
		x, y+4, line.color(), escaped(text))
}

// along is where a line is at a height near its holder: on the curve that line draws.
func (p *picture) along(line *line, i int, y float64) float64 {
	n := 0 // the part of the line
	if line.back {
		n = len(line.via) - 2
	}
	from, to := p.boxes[line.via[n]].x, p.boxes[line.via[n+1]].x
	if n == 0 {
		from = p.ports[port{i, below}].x
	}
	if n == len(line.via)-2 {
		to = p.ports[port{i, above}].x
	}
	down := (y - p.top(line.via[n]) - boxHeight) / rowGap
	least, most := 0.0, 1.0
	for most-least > 0.001 {
		if t := (least + most) / 2; 1.5*t*(1-t)+t*t*t < down {
			least = t
		} else {
			most = t
		}
	}
	return from + (to-from)*least*least*(3-2*least)
}

func (l *line) color() string {
	if l.back {
		return "#b3261e"
	}
	return "#333333"
}

func shareText(h *Holding) string {
	text := "?"
	if h.Share.known {
		text = h.Share.String() + " %"
	}
	if h.Vote.known && h.Vote != h.Share {
		text += ", votes " + h.Vote.String() + " %"
	}
	if h.Nominee {
		text += ", nominee"
	}
	return text
}

func (p *picture) box(i int) {
	b := &p.boxes[i]
	party := p.describe(p.g.ids[b.customer])
	kind, round, fill, stroke := "company", 4, "#eef3fb", "#2b4a7f"
	if party.Natural {
		kind, round, fill, stroke = "natural person", boxHeight/2, "#fdf4e3", "#7a5410"
	}
	thick := 1.2
	if b.customer == target {
		thick = 3
	}
	y := p.top(i)
	p.writef("\n"+`<g><title>%s</title><rect x="%.1f" y="%.1f" width="%d" height="%d" rx="%d" `+
		`fill="%s" stroke="%s" stroke-width="%.1f"/>`,
		escaped(party.Name), b.x-boxWidth/2, y, boxWidth, boxHeight, round, fill, stroke, thick)
	p.writef(`<text x="%.1f" y="%.1f" font-size="13" font-weight="bold" text-anchor="middle" fill="#111111">%s</text>`,
		b.x, y+21, escaped(shortened(party.Name)))
	p.writef(`<text x="%.1f" y="%.1f" font-size="11" text-anchor="middle" fill="#333333">%s</text></g>`,
		b.x, y+38, kind)
}

// shortened is a name that fits into a box, by the widths of a wide sans-serif font.
func shortened(name string) string {
	width, fits := 0.0, 0
	for i, r := range name {
		switch {
		case strings.ContainsRune("fijlrtI.,:;'!| ()-", r):
			width += 4.8
		case r >= 0x1100:
			width += 13.5
		case unicode.IsUpper(r) || strings.ContainsRune("mw&@%_", r):
			width += 11.5
		default:
			width += 8.8
		}
		if width <= longestName-10 {
			fits = i + utf8.RuneLen(r)
		}
	}
	if width <= longestName {
		return name
	}
	return strings.TrimSpace(name[:min(fits, len(name))]) + "…"
}

// notes explain what the picture shows, below it.
func (p *picture) notes() (notes []string) {
	if slices.ContainsFunc(p.lines, func(l line) bool { return !p.g.holdings[l.holding].Share.known }) {
		notes = append(notes, "Dashed arrow: the share is unknown.")
	}
	if slices.ContainsFunc(p.lines, func(l line) bool { return l.back }) {
		notes = append(notes, "Red arrow: it closes a ring.")
	}
	if p.leftOut > 0 {
		notes = append(notes, fmt.Sprintf("Not drawn, with smaller shares: %d.", p.leftOut))
	}
	return notes
}

// words say what the picture shows.
func (p *picture) words(notes []string) string {
	var text bytes.Buffer
	for _, line := range p.lines {
		h, arc := &p.g.holdings[line.holding], p.g.arcs[line.holding]
		share := h.Share.String() + " %"
		if !h.Share.known {
			share = "an unknown share"
		}
		fmt.Fprintf(&text, "%s holds %s of %s", p.names[arc.holder], share, p.names[arc.held])
		if h.Vote.known && h.Vote != h.Share {
			fmt.Fprintf(&text, " and %s %% of its votes", h.Vote)
		}
		if h.Nominee {
			text.WriteString(" as a nominee")
		}
		text.WriteString(". ")
	}
	for _, note := range notes {
		text.WriteString(note + " ")
	}
	return text.String()
}

// escaped is a text for XML. What XML cannot hold becomes U+FFFD.
func escaped(text string) string {
	var b bytes.Buffer
	_ = xml.EscapeText(&b, []byte(text)) // a buffer takes everything
	return b.String()
}
