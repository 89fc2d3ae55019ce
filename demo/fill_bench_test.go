package demo

import (
	"context"
	"strconv"
	"testing"

	"example.org/backoffice/backoffice"
)

// BenchmarkFill prints how fast a store is filled.
func BenchmarkFill(b *testing.B) {
	for _, customers := range []int{1000, 20_000} {
		b.Run(strconv.Itoa(customers), func(b *testing.B) {
			rows := 0
			for b.Loop() {
				d := newDemo(b, customers)
				fill(b, d)
				rows += countOf(b, d.Store)
			}
			b.ReportMetric(float64(rows)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}

func countOf(b *testing.B, store backoffice.Store) int {
	count := func(counts map[string]int, err error) int {
		if err != nil {
			b.Fatal(err)
		}
		return counts[backoffice.NoParent]
	}
	ctx, root := context.Background(), []string{backoffice.NoParent}
	return count(backoffice.ReadCounts(ctx, store.Customers(), backoffice.Root, backoffice.CustomerCriteria{}, root)) +
		count(backoffice.ReadCounts(ctx, store.Relations(), backoffice.Root, backoffice.RelationCriteria{}, root)) +
		count(backoffice.ReadCounts(ctx, store.Transcripts(), backoffice.Root, backoffice.TranscriptCriteria{}, root)) +
		count(backoffice.ReadCounts(ctx, store.Calculations(), backoffice.Root, backoffice.CalculationCriteria{}, root))
}
