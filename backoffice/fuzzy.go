package backoffice

import (
	"fmt"
	"strings"
	"unicode"
)

// A FUZZY search compares names by the trigrams of their words: three letters in a row, with two blanks before a word
// and one behind it, so that how a word begins counts most. Which order the words have makes no difference. A wrong
// letter costs a word at most three of its trigrams, one more or less as many, and two that changed places four.

const (
	// MaxSimilar is how many customers a FUZZY search finds at most: those who share the most trigrams with it.
	MaxSimilar = 500
	// maxTrigrams is how many of a search's trigrams count.
	maxTrigrams = 60
	// leastShared is the part of a search's trigrams that a name must have, as its inverse.
	leastShared = 3
)

// fuzzyWords are the words of a folded text in capitals, with the blanks that trigrams are made with; "" for none. No
// folded text has capitals, so that other searches find nothing in it.
func fuzzyWords(folded string) string {
	var b strings.Builder
	for word := range strings.FieldsFuncSeq(folded, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		b.WriteString("  ")
		b.WriteString(strings.ToUpper(word))
		b.WriteByte(' ')
	}
	return b.String()
}

// Trigrams are those of the words of a search, each once, in their order; at most so many that they can be looked for.
func Trigrams(words string) []string {
	list := trigramsOf(words)
	return list[:min(len(list), maxTrigrams)]
}

func trigramsOf(words string) (list []string) {
	letters := []rune(words)
	seen := map[string]bool{}
	for i := range max(len(letters)-2, 0) {
		if letters[i+1] == ' ' && letters[i+2] == ' ' {
			continue // it is of two words
		}
		if trigram := string(letters[i : i+3]); !seen[trigram] {
			seen[trigram] = true
			list = append(list, trigram)
		}
	}
	return list
}

// LeastShared is how many of so many trigrams a name must have to be like a search.
func LeastShared(trigrams int) int { return (trigrams + leastShared - 1) / leastShared }

// Similarity is how like a search a name is, from 0 to 1: Tversky's index of their trigrams, in which what a search
// has and the name lacks weighs ten times what the name has beside it.
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

// SimilarPlace is where a customer stands among those whom a FUZZY search finds: the most similar first, then by name.
func SimilarPlace(search []string, c *Customer) Position {
	return Position{Key: KeyRelevance, Text: fmt.Sprintf("%07.5f %s", 1-Similarity(search, c.DisplayName), Fold(c.DisplayName)), ID: c.ID}
}
