package pdf

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	_ "time/tzdata" // the day of a date is Belgium's, also on a machine without time zones

	"example.org/backoffice/backoffice"
)

// labels are the words of one language.
type labels struct {
	tag    string // BCP 47
	months [12]string
	date   func(day int, month string, year int) string
	amount func(whole, cents string) string
	// thousands and decimal are how a number is written.
	thousands, decimal string

	transcript, customer, address, kboNumber, financialYear, checklistLanguage, completedAt, progress string
	answers, name, value, none, yes, no                                                               string
	dateLabel, description, amountHeader, agreement, agreementText, dateAndSignature, reference       string
	unprintedText                                                                                     string
	scripts                                                                                           map[string]string
	languages                                                                                         map[string]string
}

// labelsFor knows dutch, french, german and english; any other language is printed in English.
func labelsFor(language string) *labels {
	if known, ok := languages[strings.ToLower(strings.TrimSpace(language))]; ok {
		return known
	}
	return languages["english"]
}

var languages = map[string]*labels{
	"dutch": {
		tag:    "nl-BE",
		months: [12]string{"januari", "februari", "maart", "april", "mei", "juni", "juli", "augustus", "september", "oktober", "november", "december"},
		date:   func(day int, month string, year int) string { return fmt.Sprintf("%d %s %d", day, month, year) },
		amount: func(whole, cents string) string { return "€ " + groups(whole, ".") + "," + cents },

		transcript: "INGEVULDE VRAGENLIJST", customer: "Klant", address: "Adres", kboNumber: "Ondernemingsnummer", financialYear: "Boekjaar",
		checklistLanguage: "Taal", completedAt: "Ingevuld op", progress: "Voortgang",
		answers: "Ingevulde gegevens", name: "Gegeven", value: "Waarde", none: "Er werden geen gegevens ingevuld.", yes: "Ja", no: "Nee",
		dateLabel: "Datum", description: "Omschrijving", amountHeader: "Bedrag",
		agreement: "Akkoord", agreementText: "Na uw akkoord dienen wij de aangifte in zoals hierboven berekend.",
		dateAndSignature: "Datum en handtekening", reference: "Kenmerk",
		thousands: ".", decimal: ",",
		unprintedText: "Bewaard maar niet afgedrukt: waar ◊ staat, bevatten de gegevens tekens die de lettertypes van dit document niet hebben ({scripts}).",
		scripts:       map[string]string{"arabic": "Arabisch", "hebrew": "Hebreeuws", "chinese": "Chinees", "japanese": "Japans", "korean": "Koreaans", "armenian": "Armeens", "georgian": "Georgisch", "devanagari": "Devanagari", "thai": "Thais", "other": "andere tekens"},
		languages:     map[string]string{"dutch": "Nederlands", "french": "Frans", "german": "Duits", "english": "Engels"},
	},
	"french": {
		tag:    "fr-BE",
		months: [12]string{"janvier", "février", "mars", "avril", "mai", "juin", "juillet", "août", "septembre", "octobre", "novembre", "décembre"},
		date: func(day int, month string, year int) string {
			if day == 1 {
				return fmt.Sprintf("1er %s %d", month, year)
			}
			return fmt.Sprintf("%d %s %d", day, month, year)
		},
		amount: func(whole, cents string) string { return groups(whole, "\u00a0") + "," + cents + "\u00a0€" },

		transcript: "QUESTIONNAIRE COMPLÉTÉ", customer: "Client", address: "Adresse", kboNumber: "Numéro d’entreprise", financialYear: "Exercice",
		checklistLanguage: "Langue", completedAt: "Complété le", progress: "Avancement",
		answers: "Données complétées", name: "Donnée", value: "Valeur", none: "Aucune donnée n’a été complétée.", yes: "Oui", no: "Non",
		dateLabel: "Date", description: "Description", amountHeader: "Montant",
		agreement: "Accord", agreementText: "Après votre accord, nous introduisons la déclaration telle que calculée ci-dessus.",
		dateAndSignature: "Date et signature", reference: "Référence",
		thousands: "\u00a0", decimal: ",",
		unprintedText: "Conservé mais non imprimé : là où figure ◊, les données contiennent des caractères que les polices de ce document n’ont pas ({scripts}).",
		scripts:       map[string]string{"arabic": "arabe", "hebrew": "hébreu", "chinese": "chinois", "japanese": "japonais", "korean": "coréen", "armenian": "arménien", "georgian": "géorgien", "devanagari": "devanagari", "thai": "thaï", "other": "autres caractères"},
		languages:     map[string]string{"dutch": "Néerlandais", "french": "Français", "german": "Allemand", "english": "Anglais"},
	},
	"german": {
		tag:    "de-BE",
		months: [12]string{"Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September", "Oktober", "November", "Dezember"},
		date:   func(day int, month string, year int) string { return fmt.Sprintf("%d. %s %d", day, month, year) },
		amount: func(whole, cents string) string { return groups(whole, ".") + "," + cents + "\u00a0€" },

		transcript: "AUSGEFÜLLTER FRAGEBOGEN", customer: "Kunde", address: "Anschrift", kboNumber: "Unternehmensnummer", financialYear: "Geschäftsjahr",
		checklistLanguage: "Sprache", completedAt: "Ausgefüllt am", progress: "Fortschritt",
		answers: "Ausgefüllte Angaben", name: "Angabe", value: "Wert", none: "Es wurden keine Angaben ausgefüllt.", yes: "Ja", no: "Nein",
		dateLabel: "Datum", description: "Beschreibung", amountHeader: "Betrag",
		agreement: "Einverständnis", agreementText: "Nach Ihrem Einverständnis reichen wir die Erklärung wie oben berechnet ein.",
		dateAndSignature: "Datum und Unterschrift", reference: "Zeichen",
		thousands: ".", decimal: ",",
		unprintedText: "Gespeichert, aber nicht gedruckt: Wo ◊ steht, enthalten die Angaben Zeichen, die den Schriften dieses Dokuments fehlen ({scripts}).",
		scripts:       map[string]string{"arabic": "Arabisch", "hebrew": "Hebräisch", "chinese": "Chinesisch", "japanese": "Japanisch", "korean": "Koreanisch", "armenian": "Armenisch", "georgian": "Georgisch", "devanagari": "Devanagari", "thai": "Thai", "other": "andere Zeichen"},
		languages:     map[string]string{"dutch": "Niederländisch", "french": "Französisch", "german": "Deutsch", "english": "Englisch"},
	},
	"english": {
		tag:    "en",
		months: [12]string{"January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"},
		date:   func(day int, month string, year int) string { return fmt.Sprintf("%d %s %d", day, month, year) },
		amount: func(whole, cents string) string { return "€" + groups(whole, ",") + "." + cents },

		transcript: "COMPLETED CHECKLIST", customer: "Customer", address: "Address", kboNumber: "Enterprise number", financialYear: "Financial year",
		checklistLanguage: "Language", completedAt: "Completed on", progress: "Progress",
		answers: "Completed information", name: "Item", value: "Value", none: "No information was filled in.", yes: "Yes", no: "No",
		dateLabel: "Date", description: "Description", amountHeader: "Amount",
		agreement: "Agreement", agreementText: "Once you agree, we file the return as calculated above.",
		dateAndSignature: "Date and signature", reference: "Reference",
		thousands: ",", decimal: ".",
		unprintedText: "Stored but not printed: where ◊ stands, the information holds characters that the fonts of this document lack ({scripts}).",
		scripts:       map[string]string{"arabic": "Arabic", "hebrew": "Hebrew", "chinese": "Chinese", "japanese": "Japanese", "korean": "Korean", "armenian": "Armenian", "georgian": "Georgian", "devanagari": "Devanagari", "thai": "Thai", "other": "other characters"},
		languages:     map[string]string{"dutch": "Dutch", "french": "French", "german": "German", "english": "English"},
	},
}

var brussels = func() *time.Location {
	location, err := time.LoadLocation("Europe/Brussels")
	if err != nil {
		panic(err) // it is embedded
	}
	return location
}()

// day writes the day of a moment in Belgium, or nothing for no moment.
func (l *labels) day(at backoffice.Instant) string {
	if at.IsZero() {
		return ""
	}
	t := at.Time().In(brussels)
	return l.date(t.Day(), l.months[t.Month()-1], t.Year())
}

// euros writes an amount in cents.
func (l *labels) euros(cents int64) string {
	sign := ""
	magnitude := uint64(cents)
	if cents < 0 {
		sign, magnitude = "−", -magnitude
	}
	return sign + l.amount(strconv.FormatUint(magnitude/100, 10), fmt.Sprintf("%02d", magnitude%100))
}

// groups puts a separator between thousands.
func groups(digits, separator string) string {
	var b strings.Builder
	for i := range len(digits) {
		if i > 0 && (len(digits)-i)%3 == 0 {
			b.WriteString(separator)
		}
		b.WriteByte(digits[i])
	}
	return b.String()
}

// percent writes a percentage with at most one decimal.
func (l *labels) percent(value float64) string {
	text := strconv.FormatFloat(value, 'f', 1, 64)
	text = strings.TrimSuffix(text, ".0")
	if l.tag != "en" {
		return strings.ReplaceAll(text, ".", ",") + "\u00a0%"
	}
	return text + "%"
}

// languageName names a language in this one; one that is not known keeps its own name.
func (l *labels) languageName(language string) string {
	if name, ok := l.languages[strings.ToLower(language)]; ok {
		return name
	}
	return language
}

// kbo writes an enterprise number as Belgians do: 0123.456.749.
func kbo(number string) string {
	if len(number) != 10 {
		return number
	}
	return number[:4] + "." + number[4:7] + "." + number[7:]
}
