package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strconv"
	"time"

	"example.org/backoffice/auth"
	"example.org/backoffice/files"
	"example.org/backoffice/gateway"
	"example.org/backoffice/graphql/limits"
	"example.org/backoffice/httpserver"
	"example.org/backoffice/httpserver/tracing"
)

type serveCommand struct {
	Listen         string   `default:"127.0.0.1:8080" env:"BACKOFFICE_LISTEN" placeholder:"ADDRESS" help:"The address to listen on (${default})."`
	TrustedProxies []string `name:"trusted-proxy" env:"BACKOFFICE_TRUSTED_PROXY" placeholder:"NETWORK" help:"A network of proxies whose X-Forwarded-For is trusted, such as 127.0.0.0/8. Can be repeated."`

	Server   httpserver.Settings     `embed:""`
	Cache    gateway.CacheSettings   `embed:""`
	Changes  gateway.ChangesSettings `embed:""`
	Webhooks gateway.WebhookSettings `embed:""`
	Mirror   gateway.MirrorSettings  `embed:""`
	Through  throughFlags            `embed:"" group:"Writes of mirrored records:"`
	Trash    gateway.TrashSettings   `embed:""`
	Ship     gateway.ShipOptions     `embed:""`
	Privacy  gateway.PrivacySettings `embed:""`
	People   gateway.PeopleSettings  `embed:"" group:"People who sign in by OpenID Connect:"`
	Agents   gateway.AgentSettings   `embed:"" group:"Agents:"`
	Limits   limits.Settings         `embed:"" prefix:"limit-" envprefix:"BACKOFFICE_LIMIT_" group:"Limits of a GraphQL request:"`
}

func (c *serveCommand) Run(ctx context.Context, s *settings, t terminal) error {
	listener, err := c.listen(t)
	if err != nil {
		return err
	}
	defer listener.Close()
	h, err := s.Open(ctx)
	if err != nil {
		return err
	}
	defer h.Close()
	files.ClearTemp()
	return c.serve(ctx, s, h, t, listener, func(address string) {
		fmt.Fprintf(t.err, "Backoffice serves on %s (GraphiQL at /graphiql)\n", address)
	})
}

// listen takes the address before anything is opened or changed, so a server that already runs there is not disturbed.
// It also sets up the log, for what opening reports.
func (c *serveCommand) listen(t terminal) (net.Listener, error) {
	if err := cmp.Or(c.Server.Check(), c.Limits.Check(), c.Agents.Check(), c.Through.check()); err != nil {
		return nil, err
	}
	slog.SetDefault(c.Server.NewLog(t.err))
	// An address without a port, as from an unset variable, would be a random port on all networks.
	if _, port, err := net.SplitHostPort(c.Listen); err != nil || port == "" {
		return nil, errors.New("--listen must be an address with a port, such as 127.0.0.1:8080")
	}
	listener, err := net.Listen("tcp", c.Listen)
	if err != nil {
		return nil, fmt.Errorf("cannot listen on %s: %w; choose another address with --listen", c.Listen, err)
	}
	if tcp, _ := listener.Addr().(*net.TCPAddr); c.Server.Certificate == "" && (tcp == nil || !tcp.IP.IsLoopback()) {
		fmt.Fprintln(t.err, "Warning: secrets and data cross the network unencrypted. Pass --tls-certificate and "+
			"--tls-key, or listen on 127.0.0.1 behind a proxy with TLS.")
	}
	return listener, nil
}

// baseURL is the URL of the server for a browser on this machine.
func (c *serveCommand) baseURL(address net.Addr) string {
	scheme, host := "http://", address.String()
	if c.Server.Certificate != "" {
		scheme = "https://"
	}
	if tcp, ok := address.(*net.TCPAddr); ok && tcp.IP.IsUnspecified() {
		host = net.JoinHostPort("127.0.0.1", strconv.Itoa(tcp.Port))
	}
	return scheme + host
}

// lastSpans is how long the program may take to send the last spans when it stops.
const lastSpans = 3 * time.Second

// serve serves an open backend on a listener, which it closes; started gets the base URL once it answers.
func (c *serveCommand) serve(
	ctx context.Context, s *settings, b *gateway.Backend, t terminal, listener net.Listener, started func(base string),
) error {
	return c.configured(ctx, t, func(config gateway.Config) (err error) {
		if config.Mirror.Through, err = c.Through.open(ctx, b); err != nil {
			return err
		}
		return b.Serve(ctx, listener, config, func() {
			config.Log.LogAttrs(ctx, slog.LevelInfo, "serving", slog.String("version", built().String()),
				slog.String("address", listener.Addr().String()), slog.GroupAttrs("settings", s.shown...))
			started(c.baseURL(listener.Addr()))
		})
	})
}

// configured calls a function with the configuration of a server.
func (c *serveCommand) configured(ctx context.Context, t terminal, do func(gateway.Config) error) error {
	proxies, err := auth.ParseProxies(c.TrustedProxies)
	if err != nil {
		return err
	}
	log := c.Server.NewLog(t.err)
	gateway.TuneFor(c.Cache.Cache)
	tracer, err := tracing.FromEnvironment(ctx, built().Version, log)
	if err != nil {
		return err
	}
	defer func() {
		sending, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastSpans)
		defer cancel()
		_ = tracer.Close(sending) // it has logged the error
	}()
	return do(gateway.Config{
		Server: c.Server, Limits: c.Limits, Cache: c.Cache, Changes: c.Changes, Webhooks: c.Webhooks, Mirror: c.Mirror,
		Trash: c.Trash, Ship: c.Ship, Privacy: c.Privacy,
		People: c.People, Agents: c.Agents, Proxies: proxies, Tracer: tracer,
		Log: log, Build: built(),
	})
}
