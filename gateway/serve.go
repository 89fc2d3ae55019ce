package gateway

import (
	"context"
	"log/slog"
	"net"
	"strings"
	"sync"
	"time"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
	"example.org/backoffice/changes"
	"example.org/backoffice/demo"
	"example.org/backoffice/files"
	"example.org/backoffice/graphql/limits"
	"example.org/backoffice/httpserver"
	"example.org/backoffice/httpserver/tracing"
	"example.org/backoffice/privacy"
	"example.org/backoffice/store/sqlite"
	"example.org/backoffice/web/graphiql"
)

type Config struct {
	Server   httpserver.Settings
	Limits   limits.Settings
	Cache    CacheSettings
	Changes  ChangesSettings
	Webhooks WebhookSettings
	Mirror   MirrorSettings
	Trash    TrashSettings
	Ship     ShipOptions
	Privacy  PrivacySettings
	People   PeopleSettings
	Agents   AgentSettings
	Streams  changes.Bounds  // the defaults when zero
	Proxies  auth.Proxies    // trusted to report where a request comes from
	Tracer   *tracing.Tracer // nil traces nothing
	Log      *slog.Logger
	Build    Build

	clock func() time.Time // for the expiry of access tokens; nil is this machine's
}

// Build is what the program was built from.
type Build struct {
	Version string `json:"version"` // the module's: a tag or a pseudo-version; (devel) without a repository
	Commit  string `json:"commit"`  // "unknown" where the build saw no repository
}

// String is the version, with the commit unless the version has it.
func (b Build) String() string {
	if b.Commit == "unknown" || strings.Contains(b.Version, b.Commit[:min(12, len(b.Commit))]) {
		return b.Version
	}
	return b.Version + " " + b.Commit
}

type ChangesSettings struct {
	Keep changes.Age `name:"keep-changes" default:"400d" env:"BACKOFFICE_KEEP_CHANGES" placeholder:"TIME" help:"How long changes are retained for clients that follow them, such as 400d, 12h or 90s; 0 keeps all (${default})."`
}

type PrivacySettings struct {
	RequirePurpose bool `env:"BACKOFFICE_REQUIRE_PURPOSE" help:"Disclose registration numbers only to requests that state a purpose in the header x-access-purpose."`
}

// tidyPeriod is how often leftovers of a crash are removed from the files.
const tidyPeriod = time.Hour

// Serve answers requests on a listener, which it closes, until ctx ends and they are done. It first calls started.
func (b *Backend) Serve(ctx context.Context, listener net.Listener, c Config, started func()) error {
	defer func() { _ = listener.Close() }()
	if b.standBy == nil && isStandBy(b.Store) {
		return errIsStandBy
	}
	page, err := pageOf(ctx, b.Store)
	if err != nil {
		return err
	}
	s, end, err := newServer(b, c, page)
	if err != nil {
		return err
	}
	defer end()
	if s.shipper, err = b.shipper(ctx, c); err != nil {
		return err
	}
	handler := s.handler()
	tidying, stopTidying := context.WithCancel(ctx)
	var tidied sync.WaitGroup
	s.mirror.poll(ctx)
	tidied.Go(func() { s.mirror.watch(tidying) })
	if b.standBy == nil {
		s.tidy(tidying, &tidied, c)
	}
	if s.shipper != nil { // which ships the last writes, too
		shipping, stop := context.WithCancel(context.WithoutCancel(ctx))
		var shipped sync.WaitGroup
		shipped.Go(func() { s.shipper.Run(shipping) })
		defer shipped.Wait()
		defer stop()
	}
	defer context.AfterFunc(ctx, s.stopStreams)() // streams do not end by themselves
	defer tidied.Wait()
	defer stopTidying()
	// Receipts are written, and used credentials are noted, until the last request is answered.
	watching, stopWatching := context.WithCancel(context.WithoutCancel(ctx))
	if b.standBy == nil {
		tidied.Go(func() { b.Vault.Watch(watching, b.Receipts, privacy.ReceiptPeriod) })
		tidied.Go(func() { s.authenticator.Watch(watching, c.Log) })
		tidied.Go(func() { s.toolCalls.watch(watching, c.Log) })
	}
	defer stopWatching()
	started()
	return s.http.Run(ctx, listener, handler)
}

// tidy does what a server does to its store by itself.
func (s server) tidy(ctx context.Context, running *sync.WaitGroup, c Config) {
	b := s.backend
	running.Go(func() { files.Tidy(ctx, b.Store, b.Files, tidyPeriod, c.Log) })
	running.Go(func() { compact(ctx, b.Store, c.Log) })
	running.Go(func() { s.feed.Tidy(ctx) })
	running.Go(func() { emptyTrash(ctx, b.Service(), c.Log) })
	running.Go(func() { (&clock{store: b.Store, log: c.Log}).watch(ctx) })
	if s.shipper != nil {
		running.Go(func() { watchShipping(ctx, s.shipper, c.Log) })
	}
	running.Go(func() { s.recorder(c.Log).run(ctx) })
	if sender := s.sender(c.Webhooks); sender != nil {
		running.Go(func() { sender.Run(ctx) })
	}
}

// pageOf reports to the page whether its worked queries may write to the store's records.
func pageOf(ctx context.Context, store backoffice.Store) (graphiql.Store, error) {
	if isDemo, err := demo.Finished(ctx, store); err != nil || !isDemo {
		return graphiql.Real, err
	}
	return graphiql.Demo, nil
}

// compact periodically removes what erased people have left between the pages of an embedded store.
func compact(ctx context.Context, store backoffice.Store, log *slog.Logger) {
	embedded, ok := store.(*sqlite.Store)
	if !ok {
		return
	}
	backoffice.Every(ctx, tidyPeriod, func() {
		switch done, large, err := embedded.CompactErased(ctx); {
		case err != nil && ctx.Err() == nil:
			log.ErrorContext(ctx, "compacting the database", "cause", err)
		case large:
			log.WarnContext(ctx, "customers were erased, but the database is too large to compact while serving: run backoffice compact when nobody writes")
		case done:
			log.InfoContext(ctx, "compacted the database after an erasure")
		}
	})
}
