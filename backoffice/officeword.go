package backoffice

import (
	_ "embed"
	"encoding/csv"
	"fmt"
	"strings"
	"unicode"
)

//go:embed office_words.csv
var officeWordsCSV string

// officeWord is a word as offices write it, for a field of LineName. With LabelLanguage "" it is in any language.
type officeWord struct {
	field    string
	language LabelLanguage
	word     string // of NormalizeWord
}

// officeWords has the specification's words; "" for a word with two meanings.
var officeWords = map[officeWord]string{}

func init() {
	rows, err := csv.NewReader(strings.NewReader(officeWordsCSV)).ReadAll()
	if err != nil {
		panic(fmt.Sprintf("office_words.csv: %v", err)) // compiled in: only a faulty build gets here
	}
	for _, row := range rows[1:] {
		for i, words := range row[2:] {
			for word := range strings.SplitSeq(words, "|") {
				addOfficeWord(row[0], LabelLanguage(rows[0][i+2]), word, row[1])
			}
		}
	}
	for key, form := range legalForms {
		for language, label := range form.labels {
			addOfficeWord("companyType", language, label, string(key))
			addOfficeWord("companyType", language, string(key), string(key))
		}
	}
}

// addOfficeWord adds a word. One that begins with ~ is known only in its language: a GmbH may also be German.
func addOfficeWord(field string, language LabelLanguage, word, value string) {
	languages := []LabelLanguage{language, ""}
	if strings.HasPrefix(word, "~") {
		languages = languages[:1]
	}
	if word = NormalizeWord(word); word == "" {
		return
	}
	for _, language := range languages {
		at := officeWord{field, language, word}
		if other, twice := officeWords[at]; twice && other != value {
			officeWords[at] = ""
			continue
		}
		officeWords[at] = value
	}
}

// OfficeWord returns the specification's word for one that offices write into a customer's type, legal form or
// language, or a relation's kind: BV for "S.R.L.", dutch for "NL". Without a language it knows the words that mean one
// thing in Dutch, French, German and English. It knows no words of other fields.
func OfficeWord(field, word string, language LabelLanguage) (value string, known bool) {
	value = officeWords[officeWord{field, language, NormalizeWord(word)}]
	return value, value != ""
}

// NormalizeWord is a word without case, accents, spaces and signs.
func NormalizeWord(word string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, Fold(word))
}
