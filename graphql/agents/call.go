package agents

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/lexer"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/graphql/graphqlhttp"
)

// call runs a tool for the context's caller. Errors: those of the protocol, for a tool that the caller has not.
func (h *Handler) call(ctx context.Context, header http.Header, name string, arguments json.RawMessage) (
	*answer, error) {
	by := backoffice.RequestOf(ctx).Principal
	if slices.ContainsFunc(h.own(by), func(tool *mcp.Tool) bool { return tool.Name == name }) {
		h.config.Called(ctx, name)
		return h.callOwn(ctx, header, name, arguments), nil
	}
	document, err := h.runnable(ctx, name)
	if err != nil {
		return nil, err
	}
	h.config.Called(ctx, name)
	r := &run{Handler: h, tool: name, numbers: document.Discloses(by), header: header,
		call: graphqlhttp.Call{Document: document, Variables: arguments}}
	return r.result(ctx), nil
}

// callOwn runs a tool that is no document. It never discloses registration numbers.
func (h *Handler) callOwn(ctx context.Context, header http.Header, name string, arguments json.RawMessage) *answer {
	if name == toolSearch {
		return h.search(arguments)
	}
	var asked struct {
		Query     string          `json:"query"`
		Variables json.RawMessage `json:"variables"`
	}
	if json.Unmarshal(arguments, &asked) != nil || asked.Query == "" {
		return failed("query is the text of a GraphQL query")
	}
	if string(asked.Variables) == "null" {
		asked.Variables = nil
	}
	r := &run{Handler: h, tool: name, header: header,
		call: graphqlhttp.Call{Text: asked.Query, Variables: asked.Variables, Plan: name == toolExplain}}
	return r.result(ctx)
}

// run is a call of a tool.
type run struct {
	*Handler
	tool    string
	numbers bool
	header  http.Header
	call    graphqlhttp.Call
}

// notesRoom are the bytes of an answer that are left for what is said of it.
const notesRoom = 2 << 10

func (r *run) result(ctx context.Context) *answer {
	result, cuts := r.once(ctx, nil)
	if again := r.fewer(cuts); again != nil { // so that cursors are those of the rows that are shown
		r.call.Variables = again
		if second, _ := r.once(ctx, cuts); !second.failed { // the budget may be spent, or the server busy
			result = second
		}
	}
	return result
}

// once executes the query. before are the lists that an execution with more rows had to cut.
func (r *run) once(ctx context.Context, before []*cut) (result *answer, cuts []*cut) {
	ctx = r.config.Begin(ctx, r.tool, r.numbers)
	r.config.GraphQL.Call(ctx, r.header, r.call, func(a graphqlhttp.Called) {
		data := a.Data
		if r.call.Plan && len(a.Errors) == 0 {
			if text, err := json.Marshal(a.Extensions["plan"]); err == nil {
				data = text
			}
		}
		if data == nil || string(data) == "null" {
			result = failure(a.Errors)
			return
		}
		if most := r.config.Answer - notesRoom; len(data) > most {
			var fits bool
			if data, cuts, fits = r.shorten(data, most); !fits {
				result = failed(fmt.Sprintf(
					"without any row the answer has more than %d bytes: ask for fewer fields", most))
				return
			}
		}
		for _, c := range before {
			if c.again && !slices.ContainsFunc(cuts, func(other *cut) bool { return other.List == c.List }) {
				c.reread(data)
				cuts = append(cuts, c)
			}
		}
		result = shown(slices.Clone(data), cuts, a.Errors)
	})
	return result, cuts
}

// shorten cuts the lists of an answer.
func (r *run) shorten(data []byte, most int) (shorter []byte, cuts []*cut, fits bool) {
	query, err := r.config.GraphQL.Describe(r.call)
	if err != nil || r.call.Plan {
		return nil, nil, false
	}
	return shorten(data, selected(query.Operation.SelectionSet), most)
}

// fewer returns variables with which each list of the root that was cut has only the rows that fit; nil when such a
// list does not take its size from a variable, or not even a row fits.
func (r *run) fewer(cuts []*cut) []byte {
	changed := map[string]json.RawMessage{}
	for _, c := range cuts {
		if name := c.variable("first"); name != "" && c.Rows > 0 && r.sizesOne(name) {
			changed[name] = fmt.Append(nil, c.Rows)
			c.again = true
		}
	}
	if len(changed) == 0 {
		return nil
	}
	given := map[string]json.RawMessage{}
	if len(r.call.Variables) > 0 && json.Unmarshal(r.call.Variables, &given) != nil {
		return nil
	}
	maps.Copy(given, changed)
	text, _ := json.Marshal(given)
	return text
}

// sizesOne reports whether a variable of the query stands at one place, besides its definition: no other list shrinks
// with it.
func (r *run) sizesOne(name string) bool {
	text := r.call.Text
	if d := r.call.Document; d != nil {
		text = d.Text
	}
	tokens, places, dollar := lexer.New(&ast.Source{Input: text}), 0, false
	for {
		token, err := tokens.ReadToken()
		if err != nil || token.Kind == lexer.EOF {
			return places == 2
		}
		if dollar && token.Value == name {
			places++
		}
		dollar = token.Kind == lexer.Dollar
	}
}

// shown is an answer with its data, and what is said of it.
func shown(data []byte, cuts []*cut, errs gqlerror.List) *answer {
	a := &answer{data: data, meta: mcp.Meta{}}
	withheld, others := sorted(errs)
	if len(withheld) > 0 {
		a.meta["backoffice/withheld"] = withheld
		a.say("Registration numbers are withheld from this tool: these fields are null.")
	}
	for _, message := range others {
		a.say("Not all could be read: " + message)
	}
	if len(cuts) > 0 {
		noted := cuts[:min(len(cuts), mostNoted)]
		a.meta["backoffice/cut"] = noted
		a.say(sentence(noted))
	}
	if more := len(cuts) - mostNoted; more > 0 {
		a.say("So are " + backoffice.Plural(more, "other list", "other lists") + ": an empty one may have rows.")
	}
	return a
}

// mostNoted bounds what is said of an answer.
const mostNoted = 5

// sorted returns the paths of the fields that are withheld for want of privacy.read, and the messages of other errors.
func sorted(errs gqlerror.List) (withheld, others []string) {
	for _, err := range errs {
		if _, scope := graphqlhttp.CodeOf(err); scope == string(backoffice.PrivacyRead) {
			if path := fieldOf(err.Path); !slices.Contains(withheld, path) && len(withheld) < mostNoted {
				withheld = append(withheld, path)
			}
			continue
		}
		if !slices.Contains(others, err.Message) && len(others) < mostNoted {
			others = append(others, shortened(err.Message))
		}
	}
	return withheld, others
}

// fieldOf is a path without the positions in lists.
func fieldOf(path ast.Path) string {
	var names []string
	for _, part := range path {
		if name, ok := part.(ast.PathName); ok {
			names = append(names, string(name))
		}
	}
	return shortened(strings.Join(names, "."))
}

const mostText = 100 // characters of a text that is said of an answer

func shortened(text string) string {
	if runes := []rune(text); len(runes) > mostText {
		return string(runes[:mostText]) + "…"
	}
	return text
}

// failure is the answer of a call that failed as a whole.
func failure(errs gqlerror.List) *answer {
	if len(errs) == 0 {
		return failed("the answer cannot be given now; try again later")
	}
	code, _ := graphqlhttp.CodeOf(errs[0])
	a := failed(errs[0].Message)
	a.meta = mcp.Meta{"backoffice/code": code}
	return a
}

func failed(message string) *answer { return &answer{failed: true, notes: []string{message}} }
