package gateway

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

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/graphql/limits"
	"example.org/backoffice/store"
	"example.org/backoffice/store/cache"
	"example.org/backoffice/store/sqlite"
)

var restrictedOffices = flag.Int("restricted-offices", 0, "how many random offices a restricted pair is compared in, on each engine and with and without a cache; 0: a few")

// two is a whole office with a restricted pair, and an office that holds only what this pair may see, with one that
// is not restricted.
type two struct {
	whole, part           *office
	pairOfWhole, pairPart [2]string
	admin                 [2]string // sees all of the whole office
	records               *records
	seed                  uint64
	ask                   *asker
	compared, refused     int
	counts                bool   // the statements that an answer takes are a part of it
	differs               string // the first answer that is not the same
}

const pairOfTests = "pair-of-the-test"

func schemaOf(t testing.TB, o *office) *ast.Schema {
	t.Helper()
	text := o.send(t, [2]string{}, http.MethodGet, "/schema.graphqls", "").Body.String()
	schema, err := gqlparser.LoadSchema(&ast.Source{Input: text})
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// spacious are limits within which whatever is made up from the schema is answered.
func spacious() limits.Settings {
	bounds := unhurried()
	bounds.Cost, bounds.Tokens, bounds.Depth, bounds.Aliases, bounds.Together, bounds.Waiting, bounds.Validation = 1<<40, 1<<20, 100, 1000, 1<<40, 1<<40, 1<<30
	return bounds
}

func newTwo(t testing.TB, seed uint64, engine func(testing.TB) string, memory CacheSettings, broken func(backoffice.Store) backoffice.Store) *two {
	t.Helper()
	bounds := spacious()
	serve := func() *office {
		settings := officeSettings(t, engine(t))
		h, err := settings.Open(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if broken != nil {
			h.Store = broken(h.Store)
		}
		c := quiet(bounds)
		c.Cache, c.Log = memory, slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn}))
		return serveConfigured(t, h, c)
	}
	d := rand.New(rand.NewPCG(seed, 7))
	w := &two{whole: serve(), part: serve(), records: randomRecords(seed), seed: seed}
	restriction := []backoffice.RestrictionFields{w.records.randomRestriction(d)}
	if seed%2 == 1 {
		restriction = w.records.randomAlternatives(d)
	}
	w.records.store(t, w.whole)
	w.records.inView(restriction...).store(t, w.part)
	w.pairOfWhole, w.pairPart = w.whole.restrictedPair(t, pairOfTests, restriction...), w.part.restrictedPair(t, pairOfTests, backoffice.RestrictionFields{})
	w.admin = w.whole.restrictedPair(t, "admin", backoffice.RestrictionFields{})
	w.ask = &asker{Rand: d, schema: schemaOf(t, w.whole), all: w.records, cursors: map[string][]string{}, used: map[string]bool{}}
	for root, of := range map[string]string{"customers": "CustomerConnection", "transcripts": "TranscriptConnection", "documents": "CustomerDocumentConnection", "minfinDocuments": "MinfinDocumentConnection", "calculations": "CalculationConnection", "relations": "CustomerRelationConnection"} {
		_, body, _ := w.whole.ask(t, w.admin, "{ list: "+root+"(first: 500) { edges { cursor } } }", nil, nil)
		var answer struct {
			Data struct {
				List struct{ Edges []struct{ Cursor string } }
			}
		}
		if err := json.Unmarshal(body, &answer); err != nil {
			t.Fatal(err)
		}
		for _, edge := range answer.Data.List.Edges {
			w.ask.cursors[of] = append(w.ask.cursors[of], edge.Cursor)
		}
	}
	return w
}

var (
	byChance  = regexp.MustCompile(`"requestId":"[^"]*"|signature=[^"&]+|"20(?:2[6-9]|[3-9][0-9])-[0-9T:.-]+Z"|"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}"|/uploads/[0-9a-f-]+|"restriction":(?:null|"(?:[^"\\]|\\.)*")`)
	anyCursor = regexp.MustCompile(`"(?:cursor|startCursor|endCursor)":"[^"]*"`)
	ofChange  = regexp.MustCompile(`"(?:sequence|latest|cursor|latestCursor|startCursor|endCursor|at)":("[^"]*"|[0-9]+)`)
)

// normal is an answer without what is another one each time: signatures, what happens now, and identifiers that are
// made now; and without the restriction itself, of which a pair is told.
func normal(body []byte) string { return byChance.ReplaceAllString(string(body), "…") }

// same compares two answers. What a restricted pair is refused with has no equal: NOT_ALLOWED for what leads out of
// its view, and TAKEN. Neither is the answer where the other office has nothing of that name: it would show that the
// record exists.
func (w *two) same(what, whole, part string, mayRefuse bool) {
	shows := strings.Contains(strings.ToUpper(part), "NOT_FOUND") && !strings.Contains(strings.ToUpper(whole), "NOT_FOUND")
	if mayRefuse && !shows && (strings.Contains(whole, "NOT_ALLOWED") || strings.Contains(whole, "TAKEN")) {
		w.refused++
		return
	}
	w.compared++
	if whole != part && w.differs == "" {
		at := 0
		for at < min(len(whole), len(part)) && whole[at] == part[at] {
			at++
		}
		around := func(text string) string { return text[max(0, at-200):min(len(text), at+200)] }
		whole, part = around(whole), around(part)
		w.differs = fmt.Sprintf("seed %d: %s\nthe whole office says\n%s\nand the part\n%s", w.seed, what, whole, part)
	}
}

// graphQL asks both offices.
func (w *two) graphQL(t testing.TB, document string, mayRefuse bool) {
	t.Helper()
	_, whole, calls := w.whole.ask(t, w.pairOfWhole, document, nil, nil)
	_, part, others := w.part.ask(t, w.pairPart, document, nil, nil)
	if w.counts && calls != others && w.differs == "" {
		w.differs = fmt.Sprintf("seed %d: %s took %d statements and %d", w.seed, document, calls, others)
	}
	if mayRefuse || strings.Contains(document, "privacyAccesses") { // cursors hold what was made now
		whole, part = anyCursor.ReplaceAll(whole, []byte(`"…"`)), anyCursor.ReplaceAll(part, []byte(`"…"`))
	}
	w.same(document, normal(whole), normal(part), mayRefuse)
}

// reads compares answers of every root field of Query.
func (w *two) reads(t testing.TB, rounds int) {
	t.Helper()
	for range rounds {
		for _, field := range w.ask.schema.Query.Fields {
			if strings.HasPrefix(field.Name, "__") || notAsked["Query."+field.Name] != "" {
				continue
			}
			w.graphQL(t, w.ask.document(field), false)
		}
	}
}

// rehearses compares dry runs of every mutation.
func (w *two) rehearses(t testing.TB, rounds int) {
	t.Helper()
	for range rounds {
		for _, field := range w.ask.schema.Mutation.Fields {
			w.ask.left = 60
			w.graphQL(t, "mutation { "+w.ask.field(w.ask.schema.Mutation, field, 4, "")+" }", true)
		}
	}
}

// follows compares what the change logs tell, entry by entry.
func (w *two) follows(t testing.TB) {
	t.Helper()
	tell := func(o *office, pair [2]string) string {
		status, body, _ := o.ask(t, pair, "{ changes(first: 500) { nodes { noun objectId action fields parents { noun id } object { __typename id } } } }", nil, nil)
		if status != http.StatusOK {
			t.Errorf("the changes are answered with %d %s", status, body)
		}
		rest := o.send(t, pair, http.MethodGet, "/changes?limit=500", "").Body.String()
		return ofChange.ReplaceAllString(normal(body)+rest, `""`)
	}
	w.same("the changes", tell(w.whole, w.pairOfWhole), tell(w.part, w.pairPart), false)
}

// exports compares whole lists, which another way reads.
func (w *two) exports(t testing.TB) {
	t.Helper()
	for _, list := range []string{
		"customers { nodes { id displayName relations { totalCount edges { otherCustomer { id } } } transcripts { totalCount nodes { id } } } }",
		"transcripts { nodes { id customer { id } calculation { id } } }", "relations { nodes { id kind } }", "minfinDocuments { nodes { id customer { id } } }", "documents { nodes { id } }",
	} {
		request := encoded(t, map[string]string{"query": "{ " + list + " }"})
		answer := func(o *office, pair [2]string) string {
			r := o.send(t, pair, http.MethodPost, "/graphql/export?format=jsonl", request)
			return fmt.Sprint(r.Code, normal(r.Body.Bytes()))
		}
		w.same("export "+list, answer(w.whole, w.pairOfWhole), answer(w.part, w.pairPart), false)
	}
}

func TestARestrictedPairIsAnsweredAsIfTheOfficeHeldOnlyWhatItMaySee(t *testing.T) {
	t.Parallel()
	offices := *restrictedOffices
	if offices == 0 {
		offices = 2
	}
	for engine, database := range engines {
		for name, memory := range map[string]CacheSettings{"without a cache": {}, "with a cache": {Cache: 8 << 20}} {
			t.Run(engine+" "+name, func(t *testing.T) {
				t.Parallel()
				used, asked := map[string]bool{}, 0
				for seed := range offices {
					t.Run(fmt.Sprint("office ", seed), func(t *testing.T) { // one at a time: each closes what it opened
						w := newTwo(t, uint64(seed), database, memory, nil)
						w.ask.used = used
						w.compare(t, 2)
						if w.differs != "" {
							t.Fatal(w.differs)
						}
						if w.compared < 60 {
							t.Errorf("%d answers were compared, %d refused", w.compared, w.refused)
						}
						if c, ok := w.whole.before.(*cache.Store); ok && c.Differences() > 0 {
							t.Error("the cache differs")
						}
						asked += w.compared
					})
				}
				t.Logf("%d offices, %d answers compared", offices, asked)
			})
		}
	}
}

func (w *two) compare(t testing.TB, rounds int) {
	t.Helper()
	w.reads(t, rounds)
	w.rest(t, rounds)
	w.follows(t)
	w.exports(t)
	w.rehearses(t, rounds)
	if w.seed == 0 {
		w.reachAll(t)
	}
	if w.writes(t) {
		w.reads(t, 1)
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
	for _, table := range []string{"customers", "relations", "transcripts", "calculations", "documents", "minfin_documents"} {
		t.Run(table, func(t *testing.T) {
			t.Parallel()
			leak := func(of backoffice.Store) backoffice.Store {
				return of.(*sqlite.Store).Store.Through(func(e store.Engine) store.Engine { return leaking{e, table} })
			}
			for seed := range 20 {
				w := newTwo(t, uint64(seed), engines["SQLite"], CacheSettings{}, leak)
				w.reads(t, 2)
				if w.differs != "" {
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
				w := newTwo(t, uint64(2*seed+1), engines["SQLite"], CacheSettings{}, mix)
				w.reads(t, 1)
				if w.differs != "" {
					return
				}
			}
			t.Error("40 offices were answered wrongly, and nothing was found")
		})
	}
}
