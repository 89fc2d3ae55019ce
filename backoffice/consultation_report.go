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

// ReportConsultations collects the entries of the register about a customer: reads, searches that found it and exports,
// oldest first. NotFound when neither a customer nor an entry has the identifier.
func ReportConsultations(ctx context.Context, store Store, customerID string, at Instant) (ConsultationReport, error) {
	report := ConsultationReport{CustomerID: customerID, At: at}
	customer, found, err := Find(ctx, store.CustomersWithoutNumbers(), customerID)
	if err != nil {
		return report, err
	}
	if found {
		report.Customer = customer
	}
	err = EachConsultation(ctx, store, customerID, func(entry *Consultation) error {
		report.Entries = append(report.Entries, entry)
		return nil
	})
	if err == nil && !found && len(report.Entries) == 0 {
		err = Errorf(NotFound, "there is no customer and no entry of this identifier")
	}
	return report, err
}

// EachConsultation visits the entries of the register about a customer, oldest first, and stops at the first error of
// visit. It reads no other entries.
func EachConsultation(ctx context.Context, store Store, customerID string, visit func(*Consultation) error) error {
	if !IsID(customerID) {
		return nil
	}
	list := ListQuery[ConsultationCriteria]{Under: OfCustomer, Order: Order{Key: KeyAt}}
	return eachRow(ctx, store.Consultations(), list, customerID, 0, visit)
}
