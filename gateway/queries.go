package gateway

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/go-chi/chi/v5"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
	"example.org/backoffice/graphql/export"
	"example.org/backoffice/graphql/graphqlhttp"
)

// queriesPath is the address of a saved query: its name, and the format of its answer.
const queriesPath = "/queries/{file}"

// mountQueries serves the addresses of saved queries: with an ordinary answer, or with an export, which may take long.
func (s server) mountQueries(r chi.Router, signIn func(http.Handler) http.Handler, graphql *graphqlhttp.GraphQL,
	exports *export.Endpoint) {
	answered := s.http.Deadline(signIn(s.saved(graphql, func(w http.ResponseWriter, r *http.Request,
		saved *backoffice.TrustedDocument, _ string, parameters url.Values) {
		graphql.ServeSaved(w, r, saved, parameters)
	})))
	exported := s.http.Stream(signIn(s.saved(graphql, func(w http.ResponseWriter, r *http.Request,
		saved *backoffice.TrustedDocument, format string, parameters url.Values) {
		options, variables, err := export.ReadOptions(parameters)
		if err == nil && options.Format != "" {
			err = backoffice.Errorf(backoffice.BadInput,
				"the format of a saved query is in its URL: no other is available there")
		}
		if err == nil {
			options.Format, err = export.ParseFormat(format)
		}
		var asked graphqlhttp.Asked
		if err == nil {
			asked, err = graphql.SavedRequest(r.Context(), saved, variables)
		}
		if err != nil {
			graphql.WriteRequestError(w, r, graphql.RequestErrorOf(r.Context(), err))
			return
		}
		exports.Export(w, r, asked, options)
	})))
	handler := func(w http.ResponseWriter, r *http.Request) {
		if _, format := fileOf(r); format == "json" || format == "" {
			answered.ServeHTTP(w, r)
			return
		}
		exported.ServeHTTP(w, r)
	}
	r.Get(queriesPath, handler)
	r.Head(queriesPath, handler)
}

// fileOf splits the last part of an address into a name and a format, "" for an unknown one.
func fileOf(r *http.Request) (name, format string) {
	file := chi.URLParam(r, "file")
	at := strings.LastIndexByte(file, '.')
	if at < 0 {
		return file, ""
	}
	name, format = file[:at], file[at+1:]
	if _, err := export.ParseFormat(format); err != nil && format != "json" {
		return file, ""
	}
	return name, format
}

// saved finds the query of an address and its parameters, for an authenticated caller.
func (s server) saved(graphql *graphqlhttp.GraphQL,
	serve func(http.ResponseWriter, *http.Request, *backoffice.TrustedDocument, string, url.Values)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name, format := fileOf(r)
		if format == "" {
			graphql.Refuse(w, r, backoffice.Errorf(backoffice.NotFound,
				"the URL of a saved query must end in .json, .jsonl, .csv or .xlsx"))
			return
		}
		saved, err := backoffice.SavedQueryOf(r.Context(), s.store, auth.From(r.Context()), name)
		if err != nil {
			graphql.Refuse(w, r, err)
			return
		}
		parameters, err := url.ParseQuery(r.URL.RawQuery)
		if err != nil || len(r.URL.RawQuery) > s.limits.Body {
			graphql.Refuse(w, r, backoffice.Errorf(backoffice.BadInput, "the parameters could not be read"))
			return
		}
		serve(w, r, saved, format, parameters)
	})
}
