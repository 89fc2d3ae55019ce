package backoffice

import "context"

// ConsultationReport answers a customer who asks who consulted its registration numbers.
type ConsultationReport struct {
	CustomerID string
	Customer   *Customer // nil when it was deleted; its entries stay
	At         Instant   // when the report was made
	Entries    []*Consultation
	Receipts   int // outside the database, compared with the register
}

// ReportConsultations collects the entries of the register about a customer, as FindCustomer finds it: reads, searches
// that found it and exports, oldest first. NotFound when neither a customer nor an entry has the identifier.
func ReportConsultations(ctx context.Context, store Store, customer string, at Instant) (ConsultationReport, error) {
	report := ConsultationReport{CustomerID: customer, At: at} // which may be deleted
	known, found, err := FindCustomer(ctx, store, customer)
	if err != nil {
		return report, err
	}
	if found {
		report.CustomerID, report.Customer = known.ID, known
	}
	err = EachConsultation(ctx, store, report.CustomerID, Span{}, func(entry *Consultation) error {
		report.Entries = append(report.Entries, entry)
		return nil
	})
	if err == nil && !found && len(report.Entries) == 0 {
		err = Errorf(NotFound, "no customer has this identifier, code or name, and no entry has this identifier")
	}
	return report, err
}

// EachConsultation visits the entries of the register about a customer in a span, oldest first, and stops at the first
// error of visit. It reads no other customer's entries.
func EachConsultation(
	ctx context.Context, store Readers, customerID string, in Span, visit func(*Consultation) error,
) error {
	if !IsID(customerID) {
		return nil
	}
	list := ListQuery[ConsultationCriteria]{Under: OfCustomer, Order: Order{Key: KeyAt}}
	return eachRow(ctx, store.Consultations(), list, customerID, 0, func(entry *Consultation) error {
		if !in.Holds(entry.At) {
			return nil
		}
		return visit(entry)
	})
}
