package storetest

import (
	"context"
	"fmt"
	"testing"

	"example.org/backoffice/backoffice"
)

// Benchmark measures the reads that nested queries are made of, over 2,000 customers with ten relations and ten
// transcripts each: time, allocations and bytes of one call.
func Benchmark(b *testing.B, newStore func(t testing.TB) backoffice.Store) {
	store := newStore(b)
	const customers, each = 2000, 10
	fillBenchmark(b, store, customers, each)
	var parents []string
	for i := range 50 {
		parents = append(parents, customerID(i*37%customers))
	}
	columns := store.Customers().Columns([]string{"displayName", "email", "language", "kboNumber", "responsible"})
	run := func(name string, do func(ctx context.Context) (rows int, err error), want int) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if rows, err := do(b.Context()); err != nil || rows != want {
					b.Fatalf("%d rows, want %d: %v (%v)", rows, want, err, errorCause(err))
				}
			}
		})
	}
	run("ByID of 50 customers", func(ctx context.Context) (int, error) {
		rows, err := backoffice.ReadByID(ctx, store.Customers(), parents, columns)
		return len(rows), err
	}, 50)
	run("ByID of 50 customers, all columns", func(ctx context.Context) (int, error) {
		rows, err := backoffice.ReadByID(ctx, store.Customers(), parents, 0)
		return len(rows), err
	}, 50)
	run("ByID of 1 customer", func(ctx context.Context) (int, error) {
		rows, err := backoffice.ReadByID(ctx, store.Customers(), parents[:1], columns)
		return len(rows), err
	}, 1)
	run("a page of 100 customers", func(ctx context.Context) (int, error) {
		pages, err := backoffice.ReadPages(ctx, store.Customers(), backoffice.ListQuery[backoffice.CustomerCriteria]{Window: backoffice.Window{Limit: 100}}, nil, columns)
		return len(pages[""].Items), err
	}, 100)
	relations := backoffice.ListQuery[backoffice.RelationCriteria]{Parent: backoffice.OfCustomer, Window: backoffice.Window{Limit: 10}}
	run("pages of 10 relations of 50 customers", func(ctx context.Context) (int, error) {
		pages, err := backoffice.ReadPages(ctx, store.Relations(), relations, parents, 0)
		return rowsOf(pages), err
	}, 500)
	transcripts := backoffice.ListQuery[backoffice.TranscriptCriteria]{Parent: backoffice.OfCustomer, Window: backoffice.Window{Limit: 10}}
	some := store.Transcripts().Columns([]string{"status", "progressPercentage", "updatedAt", "checklist"})
	run("pages of 10 transcripts of 50 customers", func(ctx context.Context) (int, error) {
		pages, err := backoffice.ReadPages(ctx, store.Transcripts(), transcripts, parents, some)
		return rowsOf(pages), err
	}, 500)
	run("the total of customers", func(ctx context.Context) (int, error) {
		counts, err := backoffice.ReadCounts(ctx, store.Customers(), backoffice.Root, backoffice.CustomerCriteria{}, nil)
		return counts[""], err
	}, customers)
	run("two pages and a row together", func(ctx context.Context) (int, error) {
		b := backoffice.Batch{Last: true}
		ofRelations := make([]backoffice.Page[*backoffice.CustomerRelation], len(parents))
		ofTranscripts := make([]backoffice.Page[*backoffice.Transcript], len(parents))
		rows := 0
		store.Relations().Lists(&b, relations, parents, 0, ofRelations)
		store.Transcripts().Lists(&b, transcripts, parents, some, ofTranscripts)
		store.Customers().Find(&b, parents[:1], columns, func(*backoffice.Customer) { rows++ })
		if err := store.Send(ctx, &b); err != nil {
			return 0, err
		}
		for i := range parents {
			rows += len(ofRelations[i].Items) + len(ofTranscripts[i].Items)
		}
		return rows, nil
	}, 1001)
}

func customerID(i int) string { return fmt.Sprintf("0190b6c0-0000-7000-8000-%012d", i) }

func rowsOf[T any](pages map[string]backoffice.Page[T]) (n int) {
	for _, page := range pages {
		n += len(page.Items)
	}
	return n
}

func fillBenchmark(b *testing.B, store backoffice.Store, customers, each int) {
	b.Helper()
	o := fullOffice()
	o.customers, o.relations, o.transcripts = nil, nil, nil
	for i := range customers {
		o.customers = append(o.customers, &backoffice.Customer{
			ID: customerID(i), Type: backoffice.Company, OwnName: "Bakkerij De Smet", DisplayName: "Bakkerij De Smet", Scopes: []string{"annual-accounts", "checklist"},
			KboNumber: "0200065765", CompanyType: backoffice.LegalFormBV, CustomerCode: backoffice.Text(fmt.Sprint("C-", i)), ResponsibleID: "user-1",
			Language: "dutch", Email: backoffice.Text(fmt.Sprintf("info%d@example.org", i)), CreatedAt: 1, UpdatedAt: 2, Version: 1,
			Address: backoffice.Address{Street: "Kerkstraat", HouseNumber: "1", PostalCode: "9000", City: "Gent", Country: "Belgium"},
		})
		for j := range each {
			o.relations = append(o.relations, &backoffice.CustomerRelation{
				ID: fmt.Sprintf("0190b6c0-0001-%04d-8000-%012d", j, i), Kind: backoffice.RelationKinds[j%4], CustomerID: customerID(i),
				RelatedCustomerID: customerID((i + 1 + j*31) % customers), CreatedAt: 1,
			})
			o.transcripts = append(o.transcripts, &backoffice.Transcript{
				ID: fmt.Sprintf("0190b6c0-0002-%04d-8000-%012d", j, i), OwnStatus: backoffice.ToProcess, OwnUpdatedAt: 3, ProgressPercentage: float64(j),
				CustomerID: customerID(i), ChecklistID: "checklist-1", FinancialYearID: "year-2",
			})
		}
	}
	o.calculations, o.documents, o.minfin, o.differences = nil, nil, nil, nil
	o.upsert(b, store)
}
