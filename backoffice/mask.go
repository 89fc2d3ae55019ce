package backoffice

import (
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
)

const (
	maskedRun      = 9  // digits in a row that may be a registration or a telephone number
	numberDigits   = 11 // of a registration number, however it is split
	separatorsMost = 3  // between two of its parts: "90.01.01 - 997.94"
	betweenMost    = 6  // characters of any kind, if date and check are valid: "90.01.01 nr 997.94"
)

// MaskDigits replaces each of these by one '#': a run of 9 or more digits of any script, 11 digits with only separators
// in between, and a registration number with a word or a colon in it. Without it a name could carry a registration
// number into a message, a log or the register, so everything that is stored or shown uses it.
func MaskDigits(text string) string {
	return maskParts(text, "#", func(parts []digitRun) int {
		n := elevenDigits(parts, separatorsMost)
		if n == 0 {
			n = nationalNumber(text, parts)
		}
		if n == 0 && parts[0].digits >= maskedRun {
			return 1
		}
		return n
	})
}

// MaskNationalNumbers replaces the registration numbers in a text, in any notation, for readers who may not see them.
// Numbers without a valid date and check remain. So does a longer run of digits, unless separators split it.
func MaskNationalNumbers(text, mask string) string {
	return maskParts(text, mask, func(parts []digitRun) int { return nationalNumber(text, parts) })
}

var endOfTime = time.Date(2999, 12, 31, 0, 0, 0, 0, time.UTC) // no birth date is later

// nationalNumber returns how many of the first parts form a valid registration number; 0 for none.
func nationalNumber(text string, parts []digitRun) int {
	n := elevenDigits(parts, betweenMost)
	var digits strings.Builder
	for _, part := range parts[:n] {
		digits.WriteString(text[part.start:part.end])
	}
	if _, err := ParseNationalNumber(digits.String(), endOfTime); err != nil {
		return 0
	}
	return n
}

type digitRun struct {
	start, end int
	digits     int
	behind     int  // characters since the previous run
	joined     bool // to that run, only by separators
}

// elevenDigits returns how many of the first parts have eleven digits together; 0 if they cannot. Between two parts it
// allows this many characters: only separators for separatorsMost, any for more.
func elevenDigits(parts []digitRun, between int) int {
	digits := 0
	for i, part := range parts {
		if digits > numberDigits || i > 0 && !part.joined && (between == separatorsMost || part.behind > between) {
			break
		}
		if digits += part.digits; digits == numberDigits {
			return i + 1
		}
	}
	return 0
}

// identifier matches what NewID makes. Its digits are not masked.
var identifier = regexp.MustCompile(`\b[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\b`)

// maskParts masks what pick chooses: pick returns how many of the first runs of digits are one number to mask.
func maskParts(text, mask string, pick func([]digitRun) int) string {
	runs := digitRuns(text)
	var masked strings.Builder
	kept := 0
	for i := 0; i < len(runs); {
		n := pick(runs[i:])
		if n == 0 {
			i++
			continue
		}
		masked.WriteString(text[kept:runs[i].start])
		masked.WriteString(mask)
		kept = runs[i+n-1].end
		i += n
	}
	if kept == 0 {
		return text
	}
	masked.WriteString(text[kept:])
	return masked.String()
}

// digitRuns finds the runs of digits; none if the text has too few digits for any number.
func digitRuns(text string) []digitRun {
	digits := 0
	for _, r := range text {
		if unicode.IsDigit(r) {
			digits++
		}
	}
	if digits < maskedRun {
		return nil
	}
	var runs []digitRun
	inside, between, joined := false, 0, false
	for i, r := range text {
		if !unicode.IsDigit(r) {
			inside, between = false, between+1
			joined = joined && between <= separatorsMost && isSeparator(r)
			continue
		}
		if !inside {
			runs = append(runs, digitRun{start: i, behind: between, joined: joined})
		}
		last := &runs[len(runs)-1]
		last.end, last.digits = i+len(string(r)), last.digits+1
		inside, between, joined = true, 0, true
	}
	all := identifier.FindAllStringIndex(text, -1)
	return slices.DeleteFunc(runs, func(run digitRun) bool { // both are in the text's order
		for len(all) > 0 && all[0][1] < run.end {
			all = all[1:]
		}
		return len(all) > 0 && all[0][0] <= run.start
	})
}

// isSeparator reports whether r may divide one number. Letters, colons, quotes and brackets separate different numbers.
func isSeparator(r rune) bool {
	switch r {
	case '.', ',', '/', '\\', '_', '|', '\'', '’', '·', '•', '−', '*', '+', '~':
		return true
	}
	return unicode.IsSpace(r) || unicode.In(r, unicode.Pd, unicode.Z, unicode.Cf)
}
