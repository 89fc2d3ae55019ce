package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"example.org/backoffice/auth"
	"example.org/backoffice/files"
)

// serveCommand serves both faces until it is told to stop.
type serveCommand struct {
	Listen         string   `default:"127.0.0.1:8080" env:"BACKOFFICE_LISTEN" placeholder:"ADDRESS" help:"Where to listen (${default})."`
	TrustedProxies []string `name:"trusted-proxy" env:"BACKOFFICE_TRUSTED_PROXY" placeholder:"NETWORK" help:"A network whose forwarded client addresses count, such as 127.0.0.0/8; may be repeated."`
}

// Run serves until ctx ends.
func (c *serveCommand) Run(ctx context.Context, s *Settings, t terminal) error {
	h, err := s.open(ctx)
	if err != nil {
		return err
	}
	defer h.Close()
	return c.serve(ctx, h, func(address string) {
		fmt.Fprintf(t.err, "Backoffice serves on http://%s (GraphiQL at /graphiql)\n", address)
	})
}

// tidyPeriod is how often what a crash may have left in the files is looked for.
const tidyPeriod = time.Hour

// serve serves a house that is open; started is told the address once requests are answered.
func (c *serveCommand) serve(ctx context.Context, h *house, started func(address string)) error {
	proxies, err := auth.ParseProxies(c.TrustedProxies)
	if err != nil {
		return err
	}
	authenticator := h.authenticator()
	defer authenticator.Close()
	listener, err := net.Listen("tcp", c.Listen)
	if err != nil {
		return fmt.Errorf("cannot listen on %s: %w; choose another address with --listen", c.Listen, err)
	}
	server := &http.Server{Handler: newHandler(h, authenticator, proxies), ReadHeaderTimeout: 5 * time.Second}
	tidying, stopTidying := context.WithCancel(ctx)
	var tidied sync.WaitGroup
	tidied.Go(func() { files.Tidy(tidying, h.store, h.files, tidyPeriod, slog.Default()) })
	defer tidied.Wait()
	defer stopTidying()
	stopped := make(chan error, 1)
	go func() {
		<-ctx.Done()
		patience, cancel := context.WithTimeout(context.WithoutCancel(ctx), 20*time.Second)
		defer cancel()
		stopped <- server.Shutdown(patience)
	}()
	started(listener.Addr().String())
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return <-stopped
}
