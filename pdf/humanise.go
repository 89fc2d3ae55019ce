package pdf

import (
	"strconv"
	"strings"
	"unicode"
)

// humanised makes a label of an identifier: "companyCars" and "company_cars" become "Company cars". A name with blanks
// was written for people, and keeps all but its first letter's case.
func humanised(key string) string {
	key = strings.TrimSpace(key)
	if key == "" {
		return nothing
	}
	if !strings.ContainsFunc(key, unicode.IsSpace) {
		words := strings.Fields(string(separated([]rune(key))))
		for i, word := range words {
			acronym := len(word) > 1 && strings.ToUpper(word) == word && strings.ContainsFunc(word, unicode.IsLetter)
			if !acronym {
				words[i] = strings.ToLower(word)
			}
		}
		if len(words) > 0 {
			key = strings.Join(words, " ")
		}
	}
	first := []rune(key)
	first[0] = unicode.ToUpper(first[0])
	return string(first)
}

// separated puts blanks for underscores, for hyphens between letters, and between the words of camelCase.
func separated(name []rune) []rune {
	letter := func(i int) bool { return i >= 0 && i < len(name) && unicode.IsLetter(name[i]) }
	upper := func(i int) bool { return i >= 0 && i < len(name) && unicode.IsUpper(name[i]) }
	var out []rune
	for i, r := range name {
		if r == '_' || r == '-' && letter(i-1) && letter(i+1) {
			out = append(out, ' ')
			continue
		}
		afterWord := i > 0 && !upper(i-1) && (letter(i-1) || unicode.IsDigit(name[i-1]))
		afterAcronym := upper(i-1) && letter(i+1) && !upper(i+1)
		if upper(i) && (afterWord || afterAcronym) {
			out = append(out, ' ')
		}
		out = append(out, r)
	}
	return out
}

// maxExponent bounds the zeros of a written number.
const maxExponent = 30

// number writes a JSON number as the language does, with its separator from 10,000 on: four digits are often a year.
func (l *labels) number(text string) string {
	mantissa, exponent, _ := strings.Cut(strings.ToLower(text), "e")
	shift := 0
	if exponent != "" {
		var err error
		if shift, err = strconv.Atoi(exponent); err != nil || shift < -maxExponent || shift > maxExponent {
			return text
		}
	}
	unsigned, negative := strings.CutPrefix(mantissa, "-")
	whole, fraction, _ := strings.Cut(unsigned, ".")
	for ; shift > 0; shift-- {
		fraction += "0"
		whole, fraction = whole+fraction[:1], fraction[1:]
		fraction = strings.TrimRight(fraction, "0")
	}
	for ; shift < 0; shift++ {
		whole = "0" + whole
		whole, fraction = whole[:len(whole)-1], whole[len(whole)-1:]+fraction
	}
	if whole = strings.TrimLeft(whole, "0"); whole == "" {
		whole = "0"
	}
	if len(whole) > 4 {
		whole = groups(whole, l.Thousands)
	}
	if fraction != "" {
		whole += l.Decimal + fraction
	}
	if negative {
		return "−" + whole
	}
	return whole
}
