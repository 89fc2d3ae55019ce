package store

import (
	"bytes"
	"context"
	"database/sql/driver"
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"

	"example.org/backoffice/backoffice"
)

// kept is a noun whose records the trash and imports keep.
type kept interface {
	key() string
	freeze(record any) frozenRow
	thaw(stored frozenRow) any
	digestOf(record any) []byte
	asStored(ctx context.Context, t *tx, ids []string) ([]*touchedByImport, error)
	reading(tx *tx, ids []string, each func(record any, of []string)) func(context.Context) error
}

func keptOf(noun backoffice.Noun) kept { return described[placeOf(noun)].kept }

type frozenRow map[string]any

const waitsFor, mergedInto = "waitsFor", "mergedInto"

// frozen are the records of a trash entry, each as its column values by name: exactly what the tables contained,
// registration numbers sealed. Columns that a later program adds are absent, as NULL is.
func (t *tx) frozen(entry *backoffice.Trashed) ([]byte, error) {
	all := map[string]any{}
	for key, id := range map[string]string{waitsFor: entry.WaitsFor, mergedInto: entry.MergedInto} {
		if id != "" {
			all[key] = id
		}
	}
	for noun, records := range entry.Records {
		if of := keptOf(noun); len(records) > 0 {
			all[of.key()] = backoffice.Map(records, of.freeze)
		}
	}
	text, err := json.Marshal(all)
	if err != nil {
		err = t.fail(backoffice.Fault(err, "writing what is kept"))
	}
	return text, err
}

// key is the name of the noun's records in an entry: the table's, in camel case.
func (t *table[T, C]) key() string {
	first, second, two := strings.Cut(t.name, "_")
	if two {
		second = strings.ToUpper(second[:1]) + second[1:]
	}
	return first + second
}

// freeze takes the column values of a stored record, without those computed from the rest.
func (t *table[T, C]) freeze(record any) frozenRow {
	row := frozenRow{}
	for i := range t.columns {
		if c := &t.columns[i]; t.frozen(c) {
			if value := c.value(record.(*T)); value != nil {
				row[c.name] = value
			}
		}
	}
	return row
}

func readTrashed(row *Row) (*backoffice.Trashed, error) {
	t := &backoffice.Trashed{ID: row.Text(0), Noun: backoffice.Noun(row.Text(1)), ClientID: row.Text(2),
		At: row.Instant(3), Until: row.Instant(4)}
	var all map[string]json.RawMessage
	err := json.Unmarshal(row.Bytes(5), &all)
	decode := func(key string, into any) {
		if text := all[key]; text != nil {
			decoder := json.NewDecoder(bytes.NewReader(text))
			decoder.UseNumber()
			err = errors.Join(err, decoder.Decode(into))
		}
	}
	decode(waitsFor, &t.WaitsFor)
	decode(mergedInto, &t.MergedInto)
	for _, noun := range backoffice.Nouns {
		of := keptOf(noun.Name())
		var rows []frozenRow
		decode(of.key(), &rows)
		t.Add(noun.Name(), backoffice.Map(rows, of.thaw)...)
	}
	if err != nil {
		return nil, backoffice.Fault(err, "reading what was deleted")
	}
	return t, nil
}

// frozen reports whether a column's value is of the record itself, also when a table of its own has it.
func (t *table[T, C]) frozen(c *column[T]) bool { return !c.derived && (!c.shown || len(t.lists) > 0) }

// thaw reads a frozen row as the noun's stored rows are read.
func (t *table[T, C]) thaw(stored frozenRow) any {
	values := make([]driver.Value, len(t.columns))
	for i := range t.columns {
		values[i] = thawed(t.columns[i].array, stored[t.columns[i].name])
	}
	var row Row
	row.SetValues(values)
	record := new(T)
	for i := range t.columns {
		if c := &t.columns[i]; t.frozen(c) {
			c.read(record, &row, i)
		}
	}
	if t.version != nil { // of an earlier schema, it may lack one
		*t.version(record) = max(*t.version(record), 1)
	}
	return record
}

// thawed converts a value to the type of its column as database/sql does; nil when it is absent.
func thawed(array string, value any) driver.Value {
	switch value := value.(type) {
	case json.Number:
		if array == "double precision[]" {
			n, _ := value.Float64()
			return n
		}
		n, _ := value.Int64()
		return n
	case bool:
		if value {
			return int64(1)
		}
		return int64(0)
	case string:
		if array == "bytea[]" {
			b, _ := base64.StdEncoding.DecodeString(value)
			return b
		}
		return value
	}
	return nil
}
