package evidence

import (
	_ "embed"
	"encoding/json"
	"io"
	"slices"
	"strconv"
	"strings"

	"example.org/backoffice/backoffice"
)

// words are those of one language, with places for values in braces.
type words struct {
	Title, Beginning, Times, Removed, None       string
	Created, Updated, Deleted                    string
	Operator, Server                             string
	Held, NotHeld, Consulted, NotConsulted, Lost string
	Nouns                                        map[backoffice.Noun]string
}

//go:embed words.json
var wordsFile []byte

var languages = func() (all map[string]*words) {
	if err := json.Unmarshal(wordsFile, &all); err != nil {
		panic(err) // it is part of the program
	}
	return all
}()

// Languages are the languages of packs, by their names in English.
var Languages = []string{"dutch", "french", "german", "english"}

// LanguageOf returns the language of a pack for a customer's: English for one that packs do not have.
func LanguageOf(language string) string {
	if slices.Contains(Languages, language) {
		return language
	}
	return "english"
}

// Journal writes changes in words: a line each, in the order in which they became visible.
type Journal struct {
	to    io.Writer
	words *words
	any   bool
}

// NewJournal writes the head of a customer's journal from one day to another, "" for the beginning. removed reports
// that earlier changes are gone.
func NewJournal(to io.Writer, language, customerID, from, until string, removed bool) (*Journal, error) {
	j := &Journal{to: to, words: languages[LanguageOf(language)]}
	if from == "" {
		from = j.words.Beginning
	}
	head := filled(j.words.Title, "id", customerID, "from", from, "to", until) + "\n" + j.words.Times + "\n"
	if removed {
		head += j.words.Removed + "\n"
	}
	_, err := io.WriteString(to, head+"\n")
	return j, err
}

func (j *Journal) Add(at backoffice.Instant, c *backoffice.VisibleChange) error {
	j.any = true
	form := map[backoffice.ChangeAction]string{
		backoffice.Created: j.words.Created, backoffice.Deleted: j.words.Deleted}[c.Action]
	if form == "" {
		form = j.words.Updated
	}
	by := j.words.Operator
	switch {
	case c.ClientID != nil:
		by = *c.ClientID
	case c.Noun == backoffice.NounDiscrepancy:
		by = j.words.Server
	}
	line := filled(form, "time", at.Time().In(backoffice.Belgium).Format("2006-01-02 15:04:05 -07:00"),
		"number", strconv.Itoa(c.Sequence), "noun", j.words.Nouns[c.Noun], "object", c.ObjectID, "by", by)
	if len(c.Fields) > 0 {
		line += ": " + strings.Join(c.Fields, ", ")
	}
	_, err := io.WriteString(j.to, line+"\n")
	return err
}

func (j *Journal) End() error {
	if j.any {
		return nil
	}
	_, err := io.WriteString(j.to, j.words.None+"\n")
	return err
}

// Consulted says of a registration number whether it is held, on which days of the pack it was consulted, and between
// which days nobody knows, since a restore lost the register's entries.
func Consulted(language string, held bool, days []string, lost [][2]string) string {
	w := languages[LanguageOf(language)]
	if !held {
		return w.NotHeld
	}
	said := []string{w.Held}
	if len(days) > 0 {
		said = append(said, filled(w.Consulted, "days", strings.Join(days, ", ")))
	} else if len(lost) == 0 {
		said = append(said, w.NotConsulted)
	}
	for _, span := range lost {
		said = append(said, filled(w.Lost, "from", span[0], "to", span[1]))
	}
	return strings.Join(said, "; ")
}

func filled(form string, values ...string) string {
	for i := 0; i < len(values); i += 2 {
		values[i] = "{" + values[i] + "}"
	}
	return strings.NewReplacer(values...).Replace(form)
}
