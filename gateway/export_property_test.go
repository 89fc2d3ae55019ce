package gateway

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"
	"pgregory.net/rapid"

	"example.org/backoffice/backoffice"
)

// flat are the rows that a table has of a node: the values by their paths, the list at unfold a row for each of its
// elements.
func flat(node map[string]any, unfold string) (rows []map[string]string) {
	base, list := map[string]string{}, []map[string]string{}
	var walk func(into map[string]string, prefix string, value map[string]any)
	walk = func(into map[string]string, prefix string, value map[string]any) {
		for name, v := range value {
			path := strings.TrimPrefix(prefix+"."+name, ".")
			switch v := v.(type) {
			case nil:
			case map[string]any:
				if name == "node" {
					path = prefix
				}
				walk(into, path, v)
			case []any:
				switch {
				case name == "_truncated":
					into[name] = unfold
				case prefix == unfold && (name == "nodes" || name == "edges"):
					for _, element := range v {
						row := map[string]string{}
						walk(row, prefix, element.(map[string]any))
						list = append(list, row)
					}
				default:
					text, _ := json.Marshal(v)
					into[path] = string(text)
				}
			case json.Number:
				into[path] = v.String()
			default:
				into[path] = fmt.Sprint(v)
			}
		}
	}
	walk(base, "", node)
	if len(list) == 0 {
		return []map[string]string{base}
	}
	for _, row := range list {
		maps.Copy(row, base)
		rows = append(rows, row)
	}
	return rows
}

// tabled are a table's rows by the names of its columns, empty cells left out.
func tabled(records [][]string) (rows []map[string]string) {
	for _, record := range records[1:] {
		row := map[string]string{}
		for i, cell := range record {
			if cell != "" {
				row[records[0][i]] = cell
			}
		}
		rows = append(rows, row)
	}
	return rows
}

func TestTheThreeFormatsHoldTheSame(t *testing.T) {
	t.Parallel()
	bounds := smallPages()
	bounds.Cost = 600 // so that pages are of many sizes
	o := openOfficeWith(t, engines["SQLite"](t), bounds)
	o.makeOdd(t)
	all := o.pair(t, backoffice.AllScopes...)
	server := o.exports(t)
	person := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{
		"id", "type", "name", "kind: type", "displayName", "firstName", "scopes", "kboNumber", "companyType", "customerCode", "email", "phone", "version", "createdAt", "__typename",
		"address { street postalCode city }", "responsible { id lastName labels { name } }", "home: address { country }", "transcripts { totalCount }", "... on Node { again: id }",
	}), 1, 8, rapid.ID)
	rapid.Check(t, func(rt *rapid.T) {
		fields, nested := person.Draw(rt, "fields"), person.Draw(rt, "nested")
		fields = append([]string{}, fields...)
		unfold := ""
		clean := func(list []string) []string {
			for i, field := range list {
				list[i] = strings.Replace(field, " labels { name }", "", 1)
			}
			return list
		}
		fields, nested = clean(fields), clean(append([]string{}, nested...))
		switch rapid.IntRange(0, 2).Draw(rt, "list") {
		case 1:
			unfold = "relations"
			fields = append(fields, fmt.Sprintf("relations(first: %d) { totalCount edges { direction otherCustomer { %s } node { kind } } }", rapid.IntRange(0, 3).Draw(rt, "first"), strings.Join(nested, " ")))
		case 2:
			unfold = "all"
			fields = append(fields, "all: relations(last: 1) { nodes { id kind } }")
		}
		query := fmt.Sprintf("{ customers(first: %d) { nodes { %s } } }", rapid.IntRange(0, 20).Draw(rt, "rows"), strings.Join(fields, " "))
		export := func(parameters string) exported {
			if unfold != "" && parameters != "format=jsonl" {
				parameters += "&rows=" + unfold
			}
			e := sendExport(t, exportRequest(t, server.URL, all, parameters, query, nil, nil))
			if !e.complete() {
				rt.Fatalf("%s of %s: %d %.300s", parameters, query, e.status, e.body)
			}
			return e
		}
		var want []map[string]string
		for _, line := range export("format=jsonl").lines() {
			if line == "" {
				continue
			}
			var node map[string]any
			decoder := json.NewDecoder(strings.NewReader(line))
			decoder.UseNumber()
			if err := decoder.Decode(&node); err != nil {
				rt.Fatalf("%s: %v", line, err)
			}
			want = append(want, flat(node, unfold)...)
		}
		records, err := csv.NewReader(strings.NewReader(export("format=csv").body)).ReadAll()
		if err != nil {
			rt.Fatal(err)
		}
		if diff := cmp.Diff(want, tabled(records)); diff != "" {
			rt.Fatalf("%s as CSV: %s", query, diff)
		}
		book, err := excelize.OpenReader(strings.NewReader(export("format=xlsx").body))
		if err != nil {
			rt.Fatal(err)
		}
		defer book.Close()
		cells, err := book.GetRows("customers")
		if err != nil {
			rt.Fatal(err)
		}
		for len(cells) < len(records) { // rows without a value at the end
			cells = append(cells, nil)
		}
		if diff := cmp.Diff(want, tabled(cells)); diff != "" {
			rt.Fatalf("%s as XLSX: %s", query, diff)
		}
	})
}
