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
		Description: "The answer of a saved query as JSON, or its whole list as JSON Lines, CSV or XLSX. Requires every scope that the complete answer needs. The query's variables are parameters: " +
			"repeat a parameter for a list, use JSON for an input object. Registration numbers are not accepted in a URL. Exports take rows, cursor, after and excel, like POST /graphql/export.",
		Parameters: []*huma.Param{
			{Name: "name", In: "path", Required: true, Description: "The query's name.",
				Schema: text, Example: "CustomersByCity"},
			{Name: "format", In: "path", Required: true, Description: "The format of the answer.",
				Schema: &huma.Schema{Type: huma.TypeString, Enum: []any{"json", "jsonl", "csv", "xlsx"}}},
			{Name: "variables", In: "query", Style: "form", Explode: new(true),
				Description: "The query's variables, one parameter each.",
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
			"304":     {Description: "The caller already has this JSON (If-None-Match)."},
			"400":     refused("A parameter is not a variable of the query, is invalid or is a registration number; or the query cannot be exported."),
			"401":     refused("No valid credential."),
			"403":     refused("The credential lacks a scope that the complete answer needs."),
			"404":     refused("No saved query has this name."),
			"429":     refused(tooMuchAsked),
			"503":     refused(tooMuchToDo),
			"default": refused("Any other problem."),
		},
	}
	describeBudgets(op)
	a.huma.OpenAPI().AddOperation(op)
}
