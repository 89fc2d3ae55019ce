package backoffice

import (
	"fmt"
	"iter"
	"strings"
	"unicode"
)

// A FUZZY search compares names by the trigrams of their words: three letters in a row, with two blanks before a word
// and one after it, so that the beginning of a word counts most. The order of the words does not matter. A wrong,
// additional or missing letter costs a word at most three of its trigrams, two swapped letters four.

const (
	// MaxSimilar is the most customers that a FUZZY search finds: those that share the most trigrams with it.
	MaxSimilar = 500
	// maxTrigrams is how many of a search's trigrams count.
	maxTrigrams = 60
	// leastShared is the inverse of the part of a search's trigrams that a name must have.
	leastShared = 3
)

// fuzzyWords returns the words of a folded text in capitals, with the blanks that trigrams need; "" for none. Folded
// texts have no capitals, so other searches find nothing in it.
func fuzzyWords(folded string) string {
	var b strings.Builder
	for word := range wordsOf(folded) {
		b.WriteString("  ")
		b.WriteString(strings.ToUpper(word))
		b.WriteByte(' ')
	}
	return b.String()
}

// wordsOf are the runs of letters and digits in a text.
func wordsOf(text string) iter.Seq[string] {
	return strings.FieldsFuncSeq(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// Trigrams returns the trigrams of the words of a search, each once, in their order, up to maxTrigrams.
func Trigrams(words string) []string {
	list := trigramsOf(words)
	return list[:min(len(list), maxTrigrams)]
}

func trigramsOf(words string) (list []string) {
	letters := []rune(words)
	seen := map[string]bool{}
	for i := range max(len(letters)-2, 0) {
		if letters[i+1] == ' ' && letters[i+2] == ' ' {
			continue // it spans two words
		}
		if trigram := string(letters[i : i+3]); !seen[trigram] {
			seen[trigram] = true
			list = append(list, trigram)
		}
	}
	return list
}

// LeastShared is how many of a search's trigrams a name must have to be found.
func LeastShared(trigrams int) int { return (trigrams + leastShared - 1) / leastShared }

// Similarity is how similar a name is to a search, from 0 to 1: Tversky's index of their trigrams, in which a trigram
// that the name lacks weighs ten times as much as an additional one of the name.
func Similarity(search []string, name string) float64 {
	has := map[string]bool{}
	for _, trigram := range trigramsOf(fuzzyWords(Fold(name))) {
		has[trigram] = true
	}
	shared := 0
	for _, trigram := range search {
		if has[trigram] {
			shared++
		}
	}
	if len(search) == 0 {
		return 0
	}
	const beside = 0.1
	return float64(shared) / (float64(len(search)) + beside*float64(len(has)-shared))
}

// SimilarPlace is a customer's position in the results of a FUZZY search: the most similar first, then by name.
func SimilarPlace(search []string, c *Customer) Position {
	text := fmt.Sprintf("%07.5f %s", 1-Similarity(search, c.DisplayName), Fold(c.DisplayName))
	return Position{Key: KeyRelevance, Text: text, ID: c.ID}
}
