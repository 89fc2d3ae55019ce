package changes

import (
	"context"
	"errors"
	"sync"
	"time"

	"example.org/backoffice/backoffice"
)

// Bounds are how many may follow the feed at one time, however they do; and as many connections may be open on which
// somebody could.
type Bounds struct{ OfPair, OfServer int }

// usual are the bounds where nothing else is said.
var usual = Bounds{OfPair: 20, OfServer: 1000}

// askEvery is how often it is asked whether the pairs of streams still are pairs: with what an answer may be old, a
// stream ends within the five seconds after its pair's revocation.
const askEvery = 500 * time.Millisecond

// Why a stream ends by the server's will: the cause of its context's end.
var (
	errStopping error = backoffice.Errorf(backoffice.Unavailable, "the server stops; connect again and go on from the last change")
)

// role is what one is counted as.
type role int

const (
	connected role = iota // ended first, so that whoever follows on a connection finds it ended
	following
	roles
)

var rolesAre = [roles]string{connected: "connections", following: "streams and waiting requests"}

// streams are those who follow now, and the connections on which they may.
type streams struct {
	mu      sync.Mutex
	of      map[string]*guest // by pair
	count   [roles]int
	stopped bool
	asking  bool
}

// guest is what a pair has.
type guest struct{ has [roles]map[*stream]struct{} }

type stream struct {
	principal *backoffice.Principal
	end       context.CancelCauseFunc
}

// Enter lets a pair, or a person, follow in the context that it returns, which ends with the pair and with the server:
// its cause says why, in a sentence for the caller. leave has to be called. Errors: RateLimited when too many follow
// already, Unavailable when the server stops.
func (f *Feed) Enter(ctx context.Context, principal *backoffice.Principal) (own context.Context, leave func(), err error) {
	return f.enter(ctx, principal, following)
}

// Connect is Enter for a connection on which nobody may follow yet. Whoever enters in its context ends with it.
func (f *Feed) Connect(ctx context.Context, principal *backoffice.Principal) (own context.Context, leave func(), err error) {
	return f.enter(ctx, principal, connected)
}

func (f *Feed) enter(ctx context.Context, principal *backoffice.Principal, as role) (context.Context, func(), error) {
	own, end := context.WithCancelCause(ctx)
	s := &stream{principal, end}
	if err := f.count(principal.ClientID, s, as); err != nil {
		end(err)
		return nil, nil, err
	}
	return own, func() {
		end(errors.New("left"))
		f.streams.leave(principal.ClientID, s, as)
	}, nil
}

func (f *Feed) count(clientID string, s *stream, as role) error {
	all, most := &f.streams, f.options.Bounds
	all.mu.Lock()
	defer all.mu.Unlock()
	of := all.of[clientID]
	if of == nil {
		of = &guest{}
	}
	switch {
	case all.stopped:
		return errStopping
	case all.count[as] >= most.OfServer, len(of.has[as]) >= most.OfPair:
		return backoffice.Errorf(backoffice.RateLimited, "too many %s at one time: %d of a pair, %d of a server", rolesAre[as], most.OfPair, most.OfServer)
	}
	if all.of == nil {
		all.of = map[string]*guest{}
	}
	all.of[clientID] = of
	if of.has[as] == nil {
		of.has[as] = map[*stream]struct{}{}
	}
	of.has[as][s] = struct{}{}
	all.count[as]++
	if !all.asking {
		all.asking = true
		f.work.Go(f.ask)
	}
	return nil
}

func (s *streams) leave(clientID string, one *stream, as role) {
	s.mu.Lock()
	defer s.mu.Unlock()
	of := s.of[clientID]
	if of == nil {
		return
	}
	if _, there := of.has[as][one]; !there {
		return
	}
	delete(of.has[as], one)
	if len(of.has[connected])+len(of.has[following]) == 0 {
		delete(s.of, clientID)
	}
	s.count[as]--
}

// stop ends all.
func (s *streams) stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopped = true
	for _, of := range s.of {
		of.end(errStopping)
	}
}

func (g *guest) end(why error) {
	for _, some := range g.has {
		for one := range some {
			one.end(why)
		}
	}
}

// all are those that follow now, connections first; none ends the asking. A person may follow with one token and with
// another.
func (s *streams) all() (all []*stream) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for as := range roles {
		for _, of := range s.of {
			for one := range of.has[as] {
				all = append(all, one)
			}
		}
	}
	s.asking = all != nil
	return all
}

// ask ends the streams of pairs that are none any more, and of people whose token has ended, while there are streams.
func (f *Feed) ask() {
	for f.sleep(askEvery) {
		all := f.streams.all()
		if all == nil {
			return
		}
		for _, one := range all {
			_, err := f.options.Revalidate(f.life, one.principal)
			if kind := backoffice.KindOf(err); kind == backoffice.Unauthenticated || kind == backoffice.Forbidden {
				one.end(err)
			}
		}
	}
}

// Streams is how many follow now.
func (f *Feed) Streams() int64 { return f.counted(following) }

// Connections is how many connections are open on which somebody may follow.
func (f *Feed) Connections() int64 { return f.counted(connected) }

func (f *Feed) counted(as role) int64 {
	f.streams.mu.Lock()
	defer f.streams.mu.Unlock()
	return int64(f.streams.count[as])
}
