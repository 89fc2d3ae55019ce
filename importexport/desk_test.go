package importexport

import (
	"bytes"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	utf "golang.org/x/text/encoding/unicode"

	"example.org/backoffice/backoffice"
)

// desk is a first import of an office: no record has an _id.
func desk(t testing.TB) string {
	folder := only(t, "labels.csv", "name;color", "Loon;#ffffff")
	with(t, folder, "users.CSV", "firstName;lastName;email;language;labels", "Els;Janssens;els@kantoor.example;NL;loon", "Luc;Dubois;luc@kantoor.example;Frans;")
	with(t, folder, "financialyears.csv", "startDate;isCurrentYear", "2025;nee", "2026;ja")
	with(t, folder, "checklists.csv", "name;language;financialYear", "Personenbelasting;nl;2025", "Personenbelasting;nl;2026", "Vennootschapsbelasting;nl;2026")
	with(t, folder, "customers.csv", "customerCode;type;name;companyType;kboNumber;responsible",
		"KL/001;Bedrijf;Bakkerij Peeters;S.R.L.;0200.065.765;ELS@kantoor.example", "KL/002;Particulier;Jan Maes;;;luc dubois", "KL/003;Onderneming;Maatwerk;VZW;0403.170.701;")
	with(t, folder, "relations.csv", "kind;customer;relatedCustomer", "Zaakvoerder;KL/001;KL/002", "aandeelhouder;KL/001;KL/002")
	return with(t, folder, "transcripts.csv", "customer;checklist;financialYear;isCompleted", "KL/002;personenbelasting;2025;ja", "KL/002;Personenbelasting;2026;nee", "KL/001;Vennootschapsbelasting;;nee")
}

func TestAFirstImportNeedsNoIdentifiers(t *testing.T) {
	t.Parallel()
	for engine, open := range map[string]func(testing.TB) *env{"SQLite": newEnv, "PostgreSQL": newPostgresEnv} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			h, folder := open(t), desk(t)
			for _, portion := range []int{0, 1} {
				importer := &Importer{Store: h.store, Files: h.files, Keys: h.keys, Key: "customerCode", Portion: portion}
				all, err := importer.Import(t.Context(), folder)
				must(t, err)
				for _, loaded := range all {
					if first := portion == 0; first && loaded.Created != loaded.Lines() || !first && loaded.Unchanged != loaded.Lines() {
						t.Errorf("it did %+v", loaded)
					}
				}
			}
			lists := textOf(t, h.dump(t, false))
			for file, wanted := range map[string][]string{
				"customers.ndjson": {`"kboNumber":"0200065765","companyType":"BV"`, `"type":"Private Person"`, `"companyType":"VZW"`},
				"relations.ndjson": {`"kind":"director"`, `"kind":"shareholder"`}, "users.ndjson": {`"language":"french"`, `"labels":["`},
			} {
				for _, text := range wanted {
					if !strings.Contains(lists[file], text) {
						t.Errorf("%s lacks %s:\n%s", file, text, lists[file])
					}
				}
			}
			people := map[string]string{}
			must(t, eachOf(t.Context(), h.store, backoffice.UserTable, func(u *user) { people[u.ID] = u.FirstName }))
			of := map[backoffice.Text]string{}
			must(t, eachOf(t.Context(), h.store, backoffice.CustomerTable, func(c *customer) { of[c.CustomerCode] = people[c.ResponsibleID] }))
			if want := map[backoffice.Text]string{"KL/001": "Els", "KL/002": "Luc", "KL/003": ""}; !maps.Equal(of, want) {
				t.Errorf("the responsible users are %v", of)
			}
			years := map[string]int{}
			must(t, eachOf(t.Context(), h.store, backoffice.TranscriptTable, func(r *transcript) { years[r.FinancialYearID]++ }))
			if len(years) != 2 {
				t.Errorf("the transcripts are of %d years", len(years))
			}
		})
	}
}

func TestWhatMayMeanTwoRecordsIsRejected(t *testing.T) {
	t.Parallel()
	for engine, open := range map[string]func(testing.TB) *env{"SQLite": newEnv, "PostgreSQL": newPostgresEnv} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			h := open(t)
			importer := &Importer{Store: h.store, Files: h.files, Keys: h.keys, Key: "customerCode"}
			folder := desk(t)
			_, err := importer.Import(t.Context(), folder)
			must(t, err)
			for _, c := range []struct{ key, file, header, line, why string }{
				{"customerCode", "transcripts.csv", "customer;checklist", "KL/001;Personenbelasting", "checklist: 2 checklists have this name; add the financialYear"},
				{"customerCode", "transcripts.csv", "customer;checklist", "KL/009;Vennootschapsbelasting", "customer: no customer has this identifier or key"},
				{"customerCode", "customers.csv", "customerCode;name;responsible", "KL/001;A;nobody@kantoor.example", "responsible: no user has this identifier, e-mail address or name"},
				{"customerCode", "customers.csv", "customerCode;name;type", ";A;Company", "customerCode: this field is required in a line without _id"},
				{"kboNumber", "customers.csv", "kboNumber;name;type", "BE 0200 065 765;A;Company", "kboNumber: 2 records have this value; add the _id of one"},
				{"email", "customers.csv", "kboNumber;name;type", "0200065765;A;Company", "_id: this field is required"},
				{"email", "users.csv", "email;firstName;lastName", "LUC@kantoor.example;Luc;Dubois", "email: 2 records have this value; add the _id of one"},
				{"customerCode", "customers.csv", "customerCode;responsible", "KL/001;luc dubois", "responsible: 2 records are known by this; give the identifier of one"},
			} {
				if c.key == "kboNumber" {
					with(t, folder, "customers.ndjson", `{"_id":"twin","type":"Company","kboNumber":"0200065765"}`)
					with(t, folder, "users.ndjson", `{"_id":"luc2","firstName":"Luc","lastName":"Dubois","email":"Luc@kantoor.example"}`)
					for _, name := range []string{"users.CSV", "customers.csv"} {
						must(t, os.Remove(filepath.Join(folder, name)))
					}
					for _, name := range []string{"labels.csv", "financialyears.csv", "checklists.csv", "relations.csv", "transcripts.csv"} {
						_ = os.Remove(filepath.Join(folder, name))
					}
					_, err := h.load(t.Context(), folder)
					must(t, err)
				}
				importer.Key, importer.Rejects = c.key, t.TempDir()
				before := len(h.changes(t))
				all, err := importer.Import(t.Context(), only(t, c.file, c.header, c.line))
				must(t, err)
				if len(all[0].Bad) != 1 || all[0].Bad[0].Faults[0].String() != c.why || len(h.changes(t)) != before {
					t.Errorf("%s by %s: %+v", c.line, c.key, all[0])
				}
			}
			for key, why := range map[string]string{"registrationNumber": "registration numbers are no keys", "name": "the keys are"} {
				importer.Key, importer.Rejects = key, ""
				if _, err := importer.Import(t.Context(), folder); err == nil || !strings.Contains(err.Error(), why) {
					t.Errorf("the key %s: %v", key, err)
				}
			}
		})
	}
}

func TestTwoLinesOfOneKeyAreOneRecordAndAReject(t *testing.T) {
	t.Parallel()
	h := newEnv(t)
	importer := &Importer{Store: h.store, Files: h.files, Keys: h.keys, Key: "kboNumber", Rejects: t.TempDir()}
	all, err := importer.Import(t.Context(), only(t, "customers.csv", "kboNumber,type,name", "0200.065.765,Company,A", "BE0200065765,Company,B"))
	must(t, err)
	if l := all[0]; l.Created != 1 || l.Rejected != 1 || l.Bad[0].Line != 3 || l.Bad[0].Faults[0].Why != "duplicate key, first on line 2" {
		t.Errorf("it did %+v", l)
	}
}

func TestABadLineOfTheCurrentYearRejectsNoOther(t *testing.T) {
	t.Parallel()
	h := newEnv(t)
	h.mustLoad(t, office(t))
	importer := &Importer{Store: h.store, Files: h.files, Keys: h.keys, Rejects: t.TempDir()}
	all, err := importer.Import(t.Context(), only(t, "financialyears.ndjson", `{"_id":"fy-2026","isCurrentYear":"yes"}`, `{"_id":"fy-2025","endDate":"2026"}`))
	must(t, err)
	if all[0].Rejected != 1 || one(t, h.store.FinancialYears(), "fy-2025").EndDate != "2026" {
		t.Errorf("it did %+v", all[0])
	}
}

func TestAMissingQuoteHidesNoRows(t *testing.T) {
	t.Parallel()
	h := newEnv(t)
	importer := &Importer{Store: h.store, Files: h.files, Keys: h.keys, Rejects: t.TempDir()}
	all, err := importer.Import(t.Context(), only(t, "labels.csv", "_id;name;color", `a;A;"#ffffff`, "", "b;B;#ffffff", `c;C;#ffffff"`, "d;D;#ffffff", "\"e\";\"a name;", "of two lines\";#ffffff"))
	must(t, err)
	if one(t, h.store.Labels(), "d") == nil || all[0].Created != 1 || all[0].Rejected != 2 || all[0].Bad[0].Faults[0].Why != manyRows { // no name has two lines
		t.Errorf("it did %+v", all[0])
	}
}

func TestAFileIsReadAsExcelLeavesIt(t *testing.T) {
	t.Parallel()
	const header, row = "_id;name;color", "l-1;Café Zoë;#ffffff"
	plain := header + "\r\n" + row + "\r\n"
	western := func(text string) string {
		encoded, err := charmap.Windows1252.NewEncoder().String(text)
		must(t, err)
		return encoded
	}
	utf16 := func(order utf.Endianness, mark utf.BOMPolicy) string {
		encoded, err := utf.UTF16(order, mark).NewEncoder().String(strings.ReplaceAll(plain, ";", "\t"))
		must(t, err)
		return encoded
	}
	for what, c := range map[string]struct {
		name, text string
		notes      string
		line       int // of the row
	}{
		"as it should be":        {"labels.csv", "\ufeff" + plain, "", 2},
		"separators below":       {"labels.csv", plain + ";;\r\n;;\r\n", "", 2},
		"its separator above":    {"LABELS.CSV", "sep=;\r\n" + plain, "", 3},
		"a title above":          {"labels.csv", "Labels 2026;;\r\n\r\n" + plain, "without 1 row above the header", 4},
		"a title with commas":    {"labels.csv", "a, b, c, d\r\n" + plain, "without 1 row above the header", 3},
		"columns without a name": {"labels.csv", "_id;name;color;;\r\n" + row + ";;\r\n", "", 2},
		"no separators at the end": {"labels.csv", "_id;name;color;;\r\n" + row + "\r\n",
			"", 2},
		"Windows-1252":          {"labels.csv", western(plain), "read as Windows-1252", 2},
		"UTF-16":                {"labels.txt", utf16(utf.LittleEndian, utf.ExpectBOM), "read as UTF-16", 2},
		"UTF-16 of a Macintosh": {"labels.csv", utf16(utf.BigEndian, utf.ExpectBOM), "read as UTF-16", 2},
		"UTF-16 without a mark": {"labels.csv", utf16(utf.LittleEndian, utf.IgnoreBOM), "read as UTF-16", 2},
		"a quoted text":         {"labels.csv", `"_id";"name";"color"` + "\n" + `"l-1";"=""Café Zoë""";"#ffffff"` + "\n", "", 2},
	} {
		h, folder := newEnv(t), t.TempDir()
		must(t, os.WriteFile(filepath.Join(folder, c.name), []byte(c.text), 0o600))
		must(t, os.WriteFile(filepath.Join(folder, "~$labels.xlsx"), []byte("Els"), 0o600))
		all, err := h.load(t.Context(), folder)
		must(t, err)
		l := one(t, h.store.Labels(), "l-1")
		if l == nil || l.Name != "Café Zoë" || l.Color != "#ffffff" || all[0].Created != 1 || strings.Join(all[0].Notes, "; ") != c.notes {
			t.Errorf("%s: %+v, %+v", what, all, l)
		}
		bad := strings.Replace(c.text, "#", "?", 1)
		must(t, os.WriteFile(filepath.Join(folder, c.name), []byte(bad), 0o600))
		rejects := t.TempDir()
		all, err = (&Importer{Store: h.store, Files: h.files, Keys: h.keys, Rejects: rejects}).Import(t.Context(), folder)
		must(t, err)
		if len(all[0].Bad) != 1 || all[0].Bad[0].Line != c.line {
			t.Errorf("%s: the line is told as %+v", what, all[0].Bad)
		}
		text, err := os.ReadFile(filepath.Join(rejects, c.name))
		must(t, err)
		if !bytes.HasPrefix(text, []byte("\ufeff")) || !bytes.Contains(text, []byte("Café Zoë")) || bytes.Contains(text, []byte("2026")) {
			t.Errorf("%s: the rejects are %q", what, text)
		}
	}
}

func TestAValueInDoubtIsARejectWithAReason(t *testing.T) {
	t.Parallel()
	for text, why := range map[string]string{
		"Caf\x82 Andr\x82;#ffffff":      "the line is not valid UTF-8: save the file as CSV UTF-8", // code page 850
		"Caf\x8e;#ffffff":               "the line is not valid UTF-8: save the file as CSV UTF-8", // Macintosh
		"Caf\xe9, Zoë;#ffffff":          "the line is not valid UTF-8: save the file as CSV UTF-8", // two encodings
		"Caf\xef\xbf\xbd;#ffffff":       "column 2 has lost a character: save the original again, as CSV UTF-8",
		"4,00123E+11;#ffffff":           "column 2 has a number that the spreadsheet shortened: format it as text",
		"VIP;########":                  "column 3 has the spreadsheet error ######## instead of a value",
		"VIP;#ffffff;;and more":         "column 5 has a value, but no name in the header",
		"VIP":                           "the line has 2 columns instead of 5",
		"VIP;#ffffff;;;;;one too many;": "the line has 8 columns instead of 5",
	} {
		h, rejects := newEnv(t), t.TempDir()
		all, err := (&Importer{Store: h.store, Files: h.files, Keys: h.keys, Rejects: rejects}).Import(t.Context(), only(t, "labels.csv", "_id;name;color;;", "l-1;"+text))
		must(t, err)
		if len(all[0].Bad) != 1 || all[0].Bad[0].Faults[0].Why != why || one(t, h.store.Labels(), "l-1") != nil {
			t.Errorf("%q: %+v", text, all[0])
		}
	}
	for name, why := range map[string]string{"labels.xls": "save it as .xlsx", "labels.ods": "save it as .xlsx", "Labels.csv": "the first row has to name the columns"} {
		if _, err := newEnv(t).load(t.Context(), only(t, name, "Onze labels", "VIP;wit")); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAMappingGivesValuesAndConstants(t *testing.T) {
	t.Parallel()
	mapping, err := ParseMapping([]byte(`{"customers":{"Nr":"customerCode","Naam":"name","Vorm":"companyType","Nota":"",
		"companyType":{"Vennoot.":"BV","eenm":"","*":"ANDERE"},"type":{"*":"Company"},"language":{"":"NL"}}}`))
	must(t, err)
	h := newEnv(t)
	importer := &Importer{Store: h.store, Files: h.files, Keys: h.keys, Key: "customerCode", Mapping: mapping, Rejects: t.TempDir()}
	folder := only(t, "klanten.csv", "Nr;Naam;Vorm;Nota;kboNumber", "1;Een;vennoot.;x;0200065765", "2;Twee;eenm;;", "3;Drie;iets;;0403170701", "Totaal: 3;;;;")
	all, err := importer.Import(t.Context(), filepath.Join(folder, "klanten.csv"))
	must(t, err)
	if all[0].Created != 3 || all[0].Rejected != 1 || all[0].Bad[0].Line != 5 {
		t.Errorf("it did %+v", all[0])
	}
	found := map[string]string{}
	must(t, eachOf(t.Context(), h.store, backoffice.CustomerTable, func(c *customer) {
		found[string(c.CustomerCode)] = strings.Join([]string{string(c.Type), string(c.CompanyType), string(c.Language)}, " ")
	}))
	if want := map[string]string{"1": "COMPANY BV dutch", "2": "COMPANY  dutch", "3": "COMPANY ANDERE dutch"}; !maps.Equal(found, want) {
		t.Errorf("the customers are %v", found)
	}
	for _, bad := range []string{`{"customers":{"scope":{"a":"b"}}}`, `{"customers":{"_id":{"*":"b"}}}`, `{"customers":{"type":{"A":"Company","a":"Private Person"}}}`, `{"customers":{"type":{"a":1}}}`, `{"customers":{"type":null}}`} {
		if _, err := ParseMapping([]byte(bad)); err == nil {
			t.Errorf("%s is a mapping", bad)
		}
	}
	importer.Mapping = nil
	if _, err := importer.Import(t.Context(), filepath.Join(folder, "klanten.csv")); err == nil || !strings.Contains(err.Error(), "--propose") {
		t.Errorf("a name that says nothing: %v", err)
	}
}

func TestALineOfAWorkbookIsItsRow(t *testing.T) {
	t.Parallel()
	s := &sheet{rows: []rowAt{{4, 1}, {9, 4}}}
	var rows []int
	for line := 1; line <= 10; line++ {
		rows = append(rows, s.row(line))
	}
	if want := []int{1, 2, 3, 3, 4, 5, 6, 7, 5, 6}; !slices.Equal(rows, want) {
		t.Errorf("the rows are %v", rows)
	}
}

// FuzzAnEncodingIsKnownByItsBytes: what is encoded is read as it was, or as UTF-8, which rejects its lines.
func FuzzAnEncodingIsKnownByItsBytes(f *testing.F) {
	for _, text := range []string{"Café Zoë", "’t Hof – «cœur» €", "ŠKODA", "naïve\nÉCOLE d’Été", "a;b\r\n1;2"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if !utf8.ValidString(text) || strings.ContainsAny(text, "\x00\ufeff\ufffd") || len(text) < 2 {
			t.Skip()
		}
		read := func(encoded string) (string, bool) {
			of, _, err := encodingOf(strings.NewReader(encoded), int64(len(encoded)))
			if err != nil || of == nil {
				return encoded, false
			}
			decoded, err := io.ReadAll(of.NewDecoder().Reader(strings.NewReader(encoded)))
			must(t, err)
			return string(decoded), true
		}
		if got, changed := read(text); changed {
			t.Fatalf("UTF-8 %q is read as %q", text, got)
		}
		for _, order := range []utf.Endianness{utf.LittleEndian, utf.BigEndian} {
			encoded, err := utf.UTF16(order, utf.ExpectBOM).NewEncoder().String(text)
			must(t, err)
			if got, _ := read(encoded); got != text {
				t.Fatalf("UTF-16 of %q is read as %q", text, got)
			}
		}
		encoded, err := charmap.Windows1252.NewEncoder().String(text)
		if err != nil {
			return
		}
		if got, changed := read(encoded); changed && got != text {
			t.Fatalf("Windows-1252 of %q is read as %q", text, got)
		}
	})
}

// FuzzAHeaderIsFoundOrMissed: no text breaks the search, and each line after a header is a record or has a reason.
func FuzzAHeaderIsFoundOrMissed(f *testing.F) {
	f.Add("Titel\n_id;name;;\na;b\n;;;\n")
	f.Add("sep=|\n\"_id\"|\"na\nme\"|name\n\"=\"\"1\"\"\"|x|y")
	f.Fuzz(func(t *testing.T, text string) {
		path := filepath.Join(t.TempDir(), "labels.csv")
		must(t, os.WriteFile(path, []byte(text), 0o600))
		file, err := os.Open(path)
		must(t, err)
		src := source{name: "labels.csv", file: file, size: int64(len(text)), sheet: &sheet{comma: ','}}
		defer src.close()
		if readSheet(&src, labels.cellOf, Mapping{}, "") != nil {
			return
		}
		for r := src.lineReader(); ; {
			record, err := r.next()
			if err != nil {
				return
			}
			if line, why := src.sheet.line(record); (why == "") == (line == nil) || why == "" && checkObject(line) != "" {
				t.Fatalf("%q gives %q, %q", record, line, why)
			}
		}
	})
}

// FuzzAMappingIsReadOrRejected: one that is read names only fields that there are, and no message has a number of it.
func FuzzAMappingIsReadOrRejected(f *testing.F) {
	f.Add(`{"customers":{"Klantnr":"customerCode","Nota":"","type":{"*":"Company","":"Private Person"}}}`)
	f.Add(`{"users":{"Straat":"addressFields.street","85073003328":"85073003328"},"labels":{"color":{"ROOD":"#ff0000"}}}`)
	f.Fuzz(func(t *testing.T, text string) {
		read, err := ParseMapping([]byte(text))
		if err != nil {
			if longNumber.MatchString(err.Error()) {
				t.Fatalf("%q is rejected with %q", text, err)
			}
			return
		}
		for file, mapping := range read {
			of := tables[nounOfFile(file)]
			for column, field := range mapping.Columns {
				if _, known := of.cellOf(field); !known && field != "" {
					t.Fatalf("%q maps %q to %q", text, column, field)
				}
			}
			for field, values := range mapping.Values {
				if _, known := of.cellOf(field); !known || len(values) == 0 && !strings.Contains(text, "{}") {
					t.Fatalf("%q has the values %v of %q", text, values, field)
				}
			}
		}
	})
}

// FuzzAProposalIsAMapping: what is proposed for a file is a mapping with which its lines are read, each a record or with
// a reason, and no note has a number of it.
func FuzzAProposalIsAMapping(f *testing.F) {
	f.Add("Klantenlijst\nKlantnr;Naam;Voornaam;Ondernemingsnr;Gemeente\n1;Een;;0200065765;9000 Gent\nK2;Maes;An;;Gent\n")
	f.Add("E-mail,Nom,Langue,\"85073003328\"\na@b.be,Dubois,FR,85073003328\n")
	f.Fuzz(func(t *testing.T, text string) {
		path := filepath.Join(t.TempDir(), "lijst.csv")
		must(t, os.WriteFile(path, []byte(text), 0o600))
		proposal, err := Propose(path, "")
		if err != nil {
			if longNumber.MatchString(err.Error()) {
				t.Fatalf("%q is refused with %q", text, err)
			}
			return
		}
		mapping, err := ParseMapping(proposal.Mapping)
		if err != nil {
			t.Fatalf("for %q it proposes %s: %v", text, proposal.Mapping, err)
		}
		if longNumber.MatchString(strings.Join(proposal.Notes, "\n")) {
			t.Fatalf("for %q it notes %q", text, proposal.Notes)
		}
		file, err := os.Open(path)
		must(t, err)
		src := source{name: "lijst.csv", file: file, size: int64(len(text))}
		must(t, src.openSheet(file))
		defer src.close()
		for name, of := range mapping {
			if err := readSheet(&src, tables[nounOfFile(name)].cellOf, of, ""); err != nil {
				t.Fatalf("with the mapping proposed for %q: %v", text, err)
			}
		}
		for r := src.lineReader(); ; {
			record, err := r.next()
			if err != nil {
				return
			}
			if line, why := src.sheet.line(record); (why == "") == (line == nil) || why == "" && checkObject(line) != "" {
				t.Fatalf("%q gives %q, %q", record, line, why)
			}
		}
	})
}

var longNumber = regexp.MustCompile(`[0-9]{9}`)
