package pdf

import (
	"encoding/json"
	"strconv"
	"strings"

	"example.org/backoffice/backoffice"
)

// nothing is printed for null and for an empty text.
const nothing = "–"

// repeatedMost bounds the bytes of names that are repeated below them: long names over many answers.
const repeatedMost = 64 << 10

// flatten turns a free-form object into rows, in the object's own order, with labels for its keys. Nested values are
// prefixed with the labels above them, or with an ellipsis where those were repeated very often. The members of a list
// are numbered from 1; a list of plain values is one row.
func flatten(variables backoffice.JSON, l *labels) ([]row, error) {
	if len(variables) == 0 {
		return nil, nil
	}
	decoder := json.NewDecoder(strings.NewReader(string(variables)))
	decoder.UseNumber()
	f := flattener{decoder: decoder, labels: l, repeatable: repeatedMost}
	token, err := decoder.Token()
	if err != nil || token != json.Delim('{') {
		return nil, backoffice.Errorf(backoffice.BadInput, "custom variables must be a JSON object")
	}
	if _, err := f.object(""); err != nil {
		return nil, backoffice.Errorf(backoffice.BadInput, "custom variables must be a JSON object")
	}
	return f.rows, nil
}

type flattener struct {
	decoder    *json.Decoder
	labels     *labels
	rows       []row
	repeatable int // bytes of names
}

// object reads up to its closing brace. one reports whether a value became one row of the value's own name.
func (f *flattener) object(name string) (one bool, err error) {
	empty := true
	for f.decoder.More() {
		key, err := f.decoder.Token()
		if err != nil {
			return false, err
		}
		label := humanised(key.(string))
		if name != "" {
			label = f.above(name) + " – " + label
		}
		value, err := f.decoder.Token()
		if err == nil {
			_, err = f.of(value, label)
		}
		if err != nil {
			return false, err
		}
		empty = false
	}
	if empty && name != "" {
		f.add(name, nothing)
	}
	_, err = f.decoder.Token()
	return empty, err
}

// list reads up to its closing bracket.
func (f *flattener) list(name string) (one bool, err error) {
	first, repeatable := len(f.rows), f.repeatable
	n := 0
	ones := true
	var plain []int // rows without a name yet, since they may become one
	for f.decoder.More() {
		n++
		token, err := f.decoder.Token()
		if err != nil {
			return false, err
		}
		isOne := true
		if _, composite := token.(json.Delim); composite {
			isOne, err = f.of(token, f.above(name)+" "+strconv.Itoa(n))
		} else {
			plain = append(plain, len(f.rows))
			_, err = f.of(token, strconv.Itoa(n))
		}
		if err != nil {
			return false, err
		}
		ones = ones && isOne
	}
	if _, err := f.decoder.Token(); err != nil {
		return false, err
	}
	if !ones {
		for _, i := range plain {
			f.rows[i].cells[0] = f.above(name) + " " + f.rows[i].cells[0]
		}
		return false, nil
	}
	values := make([]string, n)
	for i, member := range f.rows[first:] {
		values[i] = member.cells[1]
	}
	f.rows, f.repeatable = f.rows[:first], repeatable
	if n == 0 {
		values = []string{nothing}
	}
	f.add(name, strings.Join(values, ", "))
	return true, nil
}

func (f *flattener) of(token json.Token, name string) (one bool, err error) {
	switch value := token.(type) {
	case json.Delim:
		if value == '{' {
			return f.object(name)
		}
		return f.list(name)
	case bool:
		if value {
			f.add(name, f.labels.Yes)
		} else {
			f.add(name, f.labels.No)
		}
	case json.Number:
		f.add(name, f.labels.number(value.String()))
	case string:
		if strings.TrimSpace(value) == "" {
			value = nothing
		}
		f.add(name, value)
	default:
		f.add(name, nothing)
	}
	return true, nil
}

func (f *flattener) add(name, value string) {
	f.rows = append(f.rows, row{cells: [2]string{name, value}})
}

// above is a name as the prefix of the names below it.
func (f *flattener) above(name string) string {
	if f.repeatable -= len(name); f.repeatable < 0 {
		return "…"
	}
	return name
}
