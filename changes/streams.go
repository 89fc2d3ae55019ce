package changes

import (
	"context"
	"errors"
	"sync"
	"time"

	"example.org/backoffice/backoffice"
)

// How many may follow the feed at one time, however they do.
const (
	mostOfPair   = 20
	mostOfServer = 1000
)

// askEvery is how often it is asked whether the pairs of streams still are pairs: with what an answer may be old, a stream ends
// within the five seconds after its pair's revocation.
const askEvery = 500 * time.Millisecond

// Why a stream ends by the server's will: the cause of its context's end.
var (
	errStopping error = backoffice.Errorf(backoffice.Unavailable, "the server stops; connect again and go on from the last change")
	errRevoked  error = backoffice.Errorf(backoffice.Unauthenticated, "the credential pair was revoked or has expired")
	errTooMany  error = backoffice.Errorf(backoffice.RateLimited, "too many streams and waiting requests at one time: 20 of a pair, 1,000 of a server")
)

// streams are those who follow now.
type streams struct {
	mu      sync.Mutex
	of      map[string]map[*stream]struct{} // by pair
	count   int
	stopped bool
	asking  bool
}

type stream struct{ end context.CancelCauseFunc }

// Enter lets a pair follow in the context that it returns, which ends with the pair and with the server: its cause says why, in a
// sentence for the caller. leave has to be called. Errors: RateLimited when too many follow already, Unavailable when the
// server stops.
func (f *Feed) Enter(ctx context.Context, clientID string) (own context.Context, leave func(), err error) {
	own, end := context.WithCancelCause(ctx)
	s := &stream{end}
	if err := f.enter(clientID, s); err != nil {
		end(err)
		return nil, nil, err
	}
	return own, func() {
		end(errors.New("left"))
		f.streams.leave(clientID, s)
	}, nil
}

func (f *Feed) enter(clientID string, s *stream) error {
	all := &f.streams
	all.mu.Lock()
	defer all.mu.Unlock()
	switch {
	case all.stopped:
		return errStopping
	case all.count >= mostOfServer, len(all.of[clientID]) >= mostOfPair:
		return errTooMany
	}
	if all.of == nil {
		all.of = map[string]map[*stream]struct{}{}
	}
	if all.of[clientID] == nil {
		all.of[clientID] = map[*stream]struct{}{}
	}
	all.of[clientID][s] = struct{}{}
	all.count++
	if !all.asking {
		all.asking = true
		f.work.Go(f.ask)
	}
	return nil
}

func (s *streams) leave(clientID string, one *stream) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, there := s.of[clientID][one]; !there {
		return
	}
	delete(s.of[clientID], one)
	if len(s.of[clientID]) == 0 {
		delete(s.of, clientID)
	}
	s.count--
}

// stop ends all.
func (s *streams) stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopped = true
	for _, of := range s.of {
		for one := range of {
			one.end(errStopping)
		}
	}
}

// pairs are those that follow now; none ends the asking.
func (s *streams) pairs() (pairs []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for pair := range s.of {
		pairs = append(pairs, pair)
	}
	s.asking = pairs != nil
	return pairs
}

// ask ends the streams of pairs that are none any more, while there are streams.
func (f *Feed) ask() {
	for f.sleep(askEvery) {
		pairs := f.streams.pairs()
		if pairs == nil {
			return
		}
		for _, pair := range pairs {
			if _, err := f.options.Live(f.life, pair); backoffice.KindOf(err) == backoffice.Unauthenticated {
				f.streams.end(pair)
			}
		}
	}
}

func (s *streams) end(pair string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for one := range s.of[pair] {
		one.end(errRevoked)
	}
}

// Streams is how many follow now.
func (f *Feed) Streams() int64 {
	f.streams.mu.Lock()
	defer f.streams.mu.Unlock()
	return int64(f.streams.count)
}
