package importexport

import (
	"math"
	"strconv"
	"time"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/privacy"
)

// field is one key of a noun's lines.
type field[T any] struct {
	name   string // in the folder
	before string // the next field, for one that the domain's table lacks; "" for the end
	shown  string // in GraphQL's inputs, for the change log; "" when the log ignores it

	// read puts a value into the row; null clears.
	read func(r *reading, row *T, value raw) error
	// write appends the value; nil when export writes the field in another way, or not at all.
	write func(out []byte, row *T) []byte
	// same compares the field of two rows; nil compares the output of write.
	same func(a, b *T) bool

	// keep restores the line's value in a row after happened has changed it; nil when it never does.
	keep func(row, said *T)

	// refers is the noun that the field refers to, "" for none; targets are the identifiers in it.
	refers  backoffice.Noun
	targets func(row *T) []string
	secret  backoffice.PrivacyField // of a registration number
	cell    cell                    // the form of its cells in a spreadsheet
	parts   []string                // of an object
}

type reading struct {
	now   time.Time
	keys  *privacy.Keyset
	file  fileReference
	exact bool // take the line's version, even a smaller one
}

// text makes a field of a text. The domain checks whether it is required, and its value.
func text[T any, S ~string](at func(*T) *S) field[T] {
	return field[T]{
		read:  func(_ *reading, row *T, value raw) error { return readText(at(row), value) },
		write: func(out []byte, row *T) []byte { return backoffice.Text(*at(row)).AppendJSON(out) },
	}
}

// readText reads a string, or null, which clears.
func readText[S ~string](into *S, value raw) error {
	if *into = ""; value.isNull() {
		return nil
	}
	text, err := value.text()
	if err == nil && text == "" { // a row would have it as null, unlike the line
		err = errEmpty
	}
	*into = S(text)
	return err
}

// word makes a field of a value in the specification's words; null is the value of a new record.
func word[T any](of backoffice.Word[T], none string) field[T] {
	return field[T]{
		read: func(_ *reading, row *T, value raw) (err error) {
			word := none
			if !value.isNull() {
				if err = readText(&word, value); err == nil && of.Parse != nil {
					word, err = of.Parse(word)
				}
			}
			of.Set(row, word)
			return err
		},
		write: func(out []byte, row *T) []byte {
			if of.Label == nil {
				return backoffice.Text(of.Get(row)).AppendJSON(out)
			}
			return backoffice.AppendJSONString(out, of.Label(of.Get(row)))
		},
	}
}

// flag makes a field that is true or false; null is false.
func flag[T any](at func(*T) *bool) field[T] {
	return field[T]{
		cell: flagCell,
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

// number makes a field of a number; null is 0. Whole ones are written without a point or an exponent.
func number[T any](at func(*T) *float64) field[T] {
	return field[T]{
		cell: numberCell,
		read: func(_ *reading, row *T, value raw) (err error) {
			if *at(row) = 0; !value.isNull() {
				*at(row), err = value.number()
			}
			return err
		},
		write: func(out []byte, row *T) []byte { return strconv.AppendFloat(out, *at(row), 'f', -1, 64) },
	}
}

func freeForm[T any](at func(*T) *backoffice.JSON) field[T] {
	return field[T]{
		cell: jsonCell,
		read: func(_ *reading, row *T, value raw) (err error) {
			if *at(row) = ""; !value.isNull() {
				*at(row), err = backoffice.ParseJSON(value)
			}
			if string(*at(row)) == "{}" { // the one form of an empty object
				*at(row) = ""
			}
			return err
		},
		write: func(out []byte, row *T) []byte { return at(row).AppendJSON(out) },
		// Otherwise a source that changes the order of the members would change every record each night.
		same: func(a, b *T) bool { return at(a).SameMembers(*at(b)) },
	}
}

// moment makes a field of an instant. A line may omit one that every record has, but cannot clear it; an optional one,
// noted when something happens, is what the line has.
func moment[T any](at func(*T) *backoffice.Instant, optional bool) field[T] {
	f := field[T]{
		cell: momentCell,
		read: func(_ *reading, row *T, value raw) error {
			if value.isNull() && !optional {
				return errRequired
			}
			return at(row).UnmarshalJSON(value)
		},
		write: func(out []byte, row *T) []byte { return at(row).AppendJSON(out) },
	}
	if optional {
		f.keep = func(row, said *T) { *at(row) = *at(said) }
	}
	return f
}

// version makes the field of a record's version. A version only grows: one smaller than the stored one is ignored.
func version[T any](at func(*T) *int) field[T] {
	return field[T]{
		name: "version", cell: numberCell,
		read: func(r *reading, row *T, value raw) error {
			number, err := value.number()
			const most = backoffice.MaxVersion
			if err != nil || number < 1 || number > most || number != math.Trunc(number) {
				return backoffice.Errorf(backoffice.BadInput, "a version must be a whole number from 1 to %d", most)
			}
			if *at(row) = max(*at(row), int(number)); r.exact {
				*at(row) = int(number)
			}
			return nil
		},
		write: func(out []byte, row *T) []byte { return strconv.AppendInt(out, int64(*at(row)), 10) },
	}
}

// list makes a field of a list of texts; null is the empty one.
func list[T any](at func(*T) *[]string) field[T] {
	return field[T]{
		cell: listCell,
		read: func(_ *reading, row *T, value raw) error {
			*at(row) = nil
			if value.isNull() {
				return nil
			}
			if value[0] != '[' {
				return backoffice.Errorf(backoffice.BadInput, "the value must be a list of strings")
			}
			return eachMember(value, func(_, element raw) error {
				text, err := element.text()
				*at(row) = append(*at(row), text)
				return err
			})
		},
		write: func(out []byte, row *T) []byte { return appendTexts(out, *at(row)) },
	}
}

// appendTexts appends the JSON of a list of texts.
func appendTexts(out []byte, texts []string) []byte {
	out = append(out, '[')
	for _, text := range texts {
		out = backoffice.AppendJSONString(comma(out), text)
	}
	return append(out, ']')
}

// derived makes a field that the REST interface derives from others: import skips it.
func derived[T any](name string) field[T] {
	return field[T]{name: name, read: func(*reading, *T, raw) error { return nil }}
}
