package restricted

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway"
	"example.org/backoffice/gateway/gatewaytest"
	"example.org/backoffice/store"
	"example.org/backoffice/store/cache"
	"example.org/backoffice/store/sqlite"
)

var restrictedOffices = flag.Int("restricted-offices", 0, "how many random offices a restricted credential is compared in, on each engine and with and without a cache; 0: a few")

const credentialOfTests = "credential-of-the-test"

func newTwo(t testing.TB, seed uint64, engine func(testing.TB) string, memory gateway.CacheSettings, broken func(backoffice.Store) backoffice.Store) *gatewaytest.Comparison {
	t.Helper()
	bounds := gatewaytest.Spacious()
	serve := func() *gatewaytest.Office {
		settings := gatewaytest.Settings(t, engine(t))
		h, err := settings.Open(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if broken != nil {
			h.Store = broken(h.Store)
		}
		c := gatewaytest.Config(bounds)
		c.Cache, c.Log = memory, slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn}))
		return gatewaytest.ServeConfig(t, h, c)
	}
	d := rand.New(rand.NewPCG(seed, 7))
	w := &gatewaytest.Comparison{Whole: serve(), Part: serve(), Records: gatewaytest.RandomRecords(seed), Seed: seed}
	restriction := []backoffice.RestrictionFields{randomRestriction(w.Records, d)}
	if seed%2 == 1 {
		restriction = randomAlternatives(w.Records, d)
	}
	w.Restriction = restriction
	w.Records.StoreIn(t, w.Whole)
	recordsInView(w.Records, restriction...).StoreIn(t, w.Part)
	w.CredentialOfWhole, w.CredentialOfPart = w.Whole.RestrictedCredential(t, credentialOfTests, restriction...), w.Part.RestrictedCredential(t, credentialOfTests, backoffice.RestrictionFields{})
	w.Admin = w.Whole.RestrictedCredential(t, "admin", backoffice.RestrictionFields{})
	w.Asker = &gatewaytest.Asker{Rand: d, Schema: gatewaytest.SchemaOf(t, w.Whole), All: w.Records, Cursors: map[string][]string{}, Used: map[string]bool{}}
	for root, of := range map[string]string{"customers": "CustomerConnection", "transcripts": "TranscriptConnection", "documents": "CustomerDocumentConnection", "minfinDocuments": "MinfinDocumentConnection", "calculations": "CalculationConnection", "relations": "CustomerRelationConnection"} {
		_, body, _ := w.Whole.Ask(t, w.Admin, "{ list: "+root+"(first: 500) { edges { cursor } } }", nil, nil)
		var answer struct {
			Data struct {
				List struct{ Edges []struct{ Cursor string } }
			}
		}
		if err := json.Unmarshal(body, &answer); err != nil {
			t.Fatal(err)
		}
		for _, edge := range answer.Data.List.Edges {
			w.Asker.Cursors[of] = append(w.Asker.Cursors[of], edge.Cursor)
		}
	}
	return w
}

var (
	// usersAgain tells who sees the users of its customers alone to read them again: a customer was new.
	usersAgain = regexp.MustCompile(`,?\{[^{}]*"(?:noun":"USER|type":"user|noun":"user)"[^{}]*"RESET"[^{}]*\}`)

	ofChange = regexp.MustCompile(`"(?:sequence|latest|cursor|latestCursor|startCursor|endCursor|at)":("[^"]*"|[0-9]+)`)
)

// compareLogs compares what the change logs tell, entry by entry.
func compareLogs(t testing.TB, w *gatewaytest.Comparison) {
	t.Helper()
	tell := func(o *gatewaytest.Office, credential [2]string) string {
		status, body, _ := o.Ask(t, credential, "{ changes(first: 500) { nodes { noun objectId action fields parents { noun id } object { __typename id } } } }", nil, nil)
		if status != http.StatusOK {
			t.Errorf("the changes are answered with %d %s", status, body)
		}
		rest := o.Send(t, credential, http.MethodGet, "/changes?limit=500", "").Body.String()
		return ofChange.ReplaceAllString(usersAgain.ReplaceAllString(gatewaytest.Normal(body)+rest, ""), `""`)
	}
	w.Same("the changes", tell(w.Whole, w.CredentialOfWhole), tell(w.Part, w.CredentialOfPart), false)
}

func TestARestrictedCredentialIsAnsweredAsIfTheOfficeHeldOnlyWhatItMaySee(t *testing.T) {
	t.Parallel()
	offices := *restrictedOffices
	if offices == 0 {
		offices = 2
	}
	for engine, database := range gatewaytest.Engines {
		for name, memory := range map[string]gateway.CacheSettings{"without a cache": {}, "with a cache": {Cache: 8 << 20}} {
			t.Run(engine+" "+name, func(t *testing.T) {
				t.Parallel()
				used, asked := map[string]bool{}, 0
				for seed := range offices {
					t.Run(fmt.Sprint("office ", seed), func(t *testing.T) { // one at a time: each closes what it opened
						w := newTwo(t, uint64(seed), database, memory, nil)
						w.Asker.Used = used
						compareAll(t, w, 2)
						if w.Differs != "" {
							t.Fatal(w.Differs)
						}
						if w.Compared < 60 {
							t.Errorf("%d answers were compared, %d refused", w.Compared, w.Refused)
						}
						if c, ok := w.Whole.Before.(*cache.Store); ok && c.Differences() > 0 {
							t.Error("the cache differs")
						}
						asked += w.Compared
					})
				}
				t.Logf("%d offices, %d answers compared", offices, asked)
			})
		}
	}
}

func compareAll(t testing.TB, w *gatewaytest.Comparison, rounds int) {
	t.Helper()
	w.Reads(t, rounds)
	w.REST(t, rounds)
	compareLogs(t, w)
	w.Exports(t)
	w.Rehearses(t, rounds)
	if w.Seed == 0 {
		reachAllPaths(t, w)
	}
	if compareWrites(t, w) {
		w.Reads(t, 1)
	}
}

// leaking is an engine on which one noun's records are seen by whoever asks.
type leaking struct {
	store.Engine
	table string
}

func (l leaking) Send(ctx context.Context, statements []*store.Statement, last bool) {
	for _, s := range statements {
		before, behind, has := strings.Cut(s.Text, l.table+" AS NOT MATERIALIZED (")
		if has {
			s.Text = before + l.table + " AS NOT MATERIALIZED (" + strings.Replace(behind, "WHERE ", "WHERE 1 = 1 OR ", 1)
		}
	}
	l.Engine.Send(ctx, statements, last)
}

func TestTheComparisonFindsANounWithoutThePredicate(t *testing.T) {
	t.Parallel()
	for _, table := range []string{"customers", "relations", "transcripts", "calculations", "documents", "minfin_documents", "users"} {
		t.Run(table, func(t *testing.T) {
			t.Parallel()
			leak := func(of backoffice.Store) backoffice.Store {
				return of.(*sqlite.Store).Store.Through(func(e store.Engine) store.Engine { return leaking{e, table} })
			}
			for seed := range 20 {
				w := newTwo(t, uint64(seed), gatewaytest.Engines["SQLite"], gateway.CacheSettings{}, leak)
				w.Reads(t, 2)
				if w.Differs != "" {
					return
				}
			}
			t.Error("20 offices were told too much, and nothing was found")
		})
	}
}

// mixing is an engine on which alternatives are put together in another way.
type mixing struct {
	store.Engine
	from, to string
}

func (m mixing) Send(ctx context.Context, statements []*store.Statement, last bool) {
	for _, s := range statements {
		if strings.HasPrefix(s.Text, "WITH ") {
			s.Text = strings.ReplaceAll(s.Text, m.from, m.to)
		}
	}
	m.Engine.Send(ctx, statements, last)
}

func TestTheComparisonFindsAlternativesThatArePutTogetherWrongly(t *testing.T) {
	t.Parallel()
	for name, change := range map[string][2]string{
		"all instead of any":                           {") OR (", ") AND ("},
		"the year of one, the customers of another":    {" AND EXISTS (SELECT 1 FROM main.customers v", " OR EXISTS (SELECT 1 FROM main.customers v"},
		"the customers of one, whatever year is asked": {"x.financial_year_id IN", "x.financial_year_id NOT IN"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			mix := func(of backoffice.Store) backoffice.Store {
				return of.(*sqlite.Store).Store.Through(func(e store.Engine) store.Engine { return mixing{e, change[0], change[1]} })
			}
			for seed := range 40 {
				w := newTwo(t, uint64(2*seed+1), gatewaytest.Engines["SQLite"], gateway.CacheSettings{}, mix)
				w.Reads(t, 1)
				if w.Differs != "" {
					return
				}
			}
			t.Error("40 offices were answered wrongly, and nothing was found")
		})
	}
}
