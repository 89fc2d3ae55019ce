package cli

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// formatFlag chooses how a list is printed.
type formatFlag struct {
	Format string `enum:"table,csv,jsonl" default:"table" help:"How to print: table, csv, or jsonl for JSON Lines (${default})."`
}

// listing prints rows as they come, in one of the formats.
type listing struct {
	columns []string
	row     func(values []any) error
	end     func() error
}

const tableRows = 500 // are aligned together, so that a long list streams

// open starts a list. A row has a value for each column: a string, a number, a list of strings, or nil for none.
func (f formatFlag) open(out io.Writer, columns ...string) *listing {
	switch f.Format {
	case "csv":
		return csvListing(out, columns)
	case "jsonl":
		return jsonListing(out, columns)
	}
	return tableListing(out, columns)
}

func (l *listing) add(values ...any) error { return l.row(values) }

func (l *listing) close() error { return l.end() }

func tableListing(out io.Writer, columns []string) *listing {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	rows := 0
	print := func(cells []string) error {
		_, err := fmt.Fprintln(table, strings.TrimRight(strings.Join(cells, "\t"), "\t"))
		return err
	}
	_ = print(headings(columns)) // into the table writer's memory
	return &listing{
		columns: columns,
		row: func(values []any) error {
			if rows++; rows%tableRows == 0 {
				if err := table.Flush(); err != nil {
					return err
				}
			}
			return print(cellsOf(values, "-"))
		},
		end: table.Flush,
	}
}

func headings(columns []string) []string {
	upper := make([]string, len(columns))
	for i, column := range columns {
		upper[i] = strings.ToUpper(column)
	}
	return upper
}

func csvListing(out io.Writer, columns []string) *listing {
	w := csv.NewWriter(out)
	_ = w.Write(columns) // an error stays until the end
	return &listing{
		columns: columns,
		row: func(values []any) error {
			cells := cellsOf(values, "")
			for i := range cells {
				cells[i] = inert(cells[i])
			}
			return w.Write(cells)
		},
		end: func() error { w.Flush(); return w.Error() },
	}
}

// inert keeps a spreadsheet from taking a text for a formula: purposes and names come from callers.
func inert(cell string) string {
	if cell != "" && strings.ContainsRune("=+@\t\r", rune(cell[0])) || strings.HasPrefix(cell, "-") && len(cell) > 1 {
		return "'" + cell
	}
	return cell
}

func jsonListing(out io.Writer, columns []string) *listing {
	return &listing{
		columns: columns,
		row: func(values []any) error {
			line := []byte{'{'}
			for i, column := range columns {
				if i > 0 {
					line = append(line, ',')
				}
				key, err := json.Marshal(column)
				if err != nil {
					return err
				}
				value, err := json.Marshal(values[i])
				if err != nil {
					return err
				}
				line = append(append(append(line, key...), ':'), value...)
			}
			_, err := out.Write(append(line, '}', '\n'))
			return err
		},
		end: func() error { return nil },
	}
}

func cellsOf(values []any, none string) []string {
	cells := make([]string, len(values))
	for i, value := range values {
		switch value := value.(type) {
		case nil:
		case []string:
			cells[i] = strings.Join(value, " ")
		default:
			cells[i] = fmt.Sprint(value)
		}
		if cells[i] == "" {
			cells[i] = none
		}
	}
	return cells
}
