package rest

import (
	"cmp"
	"io"
	"log/slog"
	"slices"
	"strings"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
	"example.org/backoffice/backoffice/evidence"
)

// readPosition notes where the change log is, as the caller sees it.
func (p *packing) readPosition() error {
	kinds := backoffice.ChangesVisibleTo(auth.From(p.ctx), nil)
	q := backoffice.ChangeQuery{After: backoffice.FromOldest, First: 1, Seeing: kinds}
	page, err := backoffice.ReadChangePage(p.ctx, p.Store, q)
	if err != nil {
		return err
	}
	p.manifest.Position.Cursor = page.End()
	if page.Seen <= page.Removed {
		return nil
	}
	q.After, q.Kinds = page.Seen-1, kinds
	if page, err = backoffice.ReadChangePage(p.ctx, p.Store, q); err != nil {
		return err
	}
	for _, c := range page.Changes {
		p.manifest.Position.At = becameVisible(c)
	}
	return nil
}

func becameVisible(c *backoffice.Change) backoffice.Instant { return cmp.Or(c.VisibleAt, c.At) }

const changesAtOnce = 2000

// addJournal reads the change log of the span: it has no index by customer.
func (p *packing) addJournal() error {
	kinds := backoffice.ChangesVisibleTo(auth.From(p.ctx), nil)
	q := backoffice.ChangeQuery{After: backoffice.FromOldest, First: changesAtOnce, Kinds: kinds}
	var err error
	if p.span.HasFrom {
		if q.After, err = p.Store.ChangesBefore(p.ctx, p.span.From); err != nil {
			return err
		}
	}
	page, err := backoffice.ReadChangePage(p.ctx, p.Store, q)
	removed := err == nil && !p.span.HasFrom && page.Removed > 0
	if backoffice.KindOf(err) == backoffice.CursorExpired {
		q.After, removed = backoffice.FromOldest, true
		page, err = backoffice.ReadChangePage(p.ctx, p.Store, q)
	}
	if err != nil {
		return err
	}
	return p.draft.Add("journal.txt", func(w io.Writer) error {
		journal, err := evidence.NewJournal(
			w, p.manifest.Language, p.customer.ID, p.span.from, p.span.to, removed)
		for err == nil {
			for _, c := range page.Changes {
				if err := p.addChange(journal, kinds, c); err != nil {
					return err
				}
				q.After = c.Sequence
			}
			if !page.More || len(page.Changes) == 0 || becameVisible(page.Changes[len(page.Changes)-1]) >= p.span.To {
				return journal.End()
			}
			page, err = backoffice.ReadChangePage(p.ctx, p.Store, q)
		}
		return err
	})
}

// addChange adds an entry of the log if it is of the customer or of a record of it.
func (p *packing) addChange(journal *evidence.Journal, kinds backoffice.ChangeKinds, c *backoffice.Change) error {
	at := becameVisible(c)
	its := c.Noun == backoffice.NounCustomer && c.ObjectID == p.customer.ID ||
		slices.ContainsFunc(c.Parents, func(parent backoffice.ChangeParent) bool {
			return parent.Noun == backoffice.NounCustomer && parent.ID == p.customer.ID
		})
	if !its || !p.span.Holds(at) {
		return nil
	}
	shown := kinds.Show(c)
	if shown == nil || shown.Action == backoffice.Reset {
		return nil
	}
	return journal.Add(at, shown)
}

// readRegister verifies the register and reads the entries of the customer.
func (p *packing) readRegister() error {
	if !auth.From(p.ctx).Has(backoffice.PrivacyRead) {
		return nil
	}
	whole := backoffice.WithRestriction(p.ctx, backoffice.Restriction{}) // hidden entries would be missing ones
	verified, err := p.Keys.ReceiptUntil(whole, p.Store, p.span.receipt)
	if err != nil {
		return err
	}
	if verified.Problems > 0 {
		slog.ErrorContext(p.ctx, "the register of consultations was tampered with, so no pack has it; "+
			"consultations verify shows what is wrong")
		return backoffice.Errorf(backoffice.Unavailable, "the register of consultations was tampered with")
	}
	p.manifest.Register.Until = p.span.receipt
	if !p.manifest.Requester.Restricted {
		p.manifest.Register.Receipt = verified.Receipt
	}
	err = backoffice.EachConsultation(p.ctx, p.Store, p.customer.ID, p.span.Span,
		func(entry *backoffice.Consultation) error { p.register = append(p.register, entry); return nil })
	for _, entry := range verified.Restored { // any customer's entries may be among the lost ones
		if from, to := entry.Lost(); from < p.span.To && (!p.span.HasFrom || to >= p.span.From) {
			p.register = append(p.register, entry)
			p.lost = append(p.lost, [2]string{backoffice.Today(from.Time()), backoffice.Today(to.Time())})
		}
	}
	slices.SortStableFunc(p.register, func(a, b *backoffice.Consultation) int { return cmp.Compare(a.At, b.At) })
	return err
}

// addRegister adds the report of who consulted the registration numbers, as of the last change or entry, else the last
// day.
func (p *packing) addRegister() error {
	if !p.may("consultations", backoffice.PrivacyRead) {
		return nil
	}
	report := backoffice.ConsultationReport{CustomerID: p.customer.ID, Customer: p.customer, Entries: p.register,
		At: cmp.Or(p.manifest.Position.At, backoffice.StartOfDay(p.span.to, 0))}
	if !p.span.whole {
		report.Only = strings.TrimSpace(p.span.from + " – " + p.span.to)
	}
	for _, entry := range p.register {
		report.At = max(report.At, entry.At)
	}
	return p.draft.Add("consultations.pdf", func(w io.Writer) error {
		return p.Service.Documents.Consultations(w, p.manifest.Language, report)
	})
}
