package httpserver

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/graphql/limits"
)

// Time limits of parts of a request. Deadline limits answers, Stream downloads, longestTime the rest.
const (
	headerTime  = 5 * time.Second
	bodyTime    = 30 * time.Second
	longestTime = 10 * time.Minute
	idleTime    = 2 * time.Minute
	readyTime   = 2 * time.Second
	headerBytes = 64 << 10
	pollEvery   = 10 * time.Millisecond // for requests in flight
)

// Run serves a handler on a listener, and metrics alongside, until ctx ends. Then it turns readiness off, finishes
// requests in flight, also those with a connection of their own, and returns nil, after StopTime at the latest, when it
// ends the contexts of the rest. It owns the listener.
func (srv *Server) Run(ctx context.Context, listener net.Listener, handler http.Handler) error {
	if err := srv.settings.Check(); err != nil {
		return errors.Join(err, listener.Close())
	}
	listener = &acceptLog{Listener: listener, log: srv.options.Log, failures: srv.metrics.acceptFailures}
	if srv.settings.Certificate != "" {
		files := &certificate{chain: srv.settings.Certificate, key: srv.settings.Key, log: srv.options.Log}
		configuration, err := files.configuration()
		if err != nil {
			return errors.Join(err, listener.Close())
		}
		listener = tls.NewListener(listener, configuration)
	}
	defer srv.serveMetrics()()

	server := srv.server(handler)
	server.WriteTimeout = longestTime
	life, abort := context.WithCancel(context.WithoutCancel(ctx))
	defer abort()
	server.BaseContext = func(net.Listener) context.Context { return life }
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	select {
	case err := <-failed:
		return fmt.Errorf("serving ended: %w", err)
	case <-ctx.Done():
	}
	return srv.stop(server)
}

func (srv *Server) server(handler http.Handler) *http.Server {
	return &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: headerTime,
		ReadTimeout:       bodyTime,
		IdleTimeout:       idleTime,
		MaxHeaderBytes:    headerBytes,
		ErrorLog:          slog.NewLogLogger(srv.options.Log.Handler(), slog.LevelDebug), // broken connections
	}
}

// stop turns readiness off, waits until load balancers know, and lets requests finish.
func (srv *Server) stop(server *http.Server) error {
	srv.stopping.Store(true)
	srv.options.Log.Info("stopping")
	end := time.Now().Add(srv.settings.StopTime)
	time.Sleep(srv.settings.StopDelay)
	patience, cancel := context.WithDeadline(context.Background(), end)
	defer cancel()
	err := server.Shutdown(patience)
	for err == nil && srv.metrics.inFlight.Load() > 0 { // on sockets, which Shutdown does not know
		err = backoffice.Sleep(patience, pollEvery)
	}
	if err != nil {
		srv.options.Log.Warn("requests in flight were aborted", "cause", err)
		return server.Close()
	}
	return nil
}

// serveMetrics serves /metrics on its own address, if set. A second server on the same machine finds the default
// address in use: it logs that and serves without metrics, since the data matter more.
func (srv *Server) serveMetrics() (stop func()) {
	if srv.settings.Metrics == "" {
		return func() {}
	}
	listener, err := net.Listen("tcp", srv.settings.Metrics)
	if err != nil {
		srv.options.Log.Warn("cannot serve metrics; choose another address with --metrics", "cause", err)
		return func() {}
	}
	server := srv.server(srv.Metrics())
	server.WriteTimeout = limits.AnswerTime
	go func() { _ = server.Serve(listener) }()
	return func() { _ = server.Close() }
}
