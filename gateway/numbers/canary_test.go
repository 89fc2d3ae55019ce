package numbers

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"iter"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/vektah/gqlparser/v2/ast"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway"
	"example.org/backoffice/gateway/gatewaytest"
	"example.org/backoffice/privacy"
	"example.org/backoffice/store/postgres/pgtest"
)

// A canary is a registration number that an office holds, and that must be nowhere but in answers to credentials with
// privacy.read.
type canary struct{ name, form string }

// canaries are the numbers of the tests as they may stand in a text or a file: in digits, in usual notation, in
// hexadecimal and base64, and as what anybody could compare all numbers with, a digest without a key.
func canaries() (all []canary) {
	for _, number := range gatewaytest.RegistrationNumbers {
		usual := number[:2] + "." + number[2:4] + "." + number[4:6] + "-" + number[6:9] + "." + number[9:]
		for name, form := range map[string]string{"digits": number, "usual notation": usual, "blanks": number[:6] + " " + number[6:9] + " " + number[9:]} {
			all = append(all, canary{name, form}, canary{name + " in hexadecimal", hex.EncodeToString([]byte(form))})
			for before := range 3 { // where it may stand in what was encoded
				text := base64.RawStdEncoding.EncodeToString([]byte(strings.Repeat("x", before) + form))
				all = append(all, canary{name + " in base64", text[[]int{0, 2, 3}[before] : len(text)-2]})
			}
		}
		digest := sha256.Sum256([]byte(number))
		all = append(all, canary{"digest", string(digest[:])}, canary{"digest in hexadecimal", hex.EncodeToString(digest[:])}, canary{"digest in base64", base64.RawStdEncoding.EncodeToString(digest[:])[:40]})
	}
	return all
}

// canaryIn says in which form a canary stands in a text, "" for none.
func canaryIn(text []byte) string {
	for _, c := range canaries() {
		if bytes.Contains(text, []byte(c.form)) {
			return c.name
		}
	}
	return ""
}

// cage is an office that holds numbers, and one that is the same without them; asked by credentials with every scope but
// privacy.read.
type cage struct {
	*gatewaytest.Comparison
	database string // of the office that holds them
	files    string
	log      *gatewaytest.LogLines
	node     *pgtest.Node // whose disk is looked at, if there is one
	others   []string     // folders of other databases on it
	mistakes [2]int       // from where to where its log tells of them
}

// otherDatabases are the folders of the databases of a node but one.
func otherDatabases(t testing.TB, node *pgtest.Node, database string) []string {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), database)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(t.Context()) }()
	rows, err := conn.Query(t.Context(), "SELECT oid::text FROM pg_database WHERE datname <> current_database()")
	if err != nil {
		t.Fatal(err)
	}
	folders, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	for i, oid := range folders {
		folders[i] = filepath.Join(node.Data(), "base", oid)
	}
	return folders
}

// said is the log of the node.
func (c *cage) said(t testing.TB) []byte {
	t.Helper()
	said, err := os.ReadFile(c.node.Log())
	if err != nil {
		t.Fatal(err)
	}
	return said
}

func newCage(t testing.TB, seed uint64, fresh func(testing.TB) string, broken func(*gatewaytest.Records)) *cage {
	t.Helper()
	c := &cage{Comparison: &gatewaytest.Comparison{Seed: seed, Records: gatewaytest.RandomRecords(seed), Counts: true}, log: &gatewaytest.LogLines{}}
	bounds := gatewaytest.Spacious()
	serve := func(log *slog.Logger) (*gatewaytest.Office, gateway.Settings) {
		settings := gatewaytest.Settings(t, fresh(t))
		backend, err := settings.Open(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		config := gatewaytest.Measured(t, gatewaytest.Config(bounds))
		config.Log = log
		return gatewaytest.ServeConfig(t, backend, config), settings
	}
	var settings gateway.Settings
	c.Whole, settings = serve(slog.New(slog.NewJSONHandler(c.log, &slog.HandlerOptions{Level: slog.LevelDebug})))
	c.Part, _ = serve(slog.New(slog.DiscardHandler))
	c.database, c.files = settings.Database, strings.TrimPrefix(settings.Files, "file:")
	for _, customer := range c.Records.Customers { // each has one, so that there is more to be found
		c.Records.Numbers[customer.ID] = gatewaytest.RegistrationNumbers[len(c.Records.Numbers)%len(gatewaytest.RegistrationNumbers)]
	}
	c.Records.StoreIn(t, c.Whole)
	without := *c.Records
	without.Numbers = nil
	if broken != nil {
		without.Customers = gatewaytest.Copies(without.Customers, func(*backoffice.Customer) {})
		broken(&without)
	}
	without.StoreIn(t, c.Part)
	var scopes []backoffice.Scope
	for _, scope := range backoffice.AllScopes {
		if scope != backoffice.PrivacyRead {
			scopes = append(scopes, scope)
		}
	}
	c.CredentialOfWhole, c.CredentialOfPart, c.Admin = c.Whole.Credential(t, scopes...), c.Part.Credential(t, scopes...), c.Whole.Credential(t, backoffice.AllScopes...)
	c.Asker = &gatewaytest.Asker{Rand: rand.New(rand.NewPCG(seed, 11)), Schema: gatewaytest.SchemaOf(t, c.Whole), All: c.Records, Cursors: map[string][]string{}, Used: map[string]bool{}}
	return c
}

// disclose has numbers written, shown, searched for, exported and refused, by a credential that may see them and in all
// ways that there are.
func (c *cage) disclose(t testing.TB) {
	t.Helper()
	purpose := http.Header{privacy.PurposeHeader: {"a test"}}
	number, other := gatewaytest.RegistrationNumbers[0], gatewaytest.RegistrationNumbers[1]
	shown := 0
	graphQL := func(query string) {
		_, body, _ := c.Whole.Ask(t, c.Admin, query, nil, purpose)
		if canaryIn(body) != "" {
			shown++
		}
	}
	rest := func(method, path, body, key string) {
		r := gatewaytest.NewRequest(t, c.Admin, method, path, body)
		r.Header.Set(privacy.PurposeHeader, "a test")
		if key != "" {
			r.Header.Set("Idempotency-Key", key)
		}
		if canaryIn(c.Whole.Serve(r).Body.Bytes()) != "" {
			shown++
		}
	}
	for range 2 {
		for root, field := range c.rootFields() {
			graphQL(c.operation(root, field, 100, 4))
		}
	}
	id := c.Records.Customers[0].ID
	person := `type: PRIVATE_PERSON, name: "An Maes", registrationNumber: %q, spouseRegistrationNumber: %q, idempotencyKey: "once"`
	for range 2 { // the second time it is replayed
		graphQL("mutation { createCustomer(input: {" + fmt.Sprintf(person, number, other) + "}) { customer { id registrationNumber spouseRegistrationNumber } userErrors { code message } } }")
		rest(http.MethodPost, "/customers", fmt.Sprintf(`{"type":"Private Person","name":"Els Maes","registrationNumber":%q,"spouseRegistrationNumber":%q}`, number, other), "a key")
	}
	graphQL("{ customers(first: 100, filter: {registrationNumber: \"" + number + "\"}) { totalCount nodes { id registrationNumber privacyAccesses { nodes { purpose } } } } }")
	rest(http.MethodPost, "/customers/search", fmt.Sprintf(`{"registrationNumber":%q}`, number), "")
	rest(http.MethodGet, "/customers/"+id+"/privacy", "", "")
	for _, format := range []string{"csv", "jsonl"} {
		r := gatewaytest.NewRequest(t, c.Admin, http.MethodPost, "/graphql/export?format="+format, `{"query": "{ customers { nodes { id registrationNumber } } }"}`)
		r.Header.Set(privacy.PurposeHeader, "a test")
		if canaryIn(c.Whole.Serve(r).Body.Bytes()) != "" {
			shown++
		}
	}
	if shown < 12 {
		t.Errorf("only %d answers showed a number, so nothing is proved", shown)
	}
}

// mistake has numbers stand where none belong, and in what is refused. Those that are taken for an identifier or a
// word are looked for as such, so a database that writes down all values of its statements has them; everything else
// has not.
func (c *cage) mistake(t testing.TB) {
	t.Helper()
	if c.node != nil {
		c.mistakes[0] = len(c.said(t))
		defer func() { c.mistakes[1] = len(c.said(t)) }()
	}
	number, other, id := gatewaytest.RegistrationNumbers[0], gatewaytest.RegistrationNumbers[1], c.Records.Customers[0].ID
	graphQL := func(query string) {
		c.Whole.Ask(t, c.Admin, query, nil, http.Header{privacy.PurposeHeader: {"a test"}})
	}
	rest := func(method, path, body, key string) {
		r := gatewaytest.NewRequest(t, c.Admin, method, path, body)
		r.Header.Set(privacy.PurposeHeader, "a test")
		if key != "" {
			r.Header.Set("Idempotency-Key", key)
		}
		c.Whole.Serve(r)
	}
	graphQL("query Q" + number + " { customer(id: \"" + number + "\") { id } }")
	graphQL("{ customers(filter: {registrationNumber: \"" + number[:10] + "9\"}) { totalCount } }")
	graphQL("{ customers(filter: {search: \"" + number + "\"}) { totalCount } }")
	graphQL("{ field" + number + " }")
	graphQL("{ customer(id: " + number)
	graphQL("mutation { updateCustomer(input: {id: \"" + id + "\", expectedVersion: 99, registrationNumber: \"" + other + "\"}) { userErrors { code message } } }")
	rest(http.MethodPost, "/customers", fmt.Sprintf(`{"type":"Private Person","registrationNumber":%s}`, number), "")
	rest(http.MethodPut, "/customers/"+id, `{"registrationNumber":"`+number+`x"}`, number)
	rest(http.MethodGet, "/customers?registrationNumber="+number, "", "")
	rest(http.MethodGet, "/customers/"+number, "", "")
	r := gatewaytest.NewRequest(t, c.Admin, http.MethodGet, "/customers/"+id, "")
	r.Header.Set(privacy.PurposeHeader, "looking for "+number)
	r.Header.Set("X-Request-Id", number)
	c.Whole.Serve(r)
}

func TestARegistrationNumberIsNowhereButInAnswersToWhoMaySeeIt(t *testing.T) {
	t.Parallel()
	for engine := range gatewaytest.Engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			fresh, node := gatewaytest.Engines[engine], (*pgtest.Node)(nil)
			if engine == "PostgreSQL" {
				node = pgtest.NewNode(t)
				fresh = talkative(t, node)
			}
			c := newCage(t, 1, fresh, nil)
			if node != nil {
				c.node, c.others = node, otherDatabases(t, node, c.database)
			}
			c.disclose(t)
			c.mistake(t)
			for place, content := range c.places(t) {
				if len(content) == 0 {
					t.Errorf("%s: nothing to look at", place)
				}
				if form := canaryIn(content); form != "" {
					t.Errorf("%s: a number, in the form %s", place, form)
				}
			}
			// What is put there is found.
			storeLabel(t, c.Whole, gatewaytest.RegistrationNumbers[2])
			slog.New(slog.NewJSONHandler(c.log, nil)).Info(gatewaytest.RegistrationNumbers[2])
			if err := os.WriteFile(filepath.Join(c.files, "a file"), []byte(base64.StdEncoding.EncodeToString([]byte("of "+gatewaytest.RegistrationNumbers[2]))), 0o600); err != nil {
				t.Fatal(err)
			}
			for place, content := range c.places(t) {
				if place != "the metrics" && canaryIn(content) == "" {
					t.Errorf("%s: a number was put there, and is not found", place)
				}
			}
		})
	}
}

// storeLabel stores a label whose name is any text.
func storeLabel(t testing.TB, o *gatewaytest.Office, name string) {
	t.Helper()
	(&gatewaytest.Records{Labels: []*backoffice.Label{{ID: "label-of-the-test", Name: name}}}).StoreIn(t, o)
}

// Whoever lacks privacy.read is answered the same, in as many statements, whether customers have numbers, and whether
// a number that is sent is one of theirs.
func TestNothingTellsACredentialWithoutTheScopeWhetherThereIsANumber(t *testing.T) {
	t.Parallel()
	for engine := range gatewaytest.Engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			c := newCage(t, 0, gatewaytest.Engines[engine], nil)
			c.compareBlind(t)
			if c.Differs != "" {
				t.Fatal(c.Differs)
			}
			if c.Compared < 100 {
				t.Errorf("%d answers were compared", c.Compared)
			}
			for _, path := range gatewaytest.PathsOf(c.Asker.Schema) {
				if isOfNumber(path) && !c.Asker.Used[path] {
					t.Errorf("%s was not asked", path)
				}
			}
		})
	}
	t.Run("a difference is found", func(t *testing.T) {
		t.Parallel()
		c := newCage(t, 0, gatewaytest.Engines["SQLite"], func(r *gatewaytest.Records) {
			for _, c := range r.Customers {
				c.Version++
			}
		})
		c.compareBlind(t)
		if c.Differs == "" {
			t.Error("a version moved with a number, and nothing was found")
		}
	})
}

func (c *cage) compareBlind(t testing.TB) {
	t.Helper()
	c.Reads(t, 2)
	c.REST(t, 1)
	c.Exports(t)
	c.Rehearses(t, 2)
	for range 40 { // until each path of a number was asked
		for root, field := range c.rootFields() {
			known := c.numbersAsked()
			document := c.operation(root, field, 300, 5)
			if gatewaytest.NotAsked[root.Name+"."+field.Name] == "" && c.numbersAsked() > known {
				c.GraphQL(t, document, root == c.Asker.Schema.Mutation)
			}
		}
	}
}

// rootFields are the fields of queries and of mutations, but those of introspection.
func (c *cage) rootFields() iter.Seq2[*ast.Definition, *ast.FieldDefinition] {
	return func(yield func(*ast.Definition, *ast.FieldDefinition) bool) {
		for _, root := range []*ast.Definition{c.Asker.Schema.Query, c.Asker.Schema.Mutation} {
			for _, field := range root.Fields {
				if !strings.HasPrefix(field.Name, "__") && !yield(root, field) {
					return
				}
			}
		}
	}
}

// operation asks for a root field alone, with at most so many fields and levels below it.
func (c *cage) operation(root *ast.Definition, field *ast.FieldDefinition, fields, levels int) string {
	c.Asker.Left = fields
	return strings.ToLower(root.Name) + " { " + c.Asker.Field(root, field, levels, "") + " }"
}

func (c *cage) numbersAsked() (n int) {
	for path := range c.Asker.Used {
		if isOfNumber(path) {
			n++
		}
	}
	return n
}

// isOfNumber reports whether a path of the schema is one on which a registration number goes in or out.
func isOfNumber(path string) bool {
	return strings.Contains(strings.ToLower(path), "registrationnumber")
}
