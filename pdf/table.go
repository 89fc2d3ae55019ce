package pdf

// table is rows of two cells under a header: a name and what it is, or a text and an amount.
type table struct {
	header  [2]string
	rows    []row
	amounts bool // the second column is amounts: narrow and aligned to the right
}

type row struct {
	cells  [2]string
	strong bool // a total
}

const (
	cellPadding  = 4.2
	columnGap    = 16.0
	nameShare    = 0.42 // of the width, when both columns are texts
	amountsWidth = 120.0
)

func (t table) columns() [2]float64 {
	if t.amounts {
		return [2]float64{textWidth - columnGap - 2*cellPadding - amountsWidth, amountsWidth}
	}
	width := textWidth - columnGap - 2*cellPadding
	return [2]float64{width * nameShare, width * (1 - nameShare)}
}

// left is where a column's text starts, or ends when it is aligned to the right.
func (t table) left(column int) float64 {
	switch {
	case column == 0:
		return marginLeft + cellPadding
	case t.amounts:
		return pageWidth - marginRight - cellPadding
	}
	return marginLeft + cellPadding + t.columns()[0] + columnGap
}

// table sets a table over as many pages as it takes; each of them repeats the header.
func (c *composer) table(t table) {
	before := c.onBreak
	defer func() { c.onBreak = before }()
	c.tags.within("Table", "", func() {
		c.tags.within("THead", "", func() { c.tableHeader(t, true) })
		c.onBreak = func() { c.tableHeader(t, false) }
		c.tags.within("TBody", "", func() {
			for _, r := range t.rows {
				c.tags.within("TR", "", func() { c.tableRow(t, r) })
			}
		})
	})
	c.y += 8
}

// tableOr sets a table, or says that it has no rows.
func (c *composer) tableOr(none string, t table) {
	if len(t.rows) == 0 {
		c.paragraph(bodyStyle, none)
		return
	}
	c.table(t)
}

// tableHeader is for screen readers once, and repeated as an artifact.
func (c *composer) tableHeader(t table, read bool) {
	s := style{8.5, true, muted}
	height := s.leading() + 2*cellPadding
	c.box(c.y, textWidth, height, tint)
	cell := func(column int) {
		c.lines(s, t.left(column), c.y+cellPadding, column == 1 && t.amounts, []string{t.header[column]})
	}
	if read {
		c.tags.within("TR", "", func() {
			for column := range t.header {
				c.tags.within("TH", "<</O/Table/Scope/Column>>", func() { c.tagged(func() { cell(column) }) })
			}
		})
	} else {
		c.artifact(func() { cell(0); cell(1) })
	}
	c.y += height
	c.hairline(c.y)
}

// tableRow keeps a row on one page when a page can hold it.
func (c *composer) tableRow(t table, r row) {
	s := bodyStyle
	if r.strong {
		s = strongStyle
	}
	var lines [2][]string
	for column, width := range t.columns() {
		lines[column] = c.wrap(s, r.cells[column], width)
	}
	height := func(n int) float64 { return float64(n)*s.leading() + 2*cellPadding }
	count := max(len(lines[0]), len(lines[1]))
	const fresh = bottom - marginTop - 24
	if c.y+height(count) > bottom && (height(count) <= fresh || c.y+height(3) > bottom) {
		c.newPage()
	}
	name := &element{role: "TH", attributes: "<</O/Table/Scope/Row>>", parent: c.tags.current}
	value := &element{role: "TD", parent: c.tags.current}
	c.tags.current.kids = append(c.tags.current.kids, kid{element: name}, kid{element: value})
	for drawn := 0; drawn < count; {
		fit := min(int((bottom-c.y-2*cellPadding)/s.leading()), count-drawn)
		if fit < 1 {
			c.newPage()
			continue
		}
		if r.strong {
			c.box(c.y, textWidth, height(fit), tint)
		}
		for column, cell := range []*element{name, value} {
			part := lines[column][min(drawn, len(lines[column])):min(drawn+fit, len(lines[column]))]
			if len(part) > 0 {
				c.tags.inside(cell, func() {
					c.tagged(func() {
						c.lines(s, t.left(column), c.y+cellPadding, column == 1 && t.amounts, part)
					})
				})
			}
		}
		c.y += height(fit)
		drawn += fit
		if drawn < count {
			c.newPage()
		}
	}
	c.hairline(c.y)
}
