package agents

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/vektah/gqlparser/v2/ast"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/graphql/graphqlhttp"
)

// list returns the tools that the caller may run, sorted by name: what may not be run is not shown.
func (h *Handler) list(ctx context.Context) (*mcp.ListToolsResult, error) {
	documents, err := h.config.Tools(ctx)
	if err != nil {
		return nil, errMissing
	}
	by := backoffice.RequestOf(ctx).Principal
	result := &mcp.ListToolsResult{Tools: append([]*mcp.Tool{}, h.own(by)...), Cacheable: cacheable}
	for _, document := range documents {
		if !document.MayRun(by) {
			continue
		}
		query, err := h.config.GraphQL.Describe(graphqlhttp.Call{Document: document})
		if err != nil {
			continue // the schema has changed since the document was trusted: a call could only fail
		}
		if tool := toolOf(document, query, document.Discloses(by)); tool != nil {
			result.Tools = append(result.Tools, tool)
		}
	}
	slices.SortFunc(result.Tools, func(a, b *mcp.Tool) int { return cmp.Compare(a.Name, b.Name) })
	return result, nil
}

// toolOf describes a document as a tool; nil if a caller who may send no number has to send one.
func toolOf(document *backoffice.TrustedDocument, query *graphqlhttp.Query, numbers bool) *mcp.Tool {
	in := &inputs{schema: query.Schema, numbers: numbers, types: map[string]any{}}
	arguments, ok := in.of(query)
	if !ok {
		return nil
	}
	return &mcp.Tool{Name: document.Tool.Name, Title: document.Title, Description: document.Tool.About,
		InputSchema: arguments, OutputSchema: outputs(query.Operation), Annotations: reads}
}

var reads = &mcp.ToolAnnotations{ReadOnlyHint: true, IdempotentHint: true, OpenWorldHint: new(bool)}

// runnable finds a tool that the list shows. Errors: those of the protocol.
func (h *Handler) runnable(ctx context.Context, name string) (*backoffice.TrustedDocument, error) {
	documents, err := h.config.Tools(ctx)
	if err != nil {
		return nil, errMissing
	}
	by := backoffice.RequestOf(ctx).Principal
	at, found := slices.BinarySearchFunc(documents, name,
		func(d *backoffice.TrustedDocument, name string) int { return cmp.Compare(d.Tool.Name, name) })
	if !found || !documents[at].MayRun(by) || !h.mayCall(documents[at], by) {
		return nil, errTool
	}
	return documents[at], nil
}

// mayCall reports whether a caller can give all that a document requires, a registration number for one.
func (h *Handler) mayCall(document *backoffice.TrustedDocument, by *backoffice.Principal) bool {
	if !slices.Contains(document.Scopes, backoffice.PrivacyRead) || document.Discloses(by) {
		return true
	}
	query, err := h.config.GraphQL.Describe(graphqlhttp.Call{Document: document})
	if err != nil {
		return true // the call reports it
	}
	return !slices.ContainsFunc(query.Operation.VariableDefinitions, func(v *ast.VariableDefinition) bool {
		return isRequired(v) && query.Guards(v.Variable)
	})
}

// own returns the tools that are no documents, for callers who may send any.
func (h *Handler) own(by *backoffice.Principal) []*mcp.Tool {
	if by == nil || by.TrustedOnly {
		return nil
	}
	text := func(about string) schema { return schema{"type": "string", "description": about} }
	asked := schema{"type": "object", "additionalProperties": false, "required": []string{"query"},
		"properties": schema{"query": text("A GraphQL query, of one operation."),
			"variables": schema{"type": "object", "description": "Its variables."}}}
	tools := []*mcp.Tool{
		{Name: toolSearch, Annotations: reads, Description: "Finds types and fields of the GraphQL schema by words.",
			InputSchema: schema{"type": "object", "additionalProperties": false, "required": []string{"words"},
				"properties": schema{"words": text("Words in a name or a description; all must be there.")}}},
		{Name: toolExplain, Annotations: reads, InputSchema: asked,
			Description: "Returns what a GraphQL query would cost, and which scopes it needs, without running it."},
	}
	if h.config.Ask {
		tools = append(tools, &mcp.Tool{Name: toolQuery, Annotations: reads, InputSchema: asked,
			Description: "Runs a GraphQL query that only reads. Registration numbers are withheld."})
	}
	return tools
}

const (
	toolSearch  = "search_schema"
	toolExplain = "explain"
	toolQuery   = "query"
)

// mostFound bounds the answer of search_schema.
const mostFound = 40

type found struct {
	Name  string `json:"name"` // Type, Type.field or Type.field(argument)
	Type  string `json:"type,omitempty"`
	About string `json:"about,omitempty"`
}

func (h *Handler) search(arguments json.RawMessage) *answer {
	var asked struct {
		Words string `json:"words"`
	}
	if json.Unmarshal(arguments, &asked) != nil || len(strings.Fields(asked.Words)) == 0 || len(asked.Words) > 200 {
		return failed("words is a text of 1 to 200 characters")
	}
	words := strings.Fields(strings.ToLower(asked.Words))
	result := struct {
		Found []found `json:"found"`
		More  bool    `json:"more"`
	}{Found: []found{}}
	note := func(name, of, about string) {
		text := strings.ToLower(name + " " + about)
		switch {
		case slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(text, word) }):
		case len(result.Found) == mostFound:
			result.More = true
		default:
			result.Found = append(result.Found, found{name, of, about})
		}
	}
	types := h.config.GraphQL.Schema().Types
	for _, name := range slices.Sorted(maps.Keys(types)) {
		def := types[name]
		if def.BuiltIn || def == h.config.GraphQL.Schema().Mutation || def == h.config.GraphQL.Schema().Subscription {
			continue
		}
		note(name, strings.ToLower(string(def.Kind)), def.Description)
		for _, field := range def.Fields {
			if !strings.HasPrefix(field.Name, "__") {
				note(name+"."+field.Name, field.Type.String(), field.Description)
			}
		}
		for _, value := range def.EnumValues {
			note(name+"."+value.Name, "", value.Description)
		}
	}
	text, err := json.Marshal(result)
	if err != nil {
		return failed("the schema cannot be shown")
	}
	return shown(text, nil, nil)
}
