package restricted

import (
	"flag"
	"net/http"
	"strings"
	"testing"
	"time"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/demo"
	"example.org/backoffice/gateway/gatewaytest"
)

var benchedCustomers = flag.Int("restricted-customers", 20_000, "over how many customers the cost of a restricted credential is measured")

// BenchmarkRestricted is what Q1 costs a restricted credential beside one that is not restricted: the time of the process's
// processors for each request, at most 1.15 of that. The two take turns, so that they meet the same noise.
func BenchmarkRestricted(b *testing.B) {
	gatewaytest.Tuned(b)
	const q1 = `{"query":"{ customers(first: 50) { nodes { id displayName responsible { firstName lastName } relations(first: 10) { edges { otherCustomer { displayName } node { kind } } } transcripts(first: 10) { nodes { id status checklist { name } financialYear { startDate } } } } } }"}`
	for engine, database := range gatewaytest.Engines {
		settings := gatewaytest.Settings(b, database(b))
		settings.Files = gatewaytest.FilesLost(b)
		o := gatewaytest.Serve(b, settings, gatewaytest.Limits())
		filler := demo.Demo{Store: o.Store, Files: o.Files, Keys: o.Keys, Customers: *benchedCustomers, Seed: 1, Now: time.Now()}
		if err := filler.Fill(b.Context()); err != nil {
			b.Fatal(err)
		}
		pages, err := backoffice.ReadPages(b.Context(), o.Store.Users(), backoffice.ListQuery[backoffice.UserCriteria]{Window: backoffice.Window{Limit: 500}}, []string{backoffice.NoParent}, 0)
		if err != nil {
			b.Fatal(err)
		}
		users := gatewaytest.Identities(pages[backoffice.NoParent].Items)
		whole := o.RestrictedCredential(b, "whole", backoffice.RestrictionFields{})
		for name, credential := range map[string][2]string{
			"by nothing":      o.RestrictedCredential(b, "nothing", backoffice.RestrictionFields{}),
			"by every user":   o.RestrictedCredential(b, "users", backoffice.RestrictionFields{Responsible: users}),
			"by a user":       o.RestrictedCredential(b, "user", backoffice.RestrictionFields{Responsible: users[:1]}),
			"by its own year": o.RestrictedCredential(b, "year", backoffice.RestrictionFields{Years: []string{time.Now().Format("2006")}}),
		} {
			b.Run(engine+"/"+name, func(b *testing.B) {
				var spent, took [2]time.Duration
				for range b.N {
					for i, who := range [][2]string{whole, credential} {
						began, start := time.Now(), gatewaytest.ProcessorTime(b)
						if answer := o.Send(b, who, http.MethodPost, "/graphql", q1); answer.Code != http.StatusOK || strings.HasPrefix(answer.Body.String(), `{"errors"`) {
							b.Fatal(answer.Code, answer.Body)
						}
						spent[i] += gatewaytest.ProcessorTime(b) - start
						took[i] += time.Since(began)
					}
				}
				for i, name := range []string{"whole", "restricted"} {
					b.ReportMetric(float64(spent[i].Microseconds())/float64(b.N), "cpu-µs-"+name)
					b.ReportMetric(float64(took[i].Microseconds())/float64(b.N), "µs-"+name)
				}
				b.ReportMetric(float64(took[1])/float64(took[0]), "×")
				b.ReportMetric(float64(spent[1])/float64(spent[0]), "×cpu")
			})
		}
	}
}
