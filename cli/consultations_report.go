package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"time"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway"
	"example.org/backoffice/privacy"
)

type consultationsReportCommand struct {
	Customer string `arg:"" help:"A customer's identifier (also a deleted one's), code or full name."`
	Tool     string `placeholder:"NAME" help:"Only what this tool disclosed to agents."`
	Format   string `enum:"csv,pdf" default:"csv" help:"The format: csv or pdf (${default})."`
	Output   string `placeholder:"PATH" predictor:"path" help:"A new file to write. Required for a PDF; without it, a CSV is printed."`
	Language string `enum:",dutch,french,german,english" default:"" placeholder:"LANGUAGE" help:"The language of the PDF: dutch, french, german or english (the customer's, else English)."`
}

func (c *consultationsReportCommand) Validate() error {
	if c.Format == "pdf" && c.Output == "" {
		return errors.New("a PDF needs --output PATH")
	}
	if c.Format == "csv" && c.Language != "" {
		return errors.New("--language needs --format pdf")
	}
	return nil
}

var errTampered = errors.New("the register of consultations was tampered with: " +
	"run backoffice consultations verify to see where")

func (c *consultationsReportCommand) Run(ctx context.Context, b *gateway.Backend, t terminal) error {
	verified, receipts, err := wholeRegister(ctx, b)
	if err != nil {
		return err
	}
	report, err := backoffice.ReportConsultations(ctx, b.Store, c.Customer, backoffice.InstantOf(time.Now()))
	if err != nil {
		return err
	}
	if report.Only = c.Tool; c.Tool != "" {
		report.Entries = slices.DeleteFunc(report.Entries, func(e *backoffice.Consultation) bool {
			return e.Purpose == nil || *e.Purpose != backoffice.ToolPurpose+c.Tool
		})
	}
	report.Receipts = receipts
	report.Entries = append(report.Entries, verified.Restored...) // any customer's entries may be among the lost ones
	slices.SortStableFunc(report.Entries, func(a, b *backoffice.Consultation) int { return cmp.Compare(a.At, b.At) })
	if err := c.write(b, t, report); err != nil {
		return err
	}
	return printCompared(t, receipts)
}

// wholeRegister verifies the register, and fails if it was tampered with.
func wholeRegister(ctx context.Context, b *gateway.Backend) (verified privacy.Verified, receipts int, err error) {
	verified, receipts, err = verifyRegister(ctx, b, "", func(privacy.Problem) {})
	if err == nil && verified.Problems > 0 {
		err = errTampered
	}
	return verified, receipts, err
}

func printCompared(t terminal, receipts int) error {
	if receipts > 0 {
		return nil
	}
	return printed(fmt.Fprintln(t.err, "The register was not checked against receipts, "+
		"so a rollback to an older state would not be detected: see serve --receipts."))
}

type consultationsSummaryCommand struct {
	formatFlag
	spanFlags
}

// Run fails if the register was tampered with.
func (c *consultationsSummaryCommand) Run(ctx context.Context, b *gateway.Backend, t terminal) error {
	verified, receipts, err := wholeRegister(ctx, b)
	if err != nil {
		return err
	}
	all, err := backoffice.SummariseConsultations(ctx, b.Store, c.span)
	if err != nil {
		return err
	}
	columns := []string{"month", "clientName", "clientId", "issuer", "subject",
		"reads", "searches", "exports", "customers"}
	err = listAll(c.formatFlag, t.out, columns, all, func(s *backoffice.ConsultationSummary) []any {
		return []any{s.Month, s.ClientName, s.ClientID, orNil(s.Issuer), orNil(s.Subject),
			s.Operations[backoffice.ConsultedByRead], s.Operations[backoffice.ConsultedBySearch],
			s.Operations[backoffice.ConsultedByExport], s.Customers}
	})
	if err != nil {
		return err
	}
	printRestores(t.err, verified)
	return printCompared(t, receipts)
}

func (c *consultationsReportCommand) write(b *gateway.Backend, t terminal, report backoffice.ConsultationReport) error {
	if c.Output == "" {
		return writeConsultations(t.out, report)
	}
	err := writeFile(c.Output, false, func(w io.Writer) error {
		if c.Format == "pdf" {
			return b.Documents.Consultations(w, c.Language, report)
		}
		return writeConsultations(w, report)
	})
	if err != nil {
		return err
	}
	return printed(fmt.Fprintf(t.err, "%s has %s.\n", filepath.Base(c.Output),
		backoffice.Plural(len(report.Entries), "consultation", "consultations")))
}

func writeConsultations(w io.Writer, report backoffice.ConsultationReport) error {
	columns := []string{"at", "clientId", "clientName", "operation", "fields", "purpose",
		"chain", "number", "issuer", "subject"}
	return listAll(formatFlag{Format: "csv"}, w, columns, report.Entries, func(e *backoffice.Consultation) []any {
		return []any{given(e.At), e.ClientID, e.ClientName, string(e.Operation), fieldsOf(e),
			orNil(e.Purpose), e.Chain, e.Number, orNil(e.Issuer), orNil(e.Subject)}
	})
}

func fieldsOf(entry *backoffice.Consultation) []string {
	return backoffice.Map(entry.Fields, backoffice.PrivacyField.Input)
}
