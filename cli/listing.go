package cli

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"example.org/backoffice/backoffice"
)

type formatFlag struct {
	Format string `enum:"table,csv,jsonl" default:"table" help:"The output format: table, csv, or jsonl for JSON Lines (${default})."`
}

// adder prints a row: for each column a string, a number, a list of strings, or nil for none.
type adder func(values ...any) error

const tableRows = 500 // are aligned at a time, so a long list streams

// list prints the rows as a command adds them.
func (f formatFlag) list(out io.Writer, columns []string, rows func(add adder) error) error {
	var add adder
	end := func() error { return nil }
	switch f.Format {
	case "csv":
		add, end = csvListing(out, columns)
	case "jsonl":
		add = jsonListing(out, columns)
	default:
		add, end = tableListing(out, columns)
	}
	if err := rows(add); err != nil {
		return err
	}
	return end()
}

// listAll prints a row for each of all.
func listAll[T any](f formatFlag, out io.Writer, columns []string, all []T, row func(T) []any) error {
	return f.list(out, columns, func(add adder) error {
		for _, one := range all {
			if err := add(row(one)...); err != nil {
				return err
			}
		}
		return nil
	})
}

func tableListing(out io.Writer, columns []string) (add adder, end func() error) {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, strings.ToUpper(strings.Join(columns, "\t"))) // into the table writer's memory
	rows := 0
	return func(values ...any) error {
		if rows++; rows%tableRows == 0 {
			if err := table.Flush(); err != nil {
				return err
			}
		}
		return printed(fmt.Fprintln(table, strings.Join(cellsOf(values, "-"), "\t")))
	}, table.Flush
}

func csvListing(out io.Writer, columns []string) (add adder, end func() error) {
	w := csv.NewWriter(out)
	_ = w.Write(columns) // an error stays until the end
	return func(values ...any) error {
		cells := cellsOf(values, "")
		for i, value := range values {
			switch value.(type) {
			case string, []string:
				cells[i] = backoffice.EscapeFormula(cells[i])
			}
		}
		return w.Write(cells)
	}, func() error { w.Flush(); return w.Error() }
}

// own is a text of the program with nothing but identifiers, which CSV gets unchanged.
type own string

func jsonListing(out io.Writer, columns []string) adder {
	return func(values ...any) error {
		line := []byte{'{'}
		for i, column := range columns {
			value, err := json.Marshal(values[i])
			if err != nil {
				return err
			}
			line = append(fmt.Appendf(line, "%q:", column), value...)
			line = append(line, ',')
		}
		line[len(line)-1] = '}'
		return printed(out.Write(append(line, '\n')))
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

// given is the value of a cell, nil for the zero value.
func given[T comparable](value T) any {
	if value == *new(T) {
		return nil
	}
	return value
}

// printed is the error of a print.
func printed(_ int, err error) error { return err }
