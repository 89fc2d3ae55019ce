package backoffice

import "strings"

// Table describes a noun whose records are T, picked by criteria C. What callers send is applied, compared and checked
// by it; the store's columns and the lines of import and export are made from it.
type Table[T any, C comparable] struct {
	Noun          Noun
	requiredScope Scope // without which nobody reads the records; "" for none
	ID            func(*T) *string
	Version       func(*T) *int // nil for nouns without one
	Fields        []WritableField[T]
	nothing       func(C) bool // criteria that no record can match; nil for none
	// Unique names the fields whose values together only one record has, the one that is told of first; nil for none.
	Unique       []string
	File         func(*T) **File // where the record has its stored file; nil for nouns without one
	FileKind     FileKind
	FileRequired bool
	// rule works out what follows from the fields, and holds the rules across them; nil for none.
	rule func(*T, *checker)
}

// WritableField is one field of a noun's records. They stand in the order in which their errors are told. (A type
// called Field gqlgen would take for the schema's __Field.)
type WritableField[T any] struct {
	Name string // in GraphQL's inputs; a part of an object has the object's name and a point before it
	// At is where a record has the field: a func(*T) of a pointer to a Text, which may be missing, a string, a list of
	// strings, an Instant, a bool, a float64 or a JSON; or a Word[T].
	At       any
	Refers   Noun               // the noun that an identifier or a list of them is of; "" for other fields
	Optional bool               // it may be missing
	check    func(*T, *checker) // the rule that needs no other record; nil for none
}

type Word[T any] struct {
	Known []string // in the order of the schema
	Get   func(*T) string
	Set   func(*T, string)
	// Label is the specification's word for it, and Parse reads that; nil where they are the same.
	Label func(word string) string
	Parse func(label string) (word string, err error)
}

// Check holds a record to the rules that need no other record, and brings its values into the form in which they are
// stored. It returns all that is wrong, with the paths of GraphQL's inputs; nil when nothing is.
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

// UniqueValue is what no other record has, "" for none.
func (t *Table[T, C]) UniqueValue(record *T) string {
	var parts []string
	for _, name := range t.Unique {
		parts = append(parts, t.named(name).value(record))
	}
	return strings.Join(parts, " ")
}

// named is the field of a name, which has to be one.
func (t *Table[T, C]) named(name string) *WritableField[T] {
	for i := range t.Fields {
		if t.Fields[i].Name == name {
			return &t.Fields[i]
		}
	}
	panic("no field of a " + string(t.Noun) + " is called " + name)
}

// value is a text by which the field of two records is compared, "" for none. Only fields that callers send have one.
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
	}
	panic("the field " + f.Name + " is not sent by callers")
}
