package main

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"strconv"
	"sync"
	"time"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
	"example.org/backoffice/demo"
	"example.org/backoffice/files"
	"example.org/backoffice/graphiql"
	"example.org/backoffice/limits"
	"example.org/backoffice/privacy"
	"example.org/backoffice/process"
)

// serveCommand serves both faces until it is told to stop.
type serveCommand struct {
	Listen         string   `default:"127.0.0.1:8080" env:"BACKOFFICE_LISTEN" placeholder:"ADDRESS" help:"Where to listen (${default})."`
	TrustedProxies []string `name:"trusted-proxy" env:"BACKOFFICE_TRUSTED_PROXY" placeholder:"NETWORK" help:"A network whose forwarded client addresses count, such as 127.0.0.0/8; may be repeated."`

	Process process.Settings `embed:""`
	Limits  limits.Settings  `embed:"" prefix:"limit-" envprefix:"BACKOFFICE_LIMIT_" group:"Limits of a GraphQL request:"`
}

// Run serves until ctx ends.
func (c *serveCommand) Run(ctx context.Context, s *Settings, t terminal) error {
	listener, err := c.listen(t)
	if err != nil {
		return err
	}
	defer listener.Close()
	h, err := s.open(ctx)
	if err != nil {
		return err
	}
	defer h.Close()
	return c.serve(ctx, s, h, t, listener, func(address string) {
		fmt.Fprintf(t.err, "Backoffice serves on %s (GraphiQL at /graphiql)\n", address)
	})
}

// listen takes the address before anything is opened or changed: whoever serves there already is not disturbed.
func (c *serveCommand) listen(t terminal) (net.Listener, error) {
	if err := c.Process.Check(); err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", c.Listen)
	if err != nil {
		return nil, fmt.Errorf("cannot listen on %s: %w; choose another address with --listen", c.Listen, err)
	}
	if ip := ipOf(listener.Addr()); c.Process.Certificate == "" && (ip == nil || !ip.IsLoopback()) {
		fmt.Fprintln(t.err, "Warning: secrets and data go over the network in clear. Give --tls-certificate and --tls-key, or listen on 127.0.0.1 behind a proxy with TLS.")
	}
	return listener, nil
}

func ipOf(address net.Addr) net.IP {
	if tcp, ok := address.(*net.TCPAddr); ok {
		return tcp.IP
	}
	return nil
}

// baseURL is where a browser on this machine finds what listens at an address.
func (c *serveCommand) baseURL(address net.Addr) string {
	scheme, host := "http://", address.String()
	if c.Process.Certificate != "" {
		scheme = "https://"
	}
	if tcp, ok := address.(*net.TCPAddr); ok && tcp.IP.IsUnspecified() {
		host = net.JoinHostPort("127.0.0.1", strconv.Itoa(tcp.Port))
	}
	return scheme + host
}

// tidyPeriod is how often what a crash may have left in the files is looked for.
const tidyPeriod = time.Hour

// serve serves a house that is open on a listener, which it closes; started is told the base of all URLs once requests are
// answered.
func (c *serveCommand) serve(ctx context.Context, s *Settings, h *house, t terminal, listener net.Listener, started func(base string)) error {
	proxies, err := auth.ParseProxies(c.TrustedProxies)
	if err != nil {
		return err
	}
	authenticator := h.authenticator()
	defer authenticator.Close()
	log := c.Process.NewLog(t.err)
	slog.SetDefault(log)
	page, err := pageOf(ctx, h.store)
	if err != nil {
		return err
	}
	process := newProcess(h, c.Process, c.Limits, log)
	handler := gateway{h, process, c.Limits, authenticator, proxies, log, page}.handler()
	tidying, stopTidying := context.WithCancel(ctx)
	var tidied sync.WaitGroup
	tidied.Go(func() { files.Tidy(tidying, h.store, h.files, tidyPeriod, log) })
	tidied.Go(func() { compact(tidying, h.store, log) })
	defer tidied.Wait()
	defer stopTidying()
	// Receipts are written until the last request is answered.
	watching, stopWatching := context.WithCancel(context.WithoutCancel(ctx))
	tidied.Go(func() { h.vault.Watch(watching, h.receipts, privacy.ReceiptPeriod) })
	defer stopWatching()
	log.LogAttrs(ctx, slog.LevelInfo, "serving", slog.String("version", version()), slog.String("address", listener.Addr().String()),
		slog.GroupAttrs("settings", s.shown...))
	started(c.baseURL(listener.Addr()))
	return process.Run(ctx, listener, handler)
}

// pageOf tells the page whether its worked queries may write to the store's records.
func pageOf(ctx context.Context, store backoffice.Store) (graphiql.Store, error) {
	if isDemo, err := demo.Finished(ctx, store); err != nil || !isDemo {
		return graphiql.Real, err
	}
	return graphiql.Demo, nil
}
