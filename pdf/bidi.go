package pdf

import (
	"slices"

	"golang.org/x/text/unicode/bidi"
)

// mirrored are the characters that are mirrored from right to left.
var mirrored = map[rune]rune{
	'(': ')', ')': '(', '[': ']', ']': '[', '{': '}', '}': '{', '<': '>', '>': '<',
	'«': '»', '»': '«', '‹': '›', '›': '‹',
}

// visual puts a line's characters in drawing order, from left to right (UAX #9). It omits the rules for explicit
// formatting, whose characters were removed before, and the one for pairs of brackets.
func visual(line []rune) []rune {
	rtl := false
	classes := make([]bidi.Class, len(line))
	base := -1
	for i, r := range line {
		properties, _ := bidi.LookupRune(r)
		classes[i] = properties.Class()
		switch classes[i] {
		case bidi.R, bidi.AL:
			rtl = true
			if base < 0 {
				base = 1
			}
		case bidi.L:
			base = max(base, 0)
		}
	}
	if !rtl {
		return line
	}
	levels := levelsOf(classes, base)
	drawn := make([]rune, len(line))
	for i, r := range line {
		if other, ok := mirrored[r]; ok && levels[i]%2 == 1 {
			r = other
		}
		drawn[i] = r
	}
	for level := slices.Max(levels); level >= 1; level-- { // rule L2
		for i := 0; i < len(drawn); {
			end := i
			for end < len(drawn) && levels[end] >= level {
				end++
			}
			slices.Reverse(drawn[i:end])
			slices.Reverse(levels[i:end])
			i = end + 1
		}
	}
	return drawn
}

// levelsOf resolves the classes of a line in a paragraph of level base, 0 or 1, to levels.
func levelsOf(classes []bidi.Class, base int) []int {
	embedding := bidi.L
	if base == 1 {
		embedding = bidi.R
	}
	weak(classes, embedding)
	for i := 0; i < len(classes); { // rules N1 and N2
		if isStrongOrNumber(classes[i]) {
			i++
			continue
		}
		end := i
		for end < len(classes) && !isStrongOrNumber(classes[end]) {
			end++
		}
		before, after := embedding, embedding
		if i > 0 {
			before = direction(classes[i-1])
		}
		if end < len(classes) {
			after = direction(classes[end])
		}
		if before != after {
			before = embedding
		}
		for ; i < end; i++ {
			classes[i] = before
		}
	}
	levels := make([]int, len(classes))
	for i, class := range classes { // rules I1 and I2
		switch {
		case class == bidi.L:
			levels[i] = 2 * base
		case class == bidi.R:
			levels[i] = 1
		default:
			levels[i] = 2
		}
	}
	return levels
}

// weak resolves the weak types (rules W2 to W7) in place. It leaves L, R, EN, AN, and ON for all others.
func weak(classes []bidi.Class, embedding bidi.Class) {
	strong := embedding
	for i, class := range classes {
		switch class {
		case bidi.L, bidi.R, bidi.AL:
			strong = class
		case bidi.EN:
			if strong == bidi.AL {
				classes[i] = bidi.AN
			}
		}
	}
	for i := 1; i+1 < len(classes); i++ {
		if before := classes[i-1]; before == classes[i+1] && (before == bidi.EN &&
			(classes[i] == bidi.ES || classes[i] == bidi.CS) || before == bidi.AN && classes[i] == bidi.CS) {
			classes[i] = before
		}
	}
	for i := range classes {
		if classes[i] == bidi.ET && i > 0 && classes[i-1] == bidi.EN {
			classes[i] = bidi.EN
		}
	}
	for i := len(classes) - 2; i >= 0; i-- {
		if classes[i] == bidi.ET && classes[i+1] == bidi.EN {
			classes[i] = bidi.EN
		}
	}
	strong = embedding
	for i, class := range classes {
		switch class {
		case bidi.L, bidi.R:
			strong = class
		case bidi.AL:
			classes[i], strong = bidi.R, bidi.R
		case bidi.EN:
			if strong == bidi.L {
				classes[i] = bidi.L
			}
		case bidi.AN:
		default:
			classes[i] = bidi.ON
		}
	}
}

func isStrongOrNumber(class bidi.Class) bool {
	return class == bidi.L || class == bidi.R || class == bidi.EN || class == bidi.AN
}

// direction is that of a strong character or a number, for its neutral neighbours.
func direction(class bidi.Class) bidi.Class {
	if class == bidi.L {
		return bidi.L
	}
	return bidi.R
}
