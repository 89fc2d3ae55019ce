package pdf

import (
	"slices"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// The letters of Arabic join, and have up to four forms for it. Unicode has characters for these forms, in the order
// isolated, final, initial, medial, each with a decomposition to its letter; the table is built from those.

// forms are a letter's forms, 0 where it has none. A letter without an initial form does not join to the next.
type forms struct{ isolated, final, initial, medial rune }

var (
	arabicForms = map[rune]*forms{}
	lamAlef     = map[rune]*forms{} // by alef
	plainArabic = map[rune]string{} // of a form: its letters
)

const (
	lam     = 'ل'
	tatweel = 'ـ'
)

func init() {
	for _, block := range [][2]rune{{0xFB50, 0xFBB1}, {0xFBD3, 0xFBE7}, {0xFBFC, 0xFBFF}, {0xFE80, 0xFEFC}} {
		for form := block[0]; form <= block[1]; form++ {
			text := norm.NFKC.String(string(form))
			letters := []rune(text)
			plainArabic[form] = text
			switch {
			case len(letters) == 1:
				addForm(arabicForms, letters[0], form)
			case len(letters) == 2 && letters[0] == lam:
				addForm(lamAlef, letters[1], form)
			}
		}
	}
}

func addForm(table map[rune]*forms, letter, form rune) {
	known := table[letter]
	if known == nil {
		known = &forms{}
		table[letter] = known
	}
	for _, place := range []*rune{&known.isolated, &known.final, &known.initial, &known.medial} {
		if *place == 0 {
			*place = form
			return
		}
	}
}

// shaped gives Arabic letters their joined forms, as far as the fonts draw these.
func shaped(text string, draws func(rune) bool) string {
	letters := []rune(text)
	if !slices.ContainsFunc(letters, isArabic) {
		return text
	}
	out := make([]rune, 0, len(letters))
	joins := false // the previous letter joins to the next
	for i := 0; i < len(letters); i++ {
		letter := letters[i]
		known, ligature := arabicForms[letter], false
		if letter == lam && i+1 < len(letters) && lamAlef[letters[i+1]] != nil &&
			draws(lamAlef[letters[i+1]].isolated) {
			known, ligature = lamAlef[letters[i+1]], true
		}
		if known == nil {
			out = append(out, letter)
			joins = letter == tatweel
			continue
		}
		if ligature {
			i++
		}
		next := known.initial != 0 && i+1 < len(letters) && (letters[i+1] == tatweel || takes(letters[i+1]))
		form := known.isolated
		switch {
		case joins && next && known.medial != 0:
			form = known.medial
		case joins && known.final != 0:
			form = known.final
		case next:
			form = known.initial
		}
		if !draws(form) && !ligature {
			form = letter
		}
		out = append(out, form)
		joins = next
	}
	return string(out)
}

// takes reports whether a letter joins to the previous one.
func takes(letter rune) bool {
	known := arabicForms[letter]
	return known != nil && known.final != 0
}

func isArabic(r rune) bool { return r >= 0x600 && unicode.Is(unicode.Arabic, r) }
