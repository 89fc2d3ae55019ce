package cli

import (
	"context"
	"fmt"
	"io"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway"
	"example.org/backoffice/privacy"
)

type consultationsCommand struct {
	List    consultationsListCommand    `cmd:"" help:"List who consulted registration numbers."`
	Report  consultationsReportCommand  `cmd:"" help:"Report who consulted a customer's registration numbers."`
	Summary consultationsSummaryCommand `cmd:"" help:"Count consultations per month, credential and person."`
	Verify  consultationsVerifyCommand  `cmd:"" help:"Check that no entry of the register was changed or removed."`
}

type consultationsListCommand struct {
	formatFlag
	spanFlags
	Customer string `placeholder:"CUSTOMER" help:"Only those of this customer, oldest first: an identifier, code or full name."`
}

const listPage = 500 // entries read at a time

// spanFlags are the span of the entries that a command reads.
type spanFlags struct {
	Since string `placeholder:"DATE" help:"Start at this time: 2026-01-31 (00:00 UTC) or 2026-01-31T12:00:00Z."`
	Until string `placeholder:"DATE" help:"Stop before this time, in the same format."`
	span  backoffice.Span
}

func (f *spanFlags) Validate() (err error) {
	if f.span.HasFrom = f.Since != ""; f.span.HasFrom {
		f.span.From, err = parseDate("--since", f.Since)
	}
	if f.span.HasTo = f.Until != ""; f.span.HasTo && err == nil {
		f.span.To, err = parseDate("--until", f.Until)
	}
	return err
}

// Run lists the register in the order of chains and entries; for a customer, oldest first.
func (c *consultationsListCommand) Run(ctx context.Context, store backoffice.Store, t terminal) error {
	columns := []string{"at", "clientId", "clientName", "operation", "fields", "customer", "purpose",
		"chain", "number", "issuer", "subject"}
	return c.list(t.out, columns, func(add adder) error {
		each := func(entry *backoffice.Consultation) error {
			return add(given(entry.At), entry.ClientID, entry.ClientName, string(entry.Operation), fieldsOf(entry),
				orNil(entry.CustomerID), orNil(entry.Purpose), entry.Chain, entry.Number,
				orNil(entry.Issuer), orNil(entry.Subject))
		}
		if c.Customer == "" {
			return backoffice.EachEntry(ctx, store, c.span, each)
		}
		_, err := backoffice.EachConsultationOf(ctx, store, c.Customer, c.span, each)
		return err
	})
}

func orNil[T any](value *T) any {
	if value == nil {
		return nil
	}
	return *value
}

// verifyRegister checks the register of consultations by itself, with an earlier receipt if given, and against all
// receipts that servers have written, if the backend knows where; receipts counts them.
func verifyRegister(
	ctx context.Context, b *gateway.Backend, earlier string, report func(privacy.Problem),
) (verified privacy.Verified, receipts int, err error) {
	if verified, err = b.Keys.Verify(ctx, b.Store, earlier, report); err == nil && b.Receipts != nil {
		receipts, err = b.Keys.VerifyReceipts(ctx, b.Store, b.Receipts, func(p privacy.Problem) {
			verified.Problems++
			report(p)
		})
	}
	return verified, receipts, err
}

func printRestores(w io.Writer, verified privacy.Verified) {
	for _, entry := range verified.Restored {
		fmt.Fprintf(w, "The store was restored at %s: %s.\n", entry.At, *entry.Purpose)
	}
}

type consultationsVerifyCommand struct {
	Receipt string `placeholder:"TEXT" help:"The receipt of an earlier check, to detect that the register was rolled back to an older state."`
}

// Run prints each problem and fails when there is one. Otherwise it prints a receipt to keep elsewhere.
func (c *consultationsVerifyCommand) Run(ctx context.Context, b *gateway.Backend, t terminal) error {
	verified, receipts, err := verifyRegister(ctx, b, c.Receipt, func(p privacy.Problem) { fmt.Fprintln(t.out, p) })
	if err != nil {
		return err
	}
	printRestores(t.out, verified)
	entries := backoffice.Plural(verified.Entries, "entry", "entries")
	if verified.Problems > 0 {
		return fmt.Errorf("the register of consultations was tampered with: %s in %s",
			backoffice.Plural(verified.Problems, "problem", "problems"), entries)
	}
	if b.Receipts != nil {
		fmt.Fprintf(t.out, "It matches %s.\n", backoffice.Plural(receipts, "receipt", "receipts"))
	}
	return printed(fmt.Fprintf(t.out, "The register is whole: %s in %s.\n"+
		"Receipt (keep it elsewhere, and pass it to a later check with --receipt): %s\n",
		entries, backoffice.Plural(verified.Chains, "chain", "chains"), verified.Receipt))
}
