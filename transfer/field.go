package transfer

import (
	"math"
	"slices"
	"strconv"
	"time"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/privacy"
)

// field is one key of a noun's lines.
type field[T any] struct {
	name  string // in the folder
	shown string // in the GraphQL schema, for the change log; "" when a change of it alone is none

	// read puts a value into the row; null clears.
	read func(r *reading, row *T, value raw) error
	// write appends the value; nil when export writes the field in another way, or not at all.
	write func(out []byte, row *T) []byte
	// same compares the field of two rows; nil compares what write gives.
	same func(a, b *T) bool
	// missing tells that a row lacks what it needs; nil when it may.
	missing func(row *T) bool

	// refers is the noun to which the field points, "" for none; targets are the identifiers in it.
	refers  backoffice.Noun
	targets func(row *T) []string

	secret backoffice.PrivacyField // of a registration number
}

// reading is what a line's fields are read with.
type reading struct {
	now  time.Time
	keys *privacy.Keyset
	file wish
}

// optional makes a field of a text that may be missing.
func optional[T any, S ~string](name, shown string, at func(*T) *S, parse func(string) (S, error)) field[T] {
	return field[T]{
		name: name, shown: shown,
		read: func(_ *reading, row *T, value raw) error {
			if value.isNull() {
				*at(row) = ""
				return nil
			}
			text, err := value.text()
			if err == nil {
				*at(row), err = parse(text)
			}
			return err
		},
		write: func(out []byte, row *T) []byte { return backoffice.Text(*at(row)).AppendJSON(out) },
	}
}

// required makes a field of a text that every record has.
func required[T any, S ~string](name, shown string, at func(*T) *S, parse func(string) (S, error)) field[T] {
	f := optional(name, shown, at, parse)
	f.missing = func(row *T) bool { return *at(row) == "" }
	return f
}

// labelled is required, written in the specification's words.
func labelled[T any, S interface {
	~string
	Label() string
}](name, shown string, at func(*T) *S, parse func(string) (S, error)) field[T] {
	f := required(name, shown, at, parse)
	f.write = func(out []byte, row *T) []byte { return backoffice.AppendJSONString(out, (*at(row)).Label()) }
	return f
}

// pointing makes a field out of one with an identifier of another noun.
func pointing[T any](f field[T], noun backoffice.Noun, at func(*T) *string) field[T] {
	f.refers = noun
	f.targets = func(row *T) []string {
		if *at(row) == "" {
			return nil
		}
		return []string{*at(row)}
	}
	return f
}

// reference makes a field of an identifier that may be missing.
func reference[T any](name string, noun backoffice.Noun, at func(*T) *string) field[T] {
	return pointing(optional(name, name, at, identifier), noun, at)
}

// requiredReference makes a field of an identifier that every record has.
func requiredReference[T any](name string, noun backoffice.Noun, at func(*T) *string) field[T] {
	return pointing(required(name, name, at, identifier), noun, at)
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

// version makes the field of a record's version. A version only grows: a smaller one than is stored changes nothing.
func version[T any](at func(*T) *int) field[T] {
	return field[T]{
		name: "version",
		read: func(_ *reading, row *T, value raw) error {
			number, err := value.number()
			if err != nil || number < 1 || number > math.MaxInt32 || number != math.Trunc(number) {
				return backoffice.Errorf(backoffice.BadInput, "a version is a whole number from 1")
			}
			*at(row) = max(*at(row), int(number))
			return nil
		},
		write: func(out []byte, row *T) []byte { return strconv.AppendInt(out, int64(*at(row)), 10) },
	}
}

// list makes a field of a list of texts; null is the empty one. arrange puts what was read in order.
func list[T any](name, shown string, at func(*T) *[]string, parse func(string) (string, error), arrange func([]string) []string) field[T] {
	return field[T]{
		name: name, shown: shown,
		read: func(_ *reading, row *T, value raw) error {
			if value.isNull() {
				*at(row) = nil
				return nil
			}
			if value[0] != '[' {
				return backoffice.Errorf(backoffice.BadInput, "the value is a list of strings")
			}
			var items []string
			err := eachElement(value, func(element raw) error {
				text, err := element.text()
				if err == nil {
					text, err = parse(text)
				}
				items = append(items, text)
				return err
			})
			*at(row) = arrange(items)
			return err
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

// sortedOnce arranges a set.
func sortedOnce(items []string) []string {
	slices.Sort(items)
	return slices.Compact(items)
}

// firstOnce keeps the order and drops repetitions.
func firstOnce(items []string) []string {
	kept := items[:0]
	for _, item := range items {
		if !slices.Contains(kept, item) {
			kept = append(kept, item)
		}
	}
	return kept
}

// derived makes a field that the REST interface shows and that is worked out from the others: import passes it over.
func derived[T any](name string) field[T] {
	return field[T]{name: name, read: func(*reading, *T, raw) error { return nil }}
}

// The parsers of texts, in the form that fields take.

func identifier(text string) (string, error) { return text, backoffice.CheckID(text) }

func shortText[S ~string](text string) (S, error) {
	return S(text), backoffice.CheckText(text, backoffice.MaxText)
}

// orNull turns a parser of a text into one of a text that may be missing.
func orNull(parse func(string) (string, error)) func(string) (backoffice.Text, error) {
	return func(text string) (backoffice.Text, error) {
		parsed, err := parse(text)
		return backoffice.Text(parsed), err
	}
}
