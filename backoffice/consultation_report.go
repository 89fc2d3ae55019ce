package backoffice

import (
	"cmp"
	"context"
	"slices"
)

// ConsultationReport answers a customer who asks who consulted its registration numbers.
type ConsultationReport struct {
	CustomerID string
	Customer   *Customer // nil when it is there no more; its entries stay
	At         Instant   // when the report was made
	Entries    []*Consultation
}

// ReportConsultations gathers the entries of the register under a customer: reads, searches that found it and exports, oldest first. NotFound
// when there is neither such a customer nor an entry under the identifier.
func ReportConsultations(ctx context.Context, store Store, customerID string, at Instant) (ConsultationReport, error) {
	report := ConsultationReport{CustomerID: customerID, At: at}
	customer, found, err := Find(ctx, store.CustomersWithoutNumbers(), customerID)
	if err != nil {
		return report, err
	}
	if found {
		report.Customer = customer
	}
	list := ListQuery[ConsultationCriteria]{Under: OfCustomer}
	err = EachPage(ctx, store.Consultations(), list, customerID, 0, func(page []*Consultation) error {
		report.Entries = append(report.Entries, page...)
		return nil
	})
	slices.SortStableFunc(report.Entries, func(a, b *Consultation) int { return cmp.Compare(a.At, b.At) })
	if err == nil && !found && len(report.Entries) == 0 {
		err = Errorf(NotFound, "there is no customer and no entry of this identifier")
	}
	return report, err
}
