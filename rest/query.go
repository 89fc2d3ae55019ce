package rest

import (
	"net/http"

	"github.com/danielgtaylor/huma/v2"
)

const tagQueries = "Saved queries"

// describeQueries describes the addresses of saved queries. GraphQL answers them, with its own errors.
func (a *API) describeQueries() {
	errors := map[string]*huma.MediaType{mediaJSON: {Schema: &huma.Schema{
		Type: huma.TypeObject, AdditionalProperties: true,
		Description: "A GraphQL answer with errors and without data.",
	}}}
	refused := func(about string) *huma.Response { return &huma.Response{Description: about, Content: errors} }
	text := &huma.Schema{Type: huma.TypeString}
	op := &huma.Operation{
		OperationID: "runSavedQuery", Method: http.MethodGet, Path: "/queries/{name}.{format}",
		Tags: []string{tagQueries}, Summary: "Run a saved query",
		Description: "The answer of a saved query as JSON, or the whole of its list as JSON Lines, CSV or XLSX. Every scope that the whole answer needs is asked for. The query's variables are parameters: " +
			"a list is a parameter that occurs several times, an input object is JSON. Registration numbers are not taken from an address. Exports take rows, cursor, after and excel as POST /graphql/export does.",
		Parameters: []*huma.Param{
			{Name: "name", In: "path", Required: true, Description: "The query's name.",
				Schema: text, Example: "CustomersByCity"},
			{Name: "format", In: "path", Required: true, Description: "As what the answer is wanted.",
				Schema: &huma.Schema{Type: huma.TypeString, Enum: []any{"json", "jsonl", "csv", "xlsx"}}},
			{Name: "variables", In: "query", Style: "form", Explode: new(true),
				Description: "The query's variables, each a parameter.",
				Schema:      &huma.Schema{Type: huma.TypeObject, AdditionalProperties: text}},
			purposeParameter,
		},
		Responses: map[string]*huma.Response{
			"200": {Description: "The answer.", Content: map[string]*huma.MediaType{
				mediaJSON: {Schema: &huma.Schema{
					Type: huma.TypeObject, Description: "A GraphQL answer.", AdditionalProperties: true}},
				"application/jsonl": {Schema: text}, "text/csv": {Schema: text},
				"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": {
					Schema: &huma.Schema{Type: huma.TypeString, Format: "binary"}},
			}},
			"304":     {Description: "The JSON is what the ETag in If-None-Match names."},
			"400":     refused("A parameter is no variable of the query, does not fit or is a registration number; or the query is none that can be exported."),
			"401":     refused("No valid credential pair."),
			"403":     refused("The pair lacks a scope that the whole answer needs."),
			"404":     refused("There is no saved query of this name."),
			"429":     refused(tooMuchAsked),
			"503":     refused(tooMuchToDo),
			"default": refused("Any other problem."),
		},
	}
	describeBudgets(op)
	a.huma.OpenAPI().AddOperation(op)
}
