package backoffice

import (
	"cmp"
	"context"
	"slices"
)

// ConsultationSummary counts what one credential, person or operator consulted in a month.
type ConsultationSummary struct {
	Month                string // YYYY-MM, in UTC
	ClientID, ClientName string // by the name at that time
	Issuer, Subject      *string
	Operations           map[PrivacyOperation]int
	Customers            int // different ones
}

// SummariseConsultations counts the entries of a span by month and by who made them, in that order.
func SummariseConsultations(ctx context.Context, store ConsultationStore, in Span) ([]*ConsultationSummary, error) {
	type key struct{ month, id, name string }
	summaries, seen := map[key]*ConsultationSummary{}, map[key]map[string]bool{}
	err := EachEntry(ctx, store, in, func(e *Consultation) error {
		of := key{e.At.Time().Format(MonthLayout), e.ClientID, e.ClientName}
		if summaries[of] == nil {
			seen[of] = map[string]bool{}
			summaries[of] = &ConsultationSummary{Month: of.month, ClientID: of.id, ClientName: of.name,
				Issuer: e.Issuer, Subject: e.Subject, Operations: map[PrivacyOperation]int{}}
		}
		summaries[of].Operations[e.Operation]++
		if e.CustomerID != nil {
			seen[of][*e.CustomerID] = true
		}
		return nil
	})
	var all []*ConsultationSummary
	for of, summary := range summaries {
		summary.Customers = len(seen[of])
		all = append(all, summary)
	}
	slices.SortFunc(all, func(a, b *ConsultationSummary) int {
		return cmp.Or(cmp.Compare(a.Month, b.Month), cmp.Compare(a.ClientName, b.ClientName),
			cmp.Compare(a.ClientID, b.ClientID))
	})
	return all, err
}

const registerPage = 500 // entries read at a time

// EachEntry visits the entries of a span in the order of chains and entries. It reads the whole register.
func EachEntry(ctx context.Context, store ConsultationStore, in Span, visit func(*Consultation) error) error {
	var after ConsultationPosition
	for {
		page, err := store.ListConsultations(ctx, after, registerPage)
		if err != nil || len(page) == 0 {
			return err
		}
		for _, entry := range page {
			after = ConsultationPosition{Chain: entry.Chain, Number: entry.Number}
			if !in.Holds(entry.At) {
				continue
			}
			if err := visit(entry); err != nil {
				return err
			}
		}
	}
}
