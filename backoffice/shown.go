package backoffice

import (
	"strings"
	"unicode/utf8"
)

const (
	shownLength = 64 // characters of a name in a message
	maskedRun   = 9  // digits in a row that may be a registration number
)

// MaskDigits replaces each run of 9 or more digits by one '#', so that no registration number gets into a message or
// a log by way of a name. Other texts come back as they are.
func MaskDigits(text string) string {
	var masked strings.Builder
	kept, run := 0, 0
	for i := 0; i <= len(text); i++ {
		if i < len(text) && '0' <= text[i] && text[i] <= '9' {
			run++
			continue
		}
		if run >= maskedRun {
			masked.WriteString(text[kept : i-run])
			masked.WriteByte('#')
			kept = i
		}
		run = 0
	}
	if kept == 0 {
		return text
	}
	masked.WriteString(text[kept:])
	return masked.String()
}

// ShownName is a name that came with a request as a message may show it: cut to 64 characters and its runs of 9 or
// more digits masked.
func ShownName(name string) string {
	if name = MaskDigits(name); utf8.RuneCountInString(name) <= shownLength {
		return name
	}
	end := 0
	for range shownLength {
		_, size := utf8.DecodeRuneInString(name[end:])
		end += size
	}
	return name[:end] + "…"
}
