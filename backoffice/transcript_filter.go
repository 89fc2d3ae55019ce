package backoffice

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"time"
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
	Overdue           *bool // today
	UpdatedSince      *Instant
	UpdatedFrom       *Instant // inclusive
	UpdatedTo         *Instant // exclusive
	CustomVariable    *CustomVariableFilter
	LabelID           *string  // of the customer's responsible user
	CreatedFrom       *Instant // From is inclusive, To is exclusive; an unknown time is in no span
	CreatedTo         *Instant
	CompletedFrom     *Instant
	CompletedTo       *Instant
	SentFrom          *Instant
	SentTo            *Instant

	DocumentGeneratedFrom *Instant
	DocumentGeneratedTo   *Instant
}

// CustomVariableFilter picks by a top-level member of CustomVariables that meets all that are not nil, at least one:
// an equal text, a number of equal value, true or false; a number within bounds, themselves included. It never matches
// an object with a NUL in it.
type CustomVariableFilter struct {
	Key    string
	Equals *string
	Gte    *float64
	Lte    *float64
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
	Overdue           string // a day on which they are overdue, 2026-03-31; a criterion has its day, so it can be cached
	NotOverdue        string // a day on which they are not
	UpdatedSince      Instant
	Any               Nested[TranscriptCriteria] // at least one of these
	Not               Nested[TranscriptCriteria] // one that must not match
	Updated           Span
	Variable          VariableCriteria
	VariableRange     VariableRange
	LabelID           string
	Created           Span
	Completed         Span
	Sent              Span
	Generated         Span // when the document was generated
}

// VariableCriteria is the equal part of a CustomVariableFilter prepared for the store; the zero value is no criterion.
type VariableCriteria struct {
	Set      bool
	Key      string
	Text     string // as a text, or true or false
	Number   float64
	IsNumber bool // Text is a number
}

// VariableRange is the rest of a CustomVariableFilter prepared for the store; the zero value is no criterion.
type VariableRange struct {
	Set         bool
	Key         string
	Least, Most float64
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
	exact(&c.LabelID, f.LabelID, &c.Nothing)
	c.IsCompleted, c.DocumentGenerated = tristate(f.IsCompleted), tristate(f.DocumentGenerated)
	switch today := Today(time.Now()); tristate(f.Overdue) {
	case Yes:
		c.Overdue = today
	case No:
		c.NotOverdue = today
	}
	c.UpdatedSince = wanted(f.UpdatedSince)
	statuses(&c.Status, f.Status, &c.Nothing)
	c.Updated = spanOf(f.UpdatedFrom, f.UpdatedTo)
	c.Created, c.Completed = spanOf(f.CreatedFrom, f.CreatedTo), spanOf(f.CompletedFrom, f.CompletedTo)
	c.Sent, c.Generated = spanOf(f.SentFrom, f.SentTo), spanOf(f.DocumentGeneratedFrom, f.DocumentGeneratedTo)
	if err = f.CustomVariable.criteria(&c); err != nil {
		return c, err
	}
	err = anyAndNot(f.Any, f.Not, level, (*TranscriptFilter).criteria,
		func(c TranscriptCriteria) bool { return c.Nothing }, &c.Any, &c.Not, &c.Nothing)
	return c, err
}

func (v *CustomVariableFilter) criteria(c *TranscriptCriteria) error {
	if v == nil {
		return nil
	}
	if v.Equals == nil && v.Gte == nil && v.Lte == nil {
		return Errorf(BadInput, "a condition on customVariables must have equals, gte or lte")
	}
	if len(v.Key) > MaxJSON || v.Equals != nil && len(*v.Equals) > MaxJSON {
		c.Nothing = true
		return nil
	}
	if v.Equals != nil {
		c.Variable = VariableCriteria{Set: true, Key: v.Key, Text: *v.Equals}
		if number, err := strconv.ParseFloat(*v.Equals, 64); err == nil && isJSONNumber(*v.Equals) {
			c.Variable.Number, c.Variable.IsNumber = number, true
		}
	}
	if v.Gte != nil || v.Lte != nil {
		c.VariableRange = VariableRange{Set: true, Key: v.Key, Least: math.Inf(-1), Most: math.Inf(1)}
		if v.Gte != nil {
			c.VariableRange.Least = *v.Gte
		}
		if v.Lte != nil {
			c.VariableRange.Most = *v.Lte
		}
	}
	return nil
}

func isJSONNumber(text string) bool {
	return text != "" && strings.Trim(text, "+-.0123456789eE") == "" && json.Valid([]byte(text))
}
