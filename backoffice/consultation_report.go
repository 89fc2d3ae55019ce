package backoffice

import "context"

// ConsultationReport answers a customer who asks who consulted its registration numbers.
type ConsultationReport struct {
	CustomerID string
	Customer   *Customer // nil when it was deleted; its entries stay
	At         Instant   // when the report was made
	Entries    []*Consultation
	Only       string // the days, or the tool, whose entries these are; "" for all there are
	Receipts   int    // outside the database, compared with the register
}

// ReportConsultations collects the entries of the register about a customer, as FindCustomer finds it: reads, searches
// that found it and exports, oldest first. NotFound when neither a customer nor an entry has the identifier.
func ReportConsultations(ctx context.Context, store Store, customer string, at Instant) (ConsultationReport, error) {
	report := ConsultationReport{CustomerID: customer, At: at} // which may be deleted
	known, err := EachConsultationOf(ctx, store, customer, Span{}, func(entry *Consultation) error {
		report.Entries = append(report.Entries, entry)
		return nil
	})
	if known != nil {
		report.CustomerID, report.Customer = known.ID, known
	}
	return report, err
}

// EachConsultationOf is EachConsultation for the customer that FindCustomer finds, nil for one that was deleted.
// NotFound when neither a customer nor an entry has the identifier.
func EachConsultationOf(
	ctx context.Context, store Store, customer string, in Span, visit func(*Consultation) error,
) (*Customer, error) {
	known, found, err := FindCustomer(ctx, store, customer)
	switch {
	case err != nil:
		return nil, err
	case found:
		return known, EachConsultation(ctx, store, known.ID, in, visit)
	}
	err = EachConsultation(ctx, store, customer, Span{}, func(entry *Consultation) error {
		if found = true; !in.Holds(entry.At) {
			return nil
		}
		return visit(entry)
	})
	if err == nil && !found {
		err = Errorf(NotFound, "no customer has this identifier, code or name, and no entry has this identifier")
	}
	return nil, err
}

// EachConsultation visits the entries of the register about a customer in a span, oldest first, and stops at the first
// error of visit. It reads no other customer's entries.
func EachConsultation(
	ctx context.Context, store Readers, customerID string, in Span, visit func(*Consultation) error,
) error {
	if !IsID(customerID) {
		return nil
	}
	list := ListQuery[ConsultationCriteria]{Parent: OfCustomer, Order: Order{Key: KeyAt}}
	return eachRow(ctx, store.Consultations(), list, customerID, 0, func(entry *Consultation) error {
		if !in.Holds(entry.At) {
			return nil
		}
		return visit(entry)
	})
}
