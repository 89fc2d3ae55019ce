package pdf

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"example.org/backoffice/backoffice"
)

// labels are the words of one language, and its formats of dates and numbers.
type labels struct {
	Tag                string // BCP 47
	Months             [12]string
	Date               string // with {day}, {month} and {year}
	First              string // the first day of a month, if special
	Amount, Percent    string // with {} for the number
	Thousands, Decimal string // signs of a number

	Transcript, Customer, Address, KBONumber, FinancialYear, ChecklistLanguage, CompletedAt, Progress string
	Answers, Name, Value, None, Yes, No, NoConsultations, ConsultedAt, ConsultedBy, Purpose           string
	DateLabel, Description, AmountHeader, Agreement, AgreementText, DateAndSignature, Reference       string

	Consultations, ConsultationsTitle, ConsultationsText, ConsultationsAlone, ConsultationsCompared string
	ConsultationsPart, NoneOfThese                                                                  string

	Ownership, OwnershipTitle, OwnershipText, OwnersComplete, OwnersMissing, BeneficialOwners, Owners string
	Owner, NoOwners, Share, Vote, Control, Discrepancies, Declared, Computed, Uncertain               string

	Supervision, SupervisionTitle, SupervisionText, CustomersByRisk, NoRisk, NoNumbers, Number string
	Reviews, ReviewsDue, ReviewsDone, ReviewsLate, ReviewsOverdue                              string
	DiscrepanciesOpened, DiscrepanciesClosed, DiscrepanciesReported, DiscrepanciesOpen         string
	DaysToClose, DaysToReport, ConsultationsByPurpose, NoPurpose, OtherPurposes                string

	// By the names of enum values.
	Operations, PrivacyFields, OwnerCategories, DiscrepancyKinds, ReviewStates map[string]string

	UnprintedText string            // with {scripts}
	Scripts       map[string]string // by the names of scripts
	Languages     map[string]string
}

// labelsFor knows dutch, french, german and english; any other language gets English.
func labelsFor(language string) *labels {
	return cmp.Or(languages[strings.ToLower(strings.TrimSpace(language))], languages["english"])
}

//go:embed labels.json
var labelsFile []byte

var languages = func() (all map[string]*labels) {
	if err := json.Unmarshal(labelsFile, &all); err != nil {
		panic(err) // it is part of the program
	}
	return all
}()

// day writes the day of an instant in Belgium, or nothing for none.
func (l *labels) day(at backoffice.Instant) string {
	if at.IsZero() {
		return ""
	}
	t := at.Time().In(backoffice.Belgium)
	day := strconv.Itoa(t.Day())
	if t.Day() == 1 {
		day = cmp.Or(l.First, day)
	}
	month, year := l.Months[t.Month()-1], strconv.Itoa(t.Year())
	return strings.NewReplacer("{day}", day, "{month}", month, "{year}", year).Replace(l.Date)
}

// second writes an instant to the second in Belgian time, with its offset from UTC to compare with logs.
func (l *labels) second(at backoffice.Instant) string {
	return l.day(at) + " " + at.Time().In(backoffice.Belgium).Format("15:04:05 UTC-07:00")
}

func (l *labels) euros(cents int64) string {
	sign := ""
	magnitude := uint64(cents)
	if cents < 0 {
		sign, magnitude = "−", -magnitude
	}
	text := groups(strconv.FormatUint(magnitude/100, 10), l.Thousands) + l.Decimal + fmt.Sprintf("%02d", magnitude%100)
	return sign + strings.Replace(l.Amount, "{}", text, 1)
}

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

// decimal writes a number with at most one decimal.
func (l *labels) decimal(value float64) string {
	text := strings.TrimSuffix(strconv.FormatFloat(value, 'f', 1, 64), ".0")
	return strings.Replace(text, ".", l.Decimal, 1)
}

func (l *labels) percent(value float64) string {
	return strings.Replace(l.Percent, "{}", l.decimal(value), 1)
}

// exact writes a decimal percentage as it is.
func (l *labels) exact(decimal string) string {
	return strings.Replace(l.Percent, "{}", strings.Replace(decimal, ".", l.Decimal, 1), 1)
}

// kbo writes an enterprise number as Belgians do: 0123.456.749.
func kbo(number string) string {
	if len(number) != 10 {
		return number
	}
	return number[:4] + "." + number[4:7] + "." + number[7:]
}
