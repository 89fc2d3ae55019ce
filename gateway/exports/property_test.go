package exports

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"
	"pgregory.net/rapid"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway/gatewaytest"
)

func TestTheThreeFormatsHoldTheSame(t *testing.T) {
	t.Parallel()
	bounds := gatewaytest.SmallPages()
	bounds.Cost = 600 // so that pages are of many sizes
	o := gatewaytest.OpenWith(t, gatewaytest.Engines["SQLite"](t), bounds)
	makeOddCustomers(t, o)
	all := o.Credential(t, backoffice.AllScopes...)
	server := o.ExportServer(t)
	person := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{
		"id", "type", "name", "kind: type", "displayName", "firstName", "scopes", "kboNumber", "companyType", "customerCode", "email", "phone", "version", "createdAt", "__typename",
		"address { street postalCode city }", "responsible { id lastName labels { name } }", "few: transcripts(first: 1) { edges { node { checklist { name } } } }", "home: address { country }", "transcripts { totalCount }", "... on Node { again: id }",
	}), 1, 8, rapid.ID)
	rapid.Check(t, func(rt *rapid.T) {
		fields, nested := person.Draw(rt, "fields"), person.Draw(rt, "nested")
		fields = append([]string{}, fields...)
		nested = slices.DeleteFunc(slices.Clone(nested), func(field string) bool {
			return strings.HasPrefix(field, "few:") // _truncated is of each row, in JSON Lines of all that is nested
		})
		if len(nested) == 0 {
			nested = []string{"id"}
		}
		unfold := ""
		switch rapid.IntRange(0, 2).Draw(rt, "list") {
		case 1:
			unfold = "relations"
			fields = append(fields, fmt.Sprintf("relations(first: %d) { totalCount edges { direction otherCustomer { %s } node { kind } } }", rapid.IntRange(0, 3).Draw(rt, "first"), strings.Join(nested, " ")))
		case 2:
			unfold = "all"
			fields = append(fields, "all: relations(last: 1) { nodes { id kind } }")
		}
		query := fmt.Sprintf("{ customers(first: %d) { nodes { %s } } }", rapid.IntRange(0, 20).Draw(rt, "rows"), strings.Join(fields, " "))
		export := func(parameters string) gatewaytest.Export {
			if unfold != "" && parameters != "format=jsonl" {
				parameters += "&rows=" + unfold
			}
			e := gatewaytest.SendExport(t, gatewaytest.NewExportRequest(t, server.URL, all, parameters, query, nil, nil))
			if !e.Complete() {
				rt.Fatalf("%s of %s: %d %.300s", parameters, query, e.Status, e.Body)
			}
			return e
		}
		var want []map[string]string
		for _, line := range export("format=jsonl").Lines() {
			if line == "" {
				continue
			}
			var node map[string]any
			decoder := json.NewDecoder(strings.NewReader(line))
			decoder.UseNumber()
			if err := decoder.Decode(&node); err != nil {
				rt.Fatalf("%s: %v", line, err)
			}
			want = append(want, gatewaytest.Flat(node, unfold)...)
		}
		records, err := csv.NewReader(strings.NewReader(export("format=csv").Body)).ReadAll()
		if err != nil {
			rt.Fatal(err)
		}
		if diff := cmp.Diff(want, gatewaytest.Tabled(records)); diff != "" {
			rt.Fatalf("%s as CSV: %s", query, diff)
		}
		book, err := excelize.OpenReader(strings.NewReader(export("format=xlsx").Body))
		if err != nil {
			rt.Fatal(err)
		}
		defer book.Close()
		cells, err := book.GetRows("customers", excelize.Options{RawCellValue: true})
		if err != nil {
			rt.Fatal(err)
		}
		for len(cells) < len(records) { // rows without a value at the end
			cells = append(cells, nil)
		}
		if diff := cmp.Diff(want, gatewaytest.Tabled(cells), sameDate); diff != "" {
			rt.Fatalf("%s as XLSX: %s", query, diff)
		}
	})
}

// sameDate compares a date with the days that it is in a workbook, to the millisecond.
var sameDate = cmp.Comparer(func(a, b string) bool {
	if a == b || strings.Contains(a, "T") == strings.Contains(b, "T") {
		return a == b
	}
	x, errX := gatewaytest.Number(a)
	y, errY := gatewaytest.Number(b)
	return errX == nil && errY == nil && math.Abs(x-y) < 0.5/86_400_000
})
