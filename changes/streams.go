package changes

import (
	"context"
	"errors"
	"sync"

	"example.org/backoffice/backoffice"
)

// Bounds are how many may follow the feed at one time, and how many connections may be open on which clients could.
type Bounds struct{ OfCredential, OfServer int }

// usual are the default bounds.
var usual = Bounds{OfCredential: 20, OfServer: 1000}

// errStopping is the cause of a stream's end when the server stops.
var errStopping error = backoffice.Errorf(backoffice.Unavailable,
	"the server is stopping; connect again and continue from the last change")

type role int

const (
	connected role = iota
	following
	roles
)

var rolesAre = [roles]string{connected: "connections", following: "streams and waiting requests"}

// streams counts the followers, and the connections on which clients may follow.
type streams struct {
	mu  sync.Mutex
	of  map[string]*[roles]int // by credential
	all [roles]int
}

// Enter lets a client follow in the context that it returns, which ends with ctx and with the server; its cause is for
// the caller. Call leave. Errors: RateLimited when too many follow, Unavailable when the server stops.
func (f *Feed) Enter(ctx context.Context, p *backoffice.Principal) (own context.Context, leave func(), err error) {
	return f.enter(ctx, p, following)
}

// Connect is Enter for a connection on which nothing follows yet.
func (f *Feed) Connect(ctx context.Context, p *backoffice.Principal) (open context.Context, leave func(), err error) {
	return f.enter(ctx, p, connected)
}

func (f *Feed) enter(ctx context.Context, p *backoffice.Principal, as role) (context.Context, func(), error) {
	if err := f.count(p.ClientID, as); err != nil {
		return nil, nil, err
	}
	own, end := context.WithCancelCause(ctx)
	goesOn := context.AfterFunc(f.life, func() { end(errStopping) })
	return own, sync.OnceFunc(func() {
		goesOn()
		end(errors.New("left"))
		f.streams.leave(p.ClientID, as)
	}), nil
}

func (f *Feed) count(clientID string, as role) error {
	all, most := &f.streams, f.options.Bounds
	all.mu.Lock()
	defer all.mu.Unlock()
	of := all.of[clientID]
	if of == nil {
		of = new([roles]int)
	}
	switch {
	case f.life.Err() != nil:
		return errStopping
	case all.all[as] >= most.OfServer, of[as] >= most.OfCredential:
		return backoffice.Errorf(backoffice.RateLimited, "too many %s at a time: %d per credential, %d per server",
			rolesAre[as], most.OfCredential, most.OfServer)
	}
	if all.of == nil {
		all.of = map[string]*[roles]int{}
	}
	all.of[clientID] = of
	of[as]++
	all.all[as]++
	return nil
}

func (s *streams) leave(clientID string, as role) {
	s.mu.Lock()
	defer s.mu.Unlock()
	of := s.of[clientID]
	s.all[as]--
	if of[as]--; *of == [roles]int{} {
		delete(s.of, clientID)
	}
}

func (f *Feed) Streams() int64 { return f.counted(following) }

func (f *Feed) Connections() int64 { return f.counted(connected) }

func (f *Feed) counted(as role) int64 {
	f.streams.mu.Lock()
	defer f.streams.mu.Unlock()
	return int64(f.streams.all[as])
}
