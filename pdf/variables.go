package pdf

import (
	"encoding/json"
	"strconv"
	"strings"

	"example.org/backoffice/backoffice"
)

// nothing stands for null and for an empty text.
const nothing = "–"

// flatten turns a free-form object into rows, in the object's own order, with labels for its keys. Nested values
// have the labels above theirs, the members of a list are numbered from 1, and a list of plain values is one row.
func flatten(variables backoffice.JSON, l *labels) ([]row, error) {
	if len(variables) == 0 {
		return nil, nil
	}
	decoder := json.NewDecoder(strings.NewReader(string(variables)))
	decoder.UseNumber()
	f := flattener{decoder: decoder, labels: l}
	token, err := decoder.Token()
	if err != nil || token != json.Delim('{') {
		return nil, backoffice.Errorf(backoffice.BadInput, "custom variables are a JSON object")
	}
	if err := f.object(""); err != nil {
		return nil, backoffice.Errorf(backoffice.BadInput, "custom variables are a JSON object")
	}
	return f.rows, nil
}

type flattener struct {
	decoder *json.Decoder
	labels  *labels
	rows    []row
}

// object reads up to its closing brace.
func (f *flattener) object(name string) error {
	empty := true
	for f.decoder.More() {
		key, err := f.decoder.Token()
		if err != nil {
			return err
		}
		if err := f.value(labelled(name, key.(string))); err != nil {
			return err
		}
		empty = false
	}
	if empty && name != "" {
		f.add(name, nothing)
	}
	_, err := f.decoder.Token()
	return err
}

// list reads up to its closing bracket.
func (f *flattener) list(name string) error {
	first := len(f.rows)
	n := 0
	for f.decoder.More() {
		n++
		if err := f.value(numbered(name, n)); err != nil {
			return err
		}
	}
	if _, err := f.decoder.Token(); err != nil {
		return err
	}
	if n == 0 {
		f.add(name, nothing)
		return nil
	}
	members := f.rows[first:]
	values := make([]string, len(members))
	for i, member := range members {
		if len(members) != n || member.cells[0] != numbered(name, i+1) {
			return nil // some member is no plain value: each keeps its row
		}
		values[i] = member.cells[1]
	}
	f.rows = f.rows[:first]
	f.add(name, strings.Join(values, ", "))
	return nil
}

func (f *flattener) value(name string) error {
	token, err := f.decoder.Token()
	if err != nil {
		return err
	}
	switch value := token.(type) {
	case json.Delim:
		if value == '{' {
			return f.object(name)
		}
		return f.list(name)
	case bool:
		if value {
			f.add(name, f.labels.yes)
		} else {
			f.add(name, f.labels.no)
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
	return nil
}

func (f *flattener) add(name, value string) {
	f.rows = append(f.rows, row{cells: [2]string{name, value}})
}

func labelled(name, key string) string {
	if name == "" {
		return humanised(key)
	}
	return name + " – " + humanised(key)
}

func numbered(name string, n int) string { return name + " " + strconv.Itoa(n) }
