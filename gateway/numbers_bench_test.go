package gateway_test

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"
	"time"

	"example.org/backoffice/gateway/gatewaytest"
	"example.org/backoffice/privacy"
)

// BenchmarkNumbers measures what it costs to show the numbers of a page of customers, each an entry of the register
// before the answer leaves. The query with and without them take turns: over the same page each time, whose customers
// get thousands of entries each, and over page after page.
func BenchmarkNumbers(b *testing.B) {
	gatewaytest.Tuned(b)
	const text = `{ customers(page: PAGE, pageSize: 50, filter: {type: PRIVATE_PERSON}) { nodes { id name NUMBER responsible { firstName lastName } relations(first: 10, direction: OUTGOING) { nodes { kind relatedCustomer { name } } } transcripts(first: 10) { nodes { id status checklist { name } financialYear { startDate } } } } } }`
	for engine, fresh := range gatewaytest.Engines {
		b.Run(engine, func(b *testing.B) {
			e := openEndpoint(b, fresh(b))
			e.request.Header.Set(privacy.PurposeHeader, "a benchmark")
			for name, pages := range map[string]int{"the same page": 1, "page after page": 12} {
				b.Run(name, func(b *testing.B) {
					var took, elapsed [2]time.Duration
					for i := range b.N {
						for with, field := range []string{"email", "registrationNumber"} {
							query := strings.NewReplacer("NUMBER", field, "PAGE", strconv.Itoa(1+i%pages)).Replace(text)
							body, _ := json.Marshal(map[string]string{"query": query})
							began, start := time.Now(), gatewaytest.ProcessorTime(b)
							e.whole(b, body)
							took[with] += gatewaytest.ProcessorTime(b) - start
							elapsed[with] += time.Since(began)
						}
					}
					for with, name := range []string{"without", "with"} {
						b.ReportMetric(float64(took[with].Microseconds())/float64(b.N), "cpu-µs-"+name)
						b.ReportMetric(float64(elapsed[with].Microseconds())/float64(b.N), "µs-"+name)
					}
					b.ReportMetric(float64(elapsed[1])/float64(elapsed[0]), "×")
					b.ReportMetric(float64(took[1])/float64(took[0]), "×cpu")
				})
			}
		})
	}
}
