package store

import (
	"bytes"
	"database/sql/driver"
	"encoding/base64"
	"encoding/json"

	"example.org/backoffice/backoffice"
)

// frozen are the records of a trash entry, each as its column values by name: exactly what the tables contained,
// registration numbers sealed. Columns that a later program adds are absent, as NULL is.
type frozen struct {
	Customers       []frozenRow `json:"customers,omitempty"`
	Relations       []frozenRow `json:"relations,omitempty"`
	Transcripts     []frozenRow `json:"transcripts,omitempty"`
	Calculations    []frozenRow `json:"calculations,omitempty"`
	Documents       []frozenRow `json:"documents,omitempty"`
	MinfinDocuments []frozenRow `json:"minfinDocuments,omitempty"`
	Discrepancies   []frozenRow `json:"discrepancies,omitempty"`
	WaitsFor        string      `json:"waitsFor,omitempty"`
	MergedInto      string      `json:"mergedInto,omitempty"`
	Labels          []frozenRow `json:"labels,omitempty"`
	Users           []frozenRow `json:"users,omitempty"`
	FinancialYears  []frozenRow `json:"financialYears,omitempty"`
	Checklists      []frozenRow `json:"checklists,omitempty"`
}

type frozenRow map[string]any

func frozenOf(t *backoffice.Trashed) *frozen {
	return &frozen{
		freeze(customerTable, t.Customers), freeze(relationTable, t.Relations), freeze(transcriptTable, t.Transcripts),
		freeze(calculationTable, t.Calculations), freeze(documentTable, t.Documents),
		freeze(minfinTable, t.MinfinDocuments), freeze(discrepancyTable, t.Discrepancies), t.WaitsFor, t.MergedInto,
		freeze(labelTable, t.Labels), freeze(userTable, t.Users), freeze(financialYearTable, t.FinancialYears),
		freeze(checklistTable, t.Checklists),
	}
}

func (t *tx) frozen(entry *backoffice.Trashed) ([]byte, error) {
	records, err := json.Marshal(frozenOf(entry))
	if err != nil {
		err = t.fail(backoffice.Fault(err, "writing what is kept"))
	}
	return records, err
}

// freeze takes the column values of stored rows, without those computed from the rest.
func freeze[T any, C comparable](of *table[T, C], rows []*T) []frozenRow {
	return backoffice.Map(rows, func(t *T) frozenRow {
		row := frozenRow{}
		for i := range of.columns {
			if c := &of.columns[i]; of.frozen(c) {
				if value := c.value(t); value != nil {
					row[c.name] = value
				}
			}
		}
		return row
	})
}

func readTrashed(row *Row) (*backoffice.Trashed, error) {
	t := &backoffice.Trashed{ID: row.Text(0), Noun: backoffice.Noun(row.Text(1)), ClientID: row.Text(2),
		At: row.Instant(3), Until: row.Instant(4)}
	var f frozen
	decoder := json.NewDecoder(bytes.NewReader(row.Bytes(5)))
	decoder.UseNumber()
	if err := decoder.Decode(&f); err != nil {
		return nil, backoffice.Fault(err, "reading what was deleted")
	}
	t.WaitsFor, t.MergedInto = f.WaitsFor, f.MergedInto
	t.Customers, t.Relations = thaw(customerTable, f.Customers), thaw(relationTable, f.Relations)
	t.Transcripts, t.Calculations = thaw(transcriptTable, f.Transcripts), thaw(calculationTable, f.Calculations)
	t.Documents, t.MinfinDocuments = thaw(documentTable, f.Documents), thaw(minfinTable, f.MinfinDocuments)
	t.Discrepancies = thaw(discrepancyTable, f.Discrepancies)
	t.Labels, t.Users = thaw(labelTable, f.Labels), thaw(userTable, f.Users)
	t.FinancialYears, t.Checklists = thaw(financialYearTable, f.FinancialYears), thaw(checklistTable, f.Checklists)
	return t, nil
}

// frozen reports whether a column's value is of the record itself, also when a table of its own has it.
func (t *table[T, C]) frozen(c *column[T]) bool { return !c.derived && (!c.shown || len(t.lists) > 0) }

// thaw reads frozen rows as the noun's stored rows are read.
func thaw[T any, C comparable](of *table[T, C], rows []frozenRow) []*T {
	return backoffice.Map(rows, func(stored frozenRow) *T {
		values := make([]driver.Value, len(of.columns))
		for i := range of.columns {
			values[i] = thawed(of.columns[i].array, stored[of.columns[i].name])
		}
		var row Row
		row.SetValues(values)
		t := new(T)
		for i := range of.columns {
			if c := &of.columns[i]; of.frozen(c) {
				c.read(t, &row, i)
			}
		}
		if of.version != nil { // of an earlier schema, it may lack one
			*of.version(t) = max(*of.version(t), 1)
		}
		return t
	})
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
