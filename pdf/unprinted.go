package pdf

import (
	"slices"
	"strings"
	"unicode"
)

// scripts are reported by name; anything else is "other characters".
var scripts = []struct {
	name  string
	table []*unicode.RangeTable
}{
	{"arabic", []*unicode.RangeTable{unicode.Arabic}},
	{"hebrew", []*unicode.RangeTable{unicode.Hebrew}},
	{"chinese", []*unicode.RangeTable{unicode.Han}},
	{"japanese", []*unicode.RangeTable{unicode.Hiragana, unicode.Katakana}},
	{"korean", []*unicode.RangeTable{unicode.Hangul}},
	{"armenian", []*unicode.RangeTable{unicode.Armenian}},
	{"georgian", []*unicode.RangeTable{unicode.Georgian}},
	{"devanagari", []*unicode.RangeTable{unicode.Devanagari}},
	{"thai", []*unicode.RangeTable{unicode.Thai}},
	{otherScript, nil},
}

const otherScript = "other"

func (c *composer) noteUnprinted(r rune) {
	name := otherScript
	for _, script := range scripts {
		if unicode.In(r, script.table...) {
			name = script.name
			break
		}
	}
	if !slices.Contains(c.unprinted, name) {
		c.unprinted = append(c.unprinted, name)
	}
}

// tellUnprinted explains the marks in the content below it, so that nobody takes the document for complete.
func (c *composer) tellUnprinted() {
	if len(c.unprinted) == 0 {
		return
	}
	var names []string
	for _, script := range scripts {
		if slices.Contains(c.unprinted, script.name) {
			names = append(names, c.labels.Scripts[script.name])
		}
	}
	c.y += 10
	c.need(4 * bodyStyle.leading())
	c.paragraph(bodyStyle, strings.ReplaceAll(c.labels.UnprintedText, "{scripts}", strings.Join(names, ", ")))
}
