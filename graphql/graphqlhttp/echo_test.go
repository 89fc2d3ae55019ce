package graphqlhttp

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

const (
	secret  = "85010112345"
	divided = "85_01_01_123_45"
)

// Whatever is wrong with a request, what was sent as a value stays out of the answer.
func TestNoMessageEchoesAValueOfTheRequest(t *testing.T) {
	t.Parallel()
	g := endpoint()
	const word = "Zeldzaam"
	long := strings.Repeat("n", 100)
	type object = map[string]any
	requests := map[string]string{
		"a literal of another type":         body(`{ customer(id: ` + secret + `.5) { id } }`),
		"a string for a number":             body(`{ customers(first: "` + secret + word + `") { totalCount } }`),
		"a number out of range":             body(`{ customers(first: ` + secret + `) { totalCount } }`),
		"an enum value":                     body(`{ customers(filter: {type: ` + word + `}) { totalCount } }`),
		"a string for an enum":              body(`{ customers(filter: {type: "` + word + `"}) { totalCount } }`),
		"a boolean for a string":            body(`{ customers(filter: {email: [["` + word + `"]]}) { totalCount } }`),
		"an object for a string":            body(`{ customers(filter: {email: {x: "` + word + `"}}) { totalCount } }`),
		"an enum word for a string":         body(`{ customers(filter: {email: ` + word + `}) { totalCount } }`),
		"an unknown input field":            body(`{ customers(filter: {n` + secret + `: "` + word + `"}) { totalCount } }`),
		"an unknown field":                  body(`{ n` + secret + `(x: "` + word + `") }`),
		"a long name":                       body(`{ ` + long + ` }`),
		"an unknown argument":               body(`{ customer(n` + secret + `: "` + word + `") { id } }`),
		"an unknown fragment":               body(`{ ...n` + secret + ` }`),
		"an unknown variable":               body(`{ customer(id: $n` + secret + `) { id } }`),
		"an unknown type":                   body(`query($x: T` + secret + `) { customer(id: $x) { id } }`),
		"differing arguments":               body(`{ customer(id: "` + word + `") { id } customer(id: "` + secret + `") { id } }`),
		"a default of another type":         body(`query($x: Int = "` + word + secret + `") { customers(first: $x) { totalCount } }`),
		"a word where none should be":       body(`{ customer(id: "a") "` + word + secret + `" }`),
		"a name where none should be":       body(`query ( ` + word + ` ) { a }`),
		"a number where none should be":     body(`{ ` + secret + ` }`),
		"an unterminated string":            body(`{ a(x: "` + word + secret),
		"a control character":               body("{ a(x: \"" + word + "\x01\") }"),
		"an unknown character":              body("{ a " + word + " ? }"),
		"an operation that is not there":    `{"query":"query A { __typename }","operationName":"` + word + secret + `"}`,
		"a variable of another type":        body(`query($x: Int) { customers(first: $x) { totalCount } }`, object{"x": word}),
		"a variable out of range":           body(`query($x: Int) { customers(first: $x) { totalCount } }`, object{"x": 85010112345}),
		"a null variable":                   body(`query($x: ID!) { customer(id: $x) { id } }`, object{"x": nil, word: word}),
		"an unknown field in a variable":    body(`query($x: CustomerFilter) { customers(filter: $x) { totalCount } }`, object{"x": object{word + secret: word}}),
		"an enum in a variable":             body(`query($x: CustomerFilter) { customers(filter: $x) { totalCount } }`, object{"x": object{"type": word}}),
		"a boolean in a variable":           body(`query($x: CustomerFilter) { customers(filter: $x) { totalCount } }`, object{"x": object{"email": []any{word}}}),
		"a body that is not JSON":           `{"query": ` + word + secret + `}`,
		"a key twice":                       `{"` + word + `":1,"` + word + `":2}`,
		"an unknown key":                    `{"query":"{ __typename }","` + word + secret + `":1}`,
		"a list of requests":                `["` + word + secret + `"]`,
		"a variable's name with a number":   body(`query($n`+secret+`: Int) { customers(first: $n`+secret+`) { totalCount } }`, object{"n" + secret: word}),
		"a divided number in a field":       body(`{ n` + divided + `(x: "` + word + `") }`),
		"a divided number in an argument":   body(`{ customer(n` + divided + `: 1) { id } }`),
		"a divided number in a fragment":    body(`{ ...n` + divided + ` }`),
		"a divided number in an input":      body(`query($x: CustomerFilter) { customers(filter: $x) { totalCount } }`, object{"x": object{"85.01.01-123.45": word}}),
		"a divided number in a variable":    body(`query($n`+divided+`: Int) { customers(first: $n`+divided+`) { totalCount } }`, object{"n" + divided: word}),
		"an operation's name with a number": body(`query n` + secret + ` { customer(id: 1.5) { id } }`),
	}
	for sentence, text := range requests {
		t.Run(sentence, func(t *testing.T) {
			t.Parallel()
			for _, accept := range []string{mediaGraphQL, mediaJSON} {
				got := post(t, g, text, header("Accept", accept))
				if len(got.Errors) == 0 {
					t.Fatalf("not refused: %s", got.text)
				}
				if strings.Contains(got.text, secret) || strings.Contains(got.text, divided) || strings.Contains(got.text, "85.01.01") || strings.Contains(got.text, word) || strings.Contains(got.text, long) {
					t.Errorf("echoed: %s", got.text)
				}
				if strings.Contains(got.text, "Did you mean") || got.Data != nil {
					t.Errorf("says too much: %s", got.text)
				}
			}
		})
	}
}

func TestEveryRefusalHasTheCodeOfTheContract(t *testing.T) {
	t.Parallel()
	g := endpoint()
	for text, code := range map[string]string{
		"{":         codeParse,
		"{ a(x: \"": codeParse,
		"":          codeBadInput,
		"fragment F on Query { viewer { name } }": codeValidation,
		"{ nothing }":        codeValidation,
		"subscription { x }": codeValidation,
		"query A { __typename } query B { __typename }":                                                 codeBadInput,
		"query($x: ID!) { customer(id: $x) { id } }":                                                    codeBadInput,
		"{ viewer" + strings.Repeat(" { name", 1_000) + strings.Repeat("}", 1_001):                      "DEPTH_LIMIT",
		"{ viewer {" + strings.Repeat(" name", 5_000) + "} }":                                           "TOKEN_LIMIT",
		"{ viewer {" + strings.Repeat(" n: name", 31) + "} }":                                           "ALIAS_LIMIT",
		"{ customers(first: 500) { nodes { transcripts(first: 500) { nodes { customer { id } } } } } }": "COST_LIMIT",
	} {
		got := post(t, g, body(text))
		if got.status != 400 || got.code() != code {
			t.Errorf("%.60s: %d %s, want %s", text, got.status, got.code(), code)
		}
	}
}

func TestAtMostTenValidationErrorsAreReported(t *testing.T) {
	t.Parallel()
	var fields strings.Builder
	for i := range 200 {
		fmt.Fprintf(&fields, " nothing%d", i)
	}
	got := post(t, endpoint(), body("{ viewer {"+fields.String()+" } }"))
	if got.status != http.StatusBadRequest || len(got.Errors) != 10 {
		t.Errorf("%d errors", len(got.Errors))
	}
}
