package mirror

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/importexport"
)

// BenchmarkPull prints how fast customers are pulled into an empty store from an origin in the same process, how fast
// the second pull finds that there is nothing to do, how many requests that takes for each page, and the most memory
// that Go held for both sides, by go test -run - -bench Pull -benchtime 1x ./mirror.
func BenchmarkPull(b *testing.B) {
	const customers = 100_000
	folder := b.TempDir()
	var lines strings.Builder
	for i := range customers {
		fmt.Fprintf(&lines, `{"_id":"c-%06d","type":"Company","name":"Klant %d","customerCode":"K-%d","addressFields":{"street":"Kerkstraat","houseNumber":"%d","postalCode":"9000","city":"Gent"},"language":"dutch","email":"klant%d@example.be","scopes":["checklist"]}`+"\n", i, i, i, i%200, i)
	}
	must(b, os.WriteFile(filepath.Join(folder, "customers.ndjson"), []byte(lines.String()), 0o600))
	lines.Reset()
	origin := newOffice(b, openSQLite(b))
	_, err := (&importexport.Importer{Store: origin.store, Files: origin.files, Keys: origin.keys}).Import(b.Context(), folder)
	must(b, err)
	url := origin.serve(b, nil)
	for _, engine := range engines {
		b.Run(engine.name, func(b *testing.B) {
			for b.Loop() {
				copied := newOffice(b, engine.open(b))
				pull := copied.pullFrom(url, origin)
				runtime.GC()
				var most uint64
				pull.Progress = func(_ backoffice.Noun, _, _ int) {
					var m runtime.MemStats
					runtime.ReadMemStats(&m)
					most = max(most, m.HeapInuse)
				}
				began := time.Now()
				first := pull.mustOnce(b)
				took := time.Since(began)
				before := copied.changed(b)
				began = time.Now()
				second := pull.mustOnce(b)
				again := time.Since(began)
				if first.Incomplete() || first.total().Created != customers || second.total().Unchanged != customers || copied.changed(b) != before {
					b.Fatalf("the pulls did %+v and %+v", first.total(), second.total())
				}
				b.ReportMetric(customers/took.Seconds(), "records/s")
				b.ReportMetric(customers/again.Seconds(), "unchanged-records/s")
				b.ReportMetric(float64(second.Requests)/float64(second.pages()), "requests/page")
				b.ReportMetric(float64(most)/(1<<20), "heap-MB")
			}
		})
	}
}
