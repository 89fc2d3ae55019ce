package pdf

// head opens a document: the office, the kind of document, its title and a line below it.
func (c *composer) head(office Letterhead, kind, title, lead string) {
	c.letterhead(office)
	c.paragraph(eyebrowStyle, kind)
	c.y += 1
	c.tags.within("H1", "", func() { c.flow(titleStyle, c.clean(title)) })
	if lead != "" {
		c.y += 3
		c.paragraph(leadStyle, c.clean(lead))
	}
	c.y += 14
}

// heading opens a section, and keeps it with what follows.
func (c *composer) heading(text string) {
	c.y += 12
	c.need(headingStyle.leading() + 54)
	c.tags.within("H2", "", func() { c.flow(headingStyle, text) })
	c.y += 5
}

func (c *composer) paragraph(s style, text string) {
	c.tags.within("P", "", func() { c.flow(s, text) })
}

// flow sets a text over the full width, on as many pages as it takes.
func (c *composer) flow(s style, text string) {
	lines := c.wrap(s, text, textWidth)
	for len(lines) > 0 {
		fit := int((bottom - c.y) / s.leading())
		if fit < min(2, len(lines)) { // no line alone at the foot of a page
			c.newPage()
			continue
		}
		part := lines[:min(fit, len(lines))]
		c.tagged(func() { c.lines(s, marginLeft, c.y, false, part) })
		c.y += float64(len(part)) * s.leading()
		lines = lines[len(part):]
	}
}

type fact struct{ label, value string }

// facts sets labels and values in two columns on a tinted ground. It skips facts without a value.
func (c *composer) facts(left, right []fact) {
	const padding, gap = 12.0, 22.0
	width := (textWidth - 2*padding - gap) / 2
	type block struct {
		fact
		lines []string
	}
	measure := func(facts []fact) (blocks []block, height float64) {
		for _, f := range facts {
			if f.value = c.clean(f.value); f.value == "" {
				continue
			}
			lines := c.wrap(bodyStyle, f.value, width)
			blocks = append(blocks, block{f, lines})
			height += labelStyle.leading() + float64(len(lines))*bodyStyle.leading() + 7
		}
		return blocks, height - 7
	}
	leftBlocks, leftHeight := measure(left)
	rightBlocks, rightHeight := measure(right)
	height := max(leftHeight, rightHeight) + 2*padding
	c.need(height)
	c.box(c.y, textWidth, height, tint)
	c.tags.within("L", "", func() {
		for column, blocks := range [][]block{leftBlocks, rightBlocks} {
			x, y := marginLeft+padding+float64(column)*(width+gap), c.y+padding
			for _, b := range blocks {
				c.tags.within("LI", "", func() {
					c.tags.within("Lbl", "", func() {
						c.tagged(func() { c.lines(labelStyle, x, y, false, []string{b.label}) })
					})
					y += labelStyle.leading()
					c.tags.within("LBody", "", func() {
						c.tagged(func() { c.lines(bodyStyle, x, y, false, b.lines) })
					})
					y += float64(len(b.lines))*bodyStyle.leading() + 7
				})
			}
		}
	})
	c.y += height + 6
}
