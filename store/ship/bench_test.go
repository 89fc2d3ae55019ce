package ship

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"example.org/backoffice/backoffice"
)

// BenchmarkEightWriters is the throughput of eight writers with shipping and without, in turn.
func BenchmarkEightWriters(b *testing.B) {
	for _, ships := range []bool{false, true} {
		b.Run(fmt.Sprintf("ships=%v", ships), func(b *testing.B) {
			o := newOffice(b)
			if ships {
				s, stop := o.ships(b, func(s *Shipper) { s.period, s.renewAt = time.Second, 0 })
				defer stop()
				o.away(b, s)
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
