package graphqlhttp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/graphql/limits"
)

// failing answers with data and the given errors, as resolvers report them.
func failing(data string, errs ...error) scripted {
	return scripted{func(ctx context.Context, _ *graphql.OperationContext) json.RawMessage {
		for _, err := range errs {
			graphql.AddError(ctx, err)
		}
		return json.RawMessage(data)
	}}
}

func TestAResolversErrorsAreShownByTheirKind(t *testing.T) {
	t.Parallel()
	cause := errors.New("dial tcp 10.0.0.1: " + secret)
	for _, c := range []struct {
		err                             error
		data                            string
		status                          int
		code, message, scope, retry, id string
	}{
		{backoffice.Errorf(backoffice.BadInput, "first is 0 to 500"), `null`, 200, codeBadInput, "first is 0 to 500", "", "", ""},
		{backoffice.MissingScope(backoffice.PrivacyRead), `{"a":null}`, statusPartial, codeForbidden, "this needs the scope privacy.read", "privacy.read", "", ""},
		{&backoffice.Error{Kind: backoffice.Unavailable, Message: "try again later", Cause: cause}, `null`, 503, codeUnavailable, "try again later", "", "1", ""},
		{&backoffice.Error{Kind: backoffice.Unavailable, Message: "try again later"}, `{"a":null,"b":[null, null],"c":"Query"}`, 503, codeUnavailable, "try again later", "", "1", ""},
		{&backoffice.Error{Kind: backoffice.Unavailable, Message: "try again later"}, `{"a":null,"b":{"c":null}}`, statusPartial, codeUnavailable, "try again later", "", "", ""},
		{&backoffice.Error{Kind: backoffice.Unavailable, Message: "try again later"}, `{"a":null,"b":[]}`, statusPartial, codeUnavailable, "try again later", "", "", ""},
		{backoffice.Fault(context.DeadlineExceeded, "reading"), `null`, 504, codeTimeout, "the request took too long", "", "", ""},
		{backoffice.Fault(context.DeadlineExceeded, "reading"), `{"a":null}`, 504, codeTimeout, "the request took too long", "", "", ""},
		{backoffice.Fault(cause, "reading"), `null`, 500, codeInternal, "internal error", "", "", "r-1"},
		{cause, `{"a":null}`, statusPartial, codeInternal, "internal error", "", "", "r-1"},
		{gqlerror.WrapPath(ast.Path{ast.PathName("a")}, cause), `{"a":null}`, statusPartial, codeInternal, "internal error", "", "", "r-1"},
		{gqlerror.Errorf("%s", secret), `{"a":null}`, statusPartial, codeInternal, "internal error", "", "", "r-1"},
		{backoffice.Errorf(backoffice.RateLimited, "too many requests"), `null`, 429, codeRateLimited, "too many requests", "", "1", ""},
		{backoffice.Errorf(backoffice.NotFound, "n%s is unknown", secret), `{"a":null}`, statusPartial, codeNotFound, "n# is unknown", "", "", ""},
	} {
		got := post(t, New(failing(c.data, c.err), limits.Defaults(), Hooks{}), body("{ __typename }"), named("r-1"))
		if len(got.Errors) != 1 {
			t.Fatalf("%v: %s", c.err, got.text)
		}
		shown := got.Errors[0]
		if got.status != c.status || shown.Message != c.message || shown.Extensions.Code != c.code ||
			shown.Extensions.RequiredScope != c.scope || shown.Extensions.RequestID != c.id || got.header.Get("Retry-After") != c.retry {
			t.Errorf("%v: %d %v %s", c.err, got.status, got.header, got.text)
		}
	}
}

func TestTheCauseOfAnInternalErrorIsLoggedOnceWithTheRequestAndWithoutNumbers(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	g := New(failing("null", backoffice.Fault(errors.New("no row for "+secret), "reading")), limits.Defaults(), Hooks{})
	g.Log = slog.New(slog.NewTextHandler(&log, nil))
	post(t, g, body("{ __typename }"), named("r-3"))
	text := log.String()
	if strings.Count(text, "\n") != 1 || !strings.Contains(text, "request=r-3") || !strings.Contains(text, "reading: no row for #") {
		t.Errorf("%s", text)
	}
}

func TestAnErrorKeepsItsPath(t *testing.T) {
	t.Parallel()
	err := gqlerror.WrapPath(ast.Path{ast.PathName("customers"), ast.PathName("nodes"), ast.PathIndex(3)}, backoffice.MissingScope(backoffice.PrivacyRead))
	got := post(t, New(failing(`{}`, err), limits.Defaults(), Hooks{}), body("{ __typename }"))
	if path, _ := json.Marshal(got.Errors[0].Path); string(path) != `["customers","nodes",3]` {
		t.Errorf("%s", path)
	}
}

func TestTheBytesOfTheExecutorAreWrittenAsTheyAre(t *testing.T) {
	t.Parallel()
	data := `{"a": [1,  2],"b":"<&>"}`
	got := post(t, New(failing(data), limits.Defaults(), Hooks{}), body("{ __typename }"))
	if got.text != `{"data":`+data+"}\n" {
		t.Errorf("%s", got.text)
	}
	got = post(t, New(failing(data, backoffice.Errorf(backoffice.BadInput, "no")), limits.Defaults(), Hooks{}), body("{ __typename }"), header("X-Explain", "true"))
	if !strings.HasPrefix(got.text, `{"data":`+data+`,"errors":[`) || got.Extensions.Cost == nil {
		t.Errorf("%s", got.text)
	}
}

func TestAThousandFieldErrorsAreShownAndTheRestCounted(t *testing.T) {
	t.Parallel()
	for n, omitted := range map[int]int{1_000: 0, 1_001: 1, 2_500: 1_500} {
		errs := make([]error, n)
		for i := range errs {
			errs[i] = backoffice.MissingScope(backoffice.PrivacyRead)
		}
		got := post(t, New(failing(`{"a":null}`, errs...), limits.Defaults(), Hooks{}), body("{ __typename }"))
		if len(got.Errors) != min(n, 1_000) || got.Extensions.ErrorsOmitted != omitted {
			t.Errorf("%d errors: %d shown, %d omitted", n, len(got.Errors), got.Extensions.ErrorsOmitted)
		}
	}
}

func TestErrorsThatTheExecutorDidNotKeepAreCountedToo(t *testing.T) {
	t.Parallel()
	for n, omitted := range map[int]int{10: 7, 1_000: 7, 1_002: 9} {
		executor := scripted{func(ctx context.Context, _ *graphql.OperationContext) json.RawMessage {
			for range n {
				graphql.AddError(ctx, backoffice.MissingScope(backoffice.PrivacyRead))
			}
			graphql.RegisterExtension(ctx, "errorsOmitted", 7)
			return json.RawMessage(`{"a":null}`)
		}}
		got := post(t, New(executor, limits.Defaults(), Hooks{}), body("{ __typename }"))
		if len(got.Errors) != min(n, 1_000) || got.Extensions.ErrorsOmitted != omitted {
			t.Errorf("%d errors: %d shown, %d omitted, want %d", n, len(got.Errors), got.Extensions.ErrorsOmitted, omitted)
		}
	}
}

func TestNothingOfAnAnswerLeavesWhenTheRegisterCannotBeWritten(t *testing.T) {
	t.Parallel()
	for name, data := range map[string]string{"data": `{"customer":{"registrationNumber":"` + secret + `"}}`, "null": "null"} {
		called := 0
		g := New(failing(data), limits.Defaults(), Hooks{})
		full := ledger(func() error {
			called++
			return errors.New("the disk is full")
		})
		for _, accept := range []string{mediaGraphQL, mediaJSON} {
			got := post(t, g, body("{ __typename }"), header("Accept", accept), within(full.keep))
			if got.status != 503 || got.code() != codeUnavailable || len(got.Errors) != 1 || got.Data != nil ||
				strings.Contains(got.text, secret) || strings.Contains(got.text, "disk") || got.header.Get("Retry-After") == "" {
				t.Errorf("%s: %d %s", name, got.status, got.text)
			}
		}
		if called != 2 {
			t.Errorf("asked %d times", called)
		}
	}
}

func TestTheRegisterIsNotAskedForARequestThatWasNotExecuted(t *testing.T) {
	t.Parallel()
	g := endpoint()
	asked := ledger(func() error { t.Error("asked"); return nil })
	for _, query := range []string{"{", "{ nothing }", "query($x: ID!) { customer(id: $x) { id } }"} {
		post(t, g, body(query), within(asked.keep))
	}
}

func TestAPanicCostsOneRequestAndTellsNothing(t *testing.T) {
	t.Parallel()
	var outcome Outcome
	g := New(scripted{func(context.Context, *graphql.OperationContext) json.RawMessage { panic(secret) }}, limits.Defaults(),
		Hooks{Done: func(_ context.Context, o Outcome) { outcome = o }})
	got := post(t, g, body("query Q { __typename }"), named("r-2"))
	if got.status != 500 || got.code() != codeInternal || got.Errors[0].Extensions.RequestID != "r-2" || strings.Contains(got.text, secret) {
		t.Errorf("%d %s", got.status, got.text)
	}
	if outcome.Status != 500 || outcome.Operation != "Q" {
		t.Errorf("%+v", outcome)
	}
}

func TestAQueryThatRunsOutOfTimeIsAnsweredAsTooSlow(t *testing.T) {
	t.Parallel()
	slow := scripted{func(ctx context.Context, _ *graphql.OperationContext) json.RawMessage {
		<-ctx.Done()
		graphql.AddError(ctx, backoffice.Fault(ctx.Err(), "reading"))
		return json.RawMessage(`{"a":null}`)
	}}
	for query, status := range map[string]int{
		"{ __typename }": 504,
		`mutation { deleteUser(input: {id: "a"}) { deletedUserId } }`: 200, // what was done is told
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second) // enough to begin in
		defer cancel()
		r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/graphql", strings.NewReader(body(query)))
		r.Header.Set("Content-Type", "application/json")
		if got := serve(t, New(slow, limits.Defaults(), Hooks{}), r); got.status != status || got.code() != codeTimeout {
			t.Errorf("%s: %d %s", query, got.status, got.text)
		}
	}
}

func TestWhatStandsInFrontAnswersInTheSameShape(t *testing.T) {
	t.Parallel()
	g := endpoint()
	for kind, status := range map[backoffice.Kind]int{
		backoffice.Unauthenticated: 401, backoffice.RateLimited: 429, backoffice.Unavailable: 503, backoffice.Internal: 500, backoffice.BadInput: 400,
	} {
		r := httptest.NewRequest(http.MethodPost, "/graphql", nil)
		got := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			g.Refuse(w, r, backoffice.Errorf(kind, "no"))
		}), r)
		if got.status != status || got.code() != codeOf(kind) {
			t.Errorf("%d: %d %s", kind, got.status, got.text)
		}
	}
}

func TestExplainTellsWhatAQueryCosts(t *testing.T) {
	t.Parallel()
	g := endpoint()
	ctx, _ := backoffice.WithStatementCount(t.Context())
	for range 7 {
		backoffice.CountStatement(ctx)
	}
	counted := within(func(r *backoffice.Request) { r.Statements = backoffice.StatementCountOf(ctx) })
	query := `{ customers(first: 10) { nodes { registrationNumber address { city } } totalCount } }`
	got := post(t, g, body(query), header("X-Explain", "true"), counted).Extensions.Cost
	if got == nil || got.Depth != 4 || got.Cost != 22 || got.Limit != 50_000 || strings.Join(got.Scopes, " ") != "privacy.read" || got.StoreCalls == nil || *got.StoreCalls != 7 {
		t.Errorf("%+v", got)
	}
	if got := post(t, g, body(query)); got.Extensions.Cost != nil {
		t.Error("explained without being asked")
	}
	dear := post(t, g, body(`{ customers(first: 500) { nodes { transcripts(first: 500) { nodes { customer { id } } } } } }`), header("X-Explain", "true"))
	if dear.code() != "COST_LIMIT" || dear.Extensions.Cost == nil || dear.Extensions.Cost.Cost != 1+500*(1+1+500*(1+1)) {
		t.Errorf("%s", dear.text)
	}
}

func TestTheOutcomeOfARequestHoldsNoValue(t *testing.T) {
	t.Parallel()
	var outcome Outcome
	g := endpoint(Hooks{Done: func(_ context.Context, o Outcome) { outcome = o }})
	post(t, g, body(`query Of`+secret+`($x: ID!) { a: customer(id: $x) { id } customer(id: "`+secret+`") { id } }`, map[string]any{"x": secret}))
	told, _ := json.Marshal(outcome)
	if strings.Contains(string(told), secret) || outcome.Operation != "Of#" || outcome.Type != "query" || outcome.Cost != 2 ||
		outcome.Depth != 2 || len(outcome.Shape) != 16 || outcome.Status != 200 || len(outcome.Codes) != 0 {
		t.Errorf("%s", told)
	}
	post(t, g, body("{ nothing }"))
	if outcome.Status != 400 || strings.Join(outcome.Codes, " ") != codeValidation {
		t.Errorf("%+v", outcome)
	}
}

func TestASavedQueryIsAnsweredInPartsOnlyForReasonsOfItsOwn(t *testing.T) {
	t.Parallel()
	for codes, want := range map[string]int{
		"": 200, codeNotFound: 200, codeNotFound + " " + codeUnavailable: 503, codeTimeout: 504, codeInternal: 500,
	} {
		a := answer{status: 200, data: []byte(`{"customers":{"nodes":[{"responsible":null}]}}`)}
		for _, code := range strings.Fields(codes) {
			a.errors = append(a.errors, failure(code, "no"))
		}
		if got := withoutFaults(a); got.status != want || (got.data == nil) != (want != 200) {
			t.Errorf("%s: %d with %s", codes, got.status, got.data)
		}
	}
	if got := withoutFaults(answer{status: 200, data: []byte("null"), errors: gqlerror.List{failure(codeBadInput, "no")}}); got.status != 400 {
		t.Errorf("null has %d", got.status)
	}
}
