package storetest

import (
	"context"
	"fmt"
	"testing"

	"example.org/backoffice/backoffice"
)

// BenchmarkWrites measures the way of import: rows per second of upserts of a thousand, and of one insert at a time.
func BenchmarkWrites(b *testing.B, newStore func(t testing.TB) backoffice.Store) {
	store := newStore(b)
	fullOffice().insert(b, store)
	serial := 0
	customers := func(n int) (rows []*backoffice.Customer) {
		for range n {
			serial++
			rows = append(rows, &backoffice.Customer{
				ID: backoffice.NewID(), Type: backoffice.Company, OwnName: "Bakkerij De Smet", DisplayName: fmt.Sprint("Bakkerij De Smet ", serial), Scopes: []string{"annual-accounts", "checklist"},
				KboNumber: "0200065765", CompanyType: backoffice.LegalFormBV, CustomerCode: backoffice.Text(fmt.Sprint("X-", serial)), ResponsibleID: "user-1",
				Language: "dutch", Email: backoffice.Text(fmt.Sprintf("info%d@example.org", serial)), CreatedAt: 1, UpdatedAt: backoffice.Instant(serial), Version: 1,
				Address: backoffice.Address{Street: "Kerkstraat", HouseNumber: "1", PostalCode: "9000", City: "Gent", Country: "Belgium"},
			})
		}
		return rows
	}
	transcripts := func(n int) (rows []*backoffice.Transcript) {
		for range n {
			serial++
			rows = append(rows, &backoffice.Transcript{
				ID: backoffice.NewID(), OwnStatus: backoffice.ToProcess, OwnUpdatedAt: backoffice.Instant(serial), ProgressPercentage: float64(serial % 100),
				CustomerID: "customer-1", ChecklistID: "checklist-1", FinancialYearID: "year-2",
			})
		}
		return rows
	}
	measure := func(name string, size int, do func(ctx context.Context, tx backoffice.Tx) error) {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				write(b, store, do)
			}
			b.ReportMetric(float64(b.N*size)/b.Elapsed().Seconds(), "rows/s")
		})
	}
	measure("upserts of customers", 1000, func(ctx context.Context, tx backoffice.Tx) error { return tx.Customers().Upsert(ctx, customers(1000)) })
	measure("upserts of transcripts", 1000, func(ctx context.Context, tx backoffice.Tx) error {
		return tx.Transcripts().Upsert(ctx, transcripts(1000))
	})
	measure("an insert of a customer", 1, func(ctx context.Context, tx backoffice.Tx) error { return tx.Customers().Insert(ctx, customers(1)...) })
}
