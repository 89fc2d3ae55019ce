package pdf

import (
	"regexp"
	"strings"
	"time"

	"example.org/backoffice/backoffice"
)

// number is a run of eleven digits or more with a few separators between two of them, as a registration number is
// written, or cut into a list.
var number = regexp.MustCompile(`\d(?:[^\d\pL]{0,3}\d){10,}`)

const masked = "••.••.••-•••.••"

// maskNationalNumbers replaces every national registration number in a text. A longer run of digits is another number
// and stays, unless its separators say otherwise: each piece of eleven digits between separators counts.
func maskNationalNumbers(text string, now time.Time) string {
	return number.ReplaceAllStringFunc(text, func(run string) string {
		if countDigits(run) == 11 {
			return maskRun(run, now)
		}
		return maskWithin(run, now)
	})
}

func maskRun(run string, now time.Time) string {
	digits := strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, run)
	if _, err := backoffice.ParseNationalNumber(digits, now); err != nil {
		return run
	}
	return masked
}

// maskWithin looks at every eleven digits of a longer run that start and end at a separator or at its ends.
func maskWithin(run string, now time.Time) string {
	var b strings.Builder
	for start := 0; start < len(run); {
		end := elevenFrom(run, start)
		atStart := start == 0 || !isDigit(run[start-1])
		atEnd := end == len(run) || end > 0 && !isDigit(run[end])
		if isDigit(run[start]) && atStart && end > 0 && atEnd {
			if piece := run[start:end]; maskRun(piece, now) == masked {
				b.WriteString(masked)
				start = end
				continue
			}
		}
		b.WriteByte(run[start])
		start++
	}
	return b.String()
}

// elevenFrom returns the index after eleven digits from start, or 0.
func elevenFrom(run string, start int) int {
	digits := 0
	for i := start; i < len(run); i++ {
		if isDigit(run[i]) {
			if digits++; digits == 11 {
				return i + 1
			}
		}
	}
	return 0
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func countDigits(text string) int {
	n := 0
	for i := range len(text) {
		if isDigit(text[i]) {
			n++
		}
	}
	return n
}
