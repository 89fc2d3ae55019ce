package rest

import (
	"bytes"
	"context"
	"encoding/csv"
	"reflect"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"example.org/backoffice/backoffice"
)

// SupervisionYear is what an office controlled in a calendar year, in numbers.
type SupervisionYear struct {
	Year               int                   `json:"year" doc:"The calendar year."`
	At                 Instant               `json:"at" doc:"When it was counted."`
	Customers          []SupervisedCustomers `json:"customers" nullable:"false" doc:"At its end, by risk and state."`
	Reviews            ReviewCounts          `json:"reviews" doc:"Transcripts of checklists that are due in the year, or that have no due date and whose financial year ends in it."`
	Discrepancies      DiscrepancyCounts     `json:"discrepancies" doc:"Where UBO relations differ from the computed owners. Restricted credentials see none."`
	Consultations      []PurposeCount        `json:"consultations" nullable:"false" doc:"Consultations of registration numbers: the 100 most frequent purposes."`
	OtherConsultations int                   `json:"otherConsultations" doc:"How many consultations had another purpose."`
}

type SupervisedCustomers struct {
	Risk  *string     `json:"risk" doc:"The value of the variable, in lower case; null for customers without one."`
	State ReviewState `json:"state" doc:"What became of their reviews of the year: none belongs to it, all are done, some are due, or some are overdue."`
	Count int         `json:"count" doc:"How many customers."`
}

// ReviewState is one of backoffice.ReviewStates.
type ReviewState string

func (ReviewState) Schema(huma.Registry) *huma.Schema {
	return oneOf(backoffice.ReviewStates, func(s backoffice.ReviewState) string { return string(s) })
}

type ReviewCounts struct {
	Due     int `json:"due" doc:"All reviews of the year."`
	Done    int `json:"done" doc:"Those that are completed."`
	Late    int `json:"late" doc:"Of those completed: after the due date."`
	Overdue int `json:"overdue" doc:"Not completed, though the due date is over."`
}

type DiscrepancyCounts struct {
	Opened             int      `json:"opened" doc:"Seen in the year."`
	Closed             int      `json:"closed" doc:"Closed in the year."`
	Reported           int      `json:"reported" doc:"Reported to the UBO register in the year."`
	Open               int      `json:"open" doc:"Open now, whenever they were seen."`
	MedianDaysToClose  *float64 `json:"medianDaysToClose" nullable:"true" doc:"From seen to closed, of those closed in the year; null for none."`
	MedianDaysToReport *float64 `json:"medianDaysToReport" nullable:"true" doc:"From seen to reported, of those reported in the year; null for none."`
}

type PurposeCount struct {
	Purpose *string `json:"purpose" doc:"The stated purpose; null for none."`
	Count   int     `json:"count" doc:"How many consultations."`
}

const mediaCSV = "text/csv"

func (a *API) reports() {
	op := operation("GET /reports/supervision-year", "getSupervisionYear", "Report a year to the supervisor",
		"What the office controlled in a calendar year: numbers only, of what the credential sees.")
	op.Metadata = map[string]any{costKey: 5000} // it reads all transcripts
	op.Parameters = []*huma.Param{purposeParameter}
	op.Responses = a.inFormats("The numbers.", reflect.TypeFor[SupervisionYear](), mediaCSV, mediaPDF)
	registerList(a, op, backoffice.PrivacyRead, func(ctx context.Context, in *struct {
		Year     int    `query:"year" required:"true" minimum:"1000" maximum:"9998" doc:"The calendar year." example:"2026"`
		Variable string `query:"riskVariable" default:"risk" minLength:"1" maxLength:"100" doc:"The custom variable that is a customer's risk: its value in the transcript that was completed last until the end of the year counts. At most 20 different values, in lower case, of at most 40 characters."`
		Language string `query:"language" default:"english" enum:"dutch,french,german,english" doc:"The language of the PDF."`
		Format   string `query:"format" enum:"json,csv,pdf" doc:"Default what Accept prefers: JSON, CSV or a document."`
	}) (*download, error) {
		format, err := formatOf(ctx, in.Format, "json", "csv", "pdf")
		if err != nil {
			return nil, err
		}
		ctx = backoffice.WithBudget(ctx, nil) // it keeps nothing of the pages that it reads
		of, err := backoffice.ReportSupervision(ctx, a.Store, in.Year, in.Variable, backoffice.InstantOf(time.Now()))
		if backoffice.KindOf(err) == backoffice.BadInput {
			err = badParameter("riskVariable", err.Error())
		}
		if err != nil {
			return nil, err
		}
		switch format {
		case "csv":
			return bytesOf(mediaCSV, supervisionCSV(&of)), nil
		case "pdf":
			var page bytes.Buffer
			err := a.Service.Documents.Supervision(&page, in.Language, of)
			return bytesOf(mediaPDF, page.Bytes()), err
		}
		return jsonOf(showSupervision(&of)), nil
	})
}

func showSupervision(of *backoffice.SupervisionYear) SupervisionYear {
	d := of.Discrepancies
	return SupervisionYear{
		Year: of.Year, At: of.At, Reviews: ReviewCounts(of.Reviews), OtherConsultations: of.OtherPurposes,
		Customers: backoffice.Map(of.Customers, func(c backoffice.SupervisedCustomers) SupervisedCustomers {
			return SupervisedCustomers{orNull(c.Risk), ReviewState(c.State), c.Count}
		}),
		Discrepancies: DiscrepancyCounts{d.Opened, d.Closed, d.Reported, d.Open, medianDays(d.ToClose), medianDays(d.ToReport)},
		Consultations: backoffice.Map(of.Consultations, func(p backoffice.PurposeCount) PurposeCount {
			return PurposeCount{orNull(p.Purpose), p.Count}
		}),
	}
}

func medianDays(of *backoffice.Turnaround) *float64 {
	if of == nil {
		return nil
	}
	return new(of.MedianDays())
}

// supervisionCSV has a number a line, so that a spreadsheet can pivot it.
func supervisionCSV(of *backoffice.SupervisionYear) []byte {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	w.UseCRLF = true
	line := func(part, name, state, value string) {
		_ = w.Write([]string{part, backoffice.EscapeFormula(name), state, value}) // to memory
	}
	number := func(part, name string, n int) { line(part, name, "", strconv.Itoa(n)) }
	days := func(name string, t *backoffice.Turnaround) {
		if t != nil {
			line("discrepancies", name, "", strconv.FormatFloat(t.MedianDays(), 'f', -1, 64))
		}
	}
	line("part", "name", "state", "value")
	for _, c := range of.Customers {
		line("customers", c.Risk, string(c.State), strconv.Itoa(c.Count))
	}
	number("reviews", "due", of.Reviews.Due)
	number("reviews", "done", of.Reviews.Done)
	number("reviews", "late", of.Reviews.Late)
	number("reviews", "overdue", of.Reviews.Overdue)
	number("discrepancies", "opened", of.Discrepancies.Opened)
	number("discrepancies", "closed", of.Discrepancies.Closed)
	number("discrepancies", "reported", of.Discrepancies.Reported)
	number("discrepancies", "open", of.Discrepancies.Open)
	days("medianDaysToClose", of.Discrepancies.ToClose)
	days("medianDaysToReport", of.Discrepancies.ToReport)
	for _, p := range of.Consultations {
		number("consultations", p.Purpose, p.Count)
	}
	if of.OtherPurposes > 0 {
		number("otherConsultations", "", of.OtherPurposes)
	}
	w.Flush()
	return b.Bytes()
}
