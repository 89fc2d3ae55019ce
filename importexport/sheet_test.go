package importexport

import (
	"archive/zip"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"
)

// asCSV writes lines of JSON as a sheet: a column for each field and part of one that occurs.
func asCSV(t testing.TB, comma rune, lines []string) string {
	t.Helper()
	var header []string
	rows := make([]map[string]string, len(lines))
	for i, line := range lines {
		rows[i] = map[string]string{}
		var fields map[string]any
		must(t, json.Unmarshal([]byte(line), &fields))
		var put func(prefix string, fields map[string]any)
		put = func(prefix string, fields map[string]any) {
			for name, value := range fields {
				name = prefix + name
				text := ""
				switch value := value.(type) {
				case nil:
				case map[string]any:
					if name == "addressFields" {
						put("addressFields.", value)
						continue
					}
					var as map[string]json.RawMessage // as it stands in the line
					must(t, json.Unmarshal([]byte(line), &as))
					text = string(as[name])
				case []any:
					var items []string
					for _, item := range value {
						items = append(items, item.(string))
					}
					text = strings.Join(items, "; ")
				case bool:
					text = map[bool]string{true: "WAAR", false: "Onwaar"}[value]
				case float64:
					text = fmt.Sprint(value)
					if comma != ',' {
						text = strings.Replace(text, ".", ",", 1)
					}
				default:
					text = fmt.Sprint(value)
				}
				if !slices.Contains(header, name) {
					header = append(header, name)
				}
				rows[i][name] = text
			}
		}
		put("", fields)
	}
	slices.Sort(header)
	var out bytes.Buffer
	w := csv.NewWriter(&out)
	w.Comma, w.UseCRLF = comma, comma == ';'
	must(t, w.Write(header))
	for _, row := range rows {
		record := make([]string, len(header))
		for i, name := range header {
			record[i] = row[name]
		}
		must(t, w.Write(record))
	}
	w.Flush()
	return out.String()
}

// sheets makes a folder of sheets of one of lines.
func sheets(t testing.TB, folder string, comma rune) string {
	into := t.TempDir()
	must(t, os.CopyFS(into, os.DirFS(folder)))
	paths, err := filepath.Glob(filepath.Join(into, "*.ndjson"))
	must(t, err)
	for _, path := range paths {
		must(t, os.WriteFile(strings.TrimSuffix(path, ".ndjson")+".csv", []byte("\ufeff"+asCSV(t, comma, linesOf(t, path))), 0o600))
		must(t, os.Remove(path))
	}
	return into
}

func TestSheetsHoldWhatLinesDo(t *testing.T) {
	t.Parallel()
	for _, comma := range []rune{',', ';', '\t'} {
		t.Run(fmt.Sprintf("%q", comma), func(t *testing.T) {
			t.Parallel()
			want, got := newEnv(t), newEnv(t)
			folder := office(t)
			want.mustLoad(t, folder)
			exported := want.dump(t, true)
			got.mustLoad(t, sheets(t, exported, comma))
			if diff := cmp.Diff(textOf(t, exported), textOf(t, got.dump(t, true))); diff != "" {
				t.Errorf("sheets with %q come to something else (-lines +sheets):\n%s", comma, diff)
			}
			for name, loaded := range got.mustLoad(t, exported) {
				if loaded.Unchanged != loaded.Lines() {
					t.Errorf("%s: the lines then changed %+v", name, loaded)
				}
			}
		})
	}
}

// workbooks makes a folder of workbooks of one of sheets, all of whose cells are texts.
func workbooks(t testing.TB, folder string) string {
	paths, err := filepath.Glob(filepath.Join(folder, "*.csv"))
	must(t, err)
	for _, path := range paths {
		text, err := os.ReadFile(path)
		must(t, err)
		rows, err := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(text, []byte("\ufeff")))).ReadAll()
		must(t, err)
		book := excelize.NewFile()
		for i, row := range rows {
			for j, value := range row {
				cell, err := excelize.CoordinatesToCellName(j+1, i+1)
				must(t, err)
				switch value {
				case "WAAR", "Onwaar":
					must(t, book.SetCellBool("Sheet1", cell, value == "WAAR"))
				case "":
				default:
					must(t, book.SetCellStr("Sheet1", cell, value))
				}
			}
		}
		must(t, book.SaveAs(strings.TrimSuffix(path, ".csv")+".xlsx"))
		must(t, book.Close())
		must(t, os.Remove(path))
	}
	return folder
}

func TestWorkbooksHoldWhatLinesDo(t *testing.T) {
	t.Parallel()
	want, got := newEnv(t), newEnv(t)
	want.mustLoad(t, office(t))
	exported := want.dump(t, true)
	folder := workbooks(t, sheets(t, exported, ','))
	got.mustLoad(t, folder)
	if diff := cmp.Diff(textOf(t, exported), textOf(t, got.dump(t, true))); diff != "" {
		t.Errorf("workbooks come to something else (-lines +workbooks):\n%s", diff)
	}
	book := excelize.NewFile()
	for cell, value := range map[string]any{"A1": "_id", "B1": "name", "C1": "color", "A2": "wit", "B2": "Wit", "C2": "#ffffff", "A3": "rood", "B3": "Rood", "C3": "red", "A5": "zwart", "B5": "Zwart"} {
		must(t, book.SetCellValue("Sheet1", cell, value))
	}
	labels, rejects := t.TempDir(), t.TempDir()
	must(t, book.SaveAs(filepath.Join(labels, "labels.xlsx")))
	all, err := (&Importer{Store: got.store, Files: got.files, Keys: got.keys, Rejects: rejects}).Import(t.Context(), labels)
	must(t, err)
	if all[0].Created != 2 || all[0].Rejected != 1 || all[0].Bad[0].Line != 3 {
		t.Errorf("it did %+v", all[0])
	}
	if lines := linesOf(t, filepath.Join(rejects, "labels.csv")); !slices.Equal(lines, []string{"_id,name,color", "rood,Rood,red"}) {
		t.Errorf("the rejects are %q", lines)
	}
	must(t, os.WriteFile(filepath.Join(labels, "labels.xlsx"), []byte("PK no workbook"), 0o600))
	if _, err := got.load(t.Context(), labels); err == nil || !strings.Contains(err.Error(), "labels.xlsx is not a readable workbook") {
		t.Errorf("what is no workbook: %v", err)
	}
}

func TestTheFirstVisibleSheetOfAWorkbookIsReadAndNamed(t *testing.T) {
	t.Parallel()
	book := excelize.NewFile()
	for _, name := range []string{"Old", "New", "Also"} {
		_, err := book.NewSheet(name)
		must(t, err)
		must(t, book.SetSheetRow(name, "A1", &[]string{"_id", "name"}))
		must(t, book.SetSheetRow(name, "A2", &[]string{"l-1", name}))
	}
	must(t, book.DeleteSheet("Sheet1"))
	book.SetActiveSheet(1)
	must(t, book.SetSheetVisible("Old", false))
	h, folder := newEnv(t), t.TempDir()
	must(t, book.SaveAs(filepath.Join(folder, "labels.xlsx")))
	all, err := h.load(t.Context(), folder)
	must(t, err)
	if one(t, h.store.Labels(), "l-1").Name != "New" || !slices.Equal(all[0].Notes, []string{"only New of 2 sheets"}) {
		t.Errorf("it did %+v", all[0])
	}
}

func TestACellOfAWorkbookIsItsValueOrAFault(t *testing.T) {
	t.Parallel()
	book := excelize.NewFile()
	for i, name := range []string{"_id", "type", "name", "phone", "customerCode"} {
		must(t, book.SetCellStr("Sheet1", string(rune('A'+i))+"1", name))
	}
	for i, phone := range []any{25551212, "+32 2 555 12 12", "#N/A", nil, 25551212.0, 25551212.0, "25551212.0", "0475-12-34-56"} {
		row := strconv.Itoa(i + 2)
		cells := map[string]any{"A": "c" + row, "B": "Company", "C": "Café", "D": phone, "E": float64(i + 500)}
		for column, value := range cells {
			must(t, book.SetCellValue("Sheet1", column+row, value))
		}
	}
	must(t, book.SetCellFormula("Sheet1", "D5", "1/0"))
	path := filepath.Join(t.TempDir(), "customers.xlsx")
	must(t, book.SaveAs(path))
	asOthersWrite(t, path, "xl/worksheets/sheet1.xml", map[string]string{ // Apache POI, Excel, openpyxl
		`<c r="D6"><v>25551212</v></c>`: `<c r="D6"><v>2.5551212E7</v></c>`,
		`<c r="E6"><v>504</v></c>`:      `<c r="E6" t="n"><v>504.0</v></c>`,
		`<c r="D7"><v>25551212</v></c>`: `<c r="D7" t="e"><f>1/0</f><v>#DIV/0!</v></c>`,
		`<c r="E7"><v>505</v></c>`:      `<c r="E7" t="str"><f>""</f><v></v></c>`,
	})
	e := newEnv(t)
	importer := &Importer{Store: e.store, Files: e.files, Keys: e.keys, Rejects: t.TempDir()}
	all, err := importer.Import(t.Context(), filepath.Dir(path))
	must(t, err)
	var faults []string
	for _, bad := range all[0].Bad {
		faults = append(faults, bad.Report("customers"))
	}
	want := []string{
		"customers:4: column 4 has the spreadsheet error #N/A instead of a value",
		"customers:5: column 4 has the spreadsheet error #FORMULA! instead of a value",
		"customers:7: column 4 has the spreadsheet error #DIV/0! instead of a value",
		"customers:8: phone: a phone number must look like +32 2 555 12 12",
	}
	if !slices.Equal(faults, want) {
		t.Errorf("the faults are %q", faults)
	}
	stored := textOf(t, e.dump(t, true))["customers.ndjson"]
	for _, want := range []string{`"customerCode":"500"`, `"customerCode":"501"`, `"customerCode":"504"`} {
		if !strings.Contains(stored, want) {
			t.Errorf("%s is not in %s", want, stored)
		}
	}
	if n := strings.Count(stored, `"phone":"+32 2 555 12 12"`); n != 3 {
		t.Errorf("%d have the number that the workbook holds: %s", n, stored)
	}
}

func TestErrorsOfASpreadsheetAreNoValuesInAnyLanguage(t *testing.T) {
	t.Parallel()
	h := newEnv(t)
	for _, value := range []string{"#N/B", "#VALEUR!", "#NV", "#ÜBERLAUF!"} {
		if said := reports(t, h, only(t, "labels.csv", "_id;name", "a;"+value)); len(said) != 1 || !strings.Contains(said[0], "spreadsheet error") {
			t.Errorf("%s: %q", value, said)
		}
	}
}

// asOthersWrite puts other XML into a part of a workbook.
func asOthersWrite(t testing.TB, path, changing string, instead map[string]string) {
	t.Helper()
	workbook, err := zip.OpenReader(path)
	must(t, err)
	defer workbook.Close()
	var changed bytes.Buffer
	out := zip.NewWriter(&changed)
	for _, part := range workbook.File {
		in, err := part.Open()
		must(t, err)
		text, err := io.ReadAll(in)
		must(t, err)
		if part.Name == changing {
			for from, to := range instead {
				if !bytes.Contains(text, []byte(from)) {
					t.Fatalf("%s is not in %s", from, text)
				}
				text = bytes.Replace(text, []byte(from), []byte(to), 1)
			}
		}
		to, err := out.Create(part.Name)
		must(t, err)
		_, err = to.Write(text)
		must(t, err)
	}
	must(t, out.Close())
	must(t, os.WriteFile(path, changed.Bytes(), 0o600))
}

func TestAColumnIsForTheFieldThatTheMappingNames(t *testing.T) {
	t.Parallel()
	h := newEnv(t)
	folder := t.TempDir()
	const text = "Nr;Soort;Klantnaam;Straat;Diensten;Nota\r\nk-1;Company;\"Bakkerij \"\"Peeters\"\" en zoon\";Kerkstraat;checklist; payroll-os;ja\r\n"
	must(t, os.WriteFile(filepath.Join(folder, "customers.csv"), []byte(strings.Replace(text, "checklist; payroll-os", "\"checklist; payroll-os\"", 1)), 0o600))
	mapping, err := ParseMapping([]byte(`{"customers":{"Nr":"_id","Soort":"type","Klantnaam":"name","Straat":"addressFields.street","Diensten":"scopes","Nota":""}}`))
	must(t, err)
	importer := &Importer{Store: h.store, Files: h.files, Keys: h.keys, Mapping: mapping}
	_, err = importer.Import(t.Context(), folder)
	must(t, err)
	c := one(t, h.store.Customers(), "k-1")
	if c.OwnName != "Bakkerij \"Peeters\" en zoon" || c.Address.Street != "Kerkstraat" || !slices.Equal(c.Scopes, []string{"checklist", "payroll-os"}) {
		t.Errorf("the customer is %+v", c)
	}
	for _, bad := range []string{`{"customers":{"Nr":"_id"}}`, `{"customers":{"Nr":"_id","Soort":"type","Klantnaam":"name","Straat":"name","Diensten":"","Nota":""}}`} {
		if importer.Mapping, err = ParseMapping([]byte(bad)); err != nil {
			t.Fatal(err)
		}
		if _, err := importer.Import(t.Context(), folder); err == nil || !strings.Contains(err.Error(), "customers.csv: ") {
			t.Errorf("%s: %v", bad, err)
		}
	}
	if _, err := ParseMapping([]byte(`{"customers":{"Klantnaam":"title"}}`)); err == nil || err.Error() != `the mapping maps the column Klantnaam of customers to the field title, which does not exist` {
		t.Errorf("a field that nobody knows: %v", err)
	}
	for _, bad := range []string{`[]`, `{"clients":{}}`, `{"customers":{"a":1}}`, `{"customers":{"Straat":"addressFields"}}`, `{"customers":{"Straat":"name.street"}}`} {
		if _, err := ParseMapping([]byte(bad)); err == nil {
			t.Errorf("%s is a mapping", bad)
		}
	}
}

func TestAColumnThatNobodyKnowsEndsAnImportBeforeItBegins(t *testing.T) {
	t.Parallel()
	h := newEnv(t)
	folder := t.TempDir()
	must(t, os.WriteFile(filepath.Join(folder, "labels.csv"), []byte("_id,name\nl-1,VIP\n"), 0o600))
	must(t, os.WriteFile(filepath.Join(folder, "customers.csv"), []byte("_id,type,Klantnaam\nk-1,Company,Peeters\n"), 0o600))
	loaded, err := h.load(t.Context(), folder)
	if err == nil || !strings.Contains(err.Error(), "customers.csv: no field for the column") || len(loaded) != 0 {
		t.Errorf("it loads %v and ends with %v", loaded, err)
	}
	if changes := h.changes(t); len(changes) != 0 {
		t.Errorf("%d records were changed", len(changes))
	}
}

func TestAFolderSaysOnceWhatItHolds(t *testing.T) {
	t.Parallel()
	h := newEnv(t)
	for _, folder := range []string{with(t, only(t, "labels.ndjson", `{"_id":"a","name":"a"}`), "labels.csv", "_id,name", "a,b"), only(t, "lables.csv", "_id,name", "a,b"), only(t, "labels.csv", "")} {
		if _, err := h.load(t.Context(), folder); err == nil || len(h.changes(t)) > 0 {
			t.Errorf("it was loaded: %v", err)
		}
	}
}

// torn are sheets with mistakes that a program or a person makes: quotes, separators and line breaks where none may be.
func torn(r *rand.Rand) (text string, lines []string) {
	lines = []string{"_id,type,name,phone"}
	for i := range 40 {
		line := fmt.Sprintf("c-%d,Company,Zaak %d,", i, i)
		switch r.IntN(12) {
		case 0:
			line = fmt.Sprintf(`c-%d,Company,"Zaak %d,`, i, i)
		case 1:
			line = fmt.Sprintf(`c-%d,Company,Za"ak %d,`, i, i)
		case 2:
			line = fmt.Sprintf("c-%d,Company", i)
		case 3:
			line = fmt.Sprintf("c-%d,Company,Zaak,,,", i)
		case 4:
			line = fmt.Sprintf("c-%d,Company,\xff,", i)
		case 5:
			line = fmt.Sprintf("c-%d,Company,\"Zaak, \"\"%d\"\"\",", i, i)
		case 6:
			line = fmt.Sprintf("c-%d,Company,\"Zaak", i)
			lines = append(lines, line)
			line = fmt.Sprintf("%d\",", i)
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n") + "\n", lines[1:]
}

func TestEveryLineOfATornSheetIsEitherInTheStoreOrAmongTheRejects(t *testing.T) {
	t.Parallel()
	for seed := range uint64(20) {
		text, lines := torn(rand.New(rand.NewPCG(seed, 1)))
		h := newEnv(t)
		folder, rejects := t.TempDir(), t.TempDir()
		must(t, os.WriteFile(filepath.Join(folder, "customers.csv"), []byte(text), 0o600))
		all, err := (&Importer{Store: h.store, Files: h.files, Keys: h.keys, Rejects: rejects}).Import(t.Context(), folder)
		must(t, err)
		rejected := linesOf(t, filepath.Join(rejects, "customers.csv"))
		if len(rejected) > 0 {
			if rejected[0] != "_id,type,name,phone" {
				t.Fatalf("the rejects begin with %q", rejected[0])
			}
			rejected = rejected[1:]
		}
		for _, line := range lines {
			if at := slices.Index(rejected, line); at >= 0 {
				rejected = slices.Delete(rejected, at, at+1)
				continue
			}
			id, _, _ := strings.Cut(line, ",")
			if number, isEnd := strings.CutSuffix(line, "\","); isEnd && !strings.Contains(line, "Zaak") {
				id = "c-" + number // the second line of a record
			}
			if one(t, h.store.Customers(), id) == nil {
				t.Errorf("seed %d: the line %q is nowhere; it did %+v", seed, line, all)
			}
		}
		if len(rejected) > 0 {
			t.Errorf("seed %d: rejects hold what no line was: %q", seed, rejected)
		}
	}
}

func FuzzASheetsLineIsAnObjectOrSaysWhyNot(f *testing.F) {
	for _, text := range []string{`a,b,c,d`, `"a ""b""",true,"1,5",x;y`, "\"a\nb\",,,", `a"b,,,`, `",,,`, "\xff,,,"} {
		f.Add(text, byte(0))
		f.Add(text, byte(1))
	}
	f.Fuzz(func(t *testing.T, text string, of byte) {
		s := &sheet{comma: []rune{',', ';', '\t'}[of%3], width: 4, columns: []column{{name: "_id"}, {object: "o", name: "p", cell: flagCell}, {name: "n", cell: numberCell}, {object: "o", name: "l", cell: listCell}}}
		line, why := s.line([]byte(text))
		if (why == "") != (line != nil) {
			t.Fatalf("%q gives %q and %q", text, line, why)
		}
		if why == "" && checkObject(line) != "" {
			t.Fatalf("%q gives %q", text, line)
		}
		if why == "" && !strings.ContainsAny(text, "\r\n") && s.isOpen([]byte(text), false) {
			t.Fatalf("%q is whole and open", text)
		}
	})
}
