package export

import (
	"archive/zip"
	"encoding/csv"
	"fmt"
	"math"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/graphql/graphqlhttp"
)

// rootListFor rewrites a query against the schema of the program.
func rootListFor(t testing.TB, query string, o Options) (*rootList, error) {
	t.Helper()
	text, err := os.ReadFile("../../schema.graphqls")
	if err != nil {
		t.Fatal(err)
	}
	schema, err := gqlparser.LoadSchema(&ast.Source{Input: string(text)})
	if err != nil {
		t.Fatal(err)
	}
	document, errs := gqlparser.LoadQueryWithRules(schema, query, nil)
	if errs != nil {
		t.Fatal(errs)
	}
	return rootListOf(&graphqlhttp.Query{Schema: schema, Document: document, Operation: document.Operations[0], Variables: map[string]any{}}, o)
}

const oddQuery = `{ customers { nodes { name customerCode version hasIt: __typename address { postalCode } relations(first: 2) { edges { direction otherCustomer { name } } } } } }`

// oddRows are an answer's rows with all that formats get wrong; relations has more in the first.
const oddRows = `[{"name":"Zon \"& Maan\", \u00e9én\r\nregel;2","customerCode":"007","version":1,"hasIt":"=1+1","address":{"postalCode":"01000"},"relations":{"+page":{"hasNextPage":true},"edges":[` +
	`{"direction":"OUTGOING","otherCustomer":{"name":"\t@tab"}},{"direction":"INCOMING","otherCustomer":{"name":"a]}{[\\\""}}]}},` +
	`{"name":null,"customerCode":"-1","version":-2,"hasIt":"+","address":null,"relations":{"+page":{"hasNextPage":false},"edges":[]}}]`

func oddTable(t *testing.T) *table {
	t.Helper()
	s, err := rootListFor(t, oddQuery, Options{})
	if err != nil {
		t.Fatal(err)
	}
	table, err := newTable(s.row, "relations")
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// written writes rows with a format.
func written(t *testing.T, as text, rows string) string {
	t.Helper()
	out, b := as.header(nil), []byte(rows)
	err := eachElement(b, 0, func(at int) (end int, err error) {
		out, end, _ = as.append(out, b, at)
		return end, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func TestCSVIsQuotedWhereItHasToBe(t *testing.T) {
	t.Parallel()
	want := "name,customerCode,version,hasIt,address.postalCode,relations.direction,relations.otherCustomer.name,_truncated\r\n" +
		"\"Zon \"\"& Maan\"\", één\r\nregel;2\",007,1,=1+1,01000,OUTGOING,\t@tab,relations\r\n" +
		"\"Zon \"\"& Maan\"\", één\r\nregel;2\",007,1,=1+1,01000,INCOMING,\"a]}{[\\\"\"\",relations\r\n" +
		",-1,-2,+,,,,\r\n"
	if diff := cmp.Diff(want, written(t, newCommas(oddTable(t), false), oddRows)); diff != "" {
		t.Error(diff)
	}
	excel := "\uFEFFname;customerCode;version;hasIt;address.postalCode;relations.direction;relations.otherCustomer.name;_truncated\r\n" +
		"\"Zon \"\"& Maan\"\", één\r\nregel;2\";007;1;'=1+1;01000;OUTGOING;'\t@tab;relations\r\n" +
		"\"Zon \"\"& Maan\"\", één\r\nregel;2\";007;1;'=1+1;01000;INCOMING;\"a]}{[\\\"\"\";relations\r\n" +
		";'-1;-2;'+;;;;\r\n"
	if diff := cmp.Diff(excel, written(t, newCommas(oddTable(t), true), oddRows)); diff != "" {
		t.Error(diff)
	}
}

func TestJSONLinesAreTheNodesAsTheyWereAsked(t *testing.T) {
	t.Parallel()
	s, err := rootListFor(t, oddQuery, Options{})
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(written(t, &lines{row: s.row}, oddRows), "\n")
	want := strings.NewReplacer(`"+page":{"hasNextPage":true},`, "", `"+page":{"hasNextPage":false},`, "").Replace(oddRows)
	if got := "[" + strings.Replace(lines[0], `,"_truncated":["relations"]`, "", 1) + "," + lines[1] + "]"; got != want || lines[2] != "" || !strings.HasSuffix(lines[0], `,"_truncated":["relations"]}`) {
		t.Errorf("%q", lines)
	}
}

// packed writes rows as XLSX, to a file.
func packed(t *testing.T, w *workbook, rows string) string {
	t.Helper()
	b := []byte(rows)
	w.measure(b, 0)
	err := eachElement(b, 0, func(at int) (int, error) { return w.table.each(b, at, w.write) })
	if err == nil {
		err = w.finish()
	}
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "rows.xlsx")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := w.pack(file); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestAWorkbookOfAHundredThousandRowsHoldsForLibreOfficeWhatTheCSVHolds(t *testing.T) {
	if testing.Short() {
		t.Skip("LibreOffice takes half a minute")
	}
	office, err := exec.LookPath("soffice")
	if err != nil {
		t.Fatal("LibreOffice is not there: make deps installs it")
	}
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	table := oddTable(t)
	var rows strings.Builder
	rows.WriteByte('[')
	for i := range 50_000 {
		if i > 0 {
			rows.WriteByte(',')
		}
		fmt.Fprintf(&rows, `{"name":"Zaak %d \"=é\u20ac\", 'x'\nregel","customerCode":"%07d","version":%d,"hasIt":"=1+%d","address":{"postalCode":"0%d"},`+
			`"relations":{"+page":{"hasNextPage":%t},"edges":[{"direction":"OUTGOING","otherCustomer":{"name":"+32 %d"}},{"direction":"INCOMING","otherCustomer":null}]}}`, i, i, i, i, i%10000, i%3 == 0, i)
	}
	rows.WriteByte(']')
	w, err := newWorkbook(table, "Customers", 1<<20<<8)
	if err != nil {
		t.Fatal(err)
	}
	path := packed(t, w, rows.String())
	w.close()
	if left, err := os.ReadDir(temporary); err != nil || len(left) != 0 {
		t.Errorf("there are %v %v", left, err)
	}
	folder := filepath.Dir(path)
	const asCSV = "csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,false" // comma, quote, UTF-8, from line 1; cells as they are shown
	command := exec.Command(office, "-env:UserInstallation=file://"+filepath.Join(folder, "profile"), "--headless", "--convert-to", asCSV, "--outdir", folder, path)
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	converted, err := os.ReadFile(filepath.Join(folder, "rows.csv"))
	if err != nil {
		t.Fatal(err)
	}
	got, err := csv.NewReader(strings.NewReader(string(converted))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	want, err := csv.NewReader(strings.NewReader(written(t, newCommas(table, false), rows.String()))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if len(want) != 100_001 || len(got) != len(want) {
		t.Fatalf("%d rows instead of %d", len(got), len(want))
	}
	for i := range want {
		if diff := cmp.Diff(want[i], got[i]); diff != "" {
			t.Fatalf("row %d: %s", i, diff)
		}
	}
}

func TestAWorkbookGoesOnOnTheNextSheetAndHasNoFormulas(t *testing.T) {
	w, err := newWorkbook(oddTable(t), "A_name_of_an_operation_that_is_longer_than_sheets_take", 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	defer w.close()
	w.measure([]byte(oddRows), 0)
	if err := w.begin(); err != nil {
		t.Fatal(err)
	}
	w.row = mostSheetRows // as if it were full
	archive, err := zip.OpenReader(packed(t, w, strings.Replace(oddRows, `"+"`, `"bell \u0007 \ud83d\ude00"`, 1)))
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	sheets := 0
	for _, file := range archive.File {
		if !strings.HasPrefix(file.Name, "xl/worksheets/") {
			continue
		}
		sheets++
		content, err := file.Open()
		if err != nil {
			t.Fatal(err)
		}
		var text strings.Builder
		if _, err := fmt.Fscan(content, new(string)); err != nil {
			t.Fatal(err)
		}
		buffer := make([]byte, 1<<16)
		for n := 1; n > 0; {
			n, _ = content.Read(buffer)
			text.Write(buffer[:n])
		}
		if strings.Contains(text.String(), "<f>") || strings.Contains(text.String(), "\x07") || !strings.Contains(text.String(), `state="frozen"`) {
			t.Errorf("%s: %s", file.Name, text.String())
		}
	}
	if sheets != 2 {
		t.Errorf("%d sheets", sheets)
	}
}

func TestWhatDoesNotFitInAWorkbookIsRefused(t *testing.T) {
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	if _, err := newWorkbook(oddTable(t), "x", math.MaxInt64); backoffice.KindOf(err) != backoffice.Unavailable {
		t.Errorf("more than the disk has: %v", err)
	}
	w, err := newWorkbook(oddTable(t), "x", 100)
	if err != nil {
		t.Fatal(err)
	}
	rows := []byte(oddRows)
	if err := eachElement(rows, 0, func(at int) (int, error) { return w.table.each(rows, at, w.write) }); err != nil {
		t.Fatal(err)
	}
	if err := w.fits(); backoffice.KindOf(err) != backoffice.TooLarge {
		t.Errorf("more than the limit: %v", err)
	}
	if _, err := w.value([]byte(`"`+strings.Repeat("x", mostCellUnits+1)+`"`), 0); backoffice.KindOf(err) != backoffice.BadInput || !strings.Contains(err.Error(), "name") {
		t.Errorf("a long text: %v", err)
	}
	if _, err := w.value([]byte(`"`+strings.Repeat("é", mostCellUnits)+`"`), 0); err != nil {
		t.Errorf("one that fits: %v", err)
	}
	w.close()
	if left, err := os.ReadDir(temporary); err != nil || len(left) != 0 {
		t.Errorf("there are %v %v", left, err)
	}
	t.Setenv("TMPDIR", filepath.Join(temporary, "none"))
	if _, err := newWorkbook(oddTable(t), "x", 100); backoffice.KindOf(err) != backoffice.Unavailable {
		t.Errorf("without a folder: %v", err)
	}
}

// FuzzOptions looks for an address that is neither read nor refused, and for a path of rows that unfolds what it does
// not name.
func FuzzOptions(f *testing.F) {
	for _, seed := range []string{"format=csv&rows=relations", "rows=responsible.transcripts&cursor=on", "format=pdf", "after=x&after=y", "excel=on&a=b", "rows=relations.edges", "rows=%2e"} {
		f.Add(seed)
	}
	s, err := rootListFor(f, `{ customers { nodes { id relations { nodes { id kind } } } } }`, Options{})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, address string) {
		values, err := url.ParseQuery(address)
		if err != nil {
			return
		}
		o, rest, err := ReadOptions(values)
		if err != nil {
			if backoffice.KindOf(err) != backoffice.BadInput || len(address) > 40 && strings.Contains(err.Error(), address) {
				t.Errorf("%v", err)
			}
			return
		}
		for name := range rest {
			if _, known := optionNames[name]; known {
				t.Errorf("%s is left", name)
			}
		}
		table, err := newTable(s.row, o.Rows)
		if (err == nil) != (o.Rows == "relations") || err == nil && table.list.path != "relations" || err != nil && backoffice.KindOf(err) != backoffice.BadInput {
			t.Errorf("rows=%q: %v", o.Rows, err)
		}
	})
}

// FuzzSkip holds the reading of an answer against its writing.
func FuzzSkip(f *testing.F) {
	for _, seed := range []string{`a"b`, `\`, `\"`, "\n]}", `{"a":[1]}`, "é\\u"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if strings.ToValidUTF8(text, "") != text {
			return
		}
		quoted := backoffice.AppendJSONString(nil, text)
		b := append(append([]byte(`[{"x":`), quoted...), `,"y":{}},1]`...)
		if end := skip(b, 0); end != len(b) {
			t.Errorf("the list ends at %d of %d", end, len(b))
		}
		if end := skip(b, 6); end != 6+len(quoted) || string(appendText(nil, b[6:end])) != text {
			t.Errorf("the text ends at %d: %q", end, b)
		}
	})
}
