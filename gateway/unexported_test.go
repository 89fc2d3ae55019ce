package gateway

import (
	"net/http"
	"time"

	"github.com/go-chi/chi/v5"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
	"example.org/backoffice/graphql/execute"
	"example.org/backoffice/graphql/graphqlhttp"
	"example.org/backoffice/web/graphiql"
)

// What tests beside this package use of it that it does not export.

// Server is a server that is put together and not run.
type Server = server

func NewServer(b *Backend, c Config) (*Server, func(), error) {
	s, end, err := newServer(b, c, graphiql.Real)
	return &s, end, err
}

func (s *server) Handler() http.Handler              { return s.handler() }
func (s *server) Schema() *execute.Executor          { return s.schema() }
func (s *server) Authenticator() *auth.Authenticator { return s.authenticator }
func (s *server) Begin() graphqlhttp.Begin           { return s.begin(s.limits.NewAdmission()) }
func (s *server) KeepSizes(long time.Duration)       { s.sizes.keep = long }

func (s *server) Routes() chi.Router {
	schema, admission := s.schema(), s.limits.NewAdmission()
	return s.routes(schema, s.graphql(schema, admission), admission, auth.NewThrottle())
}

// SetClock sets the clock for the expiry of access tokens.
func SetClock(c *Config, now func() time.Time) { c.clock = now }

func SetDocuments(b *Backend, draw func(backoffice.Documents) backoffice.Documents) {
	b.Documents = draw(b.Documents)
}
