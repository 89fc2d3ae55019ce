package backoffice

import (
	"encoding/json"
	"strconv"
	"strings"
)

// TranscriptFilter picks transcripts that meet all fields that are set; nil is no filter.
type TranscriptFilter struct {
	Any               []*TranscriptFilter // nil: no filter; empty: matches nothing
	Not               *TranscriptFilter   // one that matches everything leaves nothing
	ChecklistID       *string
	FinancialYearID   *string
	CustomerID        *string
	ResponsibleID     *string            // of the customer
	Status            []TranscriptStatus // nil: no filter; empty: matches nothing
	IsCompleted       *bool
	DocumentGenerated *bool
	UpdatedSince      *Instant
	UpdatedFrom       *Instant // inclusive
	UpdatedTo         *Instant // exclusive
	CustomVariable    *CustomVariableFilter
}

// CustomVariableFilter picks by a top-level member of CustomVariables: an equal text, a number of equal value, true or
// false. It never matches an object with a NUL in it.
type CustomVariableFilter struct {
	Key    string
	Equals string
}

// TranscriptCriteria is a TranscriptFilter prepared for the store; zero fields are no criterion.
type TranscriptCriteria struct {
	Nothing           bool
	ChecklistID       string
	FinancialYearID   string
	CustomerID        string
	ResponsibleID     string
	Status            StatusSet
	IsCompleted       Tristate
	DocumentGenerated Tristate
	UpdatedSince      Instant
	Any               Nested[TranscriptCriteria] // at least one of these
	Not               Nested[TranscriptCriteria] // one that must not match
	Updated           Span
	Variable          VariableCriteria
}

// VariableCriteria is a CustomVariableFilter prepared for the store; the zero value is no criterion.
type VariableCriteria struct {
	Set      bool
	Key      string
	Text     string // as a text, or true or false
	Number   float64
	IsNumber bool // Text is a number
}

// Criteria prepares the filter for the store. Errors: BadInput for filters nested too deep.
func (f *TranscriptFilter) Criteria() (TranscriptCriteria, error) { return f.criteria(0) }

// criteria is Criteria for a filter nested level deep.
func (f *TranscriptFilter) criteria(level int) (c TranscriptCriteria, err error) {
	if f == nil {
		return c, nil
	}
	exact(&c.ChecklistID, f.ChecklistID, &c.Nothing)
	exact(&c.FinancialYearID, f.FinancialYearID, &c.Nothing)
	exact(&c.CustomerID, f.CustomerID, &c.Nothing)
	exact(&c.ResponsibleID, f.ResponsibleID, &c.Nothing)
	c.IsCompleted, c.DocumentGenerated = tristate(f.IsCompleted), tristate(f.DocumentGenerated)
	c.UpdatedSince = wanted(f.UpdatedSince)
	statuses(&c.Status, f.Status, &c.Nothing)
	c.Updated = spanOf(f.UpdatedFrom, f.UpdatedTo)
	if v := f.CustomVariable; v != nil {
		c.Variable = VariableCriteria{Set: true, Key: v.Key, Text: v.Equals}
		if number, err := strconv.ParseFloat(v.Equals, 64); err == nil && isJSONNumber(v.Equals) {
			c.Variable.Number, c.Variable.IsNumber = number, true
		}
		if len(v.Key) > MaxJSON || len(v.Equals) > MaxJSON {
			c.Variable, c.Nothing = VariableCriteria{}, true
		}
	}
	err = anyAndNot(f.Any, f.Not, level, (*TranscriptFilter).criteria,
		func(c TranscriptCriteria) bool { return c.Nothing }, &c.Any, &c.Not, &c.Nothing)
	return c, err
}

func isJSONNumber(text string) bool {
	return text != "" && strings.Trim(text, "+-.0123456789eE") == "" && json.Valid([]byte(text))
}
