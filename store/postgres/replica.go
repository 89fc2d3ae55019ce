package postgres

import (
	"context"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"example.org/backoffice/store"
)

// position is a position in the primary's write-ahead log, in bytes from its beginning.
type position int64

const (
	pollAgain   = 20 * time.Millisecond // between two polls of a replica's position, while there are reads
	retryAgain  = time.Second           // between two polls of one that is left out
	pollTimeout = time.Second
)

// replica is a server that replicates the primary. It is left out until it has reported its position, and again when it
// fails to; only reads poll it, so an idle store has no work.
type replica struct {
	*connections

	mu       sync.Mutex
	in       bool
	replayed position // the replica has everything up to here; it never goes back while it is in
	timeline int64
	polling  bool
	polled   time.Time
}

func newReplica(ctx context.Context, config *pgxpool.Config, wait, limit time.Duration) (*replica, error) {
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, errContradiction
	}
	// A replica that hangs must leave time for the primary to answer.
	return &replica{connections: connectionsOf(pool, wait/4, limit/2)}, nil
}

// howFar asks a replica: the position of a server that is now a primary is useless. The timeline is that of the stream;
// without the right to see it, or without a stream, that of the last restart point.
const howFar = `SELECT /*backoffice:replicas.position*/ pg_is_in_recovery(),` +
	` COALESCE(pg_last_wal_replay_lsn() - '0/0', 0)::bigint,
COALESCE((SELECT received_tli FROM pg_stat_wal_receiver), (SELECT timeline_id FROM pg_control_checkpoint()))::bigint`

// due reports whether the replica's position should be polled, and marks it as being polled.
func (r *replica) due(now time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	again := retryAgain
	if r.in {
		again = pollAgain
	}
	if r.polling || now.Sub(r.polled) < again {
		return false
	}
	r.polling, r.polled = true, now
	return true
}

func (r *replica) poll(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, pollTimeout)
	defer cancel()
	var repeats bool
	var replayed position
	var timeline int64
	read := &store.Statement{Text: howFar, Each: func(row *store.Row) error {
		repeats, replayed, timeline = row.Bool(0), position(row.Int(1)), row.Int(2)
		return nil
	}}
	err := read.Run(ctx, r.connections)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.polling = false
	r.in = err == nil && repeats
	r.replayed, r.timeline = replayed, timeline
}

// leaveOut sends no reads to the replica until it answers again.
func (r *replica) leaveOut() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.in, r.polled = false, time.Now()
}

// state reports whether the replica takes reads, and what they would see.
func (r *replica) state() (in bool, replayed position, timeline int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.in, r.replayed, r.timeline
}
