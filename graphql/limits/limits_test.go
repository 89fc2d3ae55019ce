package limits

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/parser"
	"github.com/vektah/gqlparser/v2/validator"
)

var contract = sync.OnceValue(func() *ast.Schema {
	text, err := os.ReadFile("../../schema.graphqls")
	if err != nil {
		panic(err)
	}
	return gqlparser.MustLoadSchema(&ast.Source{Name: "schema.graphqls", Input: string(text)})
})

// code is what the limits before execution make of a document: "" when it passes.
func code(t testing.TB, s Settings, text string) string {
	t.Helper()
	if _, refused := s.Scan(text); refused != nil {
		return codeIn(refused)
	}
	document, err := parser.ParseQuery(&ast.Source{Input: text})
	if err != nil {
		t.Fatalf("%v in %.80s", err, text)
	}
	if _, refused := s.Measure(document); refused != nil {
		return codeIn(refused)
	}
	return ""
}

func codeIn(refused *gqlerror.Error) string {
	found, _ := refused.Extensions["code"].(string)
	return found
}

// priced is the price of the only operation of a valid document.
func priced(t testing.TB, s Settings, text string) (*Price, *ast.OperationDefinition) {
	t.Helper()
	document, errs := gqlparser.LoadQueryWithRules(contract(), text, nil)
	if errs != nil {
		t.Fatalf("%v in %s", errs, text)
	}
	return s.Price(contract(), document.Operations[0]), document.Operations[0]
}

// nested is fields inside each other, so many deep.
func nested(depth int) string {
	return strings.Repeat("{ a ", depth) + strings.Repeat("}", depth)
}

func TestADocumentAtALimitPassesAndOneOverItIsRefused(t *testing.T) {
	t.Parallel()
	repeat := func(n int, format string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	for _, c := range []struct {
		sentence string
		make     func(n int) string
		limit    func(*Settings) *int
		at       int
		code     string
	}{
		{"words", func(n int) string { return "{ a {" + repeat(n-5, " f%d") + "} }" }, func(s *Settings) *int { return &s.Tokens }, 200, CodeToken},
		{"words, comments among them", func(n int) string { return "{ a }" + strings.Repeat("#c\n", n-3) }, func(s *Settings) *int { return &s.Tokens }, 200, CodeToken},
		{"aliases", func(n int) string { return "{ a {" + repeat(n, " x%d: f") + "} }" }, func(s *Settings) *int { return &s.Aliases }, 30, CodeAlias},
		{"aliases that repeat the field's name", func(n int) string { return "{ a {" + strings.Repeat(" f: f", n) + "} }" }, func(s *Settings) *int { return &s.Aliases }, 30, CodeAlias},
		{"aliases in a fragment", func(n int) string { return "{ a { ...F } } fragment F on T {" + repeat(n, " x%d: f") + "}" }, func(s *Settings) *int { return &s.Aliases }, 30, CodeAlias},
		{"directives", func(n int) string { return "{ a {" + repeat(n, " f%d @skip(if: false)") + "} }" }, func(s *Settings) *int { return &s.Directives }, 50, CodeToken},
		{"directives on one field", func(n int) string { return "{ a" + repeat(n, " @d%d") + "}" }, func(s *Settings) *int { return &s.Directives }, 50, CodeToken},
		{"depth", nested, func(s *Settings) *int { return &s.Depth }, 20, CodeDepth},
		{"depth through a fragment", func(n int) string {
			return "{ a { ...F } } fragment F on T " + nested(n-1)
		}, func(s *Settings) *int { return &s.Depth }, 20, CodeDepth},
		{"depth through inline fragments", func(n int) string {
			return strings.Repeat("{ a { ... ", n-1) + "{ a }" + strings.Repeat("}}", n-1)
		}, func(s *Settings) *int { return &s.Depth }, 20, CodeDepth},
		{"root fields", func(n int) string { return "{" + repeat(n, " f%d") + "}" }, func(s *Settings) *int { return &s.RootFields }, 20, CodeCost},
		{"root fields through a fragment spread twice", func(n int) string {
			return "{ ...F ...F" + strings.Repeat(" b", n%2) + "} fragment F on Query {" + repeat(n/2, " f%d") + "}"
		}, func(s *Settings) *int { return &s.RootFields }, 20, CodeCost},
		{"lists inside lists", func(n int) string {
			return "{ a(x: " + strings.Repeat("[", n) + strings.Repeat("]", n) + ") }"
		}, func(s *Settings) *int { return &s.Nesting }, 64, CodeDepth},
		{"objects inside objects", func(n int) string {
			return "{ a(x: " + strings.Repeat("{k:", n) + "1" + strings.Repeat("}", n) + ") }"
		}, func(s *Settings) *int { return &s.Nesting }, 64, CodeDepth},
		{"introspection's depth", func(n int) string { return "{ __schema " + nested(n) + "}" }, func(s *Settings) *int { return &s.IntrospectionDepth }, 20, CodeDepth},
	} {
		t.Run(c.sentence, func(t *testing.T) {
			t.Parallel()
			s := Defaults()
			*c.limit(&s) = c.at
			if got := code(t, s, c.make(c.at)); got != "" {
				t.Errorf("at %d: %s", c.at, got)
			}
			if got := code(t, s, c.make(c.at+1)); got != c.code {
				t.Errorf("over %d: %q, want %s", c.at, got, c.code)
			}
		})
	}
}

func TestDepthFollowsAChainOfFragments(t *testing.T) {
	t.Parallel()
	chain := func(n int) string { // each fragment adds one field
		var b strings.Builder
		b.WriteString("{ a { ...F1 } }")
		for i := 1; i < n-1; i++ {
			fmt.Fprintf(&b, " fragment F%d on T { a { ...F%d } }", i, i+1)
		}
		fmt.Fprintf(&b, " fragment F%d on T { a }", n-1)
		return b.String()
	}
	if got := code(t, Defaults(), chain(20)); got != "" {
		t.Errorf("20 deep: %s", got)
	}
	if got := code(t, Defaults(), chain(21)); got != CodeDepth {
		t.Errorf("21 deep: %q", got)
	}
}

func TestFragmentsInACircleAreMeasured(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"{ ...A } fragment A on T { a { ...A } }",
		"{ ...A } fragment A on T { ...B } fragment B on T { ...A x { ...B } }",
		"{ ...Missing }",
	} {
		if got := code(t, Defaults(), text); got != "" {
			t.Errorf("%s: %s", text, got)
		}
	}
}

func TestTheShapeOfADocumentForgetsItsLiterals(t *testing.T) {
	t.Parallel()
	shape := func(text string) string {
		scan, refused := Defaults().Scan(text)
		if refused != nil {
			t.Fatal(refused)
		}
		return scan.Shape
	}
	same := shape(`query Q { customer(id: "a") { name } customers(first: 3) { totalCount } }`)
	for _, text := range []string{
		`query Q { customer(id: "85010112345") { name } customers(first: 500) { totalCount } }`,
		"query Q # 85010112345\n{ customer(id: \"\"), { name } customers(first:1){totalCount} }",
	} {
		if shape(text) != same {
			t.Errorf("another shape: %s", text)
		}
	}
	for _, text := range []string{
		`query Q { customer(id: "a") { id } customers(first: 3) { totalCount } }`,
		`query Q { customer(id: 1) { name } customers(first: 3) { totalCount } }`,
	} {
		if shape(text) == same {
			t.Errorf("the same shape: %s", text)
		}
	}
	if shape("{ n85010112345: viewer { name } }") != shape("{ n85020254321: viewer { name } }") {
		t.Error("a number in a name makes a shape")
	}
	if shape("{ n85_01_01_123_45: viewer { name } }") != shape("{ n85_02_02_543_21: viewer { name } }") {
		t.Error("a divided number in a name makes a shape")
	}
}

func TestIntrospectionAsToolsAskItPasses(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/introspection.graphql")
	if err != nil {
		t.Fatal(err)
	}
	if got := code(t, Defaults(), string(text)); got != "" {
		t.Errorf("refused: %s", got)
	}
	price, _ := priced(t, Defaults(), string(text))
	if cost := price.Cost(nil, Rows{}); cost != 1 {
		t.Errorf("costs %d", cost)
	}
	wide := "{ __schema { types { fields { args { type { fields { args { type { inputFields { type { name } } } } } } } } } } }"
	if got := code(t, Defaults(), wide); got != CodeCost {
		t.Errorf("introspection of everything's everything: %q", got)
	}
}

func TestDocumentsThatAreSlowToValidateAreRefusedBefore(t *testing.T) {
	t.Parallel()
	for sentence, text := range slowToValidate() {
		if got := code(t, Defaults(), text); got != CodeCost {
			t.Errorf("%s: %q", sentence, got)
		}
	}
}

func TestDocumentsThatRepeatThemselvesLikeThoseOfClientsPass(t *testing.T) {
	t.Parallel()
	var components, operations, places strings.Builder
	components.WriteString("{ customers { nodes {")
	for i := range 30 { // each component of a page says what it shows, and all of them show the bits of a user
		fmt.Fprintf(&components, " ...C%d", i)
		fmt.Fprintf(&operations, "query Q%d { customers { nodes { ...C } } } ", i)
	}
	for i := range 400 {
		fmt.Fprintf(&places, " p%d { id name }", i)
	}
	components.WriteString(" } } } fragment Bits on User { id name email phone }")
	for i := range 30 {
		fmt.Fprintf(&components, " fragment C%d on Customer { id name f%d { email } responsible { ...Bits } }", i, i)
	}
	operations.WriteString("fragment C on Customer { id name email responsible { id labels { nodes { name } } } }")
	for sentence, text := range map[string]string{
		"30 components with common parts":          components.String(),
		"30 operations with a common fragment":     operations.String(),
		"400 times the same fields, in new places": "{ a {" + places.String() + "} }",
	} {
		if got := code(t, Defaults(), text); got != "" {
			t.Errorf("%s: %s", sentence, got)
		}
	}
}

// slowToValidate are documents within the other limits for which validation grows faster than they do.
func slowToValidate() map[string]string {
	var operations, chain, crossed strings.Builder
	for i := range 500 {
		fmt.Fprintf(&operations, "query Q%d{...F}", i)
	}
	operations.WriteString(" fragment F on Query {" + strings.Repeat(" a", 900) + "}")
	for i := range 250 {
		fmt.Fprintf(&chain, "fragment F%d on T{...F%d}", i, i+1)
	}
	chain.WriteString("fragment F250 on T{a{" + strings.Repeat(" b", 100) + "}} {...F0}")
	crossed.WriteString("{a{")
	for i := range 60 {
		fmt.Fprintf(&crossed, "...F%d ", i)
	}
	crossed.WriteString("}}")
	for i := range 60 {
		fmt.Fprintf(&crossed, " fragment F%d on T{b{c{%s}}}", i, strings.Repeat(" d", 20))
	}
	return map[string]string{
		"a field 3,900 times":                   "{a{" + strings.Repeat(" b", 3_900) + "}}",
		"a field with arguments 400 times":      "{a{" + strings.Repeat(" b(x:[1,2])", 400) + "}}",
		"500 operations that spread a fragment": operations.String(),
		"250 fragments in a chain":              chain.String(),
		"60 fragments with the same fields":     crossed.String(),
		"a circle in a large document":          "{a{...F0}} fragment F0 on T{a{...F0} " + strings.Repeat("x{y} ", 5) + strings.Repeat("b ", 150) + "}",
		"repeats in inline fragments":           "{a{" + strings.Repeat("...{", 100) + strings.Repeat(" b", 30) + strings.Repeat("}", 100) + "}}",
		"nested repeats":                        "{a{" + strings.Repeat(" b{c{d e f}}", 300) + "}}",
	}
}

// measureAndPrice takes a text through all passes as the transport does.
func measureAndPrice(t testing.TB, s Settings, text string) {
	t.Helper()
	if _, refused := s.Scan(text); refused != nil {
		return
	}
	document, err := parser.ParseQuery(&ast.Source{Input: text})
	if err != nil {
		return
	}
	if _, refused := s.Measure(document); refused != nil {
		return
	}
	if len(validator.Validate(contract(), document)) > 0 {
		return
	}
	for _, operation := range document.Operations {
		if cost := s.Price(contract(), operation).Cost(nil, Rows{}); cost < 0 || cost > ceiling {
			t.Errorf("a cost of %d", cost)
		}
	}
}
