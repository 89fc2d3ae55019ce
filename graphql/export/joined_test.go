package export

import (
	"archive/zip"
	"io"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"

	"example.org/backoffice/backoffice"
)

const listsQuery = `{ customers { nodes { createdAt scopes responsible { labels { name } } transcripts(first: 2) { totalCount nodes { checklist { name } } }
	relations(first: 2) { nodes { updatedAt: createdAt kind otherwise: relatedCustomer { scopes transcripts(last: 1) { edges { node { progressPercentage } } } } } } } } }`

// listsRows have lists of each kind: of texts, of objects, of edges, cut, empty, null, within an unfolded list.
const listsRows = `[{"createdAt":"2020-10-19T16:18:47.925Z","scopes":["a","b \"c\""],"responsible":{"labels":[{"name":"VIP"},{"name":null},{"name":"=Audit"}]},` +
	`"transcripts":{"+page":{"hasNextPage":true},"totalCount":7,"nodes":[{"checklist":{"name":"PIT"}},{"checklist":null}]},` +
	`"relations":{"+page":{"hasNextPage":false},"nodes":[{"updatedAt":"1900-02-28T23:59:59.999Z","kind":"UBO","otherwise":{"scopes":[],"transcripts":{"+page":{"hasPreviousPage":true},"edges":[{"node":{"progressPercentage":5}}]}}},` +
	`{"updatedAt":"1900-03-01T00:00:00.000Z","kind":"DIRECTOR","otherwise":{"scopes":["x"],"transcripts":{"+page":{"hasPreviousPage":false},"edges":[{"node":{"progressPercentage":1.5}},{"node":{"progressPercentage":0}}]}}}]}},` +
	`{"createdAt":null,"scopes":[],"responsible":null,"transcripts":{"+page":{"hasNextPage":false},"totalCount":0,"nodes":[]},"relations":{"+page":{"hasNextPage":false},"nodes":[]}}]`

func listsTable(t *testing.T, query, unfold string) (*table, error) {
	t.Helper()
	s, err := rootListFor(t, query, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return newTable(s.row, unfold)
}

func TestAListOfOneScalarStandsJoinedInItsCell(t *testing.T) {
	t.Parallel()
	table, err := listsTable(t, listsQuery, "relations")
	if err != nil {
		t.Fatal(err)
	}
	want := "createdAt,scopes,responsible.labels.name,transcripts.totalCount,transcripts.checklist.name,relations.updatedAt,relations.kind," +
		"relations.otherwise.scopes,relations.otherwise.transcripts.progressPercentage,_truncated\r\n" +
		"2020-10-19T16:18:47.925Z,\"a; b \"\"c\"\"\",VIP; =Audit,7,PIT,1900-02-28T23:59:59.999Z,UBO,,5,transcripts; relations.otherwise.transcripts\r\n" +
		"2020-10-19T16:18:47.925Z,\"a; b \"\"c\"\"\",VIP; =Audit,7,PIT,1900-03-01T00:00:00.000Z,DIRECTOR,x,1.5; 0,transcripts\r\n" +
		",,,0,,,,,,\r\n"
	if diff := cmp.Diff(want, written(t, newCommas(table, false), listsRows)); diff != "" {
		t.Error(diff)
	}
}

func TestAListIsUnfoldedWhenItIsNamedThoughItCouldBeJoined(t *testing.T) {
	t.Parallel()
	const query = `{ customers { nodes { id responsible { labels { name } } } } }`
	const rows = `[{"id":"1","responsible":{"labels":[{"name":"=VIP"},{"name":"Audit"}]}}]`
	for unfold, want := range map[string]string{
		"":                   "\uFEFFid;responsible.labels.name\r\n1;\"'=VIP; Audit\"\r\n",
		"responsible.labels": "\uFEFFid;responsible.labels.name\r\n1;'=VIP\r\n1;Audit\r\n",
	} {
		table, err := listsTable(t, query, unfold)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, written(t, newCommas(table, true), rows)); diff != "" {
			t.Errorf("rows=%s: %s", unfold, diff)
		}
	}
	for query, tells := range map[string]string{
		`{ customers { nodes { relations { nodes { id kind } } transcripts { nodes { id status } } responsible { labels { name } } } } }`: "relations, transcripts",
		`{ customers { nodes { relations { nodes { id kind } } responsible { labels { name } } } } }`:                                     "rows=relations",
		`{ customers { nodes { relations { nodes { otherwise: relatedCustomer { transcripts { nodes { id } } } } } } } }`:                 "rows=relations",
	} {
		if _, err := listsTable(t, query, ""); backoffice.KindOf(err) != backoffice.BadInput || !strings.Contains(err.Error(), tells) {
			t.Errorf("%s: %v", query, err)
		}
	}
}

func TestAWorkbookHasDatesAFilterAndAscendingColumns(t *testing.T) {
	t.Parallel()
	table, err := listsTable(t, listsQuery, "relations")
	if err != nil {
		t.Fatal(err)
	}
	w, err := newWorkbook(table, "Lists", 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	defer w.close()
	path := packed(t, w, listsRows)
	book, err := excelize.OpenFile(path)
	if err != nil {
		t.Fatal(err)
	}
	defer book.Close()
	for cell, want := range map[string][2]string{ // as it is shown, and as it is counted
		"A2": {"2020-10-19 16:18:48.000 UTC", "44123.679721354"}, "F2": {"1900-02-28T23:59:59.999Z", "1900-02-28T23:59:59.999Z"},
		"F3": {"1900-03-01 00:00:00.000 UTC", "61"}, "C2": {"VIP; =Audit", "VIP; =Audit"}, "A4": {"", ""},
	} {
		shown, _ := book.GetCellValue("Lists", cell)
		counted, _ := book.GetCellValue("Lists", cell, excelize.Options{RawCellValue: true})
		if want[0] != shown || !strings.HasPrefix(counted, want[1]) {
			t.Errorf("%s: %q, %q", cell, shown, counted)
		}
	}
	if got := book.GetDefinedName(); len(got) != 1 || got[0].Name != "_xlnm._FilterDatabase" || got[0].RefersTo != "'Lists'!$A$1:$J$4" {
		t.Errorf("%v", got)
	}
	sheet := contentOf(t, path, "xl/worksheets/sheet1.xml")
	if strings.Count(sheet, `<autoFilter ref="$A$1:$J$4">`) != 1 || strings.Contains(sheet, "<dimension") {
		t.Errorf("no filter, or a false dimension: %s", sheet)
	}
	var columns []int
	for _, found := range regexp.MustCompile(`<col min="(\d+)"`).FindAllStringSubmatch(sheet, -1) {
		n, _ := strconv.Atoi(found[1])
		columns = append(columns, n)
	}
	if len(columns) != 10 || !slices.IsSorted(columns) {
		t.Errorf("columns %v", columns)
	}
}

func contentOf(t *testing.T, path, name string) string {
	t.Helper()
	archive, err := zip.OpenReader(filepath.Clean(path))
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	file, err := archive.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

func TestADateIsCountedToTheMillisecond(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"1900-03-01T00:00:00.001Z", "1999-12-31T23:59:59.999Z", "2024-02-29T12:00:00.000Z", "9999-12-31T23:59:59.999Z"} {
		days, ok := daysOf(time.RFC3339, text)
		back := firstDay.UnixMilli() + int64(math.Round((days-dayOfFirst)*86_400_000))
		if at := time.UnixMilli(back).UTC().Format("2006-01-02T15:04:05.000Z"); !ok || at != text {
			t.Errorf("%s: %v %s", text, days, at)
		}
	}
	for _, text := range []string{"1900-02-28T23:59:59.999Z", "0001-01-01T00:00:00.000Z", "2024-02-29", ""} {
		if _, ok := daysOf(time.RFC3339, text); ok {
			t.Errorf("%s is a date", text)
		}
	}
}
