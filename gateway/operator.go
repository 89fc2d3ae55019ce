package gateway

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"net/http"

	"github.com/go-chi/chi/v5"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
	"example.org/backoffice/graphql/export"
	"example.org/backoffice/graphql/limits"
	"example.org/backoffice/rest"
	"example.org/backoffice/web/graphiql"
)

// Operator is a transport that answers exports and REST without a server, as one answers a client with every scope.
// Close it.
type Operator struct {
	handler http.Handler
	end     func()
}

func (b *Backend) Operator(c Config) (*Operator, error) {
	c.Limits.ExportRows = math.MaxInt
	s, end, err := newServer(b, c, graphiql.Real)
	if err != nil {
		return nil, err
	}
	s.byOperator = true
	graphql := s.graphql(s.schema(), limits.Settings.NewAdmission(c.Limits))
	exports := export.New(export.Config{GraphQL: graphql, Changes: b.Store, Limits: c.Limits, Life: s.life, Log: s.log})
	asOperator := func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			ctx, _ := backoffice.WithStatementCount(r.Context())
			next.ServeHTTP(w, r.WithContext(auth.WithPrincipal(ctx, backoffice.OperatorOf(ctx))))
		})
	}
	r, restful := chi.NewRouter(), s.rest()
	restful.SignIn = asOperator
	rest.Mount(r, restful)
	r.Handle("/graphql/export", asOperator(b.Vault.Middleware(auth.From, graphql.Refuse)(exports)))
	return &Operator{r, end}, nil
}

func (o *Operator) Close() { o.end() }

// RoundTrip implements http.RoundTripper. A broken connection is an error of the body, as with a server.
func (o *Operator) RoundTrip(r *http.Request) (*http.Response, error) {
	body, writer := io.Pipe()
	w := &piped{header: http.Header{}, to: writer, begun: make(chan struct{})}
	response := &http.Response{Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Body: body, ContentLength: -1,
		Trailer: http.Header{}, Request: r}
	ctx, gone := context.WithCancel(r.Context())
	go func() {
		defer gone()
		defer func() {
			var why error
			if panicked := recover(); panicked == http.ErrAbortHandler {
				why = errBroken
			} else if panicked != nil {
				why = fmt.Errorf("panic with a %T", panicked)
			}
			w.WriteHeader(http.StatusOK)
			maps.Copy(response.Trailer, w.header)
			writer.CloseWithError(why)
		}()
		o.handler.ServeHTTP(w, r.WithContext(ctx))
	}()
	<-w.begun
	response.StatusCode, response.Header = w.status, w.sent
	return response, nil
}

var errBroken = errors.New("the export was aborted; the reason is above")

// piped is an answer that is read while it is written.
type piped struct {
	header, sent http.Header
	status       int
	to           *io.PipeWriter
	begun        chan struct{}
}

func (p *piped) Header() http.Header { return p.header }

func (p *piped) WriteHeader(status int) {
	if p.status == 0 {
		p.status, p.sent = status, p.header.Clone()
		close(p.begun)
	}
}

func (p *piped) Write(b []byte) (int, error) {
	p.WriteHeader(http.StatusOK)
	return p.to.Write(b)
}

// Flush serves http.ResponseController: nothing is buffered.
func (*piped) Flush() {}
