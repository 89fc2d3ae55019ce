package execute_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"regexp"
	"sync"
	"testing"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
	"example.org/backoffice/graph"
	"example.org/backoffice/graphql/execute"
	"example.org/backoffice/loaders"
	"example.org/backoffice/privacy"
	"example.org/backoffice/resolvers"
	"example.org/backoffice/store/postgres"
	"example.org/backoffice/store/postgres/pgtest"
	"example.org/backoffice/store/sqlite"
	"example.org/backoffice/store/sqlite/sqlitetest"
	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/executor"
)

// office is the product below its transport: the real resolvers and loaders over a real store with some data.
type office struct {
	store   backoffice.Store
	keys    *privacy.Keyset
	vault   *privacy.Vault
	oracle  *executor.Executor // gqlgen's
	breadth *executor.Executor
	schema  graphql.ExecutableSchema
}

const customersOfOffice = 120

// newOffice fills a store. Identifiers are a noun and a number from 0.
func newOffice(t testing.TB) *office { return officeIn(t, embeddedStore(t)) }

func embeddedStore(t testing.TB) backoffice.Store {
	t.Helper()
	store, err := sqlite.Open(context.Background(), sqlitetest.URL(t), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	return store
}

// postgresStore skips the test where there is no PostgreSQL.
func postgresStore(t testing.TB) backoffice.Store {
	t.Helper()
	url := pgtest.Migrated(t, postgres.Migrate)
	store, err := postgres.Open(context.Background(), url, postgres.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	return store
}

func officeIn(t testing.TB, store backoffice.Store) *office {
	t.Helper()
	keys, err := privacy.NewKeyset()
	if err != nil {
		t.Fatal(err)
	}
	o := &office{store: store, keys: keys, vault: privacy.NewVault(keys, store)}
	if err := o.fill(rand.New(rand.NewPCG(1, 2))); err != nil {
		t.Fatal(err)
	}
	config := graph.Config{Resolvers: &resolvers.Root{Keys: keys}, Directives: graph.DirectiveRoot{HasScope: resolvers.HasScope}}
	o.schema = graph.NewExecutableSchema(config)
	o.oracle = serve(o.schema)
	o.oracle.AroundFields(alone)
	o.breadth = serve(graph.NewBreadthFirst(config, execute.Options{
		Runner:  loaders.Level,
		Prepare: func(s execute.Selection) any { return loaders.NewFields(s.Names()) },
		Attach: func(ctx context.Context, prepared any) context.Context {
			return loaders.WithFields(ctx, prepared.(*loaders.Fields))
		},
		NeedsOnlyID: resolvers.NeedsOnlyID,
	}))
	return o
}

type endKey struct{}

type aloneKey struct{}

// alone runs a resolver under gqlgen's own executor as a level of its own, so that the loaders answer it.
func alone(ctx context.Context, next graphql.Resolver) (result any, err error) {
	if !graphql.GetFieldContext(ctx).IsResolver {
		return next(ctx)
	}
	one := ctx.Value(aloneKey{}).(*sync.Mutex)
	one.Lock()
	defer one.Unlock()
	loaders.Level(ctx, []func(context.Context){func(ctx context.Context) { result, err = next(ctx) }}, false)
	return result, err
}

// request is a context for one operation, which do ends.
func (o *office) request(ctx context.Context, scopes ...backoffice.Scope) (context.Context, *backoffice.StatementCount) {
	viewer := &backoffice.Principal{ClientID: "client", Name: "test", Scopes: scopes}
	ctx, calls := backoffice.WithStatementCount(auth.WithPrincipal(ctx, viewer))
	ctx = loaders.With(o.vault.WithLedger(ctx, viewer, nil), o.store)
	ctx = context.WithValue(ctx, aloneKey{}, new(sync.Mutex))
	return context.WithValue(ctx, endKey{}, loaders.From(ctx).Close), calls
}

func (o *office) fill(d *rand.Rand) error {
	return o.store.Write(context.Background(), func(ctx context.Context, tx backoffice.Tx) error {
		var (
			labels       []*backoffice.Label
			users        []*backoffice.User
			years        []*backoffice.FinancialYear
			checklists   []*backoffice.Checklist
			customers    []*backoffice.Customer
			relations    []*backoffice.CustomerRelation
			transcripts  []*backoffice.Transcript
			calculations []*backoffice.Calculation
			documents    []*backoffice.CustomerDocument
			minfin       []*backoffice.MinfinDocument
		)
		for i := range 4 {
			labels = append(labels, &backoffice.Label{ID: fmt.Sprint("label-", i), Name: fmt.Sprint("Label ", i), CreatedAt: backoffice.InstantAt(1e12)})
			users = append(users, &backoffice.User{ID: fmt.Sprint("user-", i), FirstName: "Ann", LastName: fmt.Sprint("Peeters ", i), Email: fmt.Sprint("u", i, "@example.org"), LabelIDs: []string{"label-1", "label-2"}[:i%3], Version: 1})
			years = append(years, &backoffice.FinancialYear{ID: fmt.Sprint("year-", i), StartDate: fmt.Sprint(2023 + i), EndDate: fmt.Sprint(2023 + i), IsCurrentYear: i == 3})
			checklists = append(checklists, &backoffice.Checklist{ID: fmt.Sprint("checklist-", i), Name: fmt.Sprint("Checklist ", i), Language: "dutch", FinancialYearID: fmt.Sprint("year-", i)})
		}
		for i := range customersOfOffice {
			customer := &backoffice.Customer{ID: fmt.Sprintf("customer-%03d", i), Type: backoffice.Company, OwnName: backoffice.Text(fmt.Sprint("Customer \"", i, "\"")), Scopes: []string{"checklist"}, Address: backoffice.Address{City: "Gent"}, CreatedAt: backoffice.InstantAt(1e12), UpdatedAt: backoffice.InstantAt(1e12 + int64(i)), Version: 1}
			customer.DisplayName = backoffice.DisplayNameOf(customer)
			if i%3 > 0 {
				customer.ResponsibleID = fmt.Sprint("user-", i%4)
			}
			if i%4 == 0 {
				sealed, err := o.keys.Seal(customer.ID, backoffice.RegistrationNumber, "85073003328")
				if err != nil {
					return err
				}
				customer.Registration = sealed
			}
			customers = append(customers, customer)
			for n := range 12 {
				other := (i + 1 + (n*37+i*13)%(customersOfOffice-1)) % customersOfOffice
				relations = append(relations, &backoffice.CustomerRelation{ID: fmt.Sprintf("relation-%04d-%03d-%02d", d.IntN(1e4), i, n), Kind: backoffice.RelationKinds[n%4], CustomerID: customer.ID, RelatedCustomerID: fmt.Sprintf("customer-%03d", other), CreatedAt: backoffice.InstantAt(1e12), Version: 1})
			}
			for n := range 11 {
				transcript := &backoffice.Transcript{ID: fmt.Sprintf("transcript-%03d-%02d", i, n), OwnStatus: backoffice.Sent, OwnUpdatedAt: backoffice.InstantAt(1e12 + d.Int64N(1e6)), ProgressPercentage: float64(n) * 8.25, CustomerID: customer.ID, ChecklistID: fmt.Sprint("checklist-", n%4), FinancialYearID: fmt.Sprint("year-", n%4)}
				if transcript.EffectiveStatus(nil); n%3 == 0 {
					transcript.IsCompleted, transcript.DocumentGenerated = true, true
					transcript.Document = storedFile(backoffice.TranscriptFile, transcript.ID)
					calculations = append(calculations, &backoffice.Calculation{ID: fmt.Sprintf("calculation-%03d-%02d", i, n), State: "APPROVED", UpdatedAt: backoffice.InstantAt(2e12), TranscriptID: transcript.ID, CustomerID: customer.ID})
				}
				transcripts = append(transcripts, transcript)
			}
			documents = append(documents, &backoffice.CustomerDocument{ID: fmt.Sprint("document-", i), Name: "Statutes", CustomerID: customer.ID, CreatedAt: backoffice.InstantAt(1e12), File: storedFile(backoffice.DocumentFile, fmt.Sprint("document-", i))})
			minfin = append(minfin, &backoffice.MinfinDocument{ID: fmt.Sprint("minfin-", i), Name: "Assessment", DocumentType: "assessment", CustomerID: customer.ID, SynchronisedAt: backoffice.InstantAt(1e12), File: storedFile(backoffice.MinfinFile, fmt.Sprint("minfin-", i))})
		}
		for _, insert := range []func() error{
			func() error { return tx.Labels().Insert(ctx, labels...) },
			func() error { return tx.Users().Insert(ctx, users...) },
			func() error { return tx.FinancialYears().Insert(ctx, years...) },
			func() error { return tx.Checklists().Insert(ctx, checklists...) },
			func() error { return tx.Customers().Insert(ctx, customers...) },
			func() error { return tx.Relations().Insert(ctx, relations...) },
			func() error { return tx.Transcripts().Insert(ctx, transcripts...) },
			func() error { return tx.Calculations().Insert(ctx, calculations...) },
			func() error { return tx.Documents().Insert(ctx, documents...) },
			func() error { return tx.MinfinDocuments().Insert(ctx, minfin...) },
		} {
			if err := insert(); err != nil {
				return err
			}
		}
		return nil
	})
}

func storedFile(kind backoffice.FileKind, id string) *backoffice.File {
	return &backoffice.File{
		Key: "key-" + id, Owner: backoffice.FileOwner{Kind: kind, ID: id}, ContentType: "application/pdf", Size: 12345,
		MD5Hash: "rL0Y20zC+Fzt72VPzMSk2A==", SHA256: make([]byte, 32), TimeCreated: backoffice.InstantAt(1e12),
	}
}

// identifiers are some that exist, some that don't, and cursors of lists in several orders.
func (o *office) identifiers(t testing.TB) (ids, texts []string) {
	ids = []string{
		"customer-000", "customer-007", "customer-119", "transcript-000-00", "transcript-003-04", "calculation-000-00",
		"user-1", "label-1", "year-3", "checklist-2", "document-5", "minfin-5", "nobody",
	}
	texts = []string{"", "gent", "dutch", "customer", "not a cursor"}
	ctx, _ := o.request(t.Context())
	response, _ := do(ctx, o.breadth, operation{Query: `{
		customers(first: 3) { edges { cursor } }
		named: customers(last: 3, orderBy: {field: NAME}) { pageInfo { startCursor } }
		transcripts(first: 5) { pageInfo { endCursor } }
		customer(id: "customer-000") { relations(first: 4) { edges { cursor } } transcripts(first: 4, orderBy: {field: UPDATED_AT, direction: DESC}) { edges { cursor } } }
	}`})
	for _, cursor := range regexp.MustCompile(`[cC]ursor":"([^"]+)"`).FindAllSubmatch(response.Data, -1) {
		texts = append(texts, string(cursor[1]))
	}
	return ids, texts
}
