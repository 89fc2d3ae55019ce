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
	Customer string `arg:"" help:"An identifier, also of a deleted customer, a customer code or a whole name."`
	Tool     string `placeholder:"NAME" help:"Only what this tool disclosed to agents."`
	Format   string `enum:"csv,pdf" default:"csv" help:"What to write: csv, or pdf (${default})."`
	Output   string `placeholder:"PATH" predictor:"path" help:"The file to write, which must not exist yet; a PDF needs one, a CSV is printed without."`
	Language string `enum:",dutch,french,german,english" default:"" placeholder:"LANGUAGE" help:"The language of the PDF: dutch, french, german or english (the customer's own, else English)."`
}

func (c *consultationsReportCommand) Validate() error {
	if c.Format == "pdf" && c.Output == "" {
		return errors.New("a PDF needs --output PATH")
	}
	if c.Format == "csv" && c.Language != "" {
		return errors.New("--language goes with --format pdf")
	}
	return nil
}

var errNotWhole = errors.New("the register of consultations was tampered with, so it answers nobody; " +
	"consultations verify shows what is wrong")

func (c *consultationsReportCommand) Run(ctx context.Context, b *gateway.Backend, t terminal) error {
	verified, receipts, err := wholeRegister(ctx, b)
	if err != nil {
		return err
	}
	report, err := backoffice.ReportConsultations(ctx, b.Store, c.Customer, backoffice.InstantOf(time.Now()))
	if err != nil {
		return err
	}
	if c.Tool != "" {
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
	return tellCompared(t, receipts)
}

// wholeRegister verifies the register, and fails if it was tampered with.
func wholeRegister(ctx context.Context, b *gateway.Backend) (verified privacy.Verified, receipts int, err error) {
	verified, receipts, err = verifyRegister(ctx, b, "", func(privacy.Problem) {})
	if err == nil && verified.Problems > 0 {
		err = errNotWhole
	}
	return verified, receipts, err
}

func tellCompared(t terminal, receipts int) error {
	if receipts > 0 {
		return nil
	}
	return printed(fmt.Fprintln(t.err, "The register was compared with no receipts, "+
		"so an older state of it would not be noticed: see serve --receipts."))
}

type consultationsSummaryCommand struct {
	formatFlag
	spanFlags
}

// Run counts what was consulted, of a register that is whole.
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
	tellRestores(t.err, verified)
	return tellCompared(t, receipts)
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
		return []any{moment(e.At), e.ClientID, e.ClientName, string(e.Operation), fieldsOf(e),
			orNil(e.Purpose), e.Chain, e.Number, orNil(e.Issuer), orNil(e.Subject)}
	})
}

func fieldsOf(entry *backoffice.Consultation) []string {
	return backoffice.Mapped(entry.Fields, backoffice.PrivacyField.Input)
}
