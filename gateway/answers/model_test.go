package answers

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2/ast"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway"
	"example.org/backoffice/gateway/gatewaytest"
	kept "example.org/backoffice/graphql/answers"
)

var offices = flag.Int("kept-offices", 2, "how many random offices are asked, on each engine")

// model is a random office behind a server that executes everything, and behind servers that keep answers.
type model struct {
	*rand.Rand
	records     *gatewaytest.Records
	executes    *gatewaytest.Office
	keeps       []*gatewaytest.Office
	credentials [][2]string
	asker       *gatewaytest.Asker
}

// serving serves a store with a cache of so many bytes, and metrics.
func serving(t testing.TB, settings gateway.Settings, memory gateway.CacheSettings) *gatewaytest.Office {
	t.Helper()
	b, err := settings.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	c := gatewaytest.Measured(t, gatewaytest.Config(gatewaytest.Spacious()))
	c.Cache, c.Server.Origins = memory, []string{"https://office.example"}
	return gatewaytest.ServeConfig(t, b, c)
}

func newModel(t testing.TB, seed uint64, url string) *model {
	settings := gatewaytest.Settings(t, url)
	m := &model{Rand: rand.New(rand.NewPCG(seed, 37)), records: gatewaytest.RandomRecords(seed), executes: serving(t, settings, gateway.CacheSettings{})}
	for _, memory := range []gateway.CacheSettings{{Cache: 32 << 20}, {Cache: 600 << 10}, {Cache: 32 << 20, Check: true}} {
		m.keeps = append(m.keeps, serving(t, settings, memory))
	}
	m.records.StoreIn(t, m.executes)
	one := func(f backoffice.RestrictionFields) [2]string {
		return m.executes.RestrictedCredential(t, fmt.Sprint("credential-", len(m.credentials)), f)
	}
	m.executes.Credential(t, backoffice.AllScopes...) // before a server reads the credentials
	m.credentials = append(m.credentials, m.executes.Credential(t), one(backoffice.RestrictionFields{}))
	m.credentials = append(m.credentials, one(backoffice.RestrictionFields{Responsible: []string{m.records.Users[0].ID}}))
	m.credentials = append(m.credentials, one(backoffice.RestrictionFields{Labels: []string{m.records.Labels[0].ID}, Years: []string{"2024"}}))
	schema := gatewaytest.SchemaOf(t, m.executes)
	m.asker = &gatewaytest.Asker{Rand: m.Rand, Schema: schema, All: m.records, Cursors: map[string][]string{}, Used: map[string]bool{},
		Skips: func(of *ast.Definition, f *ast.FieldDefinition) bool {
			return kept.ClassOf(schema, of.Name, f) != kept.OfReads
		}}
	return m
}

// queries are documents whose answers may be kept, and a few that may not.
func (m *model) queries(n int) (all []string) {
	for _, root := range m.asker.Schema.Query.Fields {
		if kept.ClassOf(m.asker.Schema, "Query", root) != kept.OfReads || strings.HasPrefix(root.Name, "__") {
			continue
		}
		for range n {
			if text := m.asker.Document(root); !strings.Contains(text, "updatedSince") {
				all = append(all, text)
			}
		}
	}
	return append(all, `{ customers { nodes { id registrationNumber } } }`, `{ viewer { clientId } customers { totalCount } }`)
}

// change changes some record, in the store itself as an import does, or through a server.
func (m *model) change(t testing.TB) string {
	t.Helper()
	all := m.executes.Credential(t, backoffice.AllScopes...)
	server := gatewaytest.AnyOf(m.Rand, append([]*gatewaytest.Office{m.executes}, m.keeps...))
	mutate := func(text string) string {
		if status, body, _ := server.Ask(t, all, "mutation { "+text+" { userErrors { code } } }", nil, nil); status != http.StatusOK {
			t.Fatalf("%s: %d %s", text, status, body)
		}
		return text
	}
	customer, name := gatewaytest.AnyOf(m.Rand, m.records.Customers), fmt.Sprint("Name ", m.IntN(1000))
	user, label := gatewaytest.AnyOf(m.Rand, m.records.Users), *gatewaytest.AnyOf(m.Rand, m.records.Labels)
	relation, document := *gatewaytest.AnyOf(m.Rand, m.records.Relations), *gatewaytest.AnyOf(m.Rand, m.records.Documents)
	transcript, year := *gatewaytest.AnyOf(m.Rand, m.records.Transcripts), *gatewaytest.AnyOf(m.Rand, m.records.Years)
	calculation := *gatewaytest.AnyOf(m.Rand, m.records.Calculations)
	transcript.Document, calculation.Proposal, document.File = nil, nil, &backoffice.File{Key: "k", ContentType: "text/plain"}
	transcript.DocumentGenerated = false
	var do func(ctx context.Context, tx backoffice.Tx) error
	switch m.IntN(13) {
	case 0:
		return mutate(fmt.Sprintf("updateCustomer(input: {id: %q, name: %q})", customer.ID, name))
	case 1:
		return mutate(fmt.Sprintf("updateCustomer(input: {id: %q, responsibleId: %q})", customer.ID, user.ID))
	case 2:
		return mutate(fmt.Sprintf("updateUser(input: {id: %q, labelIds: [%q]})", user.ID, label.ID))
	case 3:
		return mutate(fmt.Sprintf("createCustomer(input: {type: COMPANY, name: %q, responsibleId: %q})", name, user.ID))
	case 4:
		if m.IntN(4) > 0 {
			return mutate(fmt.Sprintf("createLabel(input: {name: %q})", name))
		}
		return mutate(fmt.Sprintf("deleteCustomer(input: {id: %q})", customer.ID))
	case 5:
		return mutate(fmt.Sprintf("createCustomerRelation(input: {customerId: %q, relatedCustomerId: %q, kind: UBO})", customer.ID, relation.CustomerID))
	case 6:
		do = func(ctx context.Context, tx backoffice.Tx) error {
			label.Color = backoffice.Text(fmt.Sprintf("#%06d", m.IntN(1000)))
			return tx.Labels().Upsert(ctx, []*backoffice.Label{&label})
		}
	case 7:
		do = func(ctx context.Context, tx backoffice.Tx) error {
			_, err := tx.Relations().Delete(ctx, relation.ID)
			return err
		}
	case 8:
		do = func(ctx context.Context, tx backoffice.Tx) error {
			_, err := tx.Documents().Delete(ctx, document.ID)
			return err
		}
	case 9:
		do = func(ctx context.Context, tx backoffice.Tx) error {
			year.IsCurrentYear, year.EndDate = false, fmt.Sprint(2030+m.IntN(100))
			return tx.FinancialYears().Upsert(ctx, []*backoffice.FinancialYear{&year})
		}
	case 10, 11: // it may move to another customer
		do = func(ctx context.Context, tx backoffice.Tx) error {
			there, err := backoffice.ReadByID(ctx, tx.Customers(), []string{customer.ID}, 0)
			if err != nil || there[customer.ID] == nil {
				return err
			}
			transcript.CustomerID, transcript.ProgressPercentage = customer.ID, float64(m.IntN(101))
			return tx.Transcripts().Upsert(ctx, []*backoffice.Transcript{&transcript})
		}
	default:
		do = func(ctx context.Context, tx backoffice.Tx) error {
			_, err := tx.Transcripts().Delete(ctx, transcript.ID)
			return err
		}
	}
	if err := m.executes.Store.Write(t.Context(), do); err != nil {
		t.Fatal(err)
	}
	return "a change in the store"
}

func TestAKeptAnswerIsWhatExecutingAgainGives(t *testing.T) {
	t.Parallel()
	for engine, database := range gatewaytest.Engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			hits, asked, needless, changed := 0, 0, 0, 0
			for seed := range *offices {
				m := newModel(t, uint64(seed), database(t))
				queries := m.queries(2)
				m.Shuffle(len(queries), func(i, j int) { queries[i], queries[j] = queries[j], queries[i] })
				before, times, last := map[string]string{}, map[string]int{}, "nothing"
				query, credential := queries[0], m.credentials[0]
				for range 250 {
					if m.IntN(8) == 0 {
						last = m.change(t)
						changed++
					}
					if m.IntN(3) == 0 { // otherwise the same again
						query, credential = gatewaytest.AnyOf(m.Rand, queries[:min(len(queries), 6+m.IntN(6)*m.IntN(10))]), gatewaytest.AnyOf(m.Rand, m.credentials)
					}
					_, want, _ := m.executes.Ask(t, credential, query, nil, nil)
					for i, server := range m.keeps {
						found := 0
						if i == 0 {
							found = server.Metric(t, "backoffice_answers_hits_total")
						}
						_, got, _ := server.Ask(t, credential, query, nil, nil)
						if !bytes.Equal(got, want) && gatewaytest.Normal(got) != gatewaytest.Normal(want) {
							t.Fatalf("office %d, after %s, server %d answers\n%s\nwith\n%s\ninstead of\n%s", seed, last, i, query, got, want)
						}
						if i > 0 {
							continue
						}
						asked++
						was, again := before[credential[0]+query], times[credential[0]+query] > 1 && strings.HasPrefix(string(want), `{"data"`)
						switch {
						case server.Metric(t, "backoffice_answers_hits_total") > found:
							hits++
						case again && was == string(want) && !strings.Contains(string(want), `"errors"`):
							needless++
						}
						before[credential[0]+query] = string(want)
						times[credential[0]+query]++
					}
				}
				for _, name := range []string{"backoffice_answers_differences_total", "backoffice_cache_differences_total"} {
					if n := m.keeps[2].Metric(t, name); n > 0 {
						t.Errorf("office %d: %s is %d", seed, name, n)
					}
				}
			}
			t.Logf("%d changes, %d answers, %d of them kept ones, %d executed again with the same result", changed, asked, hits, needless)
			if hits < asked/8 {
				t.Errorf("of %d answers %d were kept ones, so little was shown", asked, hits)
			}
		})
	}
}
