package gateway

import (
	"example.org/backoffice/backoffice"
	"example.org/backoffice/graphql/export"
	"example.org/backoffice/graphql/graphqlhttp"
)

var errStopping error = backoffice.Errorf(backoffice.Unavailable, "the server is stopping; export again")

// exports answers queries of one list with the whole list.
func (s server) exports(graphql *graphqlhttp.GraphQL) *export.Endpoint {
	exports := export.New(export.Config{GraphQL: graphql, Changes: s.backend.Store, Limits: s.limits, Life: s.life,
		Log: s.log, Challenge: s.authenticator.Challenge})
	s.http.Gauge("backoffice_export_pages", "Pages of exports in memory.", exports.Pages)
	return exports
}
