package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/store"
)

// reads runs statements that only read: on a replica that shows the caller all that it wrote, else on the primary. The
// reads of one request stay in one place.
type reads struct {
	primary   *connections
	freshness *freshness // nil without replicas
}

// at is where the reads of a context's request go; nil is the primary.
func (r *reads) at(ctx context.Context) *replica {
	caller := backoffice.CallerOf(ctx)
	if r.freshness == nil || caller == nil {
		return nil
	}
	place := caller.Place(func(noted any) any {
		if noted != nil {
			return noted
		}
		return r.freshness.choose(ctx, caller.ClientID) // a nil *replica is noted too
	})
	return place.(*replica)
}

// stay keeps the rest of a context's request on the primary.
func stay(ctx context.Context) {
	if caller := backoffice.CallerOf(ctx); caller != nil {
		caller.Place(func(any) any { return (*replica)(nil) })
	}
}

// Query implements store.Conn.
func (r *reads) Query(ctx context.Context, text string, args []any, each func(*store.Row) error) error {
	if s := snapshotOf(ctx); s != nil {
		return s.Query(ctx, text, args, each)
	}
	from := r.at(ctx)
	if from == nil {
		return r.primary.Query(ctx, text, args, each)
	}
	handed := false
	err := from.Query(ctx, text, args, func(row *store.Row) error {
		handed = true
		return each(row)
	})
	if err == nil || handed || ctx.Err() != nil || !r.givenUp(ctx, from, err) {
		return err
	}
	return r.primary.Query(ctx, text, args, each)
}

// givenUp leaves a replica out that could not answer.
func (r *reads) givenUp(ctx context.Context, from *replica, err error) bool {
	switch backoffice.KindOf(err) {
	case backoffice.Unavailable, backoffice.Timeout:
		from.leaveOut()
		stay(ctx)
		return true
	}
	return false
}

// Exec implements store.Conn.
func (r *reads) Exec(ctx context.Context, text string, args []any) (int64, error) {
	return r.primary.Exec(ctx, text, args)
}

// handler takes the results of a batch, and tells how many of its statements were answered.
type handler func(pgx.BatchResults) (answered int, err error)

// send sends several statements in one trip and hands their results over; handle is not called when there is no connection.
func (r *reads) send(ctx context.Context, batch *pgx.Batch, handle handler) error {
	if s := snapshotOf(ctx); s != nil {
		return s.send(ctx, batch, handle)
	}
	return r.sendAlone(ctx, batch, handle)
}

// sendAlone sends without a snapshot.
func (r *reads) sendAlone(ctx context.Context, batch *pgx.Batch, handle handler) error {
	handled := false
	noting := func(results pgx.BatchResults) error {
		handled = true
		_, err := handle(results)
		return err
	}
	from := r.at(ctx)
	if from == nil {
		return r.primary.send(ctx, batch, noting)
	}
	err := from.send(ctx, batch, noting)
	if err == nil || ctx.Err() != nil || !r.givenUp(ctx, from, err) || handled {
		return err
	}
	return r.primary.send(ctx, batch, noting)
}
