package pdf_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/pdf"
)

func makeTranscript(t *testing.T, d document) []byte {
	t.Helper()
	var b bytes.Buffer
	must(t, d.write(&b))
	return b.Bytes()
}

func TestATranscriptIsReadInOrderByAScreenReader(t *testing.T) {
	t.Parallel()
	r := read(t, makeTranscript(t, transcript("dutch", answers)))
	if h1 := r.texts("H1"); len(h1) != 1 || h1[0] != "Jaarlijkse vragenlijst vennootschapsbelasting" {
		t.Errorf("the title is %q", h1)
	}
	if h2 := r.texts("H2"); !slices.Equal(h2, []string{"Ingevulde gegevens"}) {
		t.Errorf("the headings are %q", h2)
	}
	if labels := r.texts("Lbl"); !slices.Equal(labels, []string{"Klant", "Adres", "Ondernemingsnummer", "Boekjaar", "Taal", "Ingevuld op", "Voortgang"}) {
		t.Errorf("the labels are %q", labels)
	}
	values := []string{"Bakkerij Van den Broeck & Zonen BV", "Sint-Michielsplein 14 / 2A 9000 Gent", "0403.170.701", "2026", "Nederlands", "1 juni 2026", "100\u00a0%"}
	if got := r.texts("LBody"); !slices.Equal(got, values) {
		t.Errorf("the values are %q", got)
	}
	names := []string{"Gegeven", "Waarde", "Aandeelhouders 1 – Naam", "Aandeelhouders 1 – Percentage", "Aandeelhouders 2 – Naam", "Aandeelhouders 2 – Percentage",
		"Auto – Co2", "Auto – Elektrisch", "Auto – Merk", "Bankrekeningen", "Bezoldiging", "Buitenlandse inkomsten", "Investeringen", "Leningen", "Opmerkingen",
		"Omzet", "Personeel – Aantal", "Personeel – Flexi jobs", "Werkplaats"}
	if got := r.texts("TH"); !slices.Equal(got, names) {
		t.Errorf("the table's headers are %q", got)
	}
	cells := r.texts("TD")
	for i, want := range map[int]string{0: "Anneleen Van den Broeck", 2: "Jérôme Lefèbvre", 5: "Nee", 6: "Škoda Octavia Combi", 7: "BE68 5390 0754 7034, BE71 0961 2345 6769",
		8: "48.000", 10: "Ja", 11: "–", 13: "1.284.350,75", 14: "7", 15: "Ja", 16: "Ingelmunster – Café ’t Hoekske, €uro"} {
		if cells[i] != want {
			t.Errorf("cell %d is %q, want %q", i, cells[i], want)
		}
	}
	if !strings.Contains(cells[12], "in bijlage toegevoegd. Een tweede levering") || strings.Contains(cells[12], "  ") {
		t.Errorf("a long value reads %q", cells[12])
	}
	for _, e := range r.elements {
		if e.role == "TH" && e.scope != "Row" && e.scope != "Column" {
			t.Errorf("the header %q says not of what", e.text)
		}
	}
}

func TestADocumentSaysWhatItIsAndInWhichLanguage(t *testing.T) {
	t.Parallel()
	for language, tag := range map[string]string{"dutch": "nl-BE", "french": "fr-BE", "german": "de-BE", "english": "en", "klingon": "en", "": "en"} {
		r := read(t, makeTranscript(t, transcript(language, answers)))
		if got := r.catalog.StringLiteralEntry("Lang"); got == nil || got.Value() != tag {
			t.Errorf("%s: the language is %v", language, got)
		}
		if marked := r.catalog.DictEntry("MarkInfo").BooleanEntry("Marked"); marked == nil || !*marked {
			t.Errorf("%s: it isn't marked", language)
		}
		if shown := r.catalog.DictEntry("ViewerPreferences").BooleanEntry("DisplayDocTitle"); shown == nil || !*shown {
			t.Errorf("%s: its title isn't shown", language)
		}
		info, err := r.DereferenceDict(*r.Info)
		must(t, err)
		title, err := r.DereferenceText(info["Title"])
		if err != nil || title != "Jaarlijkse vragenlijst vennootschapsbelasting – Bakkerij Van den Broeck & Zonen BV" {
			t.Errorf("%s: the title is %q: %v", language, title, err)
		}
		if date, ok := info["CreationDate"].(types.StringLiteral); !ok || date.Value() != "D:20260531223000+00'00'" {
			t.Errorf("%s: the date is %v", language, info["CreationDate"])
		}
	}
}

func TestEachOfFourLanguagesHasItsOwnWords(t *testing.T) {
	t.Parallel()
	for language, want := range map[string][]string{
		"dutch":   {"Ingevulde gegevens", "Ja", "Nee", "1 juni 2026", "33,3\u00a0%"},
		"french":  {"Données complétées", "Oui", "Non", "1er juin 2026", "33,3\u00a0%"},
		"german":  {"Ausgefüllte Angaben", "Ja", "Nein", "1. Juni 2026", "33,3\u00a0%"},
		"english": {"Completed information", "Yes", "No", "1 June 2026", "33.3%"},
		"italian": {"Completed information", "Yes", "No", "1 June 2026", "italian"},
	} {
		d := transcript(language, `{"a":true,"b":false}`)
		d.Progress = 100.0 / 3
		lines := strings.Split(read(t, makeTranscript(t, d)).text(), "\n")
		for _, line := range want {
			if !slices.Contains(lines, line) {
				t.Errorf("%s lacks %q:\n%s", language, line, strings.Join(lines, "\n"))
			}
		}
	}
}

func TestManyRowsBreakOverPagesThatRepeatTheHeader(t *testing.T) {
	t.Parallel()
	r := read(t, makeTranscript(t, transcript("french", manyAnswers(200))))
	if r.pages < 5 || len(r.texts("TR")) != 201 || len(r.texts("TD")) != 200 {
		t.Fatalf("%d pages, %d rows", r.pages, len(r.texts("TR")))
	}
	for i, artifacts := range r.artifacts {
		if number := fmt.Sprintf("%d / %d", i+1, r.pages); !slices.Contains(artifacts, number) {
			t.Errorf("page %d isn't numbered: %q", i+1, artifacts)
		}
		if repeated := slices.Contains(artifacts, "Donnée"); repeated != (i > 0) {
			t.Errorf("page %d repeats the header: %v", i+1, repeated)
		}
	}
	for _, e := range r.elements {
		if len(e.pages) > 1 {
			t.Errorf("a row that fits a page is cut: %q", e.text)
		}
	}
}

func TestARowThatIsLongerThanAPageGoesOnOverPages(t *testing.T) {
	t.Parallel()
	long := strings.TrimSpace(strings.Repeat("woord ", 3000))
	r := read(t, makeTranscript(t, transcript("dutch", `{"a":"kort","b":"`+long+`","c":"`+strings.Repeat("x", 5000)+`","d":"slot"}`)))
	cells := r.texts("TD")
	if len(cells) != 4 || cells[1] != long || cells[2] != strings.Repeat("x", 5000) || cells[3] != "slot" {
		t.Errorf("a long value is not read as it was: %d cells", len(cells))
	}
	for _, e := range r.elements {
		if e.text == long && len(e.pages) < 3 {
			t.Errorf("it lies on %d pages", len(e.pages))
		}
	}
}

func TestATranscriptWithoutVariablesSaysSo(t *testing.T) {
	t.Parallel()
	for _, variables := range []string{"", "{}"} {
		r := read(t, makeTranscript(t, transcript("dutch", variables)))
		if len(r.texts("Table")) != 0 || !strings.Contains(r.text(), "Er werden geen gegevens ingevuld.") {
			t.Errorf("%q reads %q", variables, r.text())
		}
	}
}

func TestNestedValuesAreNamedAfterWhatTheyLieIn(t *testing.T) {
	t.Parallel()
	r := read(t, makeTranscript(t, transcript("english", `{"a":{"b":{"c":1e3}},"d":[],"e":{},"f":[[1,2],{"g":null}],"h":["x",true,""],"i":" "}`)))
	names, values := r.texts("TH")[2:], r.texts("TD")
	want := map[string]string{"A – B – C": "1000", "D": "–", "E": "–", "F 1": "1, 2", "F 2 – G": "–", "H": "x, Yes, –", "I": "–"}
	if len(names) != len(want) {
		t.Errorf("the names are %q", names)
	}
	for i, name := range names {
		if values[i] != want[name] {
			t.Errorf("%s is %q, want %q", name, values[i], want[name])
		}
	}
}

func TestWhatIsNoObjectIsRefused(t *testing.T) {
	t.Parallel()
	for _, variables := range []string{"[]", `"x"`, "{", `{"a":`, `{"a":1,}`, "null"} {
		var b bytes.Buffer
		if err := transcript("dutch", variables).write(&b); backoffice.KindOf(err) != backoffice.BadInput || b.Len() != 0 {
			t.Errorf("%s: %v, %d bytes", variables, err, b.Len())
		}
	}
}

func TestARegistrationNumberIsNeverPrinted(t *testing.T) {
	t.Parallel()
	number := "85073003328" // born 30 July 1985: a valid check of made-up parts
	if _, err := backoffice.ParseNationalNumber(number, completed.Time()); err != nil {
		t.Fatalf("the number of this test isn't valid: %v", err)
	}
	forms := []string{number, "85.07.30-033.28", "85 07 30 033 28", "85.07.30/033-28", "nr. 85.07.30-033.28.", "x85073003328y",
		"1, 85073003328", "85073003328 en 85073003328", "85\u00a007\u00a030 033 28", "85\u200b073003328", "0403170701 85073003328"}
	for _, form := range forms {
		d := transcript("dutch", fmt.Sprintf(`{%q:"x","value":%q,"number":85073003328,"list":[85,"07","30","033",28]}`, form, form))
		d.Checklist, d.Customer.Name, d.Office.Name, d.FinancialYear = form, form, form, form
		d.Office.Address = []string{form}
		d.Customer.Address.Street = backoffice.Text(form)
		data := makeTranscript(t, d)
		r := read(t, data)
		info, err := r.DereferenceDict(*r.Info)
		must(t, err)
		title, _ := r.DereferenceText(info["Title"])
		author, _ := r.DereferenceText(info["Author"])
		everything := r.text() + title + author
		for _, artifacts := range r.artifacts {
			everything += strings.Join(artifacts, "\n")
		}
		digits := strings.Map(func(c rune) rune {
			if c < '0' || c > '9' {
				return -1
			}
			return c
		}, everything)
		if strings.Contains(digits, number) {
			t.Errorf("%q is printed:\n%s", form, everything)
		}
		if !strings.Contains(everything, "••.••.••-•••.••") {
			t.Errorf("%q left no mark", form)
		}
	}
}

// A number that is in the answers when the document is made may be that of a child born since the transcript's end.
func TestTheNumberOfOneBornAfterTheDocumentsDateIsNotPrinted(t *testing.T) {
	t.Parallel()
	number := backoffice.NationalNumber(completed.Time().AddDate(0, 2, 0), 42)
	r := read(t, makeTranscript(t, transcript("dutch", fmt.Sprintf(`{"child":%q}`, number))))
	if got := r.texts("TD")[0]; got != "••.••.••-•••.••" {
		t.Errorf("%s is printed as %q", number, got)
	}
}

func TestOtherNumbersArePrintedAsTheyAre(t *testing.T) {
	t.Parallel()
	for _, value := range []string{"85073003329", "0403.170.701", "BE68 5390 0754 7034", "185073003328", "850730033280", "+32 9 123 45 67", "1.284.350,75"} {
		r := read(t, makeTranscript(t, transcript("dutch", fmt.Sprintf(`{"a":%q}`, value))))
		if got := r.texts("TD")[0]; got != value {
			t.Errorf("%q is printed as %q", value, got)
		}
	}
}

func TestTextsThatTheFontLacksStillMakeADocument(t *testing.T) {
	t.Parallel()
	d := transcript("dutch", `{"emoji 😀":"日本 \u0007\u202eabc\u0000 e\u0301 Ἀ Ωμέγα Київ ‘q’ ﬁ <>()\\"}`)
	d.Customer.Name = "bad\xffutf8\u0301"
	r := read(t, makeTranscript(t, d))
	if got := r.texts("TD")[0]; got != "◊◊ abc é ◊ Ωμέγα Київ ‘q’ ◊ <>()\\" {
		t.Errorf("it reads %q", got)
	}
}

func TestTheSameContentGivesTheSameBytesAtTheSameTime(t *testing.T) {
	t.Parallel()
	for _, d := range []document{transcript("dutch", answers), transcript("german", manyAnswers(60))} {
		want := makeTranscript(t, d)
		var wait sync.WaitGroup
		for range 20 {
			wait.Go(func() {
				var b bytes.Buffer
				if err := d.write(&b); err != nil || !bytes.Equal(b.Bytes(), want) {
					t.Errorf("other bytes: %v", err)
				}
			})
		}
		wait.Wait()
	}
}

func TestADocumentIsSmall(t *testing.T) {
	t.Parallel()
	if data := makeTranscript(t, transcript("dutch", answers)); len(data) > 25_000 {
		t.Errorf("a transcript has %d bytes", len(data))
	}
}

func BenchmarkTranscript(b *testing.B) {
	var out bytes.Buffer
	for b.Loop() {
		out.Reset()
		if err := transcript("dutch", answers).write(&out); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(out.Len()), "B/document")
}

func BenchmarkProposal(b *testing.B) {
	var out bytes.Buffer
	for b.Loop() {
		out.Reset()
		if err := pdf.Letter(&out, proposal("dutch")); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(out.Len()), "B/document")
}

func FuzzVariables(f *testing.F) {
	f.Add([]byte(answers))
	f.Add([]byte(`{"a":[[[{}]]],"":"","\u0000":"\ud800"}`))
	f.Fuzz(func(t *testing.T, variables []byte) {
		if len(variables) > 4096 {
			t.Skip()
		}
		var b bytes.Buffer
		err := transcript("dutch", string(variables)).write(&b)
		if err != nil && backoffice.KindOf(err) != backoffice.BadInput {
			t.Fatal(err)
		}
		if err == nil && !bytes.HasPrefix(b.Bytes(), []byte("%PDF-1.7")) {
			t.Fatal("no PDF")
		}
	})
}

func TestAnAnswerIsNamedForPeople(t *testing.T) {
	t.Parallel()
	for key, want := range map[string]string{
		"companyCars": "Company cars", "company_cars": "Company cars", "company-cars": "Company cars", "CompanyCars": "Company cars",
		"hasVATNumber": "Has VAT number", "KBO": "KBO", "co2Uitstoot": "Co2 uitstoot", "omzet": "Omzet", "écoChèques": "Éco chèques",
		"Heeft u bedrijfsWagens?": "Heeft u bedrijfsWagens?", "": "–", "__": "__", "2026": "2026",
	} {
		r := read(t, makeTranscript(t, transcript("dutch", fmt.Sprintf(`{%q:"x"}`, key))))
		if got := r.texts("TH")[2]; got != want {
			t.Errorf("%q reads %q, want %q", key, got, want)
		}
	}
}

func TestANumberIsWrittenAsTheLanguageDoes(t *testing.T) {
	t.Parallel()
	for language, want := range map[string][]string{
		"dutch":   {"1.284.350,75", "−12.500", "2026", "0,5", "1.500.000", "0,00125", "1e400"},
		"french":  {"1\u00a0284\u00a0350,75", "−12\u00a0500", "2026", "0,5", "1\u00a0500\u00a0000", "0,00125", "1e400"},
		"german":  {"1.284.350,75", "−12.500", "2026", "0,5", "1.500.000", "0,00125", "1e400"},
		"english": {"1,284,350.75", "−12,500", "2026", "0.5", "1,500,000", "0.00125", "1e400"},
	} {
		r := read(t, makeTranscript(t, transcript(language, `{"a":1284350.75,"b":-12500,"c":2026,"d":0.5,"e":1.5e6,"f":1.25E-3,"g":1e400}`)))
		if got := r.texts("TD"); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", language, got, want)
		}
	}
}

func TestWhatCouldNotBePrintedIsSaid(t *testing.T) {
	t.Parallel()
	for language, want := range map[string]string{"dutch": "(Arabisch, Chinees, andere tekens)", "french": "(arabe, chinois, autres caractères)", "german": "(Arabisch, Chinesisch, andere Zeichen)", "english": "(Arabic, Chinese, other characters)"} {
		d := transcript(language, `{"naam":"سلام 中文 😀"}`)
		if text := read(t, makeTranscript(t, d)).text(); !strings.Contains(text, want) {
			t.Errorf("%s lacks %q:\n%s", language, want, text)
		}
		if text := read(t, makeTranscript(t, transcript(language, answers))).text(); strings.Contains(text, "◊") {
			t.Errorf("%s says so of a document that is whole:\n%s", language, text)
		}
	}
}
