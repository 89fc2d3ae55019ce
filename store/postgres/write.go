package postgres

import (
	"context"
	"strconv"
	"time"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/store"
)

// maxAttempts is how often a transaction is run after conflicts with others.
const maxAttempts = 5

func (e *engine) Write(ctx context.Context, do func(ctx context.Context, tx store.Sender) error) error {
	e.RenewSnapshot(ctx) // the next read sees the write, and no caller holds a connection while it waits for one
	for attempt := 1; ; attempt++ {
		err := e.write(ctx, do)
		if err == nil {
			e.wrote(ctx)
			return nil
		}
		// What was lost before the commit was not written; connections as old are gone, so once is enough.
		if attempt == maxAttempts || ctx.Err() != nil || !isRetryable(err) && !(attempt == 1 && mayPass(err)) {
			return err
		}
	}
}

// wrote makes the caller's reads see its write: those of this request, and later ones.
func (e *engine) wrote(ctx context.Context) {
	caller := backoffice.SessionOf(ctx)
	caller.StayOnPrimary()
	if caller != nil && e.reads.freshness != nil {
		e.reads.freshness.note(caller.ClientID)
	}
}

func (e *engine) write(ctx context.Context, do func(ctx context.Context, tx store.Sender) error) error {
	primary := e.forWriting(ctx)
	conn, err := primary.take(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	defer func() {
		if isLost(err) {
			primary.lost(ctx, err)
		}
	}()
	t := &transaction{conn: conn.Conn(), limit: primary.limit, begin: beginWrite(primary.limit)}
	defer t.rollback(ctx)
	if err = do(ctx, t); err != nil {
		return err
	}
	if ended := ctx.Err(); ended != nil {
		return classify(ctx, ended)
	}
	err = t.commit(ctx)
	return err
}

// beginWrite starts a transaction that writes. It plans by key only: in an import, tables grow by thousands of rows
// that no statistics cover yet, and a plan from when a table was empty would read all of it again for each chunk. Plans
// are generic: for a list of thousands of identifiers, planning by value takes longer than finding them, and the check
// of a foreign key would be planned anew for each row. jit is off: a disabled kind of plan counts as expensive, so each
// chunk would be compiled, for far longer than it runs. Waiting for a lock ends before the statement would be called
// too slow: the store is busy, and the same write may succeed later. What is acknowledged is durable, whatever the
// server, the role or the database set: synchronous_commit = off loses acknowledged writes of the last moment before a
// crash, entries of the register among them; a level that waits for standbys is kept. That none confirmed a commit is
// but a warning. A host that disappears holds its locks for a minute and not for two hours, Linux's keep-alive.
func beginWrite(limit time.Duration) []string {
	lockTimeout := strconv.FormatInt(max(1, (limit*3/4).Milliseconds()), 10)
	return []string{
		"begin isolation level read committed",
		planByKeys + ", set_config('lock_timeout', '" + lockTimeout + "', true)," +
			" set_config('synchronous_commit', case current_setting('synchronous_commit') when 'off' then 'on'" +
			" else current_setting('synchronous_commit') end, true)," +
			" set_config('client_min_messages', 'warning', true), set_config('tcp_keepalives_idle', '30', true)," +
			" set_config('tcp_keepalives_interval', '10', true), set_config('tcp_keepalives_count', '3', true)," +
			" set_config('tcp_user_timeout', '60000', true)",
	}
}

// beginReadOnly starts a transaction that reads one snapshot: an import's, before it writes, or an export's by pages.
// The planner settings have the reasons given at beginWrite. Pauses do not end it: an export writes files meanwhile.
var beginReadOnly = []string{"begin isolation level repeatable read read only",
	planByKeys + ", set_config('idle_in_transaction_session_timeout', '0', true)"}

const planByKeys = "select set_config('plan_cache_mode', 'force_generic_plan', true)," +
	" set_config('enable_seqscan', 'off', true), set_config('enable_hashjoin', 'off', true)," +
	" set_config('enable_mergejoin', 'off', true), set_config('jit', 'off', true)"

// unknownOutcome is for a write that may or may not be durable. It is never repeated automatically.
func unknownOutcome(cause error) error {
	return &backoffice.Error{
		Kind: backoffice.Unavailable,
		Message: "the store became unavailable while committing the write, which may have succeeded;" +
			" try again, with the same idempotency key when creating",
		Cause: cause,
	}
}
