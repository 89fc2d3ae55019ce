package ship

import (
	"fmt"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/store/sqlite"
	"example.org/backoffice/store/sqlite/sqlitetest"
)

// BenchmarkEightWriters is the throughput of eight writers without shipping, with it, and when they wait for it.
func BenchmarkEightWriters(b *testing.B) {
	for _, of := range []string{"alone", "ships", "waits"} {
		b.Run(of, func(b *testing.B) {
			o := newOffice(b)
			if of != "alone" {
				s, stop := o.ships(b, func(s *Shipper) { s.period, s.renewAt = time.Second, 0 })
				defer stop()
				o.away(b, s)
				if of == "waits" {
					o.Store = s.Waiting(o.store)
				}
			}
			var n atomic.Int64
			b.SetParallelism(8)
			b.RunParallel(func(p *testing.PB) {
				for p.Next() {
					if _, err := o.CreateLabel(b.Context(), operator, backoffice.LabelDraft{
						Name: fmt.Sprint("label ", n.Add(1))}, backoffice.Optional[string]{}); err != nil {
						b.Error(err)
					}
				}
			})
		})
	}
}

// BenchmarkAStandByAppliesAWrite is what one small write costs a stand-by of a store of 100 MB.
func BenchmarkAStandByAppliesAWrite(b *testing.B) {
	o := newOffice(b)
	sqlitetest.Execute(b, o.path, "CREATE TABLE large (content BLOB); INSERT INTO large SELECT randomblob(3000) FROM"+
		" (WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i < 33000) SELECT i FROM n)")
	s, _ := o.ships(b)
	o.away(b, s)
	standBy := &StandBy{Place: o.from(b), Path: filepath.Join(b.TempDir(), "standby.db")}
	began := time.Now()
	if err := standBy.Begin(b.Context()); err != nil {
		b.Fatal(err)
	}
	begun := time.Since(began)
	reader, err := sqlite.Open(b.Context(), "sqlite:"+standBy.Path, sqlite.Options{}) // as a server has it open
	if err != nil {
		b.Fatal(err)
	}
	defer reader.Close()
	n := 0
	for b.Loop() {
		b.StopTimer()
		o.label(b, fmt.Sprint("label ", n))
		n++
		o.away(b, s)
		b.StartTimer()
		if err := standBy.Next(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(begun.Milliseconds()), "ms/begin")
	if standBy.Last() != latest(b, o.path) {
		b.Error("it is behind")
	}
}
