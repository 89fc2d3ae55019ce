package postgres

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"sync"
	"time"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/store"
)

// staleAfter is the largest age of a replica's data for any caller, even one that wrote nothing. It leaves time for a
// request within the 5 seconds in which all servers must see a change.
const staleAfter = 3 * time.Second

// freshness knows what callers must see. A read that a replica could answer waits for a poll of the primary that begins
// after it: how far the log has come, and who wrote since, on any server. Docs: docs/adr/0007-replicas.md.
type freshness struct {
	replicas []*replica
	poll     func(ctx context.Context) error // waits for a poll of the primary that begins from now on

	life context.Context
	end  context.CancelFunc
	work sync.WaitGroup

	mu       sync.Mutex
	closed   bool
	samples  []sample
	needs    map[string]position // by client id: the end of the caller's last write
	floor    position            // the same for all other callers
	wrote    map[string]bool     // who wrote here since the last poll began
	sequence int64               // the change log is known up to here
	timeline int64
	next     int
}

// sample is how far, at least, the primary's log had come at a time.
type sample struct {
	at       time.Time
	position position
}

func newFreshness() *freshness {
	life, end := context.WithCancel(context.Background())
	return &freshness{life: life, end: end, needs: map[string]position{}, wrote: map[string]bool{}}
}

func (f *freshness) close() {
	f.mu.Lock()
	f.closed = true
	f.end()
	f.mu.Unlock()
	f.work.Wait()
	for _, r := range f.replicas {
		r.closed.Store(true)
		r.pool.Close()
	}
}

func (f *freshness) note(clientID string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.wrote[clientID] = true
}

// choose returns a replica that has all writes of a caller, on any server; nil when there is none now.
func (f *freshness) choose(ctx context.Context, clientID string) *replica {
	any := false
	now := time.Now()
	for _, r := range f.replicas {
		in, _, _ := r.state()
		any = any || in
		if r.due(now) && !f.begin(func() { r.poll(f.life) }) {
			return nil
		}
	}
	if !any || f.poll(ctx) != nil {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	need, known := f.needs[clientID]
	if !known {
		need = f.floor
	}
	f.next++
	for i := range f.replicas {
		r := f.replicas[(f.next+i)%len(f.replicas)]
		in, replayed, timeline := r.state()
		if in && replayed >= need && timeline == f.timeline && f.recent(replayed) {
			return r
		}
	}
	return nil
}

// recent reports whether a replica at this position has everything that existed staleAfter ago. It is called under mu.
func (f *freshness) recent(replayed position) bool {
	for _, v := range slices.Backward(f.samples) {
		if v.position <= replayed {
			return time.Since(v.at) <= staleAfter
		}
	}
	return false
}

// begin starts work of its own; false when the process ends.
func (f *freshness) begin(do func()) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return false
	}
	f.work.Go(do)
	return true
}

// readPosition is what a poll reads after the change log, whose entries were committed before that position.
const readPosition = "SELECT /*backoffice:primary.position*/ (pg_current_wal_insert_lsn() - '0/0')::bigint," +
	" substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8)"

func (f *freshness) BeginPoll() (from int64, behind *store.Statement,
	heard func(context.Context, []*backoffice.Change, error)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	since, wrote := f.sequence, f.wrote
	f.wrote = map[string]bool{}
	if f.timeline != 0 {
		from = max(since, 1)
	}
	began := time.Now()
	var at position
	var timeline int64
	behind = &store.Statement{Text: readPosition, Each: func(row *store.Row) (err error) {
		at = position(row.Int(0))
		timeline, err = hexadecimal(row.Text(1))
		return err
	}}
	return from, behind, func(_ context.Context, entries []*backoffice.Change, err error) {
		f.mu.Lock()
		defer f.mu.Unlock()
		if err != nil {
			for client := range wrote {
				f.wrote[client] = true
			}
			return
		}
		var sequence int64
		if len(entries) > 0 {
			sequence = entries[0].Sequence
		}
		known := slices.ContainsFunc(entries, func(c *backoffice.Change) bool { return c.Sequence == since }) ||
			since == 0 && len(entries) <= store.MostNew
		if timeline != f.timeline || !known {
			// The first poll, another primary, too many writes for one poll, or entries that have left the log.
			f.floor = at
			clear(f.needs)
		}
		if timeline != f.timeline || sequence < since {
			f.samples = f.samples[:0]
		}
		f.timeline, f.sequence = timeline, sequence
		for client := range wrote {
			f.needs[client] = at
		}
		for _, c := range entries {
			if c.Sequence > since {
				f.needs[c.ClientID] = at
			}
		}
		f.sampled(sample{began, at})
	}
}

// sampled keeps a few samples of the period in which they count, and the newest.
func (f *freshness) sampled(s sample) {
	const apart = staleAfter / 64
	keep := 0
	for keep < len(f.samples) && s.at.Sub(f.samples[keep].at) > staleAfter {
		keep++
	}
	f.samples = append(f.samples[:0], f.samples[keep:]...)
	if n := len(f.samples); n > 1 && f.samples[n-1].at.Sub(f.samples[n-2].at) < apart {
		f.samples = f.samples[:n-1]
	}
	f.samples = append(f.samples, s)
}

// latest is the last known position of the primary's log; 0 when it was not polled lately.
func (f *freshness) latest() position {
	f.mu.Lock()
	defer f.mu.Unlock()
	if n := len(f.samples); n > 0 {
		return f.samples[n-1].position
	}
	return 0
}

func hexadecimal(text string) (int64, error) {
	n, err := strconv.ParseInt(text, 16, 64)
	if err != nil {
		return 0, errors.New("PostgreSQL reports no timeline")
	}
	return n, nil
}
