package postgres

import (
	"context"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"example.org/backoffice/store"
)

// position is a place in the primary's write-ahead log, in bytes from its beginning.
type position int64

const (
	pollAgain   = 20 * time.Millisecond // between two looks at how far a replica has come, while there are reads
	retryAgain  = time.Second           // between two at one that is left out
	pollTimeout = time.Second
)

// replica is a server that repeats what the primary does. It counts as out until it has told how far it has come, and
// again when it fails to; reads make it tell, so there is no work while there are none.
type replica struct {
	*connections

	mu       sync.Mutex
	in       bool
	replayed position // all up to here is shown by it; it never goes back while it is in
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

// howFar asks a replica: the log is of no use from a server that is a primary now. The timeline is that of the stream;
// without the right to see it, or without a stream, that of the last restart point.
const howFar = `SELECT /*backoffice:replicas.position*/ pg_is_in_recovery(), COALESCE(pg_last_wal_replay_lsn() - '0/0', 0)::bigint,
COALESCE((SELECT received_tli FROM pg_stat_wal_receiver), (SELECT timeline_id FROM pg_control_checkpoint()))::bigint`

// due reports whether it is time to look how far the replica has come, and counts it as being looked at.
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

// poll looks how far the replica has come.
func (r *replica) poll(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, pollTimeout)
	defer cancel()
	var repeats bool
	var replayed position
	var timeline int64
	look := &store.Statement{Text: howFar, Each: func(row *store.Row) error {
		repeats, replayed, timeline = row.Bool(0), position(row.Int(1)), row.Int(2)
		return nil
	}}
	err := look.Run(ctx, r.connections)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.polling = false
	r.in = err == nil && repeats
	r.replayed, r.timeline = replayed, timeline
}

// leaveOut keeps reads from the replica until it answers again.
func (r *replica) leaveOut() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.in, r.polled = false, time.Now()
}

// reached is how far it had come when it was last asked.
func (r *replica) reached() position {
	_, replayed, _ := r.state()
	return replayed
}

// state reports whether reads may go there, and what they would see.
func (r *replica) state() (in bool, replayed position, timeline int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.in, r.replayed, r.timeline
}
