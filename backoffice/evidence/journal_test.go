package evidence

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"example.org/backoffice/backoffice"
)

// ofNoCustomer are the nouns whose records have no customer.
var ofNoCustomer = []backoffice.Noun{backoffice.NounLabel, backoffice.NounUser, backoffice.NounFinancialYear, backoffice.NounChecklist}

func TestEveryLanguageHasEveryWordWithTheSamePlaces(t *testing.T) {
	t.Parallel()
	english := reflect.ValueOf(*languages["english"])
	for _, language := range Languages {
		own := reflect.ValueOf(*languages[language])
		for i := range own.NumField() {
			name := own.Type().Field(i).Name
			if name == "Nouns" {
				continue
			}
			text, places := own.Field(i).String(), func(text string) (found []string) {
				for _, part := range strings.Split(text, "{")[1:] {
					place, _, _ := strings.Cut(part, "}")
					found = append(found, place)
				}
				slices.Sort(found)
				return found
			}
			if text == "" || !slices.Equal(places(text), places(english.Field(i).String())) {
				t.Errorf("%s: %s is %q", language, name, text)
			}
		}
		for _, noun := range backoffice.Nouns {
			if of := languages[language].Nouns[noun.Name()]; (of == "") != slices.Contains(ofNoCustomer, noun.Name()) {
				t.Errorf("%s has %q for %s", language, of, noun.Name())
			}
		}
	}
	if len(languages) != len(Languages) || LanguageOf("klingon") != "english" || LanguageOf("german") != "german" {
		t.Errorf("%d languages", len(languages))
	}
}

func TestChangesAreWrittenInWordsOfEachLanguage(t *testing.T) {
	t.Parallel()
	by := "credential-1"
	at, err := backoffice.ParseInstant("2026-07-01T22:30:00Z") // the next day in Belgium
	if err != nil {
		t.Fatal(err)
	}
	for language, lines := range map[string][]string{
		"dutch":   {"Logboek van klant acme, vanaf het begin tot en met 2026-12-31", "2026-07-02 00:30:00 +02:00  nr. 7: relatie r-1 gewijzigd door credential-1: endDate, note", "document d-1 verwijderd door de systeembeheerder"},
		"french":  {"modification par credential-1 : relation r-1: endDate, note", "suppression par l’administrateur système : document d-1"},
		"german":  {"Beziehung r-1 geändert von credential-1: endDate, note", "Dokument d-1 gelöscht von der Systemverwaltung"},
		"english": {"relation r-1 changed by credential-1: endDate, note", "no. 8: document d-1 deleted by the system administrator", "Earlier changes are no longer kept."},
	} {
		var out strings.Builder
		journal, err := NewJournal(&out, language, "acme", "", "2026-12-31", true)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []*backoffice.VisibleChange{
			{Sequence: 7, Noun: backoffice.NounRelation, ObjectID: "r-1", Action: backoffice.Updated, Fields: []string{"endDate", "note"}, ClientID: &by},
			{Sequence: 8, Noun: backoffice.NounDocument, ObjectID: "d-1", Action: backoffice.Deleted},
		} {
			if err := journal.Add(at, c); err != nil {
				t.Fatal(err)
			}
		}
		if err := journal.End(); err != nil {
			t.Fatal(err)
		}
		for _, line := range lines {
			if !strings.Contains(out.String(), line) {
				t.Errorf("%s: %q is not in\n%s", language, line, out.String())
			}
		}
	}
	var out strings.Builder
	journal, _ := NewJournal(&out, "german", "acme", "2026-01-01", "2026-12-31", false)
	if err := journal.End(); err != nil || !strings.HasSuffix(out.String(), "\n\nKeine Änderungen.\n") {
		t.Errorf("%q, %v", out.String(), err)
	}
	if said := Consulted("english", true, []string{"2026-03-01", "2026-04-02"}, nil); said != "held; consulted on 2026-03-01, 2026-04-02" {
		t.Error(said)
	}
	if none, never := Consulted("french", false, nil, nil), Consulted("french", true, nil, nil); none != "non conservé" || never != "conservé; non consulté pendant cette période" {
		t.Error(none, never)
	}
}
