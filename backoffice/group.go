package backoffice

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Dimension is a value to group rows by: a word of the schema's enums CustomerDimension and TranscriptDimension.
type Dimension string

const (
	GroupByType              Dimension = "TYPE"
	GroupByLanguage          Dimension = "LANGUAGE" // of a transcript its checklist's
	GroupByCompanyType       Dimension = "COMPANY_TYPE"
	GroupByResponsible       Dimension = "RESPONSIBLE" // of a transcript its customer's
	GroupByScope             Dimension = "SCOPE"       // a customer is in a group of each of its scopes
	GroupByCity              Dimension = "CITY"
	GroupByPostalCode        Dimension = "POSTAL_CODE"
	GroupByCountry           Dimension = "COUNTRY"
	GroupByCreatedMonth      Dimension = "CREATED_MONTH" // YYYY-MM in UTC
	GroupByUpdatedMonth      Dimension = "UPDATED_MONTH" // YYYY-MM in UTC
	GroupByStatus            Dimension = "STATUS"
	GroupByChecklist         Dimension = "CHECKLIST"
	GroupByFinancialYear     Dimension = "FINANCIAL_YEAR"
	GroupByIsCompleted       Dimension = "IS_COMPLETED"       // "true" or "false"
	GroupByDocumentGenerated Dimension = "DOCUMENT_GENERATED" // "true" or "false"
	GroupByLabel             Dimension = "LABEL"              // of the responsible user: in a group of each
)

// MaxDimensions is the most values to group rows by at once.
const MaxDimensions = 3

// GroupQuery counts the rows under the criteria by each combination of values that occurs.
type GroupQuery[C comparable] struct {
	Criteria C
	By       [MaxDimensions]Dimension // "" behind the last one
	First    int                      // how many groups to answer with, at most MaxPageSize

	Duplicates bool              // only groups of several that have every value, with their first members
	Turnaround TurnaroundBetween // of transcripts
}

// NewGroupQuery checks a caller's arguments; first is nil for MaxPageSize.
// Errors: BadInput for none, more than three or equal dimensions, and a number of groups outside 0 to MaxPageSize.
func NewGroupQuery[C comparable](criteria C, by []Dimension, first *int) (GroupQuery[C], error) {
	q := GroupQuery[C]{Criteria: criteria, First: MaxPageSize}
	if len(by) == 0 || len(by) > MaxDimensions {
		return q, Errorf(BadInput, "groupBy takes 1 to %d dimensions", MaxDimensions)
	}
	for i, dimension := range by {
		if slices.Contains(by[:i], dimension) {
			return q, Errorf(BadInput, "groupBy takes each dimension only once")
		}
		q.By[i] = dimension
	}
	if first != nil {
		q.First = *first
	}
	if q.First < 0 || q.First > MaxPageSize {
		return q, Errorf(BadInput, "first must be 0 to %d", MaxPageSize)
	}
	return q, nil
}

func (q *GroupQuery[C]) Dimensions() []Dimension {
	if at := slices.Index(q.By[:], ""); at >= 0 {
		return q.By[:at]
	}
	return q.By[:]
}

type Aggregate struct {
	TotalCount int      // rows under the criteria, each once, whatever number of groups it is in
	GroupCount int      // groups, also those beyond the first
	Groups     []*Group // the largest first, then by their values, bytewise, missing ones last
}

type Group struct {
	Keys            []*GroupKey // one for each dimension, in the order asked
	Count           int
	CompletedCount  int     // of transcripts
	AverageProgress float64 // of transcripts, in percent, rounded to nine decimals, so that every engine answers alike
	Turnaround      *Turnaround
	Members         []string // of duplicates: the first MostMembers by identifier
}

type GroupKey struct {
	Dimension Dimension
	Value     Text   // an identifier, an enum's name or a text; "" for rows without one
	Label     string // what a person reads
}

// NewGroupKey labels a value. called is the name of its record, for dimensions whose values are identifiers.
func NewGroupKey(by Dimension, value, called string) *GroupKey {
	key := &GroupKey{Dimension: by, Value: Text(value), Label: value}
	label, named := dimensionLabels[by]
	switch {
	case value == "":
		key.Label = "None"
	case called != "":
		key.Label = strings.TrimSpace(called)
	case named:
		key.Label = label(value)
	}
	return key
}

// dimensionLabels makes the labels of values that are words.
var dimensionLabels = map[Dimension]func(value string) string{
	GroupByType:              func(value string) string { return CustomerType(value).Label() },
	GroupByLanguage:          capitalised,
	GroupByCompanyType:       func(value string) string { return LegalForm(value).Label(LabelEnglish) },
	GroupByStatus:            func(value string) string { return TranscriptStatus(value).Label() },
	GroupByIsCompleted:       either("Completed", "Not completed"),
	GroupByDocumentGenerated: either("Document generated", "No document"),
}

func either(yes, no string) func(string) string {
	return func(value string) string {
		if value == "true" {
			return yes
		}
		return no
	}
}

func capitalised(word string) string {
	first, size := utf8.DecodeRuneInString(word)
	return string(unicode.ToUpper(first)) + word[size:]
}
