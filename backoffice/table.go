package backoffice

import "strings"

// Table describes a noun with records T and criteria C. It applies, compares and checks input. The columns of the store
// and the lines of import and export are made from it.
type Table[T any, C comparable] struct {
	Noun          Noun
	requiredScope Scope // to read the records; "" for none
	WholeOffice   bool  // the records follow from those of the whole office: restricted credentials see none
	ID            func(*T) *string
	Version       func(*T) *int // nil for nouns without one
	Fields        []WritableField[T]
	nothing       func(C) bool // reports criteria that no record can match; nil for none
	// Unique names the fields whose combined value is unique, first the one for errors; nil for none.
	Unique []string
	// Period names the fields of a record's first and last day, if Unique is unique on each day; nil for always.
	Period       []string
	File         func(*T) **File // nil for nouns without a file
	FileKind     FileKind
	FileRequired bool
	// rule computes derived fields and checks the rules across fields; nil for none.
	rule func(*T, *checker)
}

// WritableField is a noun's field. Errors are in the order of fields. (gqlgen would take the name Field for __Field.)
type WritableField[T any] struct {
	Name string // in GraphQL's inputs; of a part of an object: address.city
	// At is a Word[T], or a func(*T) that returns a pointer to the field: a Text (may be missing), string, []string,
	// Instant, bool, float64 or JSON.
	At       any
	Refers   Noun               // the noun of an identifier or a list of them; "" for other fields
	Optional bool               // may be missing
	check    func(*T, *checker) // the rule that needs no other record; nil for none
}

type Word[T any] struct {
	Known []string // in the order of the schema
	Get   func(*T) string
	Set   func(*T, string)
	// Label returns the specification's word and Parse reads it; nil where they are the same.
	Label func(word string) string
	Parse func(label string) (word string, err error)
}

// Check checks a record against the rules that need no other record, and puts its values into their stored form. It
// returns all faults, with the paths of GraphQL's inputs.
func (t *Table[T, C]) Check(record *T) []*UserError {
	var check checker
	for i := range t.Fields {
		if t.Fields[i].check != nil {
			t.Fields[i].check(record, &check)
		}
	}
	if t.FileRequired && *t.File(record) == nil {
		check.add(CodeRequired, "this field is required", "file")
	}
	if t.rule != nil {
		t.rule(record, &check)
	}
	return check.found
}

// UniqueValue is the combined value of the Unique fields, "" for none, and the days on which it is unique.
type UniqueValue struct {
	Value string
	Period
}

func (t *Table[T, C]) UniqueValue(record *T) UniqueValue {
	value := func(name string) string { return t.named(name).value(record) }
	u := UniqueValue{Value: strings.Join(Map(t.Unique, value), " ")}
	if t.Period != nil {
		u.Period = Period{First: value(t.Period[0]), Last: value(t.Period[1])}
	}
	return u
}

// Conflicts reports whether only one of the two may exist.
func (u UniqueValue) Conflicts(other UniqueValue) bool {
	return u.Value != "" && u.Value == other.Value && u.Overlaps(other.Period)
}

// named returns the field of a name and panics when there is none.
func (t *Table[T, C]) named(name string) *WritableField[T] {
	for i := range t.Fields {
		if t.Fields[i].Name == name {
			return &t.Fields[i]
		}
	}
	panic("no field of a " + string(t.Noun) + " is called " + name)
}

// value returns the field as a text to compare, "" for none. It panics for a field that callers do not send.
func (f *WritableField[T]) value(record *T) string {
	switch at := f.At.(type) {
	case func(*T) *Text:
		return string(*at(record))
	case func(*T) *string:
		return *at(record)
	case func(*T) *[]string:
		return strings.Join(*at(record), " ")
	case Word[T]:
		return at.Get(record)
	case func(*T) *Instant:
		if !at(record).IsZero() {
			return at(record).Time().String()
		}
		return ""
	case func(*T) *bool:
		if *at(record) {
			return "true"
		}
		return ""
	}
	panic("the field " + f.Name + " cannot be set by callers")
}
