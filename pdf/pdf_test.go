package pdf_test

import (
	"fmt"
	"io"
	"strings"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/pdf"
)

// completed is when the documents of these tests were made.
var completed, _ = backoffice.ParseInstant("2026-05-31T22:30:00.000Z")

var bakery = pdf.Party{
	Name:      "Bakkerij Van den Broeck & Zonen BV",
	Address:   backoffice.Address{Street: "Sint-Michielsplein", HouseNumber: "14", Box: "2A", PostalCode: "9000", City: "Gent", Country: "België"},
	KBONumber: "0403170701",
}

// document is what a transcript's document is drawn from, as these tests vary it.
type document struct {
	Office          pdf.Letterhead
	Language        string
	Customer        pdf.Party
	Checklist       string
	FinancialYear   string
	CompletedAt     backoffice.Instant
	Progress        float64
	CustomVariables backoffice.JSON
	Fonts           pdf.Fonts
}

func (d document) write(w io.Writer) error {
	return pdf.Transcript(w, d.Office, d.Fonts, backoffice.TranscriptDocument{
		Transcript:    &backoffice.Transcript{CompletedAt: d.CompletedAt, ProgressPercentage: d.Progress, CustomVariables: d.CustomVariables},
		Customer:      &backoffice.Customer{DisplayName: d.Customer.Name, Address: d.Customer.Address, KboNumber: backoffice.Text(d.Customer.KBONumber)},
		Checklist:     &backoffice.Checklist{Name: d.Checklist, Language: d.Language},
		FinancialYear: &backoffice.FinancialYear{StartDate: d.FinancialYear, EndDate: d.FinancialYear},
	})
}

func transcript(language, variables string) document {
	return document{
		Office: pdf.Letterhead{Name: "Kantoor Peeters & Dubois"}, Language: language, Customer: bakery,
		Checklist: "Jaarlijkse vragenlijst vennootschapsbelasting", FinancialYear: "2026", CompletedAt: completed, Progress: 100,
		CustomVariables: backoffice.JSON(variables),
	}
}

const answers = `{"aandeelhouders":[{"naam":"Anneleen Van den Broeck","percentage":60},{"naam":"Jérôme Lefèbvre","percentage":40}],` +
	`"auto":{"co2":104,"elektrisch":false,"merk":"Škoda Octavia Combi"},"bankrekeningen":["BE68 5390 0754 7034","BE71 0961 2345 6769"],` +
	`"bezoldiging":48000,"buitenlandse_inkomsten":false,"investeringen":true,"leningen":null,` +
	`"opmerkingen":"De vennootschap heeft in de loop van het boekjaar een nieuwe oven aangekocht, waarvoor wij graag de investeringsaftrek zouden toepassen. De factuur werd door de leverancier in het Frans opgesteld (« four à sole électrique ») en is in bijlage toegevoegd.\nEen tweede levering volgt in september.",` +
	`"omzet":1284350.75,"personeel":{"aantal":7,"flexi_jobs":true},"werkplaats":"Ingelmunster – Café ’t Hoekske, €uro"}`

func manyAnswers(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `,"vraag_%03d":"antwoord %d %s"`, i, i, strings.Repeat("met wat tekst ", i%9))
	}
	return "{" + b.String()[1:] + "}"
}

func proposal(language string) pdf.LetterDocument {
	return pdf.LetterDocument{
		Sender: "Kantoor Peeters & Dubois", Language: language, Customer: bakery, Kind: "VOORSTEL VAN BEREKENING", Title: "Aanslagjaar 2026", Reference: "2026/0417", Date: completed,
		Parts: []pdf.LetterPart{
			{Heading: "Belastbare grondslag", Amounts: []pdf.Amount{{Text: "Boekhoudkundige winst", Cents: 8_412_350}, {Text: "Verworpen uitgaven: autokosten", Cents: 421_075}, {Text: "Investeringsaftrek", Cents: -960_000}, {Text: "Belastbaar resultaat", Cents: 7_873_425, Total: true}}},
			{Heading: "Berekening van de belasting", Amounts: []pdf.Amount{{Text: "Verlaagd tarief van 20 % op de eerste schijf van € 100.000", Cents: 1_574_685}, {Text: "Voorafbetalingen", Cents: -1_200_000}, {Text: "Saldo", Cents: 374_685, Total: true}}},
			{Heading: "Toelichting", Paragraphs: []string{"Deze berekening steunt op de gegevens die u ons via de vragenlijst bezorgde, en op de wetgeving die op de datum van dit voorstel van kracht is.", "De administratie kan de aangifte binnen de gewone termijn nog nazien."}},
		},
		Outcome: pdf.Amount{Text: "Te betalen", Cents: 374_685}, Agreement: true,
	}
}
