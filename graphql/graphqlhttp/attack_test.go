package graphqlhttp

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"testing"

	"example.org/backoffice/graphql/limits"
)

// attack is a request that is known to stop or stall a GraphQL server, or a relative of one.
type attack struct {
	sentence string
	text     string
	status   int
	code     string
	change   func(*http.Request)
}

// attacks are made anew for each use, since some are large.
func attacks() []attack {
	var (
		rep  = strings.Repeat
		list []attack
	)
	add := func(status int, code, sentence, text string, change ...func(*http.Request)) {
		a := attack{sentence: sentence, text: text, status: status, code: code, change: func(*http.Request) {}}
		if len(change) > 0 {
			a.change = change[0]
		}
		list = append(list, a)
	}
	refused := func(code, sentence, query string) { add(400, code, sentence, body(query)) }
	const (
		depth, cost, alias, token = limits.CodeDepth, limits.CodeCost, limits.CodeAlias, limits.CodeToken
		bad                       = codeBadInput
	)

	// Bodies that are too large: refused before they are read.
	for sentence, query := range map[string]string{
		"1.2 MB of {a{a{a":            rep("{a", 600_000),
		"5 MB of [[[[":                "{a(x:" + rep("[", 5_000_000),
		"5 MB of inline fragments":    "{" + rep("...{", 1_250_000),
		"5 MB of a string":            `{a(x:"` + rep("x", 5_000_000) + `")}`,
		"5 MB of comments":            rep("#\n", 2_500_000) + "{a}",
		"5 MB of white space":         rep(" ", 5_000_000) + "{a}",
		"100,000 directives":          "{a" + rep(" @skip(if:false)", 100_000) + "}",
		"1,000,000 repeated fields":   "{" + rep("a ", 1_000_000) + "}",
		"100,000 operations":          rep("query{a}", 100_000),
		"a block string of 3 MB":      `{a(x:"""` + rep("\\\"\"\"", 750_000) + `""")}`,
		"100,000 variables":           "query(" + rep("$v:Int ", 100_000) + "){a}",
		"3 MB of one name":            "{" + rep("a", 3_000_000) + "}",
		"2 MB of objects in a value":  "{a(x:" + rep("{a:", 700_000) + "}",
		"1 MB of escapes in a string": `{a(x:"` + rep(`\u0041`, 170_000) + `")}`,
	} {
		add(413, bad, sentence, body(query))
	}
	add(413, bad, "5 MB of variables", `{"query":"{a}","variables":{"x":"`+rep("x", 5_000_000)+`"}}`)
	add(413, bad, "5 MB of JSON lists", rep("[", 5_000_000))
	add(413, bad, "a body without a length", `{"query":"`+rep(" ", 1_000_000), func(r *http.Request) { r.ContentLength = -1 })

	// Bodies of the greatest size that is read.
	const room = 250_000
	add(400, bad, "a body of nested lists", rep("[", room))
	add(400, bad, "a body of nested objects", rep(`{"a":`, room/5))
	add(400, bad, "deep variables", `{"query":"{a}","variables":`+rep(`{"a":`, room/8)+"1"+rep("}", room/8)+"}")
	add(400, bad, "deep lists in variables", `{"query":"{a}","variables":{"x":`+rep("[", room/3)+rep("]", room/3)+"}}")
	add(400, bad, "a list of 5,000 operations", "["+rep(`{"query":"{viewer{name}}"},`, 5_000)+"{}]")
	add(400, bad, "a key 20,000 times", "{"+rep(`"query":"",`, 20_000)+`"x":1}`)
	add(400, bad, "20,000 keys", func() string {
		var b strings.Builder
		b.WriteString(`{"query":"{a}"`)
		for i := range 20_000 {
			fmt.Fprintf(&b, `,"k%d":1`, i)
		}
		return b.String() + "}"
	}())
	add(400, bad, "huge variables that do not fit", body("query($x: ID!) { customer(id: $x) { id } }", map[string]any{"x": strings.Split(rep("a", room/5), "")}))
	add(400, bad, "a number of 200,000 digits", `{"query":"query($x: Int) { customers(first: $x) { totalCount } }","variables":{"x":`+rep("9", 200_000)+"}}")
	add(400, bad, "an exponent without end", `{"query":"query($x: Int) { customers(first: $x) { totalCount } }","variables":{"x":1e999999999}}`)
	add(400, bad, "half surrogate pairs", `{"query":"`+rep(`\ud83c`, room/7)+`"}`)
	add(400, bad, "invalid UTF-8", `{"query":"`+rep("\xff", room)+`"}`)
	add(400, bad, "a bomb that is unfinished", `{"query":"`+rep(`\\`, room/2))
	add(400, bad, "null bytes", rep("\x00", room))
	add(415, bad, "a form", "query="+rep("%7B", 50_000), header("Content-Type", "application/x-www-form-urlencoded"))
	add(415, bad, "a multipart form", rep("--x\r\n", 10_000), header("Content-Type", "multipart/form-data; boundary=x"))
	add(415, bad, "a text", body("{ viewer { name } }"), header("Content-Type", "text/plain"))
	add(415, bad, "a compressed bomb", rep("\x1f", 1_000), header("Content-Encoding", "gzip"))
	add(415, bad, "a content type without end", body("{ viewer { name } }"), header("Content-Type", "application/json"+rep(";a=b;charset=utf-7", 5_000)))
	add(406, bad, "an Accept without end", body("{ viewer { name } }"), header("Accept", rep("text/html;q=0.1,", 5_000)))
	add(405, bad, "a mutation by GET", "", func(r *http.Request) {
		r.Method, r.URL.RawQuery = http.MethodGet, "query=mutation%7BdeleteUser(input%3A%7Bid%3A%22a%22%7D)%7BdeletedUserId%7D%7D"
	})
	add(414, bad, "parameters without end", "", func(r *http.Request) { r.Method, r.URL.RawQuery = http.MethodGet, "query="+rep("a", 300_000) })
	add(400, bad, "20,000 parameters", "", func(r *http.Request) { r.Method, r.URL.RawQuery = http.MethodGet, rep("query=a&", 20_000) })
	add(405, bad, "DELETE", "", func(r *http.Request) { r.Method = http.MethodDelete })

	// Documents of the greatest size that is read.
	refused(token, "5,000 repeated fields", "{viewer{"+rep("name ", 5_000)+"}}")
	refused(token, "60,000 repeated fields", "{"+rep("a ", 60_000)+"}")
	refused(cost, "3,900 repeated fields", "{viewer{"+rep("name ", 3_900)+"}}")
	refused(depth, "1,900 nested fields", "{viewer"+rep("{a", 1_900)+rep("}", 1_901))
	refused(depth, "{a{a{a to the last byte", rep("{a", room/2))
	refused(depth, "inline fragments to the last byte", "{"+rep("...{", room/4))
	refused(depth, "inline fragments on a type", "{"+rep("...on Query{", 1_000))
	refused(depth, "nested lists to the last byte", "{a(x:"+rep("[", room))
	refused(depth, "nested objects to the last byte", "{a(x:"+rep("{a:", room/3))
	refused(depth, "list types to the last byte", "query($a:"+rep("[", room))
	refused(token, "directives to the last byte", "{a"+rep("@a", room/2)+"}")
	refused(token, "51 directives", "{viewer{name"+rep(" @skip(if:false)", 51)+"}}")
	refused(token, "comments to the last byte", rep("#\n", room/3)+"{a}")
	refused(token, "operations to the last byte", rep("query{a}", room/8))
	refused(token, "fragments to the last byte", rep("fragment F on T{a}", room/18))
	refused(token, "spreads to the last byte", "{"+rep("...F ", room/5)+"}")
	refused(token, "variables to the last byte", "query("+rep("$v:Int ", room/7)+"){a}")
	refused(token, "arguments to the last byte", "{a("+rep("x:1 ", room/4)+")}")
	refused(token, "a list value to the last byte", "{nodes(ids:["+rep("1,", room/2)+"])}")
	refused(alias, "31 aliases", "{"+rep("a:viewer{name}", 31)+"}")
	refused(alias, "aliases to the last byte", "{"+rep("a:viewer{name}", room/14)+"}")
	refused(cost, "21 root fields", "{"+rep("viewer{name}", 21)+"}")
	refused(codeParse, "a string that does not end", `{a(x:"`+rep("a", room))
	refused(codeParse, "a block string that does not end", `{a(x:"""`+rep("a\n", room/4))
	refused(codeParse, "unknown characters", rep("?", room))
	refused(codeParse, "one character that is unknown", "{ viewer { name } } ÿ")
	refused(token, "a name to the last byte", "{"+rep("a", room)+"}")
	refused(codeValidation, "100 unknown fields", "{viewer{"+rep("u ", 100)+"}}")
	refused(codeValidation, "a fragment that spreads itself", "{...F} fragment F on Query{...F viewer{name}}")
	refused(codeValidation, "fragments in a circle", "{...A} fragment A on Query{...B} fragment B on Query{...C} fragment C on Query{...A}")
	refused(codeValidation, "a fragment that nests itself", "{customer(id:1){...F}} fragment F on Customer{responsible{customers{nodes{...F}}}}")

	// Much work from few words.
	doubling := func(inner string) string {
		var b strings.Builder
		b.WriteString(`{customer(id:"a"){...F0}}`)
		for i := range 30 {
			fmt.Fprintf(&b, " fragment F%d on Customer{...F%d ...F%d}", i, i+1, i+1)
		}
		return b.String() + " fragment F30 on Customer{" + inner + "}"
	}
	refused(cost, "doubling fragments", doubling("address{city}"))
	refused(cost, "doubling fragments around a list", doubling("transcripts{nodes{customer{id}}}"))
	refused(cost, "fragments doubled by aliases", func() string {
		var b strings.Builder
		b.WriteString(`{customer(id:"a"){...F0}}`)
		for i := range 5 {
			fmt.Fprintf(&b, " fragment F%[1]d on Customer{a:transcripts(first:9){nodes{customer{...F%[2]d}}} b:transcripts(first:9){nodes{customer{...F%[2]d}}}}", i, i+1)
		}
		return b.String() + " fragment F5 on Customer{id}"
	}())
	refused(cost, "a list of 50⁴", "{customers{nodes{relations{nodes{customer{relations{nodes{customer{relations{nodes{customer{id}}}}}}}}}}}}")
	refused(cost, "a list of 500³", "{customers(first:500){nodes{transcripts(first:500){nodes{customer{transcripts(first:500){nodes{id}}}}}}}}")
	add(400, cost, "sizes in variables", body("query($n:Int){customers(first:$n){nodes{transcripts(first:$n){nodes{customer{id}}}}}}", map[string]any{"n": 500}))
	refused(cost, "sizes in defaults", "query($n:Int=500){customers(first:$n){nodes{transcripts(first:$n){nodes{customer{id}}}}}}")
	refused(cost, "introspection of everything's everything", "{__schema{types{fields{args{type{fields{args{type{inputFields{type{name}}}}}}}}}}}")
	refused(depth, "introspection without end", "{__schema{types"+rep("{ofType", 30)+"{name}"+rep("}", 32))
	for i, text := range []string{
		func() string {
			var b strings.Builder
			for i := range 500 {
				fmt.Fprintf(&b, "query Q%d{...F}", i)
			}
			return b.String() + " fragment F on Query{" + rep("viewer{name}", 100) + "}"
		}(),
		"{viewer{" + rep("name @include(if:true) ", 40) + rep("scopes ", 400) + "}}",
		"{customer(id:1){" + rep("responsible{labels{id name}}", 300) + "}}",
		"{customer(id:1){" + rep("relations(kind:UBO){totalCount}", 300) + "}}",
	} {
		refused(cost, fmt.Sprintf("validation that grows faster than its document, %d", i+1), text)
	}

	// Variables at many places of the document.
	many := func(n int, part any) []any { return slices.Repeat([]any{part}, n) }
	with := func(code, sentence, query string, variable any) {
		add(400, code, sentence, body(query, map[string]any{"x": variable}))
	}
	nothing := map[string]any{}
	object := map[string]any{}
	for i, field := range []string{"search", "city", "email", "customerCode", "kboNumber", "language", "postalCode", "scope"} {
		object[field] = strings.Repeat("a", i)
	}
	with(bad, "a text at 1,900 places of a JSON", `mutation($x:String!){assignChecklist(input:{checklistId:"a",customerId:"b",customVariables:{a:[`+
		rep("$x ", 1_900)+"]}}){userErrors{code}}}", rep("<", 40_000))
	with(cost, "a filter of 60,000 parts at 1,900 places", "query($x:CustomerFilter!){customers(first:1,filter:{any:["+rep("$x ", 1_900)+
		"]}){nodes{id}}}", map[string]any{"any": many(60_000, nothing)})
	with(cost, "a filter of 20,000 parts in 1,900 spreads of a fragment", "query($x:TranscriptFilter!){customers(first:1){nodes{"+rep("...F ", 1_900)+
		"}}} fragment F on Customer{transcripts(first:0,filter:$x){__typename}}", map[string]any{"any": many(20_000, nothing)})
	with(cost, "a filter of nested objects at 1,900 places", "query($x:CustomerFilter!){customers(first:1,filter:{any:["+rep("$x ", 1_900)+
		"]}){nodes{id}}}", map[string]any{"not": map[string]any{"any": many(1_000, object)}})
	return list
}

func TestEveryKnownAttackIsRefusedWithoutWork(t *testing.T) {
	// Not parallel: the memory of the process is measured.
	g := New(failing(`{"executed":true}`), limits.Defaults(), Hooks{})
	list := attacks()
	if len(list) < 60 {
		t.Fatalf("only %d attacks", len(list))
	}
	for _, a := range list {
		t.Run(a.sentence, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			got := post(t, g, a.text, a.change)
			runtime.ReadMemStats(&after)
			if got.status != a.status || got.code() != a.code || got.Data != nil {
				t.Errorf("%d %s, want %d %s: %.300s", got.status, got.code(), a.status, a.code, got.text)
			}
			if len(got.text) > 8_000 {
				t.Errorf("an answer of %d bytes", len(got.text))
			}
			if grown := after.TotalAlloc - before.TotalAlloc; grown > 32<<20 {
				t.Errorf("%d MiB were allocated", grown>>20)
			}
		})
	}
	if got := post(t, g, body("{ viewer { name } }")); got.status != 200 {
		t.Errorf("after all of them: %d", got.status)
	}
}

// BenchmarkAttacks prints what each refusal takes. The contract allows 50 ms.
func BenchmarkAttacks(b *testing.B) {
	g := New(failing(`{}`), limits.Defaults(), Hooks{})
	for _, a := range attacks() {
		b.Run(a.sentence, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				r := httptest.NewRequest(http.MethodPost, "/graphql", strings.NewReader(a.text))
				r.Header.Set("Content-Type", "application/json")
				r.Header.Set("Accept", mediaGraphQL)
				a.change(r)
				g.ServeHTTP(httptest.NewRecorder(), r)
			}
		})
	}
}
