package importexport

import (
	"math"
	"strconv"
	"strings"
	"time"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/privacy"
)

// field is one key of a noun's lines.
type field[T any] struct {
	name  string // in the folder
	shown string // in GraphQL's inputs, for the change log; "" when a change of it alone is none

	// read puts a value into the row; null clears.
	read func(r *reading, row *T, value raw) error
	// write appends the value; nil when export writes the field in another way, or not at all.
	write func(out []byte, row *T) []byte
	// same compares the field of two rows; nil compares what write gives.
	same func(a, b *T) bool

	// keep gives a row back what its line said, when something else was noted; nil when nothing is.
	keep func(row, said *T)

	// refers is the noun to which the field points, "" for none; targets are the identifiers in it.
	refers  backoffice.Noun
	targets func(row *T) []string

	secret    backoffice.PrivacyField // of a registration number
	fromTable bool                    // a place for texts of the domain's table of fields
}

// reading is what a line's fields are read with.
type reading struct {
	now  time.Time
	keys *privacy.Keyset
	file fileReference
}

// text makes a field of a text. That it must be there, and what it may be, are the domain's checks.
func text[T any, S ~string](name, shown string, at func(*T) *S) field[T] {
	return parsed(name, shown, at, func(text string) (S, error) { return S(text), nil })
}

func parsed[T any, S ~string](name, shown string, at func(*T) *S, parse func(string) (S, error)) field[T] {
	return field[T]{
		name: name, shown: shown,
		read: func(_ *reading, row *T, value raw) error {
			if value.isNull() {
				*at(row) = ""
				return nil
			}
			text, err := value.text()
			switch {
			case err != nil:
				return err
			case text == "": // a row has it as null, which is not what the line says
				return errEmpty
			}
			*at(row), err = parse(text)
			return err
		},
		write: func(out []byte, row *T) []byte { return backoffice.Text(*at(row)).AppendJSON(out) },
	}
}

// labelled makes a field of a value that is written in the specification's words.
func labelled[T any, S interface {
	~string
	Label() string
}](name, shown string, at func(*T) *S, parse func(string) (S, error)) field[T] {
	f := parsed(name, shown, at, parse)
	f.write = func(out []byte, row *T) []byte { return backoffice.AppendJSONString(out, (*at(row)).Label()) }
	return f
}

// reference makes a field of the identifier of another noun's record.
func reference[T any](name string, noun backoffice.Noun, at func(*T) *string) field[T] {
	f := text(name, name+"Id", at)
	f.refers = noun
	f.targets = func(row *T) []string {
		if *at(row) == "" {
			return nil
		}
		return []string{*at(row)}
	}
	return f
}

// flag makes a field that is true or false; null is false.
func flag[T any](name string, at func(*T) *bool) field[T] {
	return field[T]{
		name: name, shown: name,
		read: func(_ *reading, row *T, value raw) (err error) {
			if value.isNull() {
				*at(row) = false
				return nil
			}
			*at(row), err = value.boolean()
			return err
		},
		write: func(out []byte, row *T) []byte { return strconv.AppendBool(out, *at(row)) },
	}
}

// moment makes a field of an instant that every record has; a line need not say it, but cannot clear it.
func moment[T any](name, shown string, at func(*T) *backoffice.Instant) field[T] {
	f := clearableMoment(name, shown, at)
	read := f.read
	f.read = func(r *reading, row *T, value raw) error {
		if value.isNull() {
			return errRequired
		}
		return read(r, row, value)
	}
	return f
}

func clearableMoment[T any](name, shown string, at func(*T) *backoffice.Instant) field[T] {
	return field[T]{
		name: name, shown: shown,
		read: func(_ *reading, row *T, value raw) error { return at(row).UnmarshalJSON(value) },
		write: func(out []byte, row *T) []byte {
			return at(row).AppendJSON(out)
		},
	}
}

// notedMoment makes a field of an instant that is noted when it happens, unless a line says it.
func notedMoment[T any](name string, at func(*T) *backoffice.Instant) field[T] {
	f := clearableMoment(name, name, at)
	f.keep = func(row, said *T) { *at(row) = *at(said) }
	return f
}

// version makes the field of a record's version. A version only grows: a smaller one than is stored changes nothing.
func version[T any](at func(*T) *int) field[T] {
	return field[T]{
		name: "version",
		read: func(_ *reading, row *T, value raw) error {
			number, err := value.number()
			if err != nil || number < 1 || number > backoffice.MaxVersion || number != math.Trunc(number) {
				return backoffice.Errorf(backoffice.BadInput, "a version is a whole number from 1 to %d", backoffice.MaxVersion)
			}
			*at(row) = max(*at(row), int(number))
			return nil
		},
		write: func(out []byte, row *T) []byte { return strconv.AppendInt(out, int64(*at(row)), 10) },
	}
}

// list makes a field of a list of texts; null is the empty one.
func list[T any](name, shown string, at func(*T) *[]string) field[T] {
	return field[T]{
		name: name, shown: shown,
		read: func(_ *reading, row *T, value raw) error {
			*at(row) = nil
			if value.isNull() {
				return nil
			}
			if value[0] != '[' {
				return backoffice.Errorf(backoffice.BadInput, "the value is a list of strings")
			}
			return eachElement(value, func(element raw) error {
				text, err := element.text()
				*at(row) = append(*at(row), text)
				return err
			})
		},
		write: func(out []byte, row *T) []byte {
			out = append(out, '[')
			for i, item := range *at(row) {
				if i > 0 {
					out = append(out, ',')
				}
				out = backoffice.AppendJSONString(out, item)
			}
			return append(out, ']')
		},
	}
}

// inTable stands for a text of the domain's table of fields, and with an empty name for all texts that no other place
// among the fields is for: see withTexts.
func inTable[T any](name string) field[T] { return field[T]{name: name, fromTable: true} }

// withTexts puts the texts of the domain's table of fields in their places. A part of an object is in its object's field.
func withTexts[T, I any](table []backoffice.WritableField[T, I], fields ...field[T]) (all []field[T]) {
	placed := map[string]bool{}
	for _, f := range fields {
		placed[f.name] = true
	}
	for _, f := range fields {
		if !f.fromTable {
			all = append(all, f)
			continue
		}
		for _, of := range table {
			if of.Name != f.name && (f.name != "" || placed[of.Name] || strings.Contains(of.Name, ".")) {
				continue
			}
			if of.Text != nil {
				all = append(all, text(of.Name, of.Name, of.Text))
			}
		}
	}
	return all
}

// derived makes a field that the REST interface shows and that is worked out from the others: import passes it over.
func derived[T any](name string) field[T] {
	return field[T]{name: name, read: func(*reading, *T, raw) error { return nil }}
}
