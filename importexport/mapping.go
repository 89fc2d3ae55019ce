package importexport

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Mapping is how the columns and the values of a spreadsheet become fields.
type Mapping struct {
	// Columns has the field for a column's name; "" skips the column. Others are for the field of their own name.
	Columns map[string]string
	// Values has a field's value for a text in lower case. "*" is any other text, and the value of each record when
	// the file has no such column; "" is an empty cell.
	Values map[string]map[string]string
}

const anyOther = "*"

var errMapping = errors.New("the mapping must be JSON: for each file, without its extension, an object from columns " +
	"to fields, and from fields to objects of values")

// ParseMapping reads mappings by file: {"customers": {"Klantnaam": "name", "Nota": "", "type": {"*": "Company"}}}.
func ParseMapping(text []byte) (map[string]Mapping, error) {
	var read map[string]map[string]json.RawMessage
	if err := json.NewDecoder(bytes.NewReader(text)).Decode(&read); err != nil {
		return nil, errMapping
	}
	all, files := map[string]Mapping{}, inOrder()
	for _, name := range slices.Sorted(maps.Keys(read)) {
		at := slices.IndexFunc(files, func(t table) bool { return stem(t.fileName()) == name })
		if at < 0 {
			return nil, fmt.Errorf("the mapping has %s, which import does not read", shownKey(name))
		}
		m := Mapping{map[string]string{}, map[string]map[string]string{}}
		for _, key := range slices.Sorted(maps.Keys(read[name])) {
			if err := m.add(key, read[name][key]); err != nil {
				return nil, err
			}
		}
		for column, field := range m.Columns {
			if _, known := files[at].cellOf(field); !known && field != "" {
				return nil, fmt.Errorf("the mapping maps the column %s of %s to the field %s, "+
					"which does not exist", shownKey(column), name, shownKey(field))
			}
		}
		for field := range m.Values {
			if _, known := files[at].cellOf(field); !known || strings.HasPrefix(field, "_") {
				return nil, fmt.Errorf("the mapping has values for the field %s of %s, which has none",
					shownKey(field), name)
			}
		}
		all[name] = m
	}
	return all, nil
}

// add adds the field of a column, or the values of a field.
func (m *Mapping) add(key string, text json.RawMessage) error {
	var field string
	if json.Unmarshal(text, &field) == nil && string(text) != "null" {
		m.Columns[spaced(key)] = field
		return nil
	}
	var values map[string]string
	if json.Unmarshal(text, &values) != nil || values == nil {
		return errMapping
	}
	folded := map[string]string{}
	for from, to := range values {
		from = strings.ToLower(strings.TrimSpace(from))
		if other, twice := folded[from]; twice && other != to {
			return fmt.Errorf("the mapping has two values of %s for texts that differ in capitals", shownKey(key))
		}
		folded[from] = to
	}
	m.Values[key] = folded
	return nil
}
