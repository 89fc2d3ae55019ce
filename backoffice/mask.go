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
	numberDigits   = 11 // of a registration number, however it is divided
	separatorsMost = 3  // between two of its parts: "90.01.01 - 997.94"
	betweenMost    = 6  // of whatever, where date and check are those of a registration number: "90.01.01 nr 997.94"
)

// MaskDigits replaces by one '#' each run of 9 or more digits of whatever script, each 11 digits that are divided by
// dots, dashes, slashes, spaces and the like, as registration numbers usually are, and each registration number with
// a word or a colon in it: so that none gets into a message, a log or the register by way of a name. Other texts come
// back as they are. It is the one mask of everything that is kept or shown.
func MaskDigits(text string) string {
	return maskParts(text, "#", func(parts []digitRun) int {
		if n := elevenDigits(parts, separatorsMost); n > 0 {
			return n
		}
		if n := nationalNumber(text, parts, endOfTime); n > 0 {
			return n
		}
		if parts[0].digits >= maskedRun {
			return 1
		}
		return 0
	})
}

// MaskNationalNumbers replaces the registration numbers in a text that is shown to those who may not see them, in
// whatever notation, and leaves all other numbers: those that have no date and check of one. A longer run of digits is
// another number, unless separators divide a registration number from its rest.
func MaskNationalNumbers(text, mask string, now time.Time) string {
	return maskParts(text, mask, func(parts []digitRun) int {
		return nationalNumber(text, parts, now)
	})
}

var endOfTime = time.Date(2999, 12, 31, 0, 0, 0, 0, time.UTC) // for which nobody is born later

// nationalNumber returns how many of the first parts form a registration number, by its date and check; 0 for none.
func nationalNumber(text string, parts []digitRun, now time.Time) int {
	n := elevenDigits(parts, betweenMost)
	var digits strings.Builder
	for _, part := range parts[:n] {
		digits.WriteString(text[part.start:part.end])
	}
	if _, err := ParseNationalNumber(digits.String(), now); err != nil {
		return 0
	}
	return n
}

type digitRun struct {
	start, end int
	digits     int
	behind     int  // characters after the previous run
	joined     bool // to it, by separators alone
}

// elevenDigits is how many of the first parts have eleven digits together, with so many characters between two of them
// at most, and separators alone unless that are more than those take; 0 when no number of parts has.
func elevenDigits(parts []digitRun, between int) int {
	digits := 0
	for i, part := range parts {
		if i > 0 && !part.joined && (between == separatorsMost || part.behind > between) {
			break
		}
		if digits += part.digits; digits >= numberDigits {
			if digits == numberDigits {
				return i + 1
			}
			break
		}
	}
	return 0
}

// identifier matches what NewID makes; its digits are not a number.
var identifier = regexp.MustCompile(`\b[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\b`)

// maskParts replaces what pick chooses: pick gets the runs of digits from one onwards, and returns how many of them,
// with the separators in between, are one number to mask.
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

// digitRuns finds the runs of digits; none at all where there are too few for any number.
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
	for _, at := range identifier.FindAllStringIndex(text, -1) {
		runs = slices.DeleteFunc(runs, func(run digitRun) bool { return at[0] <= run.start && run.end <= at[1] })
	}
	return runs
}

// isSeparator reports whether people put this between the parts of a number. Letters divide numbers from each other, as
// do the signs that stand between values: colons (also those of a time), quotes, brackets.
func isSeparator(r rune) bool {
	switch r {
	case '.', ',', '/', '\\', '_', '|', '\'', '’', '·', '•', '−', '*', '+', '~':
		return true
	}
	return unicode.IsSpace(r) || unicode.In(r, unicode.Pd, unicode.Z, unicode.Cf)
}
