package agents

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway"
	"example.org/backoffice/gateway/gatewaytest"
)

const answerBytes = 8 << 10

// narrow serves an office whose agents get short answers, and may ask anything.
func narrow(t testing.TB, engine string) *gatewaytest.Office {
	t.Helper()
	config := gatewaytest.Config(gatewaytest.Spacious())
	config.Agents = gateway.AgentSettings{MCP: true, Ask: true, Answer: answerBytes}
	settings := gatewaytest.Settings(t, gatewaytest.Engines[engine](t))
	b, err := settings.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return gatewaytest.ServeConfig(t, b, config)
}

// people adds customers, each with a text about it.
func people(t testing.TB, o *gatewaytest.Office, n int, text func(i int) string) {
	t.Helper()
	peopleAs(t, o, "c-%04d", n, text)
}

func peopleAs(t testing.TB, o *gatewaytest.Office, id string, n int, text func(i int) string) {
	t.Helper()
	err := o.Store.Write(t.Context(), func(ctx context.Context, tx backoffice.Tx) error {
		for i := range n {
			name := text(i)
			if err := tx.Customers().Insert(ctx, &backoffice.Customer{ID: fmt.Sprintf(id, i), Type: backoffice.Company, OwnName: backoffice.Text(name), DisplayName: name, Version: 1}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// An agent that goes on as it is told reads each row of a list once, however the list is cut.
func TestAListIsReadToItsEndAsTheAnswersSay(t *testing.T) {
	t.Parallel()
	const rows = 300
	for engine := range gatewaytest.Engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			o := narrow(t, engine)
			peopleAs(t, o, "c-%04d-0000-7000-8000-00000000000000", rows, func(i int) string { return strings.Repeat(string(rune('a'+i%26)), 20+i%170) })
			for name, text := range map[string]string{
				"nodes":   `query Nodes($first: Int = 200, $after: String) { customers(first: $first, after: $after) { nodes { id displayName } pageInfo { hasNextPage endCursor } totalCount } }`,
				"aliases": `query Aliases($n: Int = 100, $from: String) { all: customers(first: $n, after: $from) { page: pageInfo { end: endCursor more: hasNextPage } rows: nodes { id displayName } } }`,
				"edges":   `query Edges($after: String) { customers(first: 250, after: $after) { totalCount edges { cursor node { id displayName } } pageInfo { hasNextPage endCursor } } }`,
				"names":   `query Names($after: String) { customers(first: 250, after: $after, orderBy: {field: NAME}) { edges { cursor node { id displayName } } pageInfo { endCursor hasNextPage } } }`,
			} {
				o.Tool(t, backoffice.Tool{Name: name, About: "Customers."}, text)
			}
			header := gatewaytest.CredentialHeader(o.Credential(t))
			for name, after := range map[string]string{"nodes": "after", "aliases": "from", "edges": "after", "names": "after"} {
				seen, cursor, calls, cuts := map[string]bool{}, "", 0, 0
				for more := true; more; calls++ {
					arguments := map[string]string{}
					if cursor != "" {
						arguments[after] = cursor
					}
					a := o.Calls(t, header, name, gatewaytest.JSON(t, arguments))
					if a.IsError || a.Error != "" || len(a.StructuredContent) > answerBytes || calls > rows {
						t.Fatalf("%s: %d bytes %.500s", name, len(a.StructuredContent), a.Whole)
					}
					rows := rowsIn(t, a.StructuredContent)
					for _, id := range rows {
						if seen[id] {
							t.Fatalf("%s: %s is shown twice", name, id)
						}
						seen[id] = true
					}
					before := cursor
					cursor, more = pageIn(t, a.StructuredContent)
					if len(a.Meta.Cut) > 0 {
						cuts++
						cut := a.Meta.Cut[0]
						if cut.Rows != len(rows) || cut.Cursor != cursor || !more || !strings.Contains(a.Said(), "call again with the argument "+after+" = \""+cursor) {
							t.Fatalf("%s: %+v, the page says %q %v: %s", name, cut, cursor, more, a.Said())
						}
					}
					if more && (cursor == before || cursor == "") {
						t.Fatalf("%s: it does not go on: %.300s", name, a.Whole)
					}
				}
				if len(seen) != rows || cuts < 3 {
					t.Errorf("%s: %d of %d rows in %d calls, %d of them cut", name, len(seen), rows, calls, cuts)
				}
			}
		})
	}
}

func TestAListThatFitsKeepsItsRowsWhenAnotherOneIsCut(t *testing.T) {
	t.Parallel()
	o := narrow(t, "SQLite")
	people(t, o, 100, func(i int) string { return strings.Repeat(string(rune('a'+i%26)), 150) })
	o.Tool(t, backoffice.Tool{Name: "two", About: "Customers."}, `query Two($n: Int = 100) { few: customers(first: $n) { nodes { id } } all: customers(first: $n) { nodes { displayName } } }`)
	lists := ""
	for i := range 8 {
		lists += fmt.Sprintf(" l%d: customers(first: 100) { nodes { displayName } }", i)
	}
	o.Tool(t, backoffice.Tool{Name: "many", About: "Customers."}, "query Many {"+lists+" }")
	header := gatewaytest.CredentialHeader(o.Credential(t))
	if a := o.Calls(t, header, "two", `{}`); len(rowsIn(t, a.StructuredContent)) != 100 || len(a.Meta.Cut) != 1 || a.Meta.Cut[0].List != "all.nodes" {
		t.Errorf("%d rows, %+v: %.300s", len(rowsIn(t, a.StructuredContent)), a.Meta.Cut, a.Whole)
	}
	a := o.Calls(t, header, "many", `{}`)
	if len(a.Meta.Cut) != 5 || !strings.Contains(a.Whole, "So are 3 other lists") {
		t.Errorf("%+v: %s", a.Meta.Cut, a.Said())
	}
	var shown map[string]struct{ Nodes []any }
	if err := json.Unmarshal(a.StructuredContent, &shown); err != nil {
		t.Fatal(err)
	}
	for name, list := range shown {
		if len(list.Nodes) < 4 || len(list.Nodes) > 6 {
			t.Errorf("of %s, which is as long as each other list, %d rows are shown", name, len(list.Nodes))
		}
	}
}

// rowsIn are the identifiers in an answer, in their order.
func rowsIn(t testing.TB, data json.RawMessage) (ids []string) {
	t.Helper()
	for part := range strings.SplitSeq(string(data), `"id":"`) {
		if id, _, found := strings.Cut(part, `"`); found && strings.HasPrefix(id, "c-") {
			ids = append(ids, id)
		}
	}
	return ids
}

// pageIn is what pageInfo says, under any name.
func pageIn(t testing.TB, data json.RawMessage) (cursor string, more bool) {
	t.Helper()
	var whole map[string]map[string]json.RawMessage
	if err := json.Unmarshal(data, &whole); err != nil {
		t.Fatal(err)
	}
	for _, list := range whole {
		for name, text := range list {
			var page map[string]any
			if !strings.HasPrefix(name, "page") || json.Unmarshal(text, &page) != nil {
				continue
			}
			for _, value := range page {
				switch value := value.(type) {
				case string:
					cursor = value
				case bool:
					more = value
				}
			}
		}
	}
	return cursor, more
}

// Whatever is asked, an answer stays within its bound, is JSON, and has what was selected, in its order.
func TestRandomDocumentsAreAnsweredWithinTheBound(t *testing.T) {
	t.Parallel()
	const documents = 1000
	o := narrow(t, "SQLite")
	records := gatewaytest.RandomRecords(3)
	records.StoreIn(t, o)
	people(t, o, 400, func(i int) string { return fmt.Sprintf("a customer with a name as long as this one, number %d", i) })
	credential := o.Credential(t, backoffice.Scope("minfin.read"))
	header := gatewaytest.CredentialHeader(credential)
	schema := gatewaytest.SchemaOf(t, o)
	asker := &gatewaytest.Asker{Rand: rand.New(rand.NewPCG(5, 6)), Schema: schema, All: records, Cursors: map[string][]string{}, Used: map[string]bool{}}
	fields := slices.Clone(schema.Query.Fields)
	answered, cut, refused, largest := 0, 0, 0, 0
	for n := 0; answered < documents && n < 20*documents; n++ {
		field := fields[n%len(fields)]
		if n%2 == 0 {
			field = schema.Query.Fields.ForName("customers")
		}
		if strings.HasPrefix(field.Name, "__") || gatewaytest.NotAsked["Query."+field.Name] != "" {
			continue
		}
		asker.Left = 120
		arguments := ""
		if field.Arguments.ForName("first") != nil && n%8 != 0 {
			arguments = "first: 500"
		}
		document := "query { " + asker.Field(schema.Query, field, 4, arguments) + " }"
		a := o.Calls(t, header, "query", gatewaytest.JSON(t, map[string]string{"query": document}))
		if len(a.Said()) > 2*answerBytes || len(a.StructuredContent) > answerBytes || len(a.Content) == 0 || len(a.Said()) > answerBytes && !a.IsError {
			t.Fatalf("%s\n%d bytes of text, %d of structure", document, len(a.Said()), len(a.StructuredContent))
		}
		largest = max(largest, len(a.Said()))
		if a.IsError {
			refused++
			continue
		}
		answered++
		if !json.Valid(a.StructuredContent) || a.Content[0].Text != string(a.StructuredContent) {
			t.Fatalf("%s\n%s", document, a.Whole)
		}
		_, whole, _ := o.Ask(t, credential, document, nil, nil)
		var answer struct{ Data json.RawMessage }
		if err := json.Unmarshal(whole, &answer); err != nil {
			t.Fatal(err)
		}
		switch {
		case len(a.Meta.Cut) == 0 && timeless(answer.Data) != timeless(a.StructuredContent):
			t.Fatalf("%s\nis answered %s\nand by /graphql %s", document, a.StructuredContent, answer.Data)
		case len(a.Meta.Cut) > 0:
			cut++
			if len(answer.Data) <= answerBytes-2<<10 || !isPartOf(t, a.StructuredContent, answer.Data) {
				t.Fatalf("%s\nis cut to %s\nof %s", document, a.StructuredContent, answer.Data)
			}
		}
	}
	t.Logf("%d documents answered, %d of them cut, %d refused; the largest answer has %d bytes", answered, cut, refused, largest)
	if answered < documents || cut < 50 {
		t.Errorf("%d documents were answered, and %d of them cut", answered, cut)
	}
}

var signedPath = regexp.MustCompile(`"downloadPath":"[^"]*"`)

// timeless is an answer without its signed paths, which end some time after it.
func timeless(data json.RawMessage) string { return signedPath.ReplaceAllString(string(data), "") }

// isPartOf reports whether a value is another one, with fewer rows at the end of lists, and other pages.
func isPartOf(t testing.TB, part, whole json.RawMessage) bool {
	t.Helper()
	var a, b any
	if json.Unmarshal(part, &a) != nil || json.Unmarshal(whole, &b) != nil {
		return false
	}
	var is func(a, b any, name string) bool
	is = func(a, b any, name string) bool {
		switch a := a.(type) {
		case map[string]any:
			of, ok := b.(map[string]any)
			if !ok || len(a) != len(of) {
				return false
			}
			for key, value := range a {
				if !is(value, of[key], key) {
					return false
				}
			}
			return true
		case []any:
			of, ok := b.([]any)
			if !ok || len(a) > len(of) {
				return false
			}
			for i, value := range a {
				if !is(value, of[i], name) {
					return false
				}
			}
			return true
		}
		return a == b || name == "hasNextPage" || name == "endCursor" || name == "downloadPath"
	}
	return is(a, b, "")
}

// A row that alone is larger than an answer is not shown in part.
func TestAnAnswerThatIsTooLargeWithoutRowsIsRefused(t *testing.T) {
	t.Parallel()
	o := narrow(t, "SQLite")
	gatewaytest.Hold(t, fill(t, o), 2, 20<<10)
	o.Tool(t, backoffice.Tool{Name: "held", About: "Transcripts with their answers."}, `query Held($first: Int = 5) { transcripts(first: $first, filter: {customerId: "holder"}) { totalCount nodes { id customVariables } } }`)
	o.Tool(t, backoffice.Tool{Name: "one", About: "One of them."}, `query One { transcript(id: "held-0001") { id customVariables } }`)
	header := gatewaytest.CredentialHeader(o.Credential(t))
	if a := o.Calls(t, header, "held", `{}`); string(a.StructuredContent) != `{"transcripts":{"totalCount":2,"nodes":[]}}` || !strings.Contains(a.Said(), "the first one alone is larger") {
		t.Errorf("%.500s", a.Whole)
	}
	if a := o.Calls(t, header, "one", ``); !a.IsError || !strings.Contains(a.Said(), "ask for fewer fields") || len(a.Whole) > 1000 {
		t.Errorf("%.500s", a.Whole)
	}
}

func fill(t testing.TB, o *gatewaytest.Office) *gatewaytest.Office {
	t.Helper()
	o.Fill(t)
	return o
}
