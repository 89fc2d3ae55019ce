package webhooks

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/changes"
	"example.org/backoffice/privacy"
)

type Options struct {
	Store    backoffice.Store
	Feed     *changes.Feed // of the store
	Keys     *privacy.Keyset
	Settings Settings
	Log      *slog.Logger
}

const (
	pollEvery = 2 * time.Second // between polls for operators' changes, and for due messages
	pollTime  = 5 * time.Second // of one poll
	idleTime  = 10 * time.Second
)

// Sender posts the messages of a store's webhooks. A store may have many: one serves a webhook at a time.
type Sender struct {
	Options
	client  *client
	holder  string           // of leases
	now     func() time.Time // by the store's clock, so that all senders agree on what is due and whose a lease is
	machine func() time.Time
	ahead   atomic.Int64  // of the store's clock, as nanoseconds of this machine's
	every   time.Duration // between polls
	idle    time.Duration // after which a cursor is stored that has only passed changes the webhook does not get
	work    sync.WaitGroup

	received, failed atomic.Int64

	mu       sync.Mutex
	standing Standing
}

// Standing is the webhooks' state at the last poll.
type Standing struct {
	Live, Retrying, Stopped int64
	Waiting                 time.Duration // of the oldest unreceived message
}

func NewSender(o Options) *Sender {
	s := &Sender{Options: o, client: newClient(o.Settings, o.Keys), holder: backoffice.NewID(), machine: time.Now,
		every: pollEvery, idle: idleTime}
	s.now = func() time.Time { return s.machine().Add(-time.Duration(s.ahead.Load())) }
	return s
}

func (s *Sender) Run(ctx context.Context) {
	defer s.client.close()
	defer s.work.Wait()
	workers := map[string]*worker{}
	defer func() {
		for _, w := range workers {
			w.end()
		}
	}()
	tick := time.NewTicker(s.every)
	defer tick.Stop()
	failed := false
	for {
		err := s.poll(ctx, workers)
		if err != nil && !failed && ctx.Err() == nil {
			s.Log.WarnContext(ctx, "webhooks cannot be read now", "cause", backoffice.Cause(err))
		}
		failed = err != nil
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// poll starts a worker for each webhook that needs one, by the operators' latest settings.
func (s *Sender) poll(ctx context.Context, workers map[string]*worker) error {
	within, cancel := context.WithTimeout(ctx, pollTime)
	defer cancel()
	at, err := s.Store.Clock(within)
	if err != nil {
		return err
	}
	s.ahead.Store(int64(s.machine().Sub(at.Time())))
	hooks, err := s.Store.Webhooks(within)
	if err != nil {
		return err
	}
	credentials, err := s.credentials(within, hooks)
	if err != nil {
		return err
	}
	now := backoffice.InstantOf(s.now())
	s.note(hooks, now)
	live := map[string]bool{}
	for _, hook := range hooks {
		if hook.Stop != "" {
			continue
		}
		live[hook.ID] = true
		kinds, stop := mayTell(hook, credentials, now)
		w := workers[hook.ID]
		switch {
		case w != nil && w.is(hook.Version, kinds, stop):
			if w.working() || !hook.IsDue(now) {
				continue
			}
		case w != nil && w.working():
			w.end() // the next poll starts it anew
			continue
		}
		if hook.IsDue(now) || stop != "" {
			workers[hook.ID] = s.begin(asOwner(ctx, hook, credentials), hook, kinds, stop, w)
		}
	}
	for id, w := range workers {
		if !live[id] {
			w.end()
			delete(workers, id)
		}
	}
	return nil
}

// credentials returns the credentials by identifier, or nil when no running webhook has one.
func (s *Sender) credentials(ctx context.Context, of []*backoffice.Webhook) (map[string]*backoffice.Credential, error) {
	wants := func(hook *backoffice.Webhook) bool { return hook.Stop == "" && hook.ClientID != "" }
	if !slices.ContainsFunc(of, wants) {
		return nil, nil
	}
	all, err := s.Store.Credentials(ctx)
	if err != nil {
		return nil, err
	}
	return byID(all), nil
}

func byID(all []*backoffice.Credential) map[string]*backoffice.Credential {
	credentials := make(map[string]*backoffice.Credential, len(all))
	for _, credential := range all {
		credentials[credential.ID] = credential
	}
	return credentials
}

// asOwner returns a context that sees what the webhook's credential sees: everything for the operator's.
func asOwner(ctx context.Context, hook *backoffice.Webhook, all map[string]*backoffice.Credential) context.Context {
	if credential := all[hook.ClientID]; credential != nil { // its restriction never changes
		return backoffice.WithRestriction(ctx, credential.Restriction)
	}
	return ctx
}

// mayTell returns what a webhook may get now, or why it has to stop.
func mayTell(hook *backoffice.Webhook, credentials map[string]*backoffice.Credential,
	now backoffice.Instant) (backoffice.ChangeKinds, backoffice.WebhookStop) {
	var credential *backoffice.Credential
	if hook.ClientID != "" {
		if credential = credentials[hook.ClientID]; credential == nil || !credential.Live(now) {
			return 0, backoffice.WebhookCredentialEnded
		}
	}
	kinds, err := hook.Kinds(credential)
	if err != nil {
		return 0, backoffice.WebhookNoScope
	}
	return kinds, ""
}

func (s *Sender) note(hooks []*backoffice.Webhook, now backoffice.Instant) {
	var of Standing
	for _, hook := range hooks {
		switch hook.State() {
		case "live":
			of.Live++
		case "retrying":
			of.Retrying++
		default:
			of.Stopped++
			continue
		}
		if since := hook.WaitingSince(); !since.IsZero() {
			of.Waiting = max(of.Waiting, now.Time().Sub(since.Time()))
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.standing = of
}

func (s *Sender) Standing() Standing {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.standing
}

func (s *Sender) Received() int64 { return s.received.Load() }

func (s *Sender) Failed() int64 { return s.failed.Load() }
