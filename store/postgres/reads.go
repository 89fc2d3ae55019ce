package postgres

import (
	"context"
	"errors"
	"slices"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/store"
)

// reads are the servers for reads: a replica with all the caller's writes, else the primary; one server for a request.
type reads struct {
	primary   *connections
	freshness *freshness // nil without replicas
}

// Send implements store.Engine. A batch outside of any snapshot has one of its own.
func (e *engine) Send(ctx context.Context, statements []*store.Statement, last bool) {
	s := snapshotOf(ctx)
	if s == nil {
		s, last = &snapshot{reads: e.reads}, true
	}
	s.send(ctx, statements, last)
}

// at is the server for the reads of a context's request; nil is the primary.
func (r *reads) at(ctx context.Context) *replica {
	caller := backoffice.SessionOf(ctx)
	if r.freshness == nil || caller == nil {
		return nil
	}
	replicas := r.freshness.replicas
	server := caller.Server(func() int {
		// -1 is none.
		return backoffice.Primary + 1 + slices.Index(replicas, r.freshness.choose(ctx, caller.ClientID))
	})
	if server == backoffice.Primary {
		return nil
	}
	return replicas[server-backoffice.Primary-1]
}

func (r *reads) givenUp(ctx context.Context, from *replica, err error) bool {
	switch backoffice.KindOf(err) {
	case backoffice.Unavailable, backoffice.Timeout:
		if !errors.Is(err, store.ErrBusy) { // which is this caller's share
			from.leaveOut()
		}
		backoffice.SessionOf(ctx).StayOnPrimary()
		return true
	}
	return false
}
