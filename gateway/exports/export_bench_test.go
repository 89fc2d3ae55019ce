package exports

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
	"example.org/backoffice/demo"
	"example.org/backoffice/gateway"
	"example.org/backoffice/gateway/gatewaytest"
	"example.org/backoffice/graphql/limits"
)

// exportedCustomers is the query of the benchmark and, for PostgreSQL, the same columns by hand.
const (
	exportedCustomers = `{ customers { nodes { id displayName type kboNumber email phone responsible { firstName lastName } address { street houseNumber postalCode city country } } } }`
	copiedCustomers   = `COPY (SELECT c.id, c.display_name, c.type, c.kbo_number, c.email, c.phone, u.first_name, u.last_name, c.street, c.house_number, c.postal_code, c.city, c.country
		FROM customers c LEFT JOIN users u ON u.id = c.responsible_id ORDER BY c.id) TO STDOUT WITH (FORMAT csv)`
	benchmarkCustomers = 30_000
)

// BenchmarkExport measures exports of customers with the responsible user and the address through a socket, and
// beside them, on PostgreSQL, COPY of the same columns, as psql \copy has it.
func BenchmarkExport(b *testing.B) {
	gatewaytest.Tuned(b)
	for engine, fresh := range gatewaytest.Engines {
		b.Run(engine, func(b *testing.B) {
			url := fresh(b)
			settings := gateway.Settings{Database: url, Files: gatewaytest.FilesLost(b), Keyset: gatewaytest.Path("testdata", "keyset.json")}
			h, err := settings.Open(b.Context())
			if err != nil {
				b.Fatal(err)
			}
			filler := demo.Demo{Store: h.Store, Files: h.Files, Keys: h.Keys, Customers: benchmarkCustomers, Seed: 1, Now: time.Now()}
			if err := filler.Fill(b.Context()); err != nil {
				b.Fatal(err)
			}
			issued, secret, err := auth.Issue(b.Context(), h.Store, "benchmark", backoffice.AllScopes, 0)
			if err != nil {
				b.Fatal(err)
			}
			c := gateway.Config{Limits: limits.Defaults(), Cache: gatewaytest.TestedCache, Webhooks: gateway.WebhookSettings{Off: true}, Log: slog.New(slog.NewJSONHandler(io.Discard, nil))}
			server := gatewaytest.ServeConfig(b, h, c).ExportServer(b)
			for _, format := range []string{"jsonl", "csv", "xlsx"} {
				b.Run(format, func(b *testing.B) {
					var first time.Duration
					b.ReportAllocs()
					cpu := gatewaytest.ProcessorTime(b)
					for range b.N {
						began := time.Now()
						body, _ := json.Marshal(map[string]any{"query": exportedCustomers})
						r, _ := http.NewRequest(http.MethodPost, server.URL+"/graphql/export?format="+format, bytes.NewReader(body))
						r.Header.Set("Content-Type", "application/json")
						r.Header.Set(auth.ClientIDHeader, issued.ID)
						r.Header.Set(auth.ClientSecretHeader, secret)
						response, err := http.DefaultClient.Do(r)
						if err != nil {
							b.Fatal(err)
						}
						first += time.Since(began)
						if _, err := io.Copy(io.Discard, response.Body); err != nil || response.Trailer.Get("Export-Status") != "complete" {
							b.Fatal(err, response.Status)
						}
						response.Body.Close()
					}
					b.ReportMetric(float64(b.N*benchmarkCustomers)/b.Elapsed().Seconds(), "rows/s")
					b.ReportMetric(float64(first.Microseconds())/1000/float64(b.N), "ms-to-first")
					b.ReportMetric(float64((gatewaytest.ProcessorTime(b)-cpu).Microseconds())/float64(b.N)/benchmarkCustomers, "cpu-µs/row")
				})
			}
			if !strings.HasPrefix(url, "postgres") {
				return
			}
			b.Run("COPY", func(b *testing.B) {
				conn, err := pgx.Connect(b.Context(), url)
				if err != nil {
					b.Fatal(err)
				}
				defer conn.Close(b.Context())
				for range b.N {
					if _, err := conn.PgConn().CopyTo(b.Context(), io.Discard, copiedCustomers); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.N*benchmarkCustomers)/b.Elapsed().Seconds(), "rows/s")
			})
		})
	}
}
