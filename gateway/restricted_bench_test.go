package gateway

import (
	"flag"
	"net/http"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/demo"
)

var benchedCustomers = flag.Int("restricted-customers", 20_000, "over how many customers the cost of a restricted pair is measured")

// BenchmarkRestricted is what Q1 costs a pair that sees all customers, by their users, beside one that is not restricted: the time of the
// process's processors for each request. It must be at most 1.15 of that.
func BenchmarkRestricted(b *testing.B) {
	const q1 = `{"query":"{ customers(first: 50) { nodes { id displayName responsible { firstName lastName } relations(first: 10) { edges { otherCustomer { displayName } node { kind } } } transcripts(first: 10) { nodes { id status checklist { name } financialYear { startDate } } } } } }"}`
	for engine, database := range engines {
		settings := officeSettings(b, database(b))
		settings.Files = "file:" + filepath.Join(b.TempDir(), "files")
		o := serveOffice(b, settings, unhurried())
		filler := demo.Demo{Store: o.Store, Files: o.Files, Keys: o.Keys, Customers: *benchedCustomers, Seed: 1, Now: time.Now()}
		if err := filler.Fill(b.Context()); err != nil {
			b.Fatal(err)
		}
		pages, err := backoffice.ReadPages(b.Context(), o.Store.Users(), backoffice.ListQuery[backoffice.UserCriteria]{Window: backoffice.Window{Limit: 500}}, []string{backoffice.NoParent}, 0)
		if err != nil {
			b.Fatal(err)
		}
		users := identities(pages[backoffice.NoParent].Items)
		for name, pair := range map[string][2]string{
			"all":             o.restrictedPair(b, "all", backoffice.RestrictionFields{}),
			"by every user":   o.restrictedPair(b, "users", backoffice.RestrictionFields{Responsible: users}),
			"by a user":       o.restrictedPair(b, "user", backoffice.RestrictionFields{Responsible: users[:1]}),
			"by its own year": o.restrictedPair(b, "year", backoffice.RestrictionFields{Years: []string{time.Now().Format("2006")}}),
		} {
			b.Run(engine+"/"+name, func(b *testing.B) {
				var before, after syscall.Rusage
				_ = syscall.Getrusage(syscall.RUSAGE_SELF, &before)
				for b.Loop() {
					if answer := o.send(b, pair, http.MethodPost, "/graphql", q1); answer.Code != http.StatusOK || strings.HasPrefix(answer.Body.String(), `{"errors"`) {
						b.Fatal(answer.Code, answer.Body)
					}
				}
				_ = syscall.Getrusage(syscall.RUSAGE_SELF, &after)
				spent := time.Duration(after.Utime.Nano() - before.Utime.Nano() + after.Stime.Nano() - before.Stime.Nano())
				b.ReportMetric(float64(spent.Microseconds())/float64(b.N), "µs-cpu/op")
			})
		}
	}
}
