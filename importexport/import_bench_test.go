package importexport

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"example.org/backoffice/backoffice"
)

// BenchmarkImport prints how fast a large folder is loaded into an empty store, how fast the second run finds that
// there is nothing to do, and how much memory that takes: go test -run - -bench Import -benchtime 1x ./importexport
//
// longest-lock-s is for how long the longest transaction of the first run lasted, changed-lock-s that of a run in
// which one customer in 200 has changed: while it lasts, other writers of the embedded store wait.
//
// heap-MB is the most that Go held at a time, resident-MB the most that the process had of the machine; both grow with
// nothing but the size of a chunk, which the three sizes show.
func BenchmarkImport(b *testing.B) {
	for _, engine := range []struct {
		name string
		open func(testing.TB) *env
	}{{"SQLite", newEnv}, {"PostgreSQL", newPostgresEnv}} {
		for _, customers := range []int{10_000, 50_000, 100_000} {
			b.Run(fmt.Sprintf("%s/%dCustomers", engine.name, customers), func(b *testing.B) {
				for b.Loop() {
					benchmarkImport(b, engine.open, customers)
				}
			})
		}
	}
}

func benchmarkImport(b *testing.B, open func(testing.TB) *env, customers int) {
	b.StopTimer()
	folder := largeFolder(b, customers)
	h := open(b)
	watch := &lockWatch{Store: h.store}
	h.store = watch
	debug.FreeOSMemory()
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) // starts the high-water mark anew, where there is one
	peak := watchHeap()
	b.StartTimer()
	started := time.Now()
	rows := 0
	for _, loaded := range h.mustLoad(b, folder) {
		rows += loaded.Created
	}
	first := time.Since(started)
	started = time.Now()
	for _, loaded := range h.mustLoad(b, folder) {
		if loaded.Unchanged != loaded.Lines() {
			b.Fatalf("the second run did %+v", loaded)
		}
	}
	second := time.Since(started)
	newLock := watch.longest
	changeEach200th(b, folder)
	watch.longest = 0
	h.mustLoad(b, folder)
	b.StopTimer()
	b.ReportMetric(float64(rows), "rows")
	b.ReportMetric(float64(rows)/first.Seconds(), "rows/s")
	b.ReportMetric(float64(rows)/second.Seconds(), "unchanged-rows/s")
	b.ReportMetric(newLock.Seconds(), "longest-lock-s")
	b.ReportMetric(watch.longest.Seconds(), "changed-lock-s")
	b.ReportMetric(float64(peak())/(1<<20), "heap-MB")
	b.ReportMetric(residentMegabytes(), "resident-MB")
	b.StartTimer()
}

// lockWatch measures how long the longest transaction lasted, for which other writers may have to wait.
type lockWatch struct {
	backoffice.Store
	longest time.Duration
}

func (w *lockWatch) Write(ctx context.Context, do func(ctx context.Context, tx backoffice.Tx) error) error {
	var begun time.Time
	err := w.Store.Write(ctx, func(ctx context.Context, tx backoffice.Tx) error { begun = time.Now(); return do(ctx, tx) })
	w.longest = max(w.longest, time.Since(begun))
	return err
}

func (w *lockWatch) Snapshot(ctx context.Context, do func(ctx context.Context, reads backoffice.Readers) error) error {
	return w.Store.(snapshotter).Snapshot(ctx, do)
}

// changeEach200th gives one customer in 200 another telephone number, as a night may.
func changeEach200th(b *testing.B, folder string) {
	name := filepath.Join(folder, "customers.ndjson")
	text, err := os.ReadFile(name)
	must(b, err)
	lines := bytes.SplitAfter(text, []byte("\n"))
	for i := 0; i < len(lines); i += 200 {
		lines[i] = bytes.Replace(lines[i], []byte("+32 470"), []byte("+32 471"), 1)
	}
	must(b, os.WriteFile(name, bytes.Join(lines, nil), 0o600))
}

// watchHeap measures until the function that it returns is called, which gives the most that was seen.
func watchHeap() (peak func() uint64) {
	stop, done := make(chan struct{}), make(chan uint64)
	go func() {
		var most uint64
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			most = max(most, m.HeapInuse)
			select {
			case <-tick.C:
			case <-stop:
				done <- most
				return
			}
		}
	}()
	return func() uint64 { close(stop); return <-done }
}

// residentMegabytes is the most memory that the process has had, 0 where the system does not tell.
func residentMegabytes() float64 {
	text, _ := os.ReadFile("/proc/self/status")
	for line := range strings.Lines(string(text)) {
		var kilobytes float64
		if n, _ := fmt.Sscanf(line, "VmHWM: %f kB", &kilobytes); n == 1 {
			return kilobytes / 1024
		}
	}
	return 0
}

// largeFolder writes customers with two relations and five transcripts each.
func largeFolder(b *testing.B, customers int) string {
	folder := b.TempDir()
	write := func(name string, lines func(w *bufio.Writer)) {
		file, err := os.Create(filepath.Join(folder, name))
		must(b, err)
		w := bufio.NewWriter(file)
		lines(w)
		must(b, w.Flush())
		must(b, file.Close())
	}
	write("users.ndjson", func(w *bufio.Writer) {
		for i := range 20 {
			fmt.Fprintf(w, `{"_id":"user-%d","firstName":"An","lastName":"Maes %d","email":"an%d@office.example","language":"dutch"}`+"\n", i, i, i)
		}
	})
	write("financialyears.ndjson", func(w *bufio.Writer) {
		for year := 2022; year <= 2026; year++ {
			fmt.Fprintf(w, `{"_id":"fy-%d","startDate":"%d","isCurrentYear":%t}`+"\n", year, year, year == 2026)
		}
	})
	write("checklists.ndjson", func(w *bufio.Writer) {
		for year := 2022; year <= 2026; year++ {
			fmt.Fprintf(w, `{"_id":"list-%d","name":"Personenbelasting %d","language":"dutch","financialYear":"fy-%d"}`+"\n", year, year, year)
		}
	})
	birth := time.Date(1940, 1, 1, 0, 0, 0, 0, time.UTC)
	write("customers.ndjson", func(w *bufio.Writer) {
		for i := range customers {
			number := backoffice.NationalNumber(birth.AddDate(0, 0, i%20_000), i)
			fmt.Fprintf(w, `{"_id":"customer-%07d","type":"Private Person","firstName":"Jan","lastName":"Janssens %d","scopes":["checklist","tax-os"],`+
				`"addressFields":{"street":"Kerkstraat","houseNumber":"%d","postalCode":"9000","city":"Gent","country":"Belgium"},"customerCode":"K%d",`+
				`"registrationNumber":"%s","responsible":"user-%d","language":"dutch","email":"jan.janssens.%d@post.example","phone":"+32 470 12 34 56",`+
				`"createdAt":"2024-01-02T03:04:05.678Z","updatedAt":"2025-01-02T03:04:05.678Z","version":2}`+"\n", i, i, i%300, i, number, i%20, i)
		}
	})
	write("relations.ndjson", func(w *bufio.Writer) {
		for i := range 2 * customers {
			fmt.Fprintf(w, `{"_id":"relation-%07d","kind":"contact person","customer":"customer-%07d","relatedCustomer":"customer-%07d","createdAt":"2024-01-02T03:04:05.678Z"}`+"\n",
				i, i/2, (i/2+1+i%2)%customers)
		}
	})
	write("transcripts.ndjson", func(w *bufio.Writer) {
		for i := range 5 * customers {
			fmt.Fprintf(w, `{"_id":"transcript-%07d","status":"Sent","isCompleted":true,"customer":"customer-%07d","checklist":"list-%d","financialYear":"fy-%d",`+
				`"customVariables":{"children":%d,"homeOwner":true},"progressPercentage":100,"updatedAt":"2025-01-02T03:04:05.678Z"}`+"\n", i, i/5, 2022+i%5, 2022+i%5, i%4)
		}
	})
	return folder
}
