package store

import (
	"context"

	"example.org/backoffice/backoffice"
)

func (s *Store) Lease(ctx context.Context, name string) (found *backoffice.Lease, err error) {
	text := "SELECT /*backoffice:leases.one*/ name, holder, since, until FROM leases WHERE name = $1"
	err = s.primary().Query(ctx, text, []any{storable(name)}, func(row *Row) error {
		found = &backoffice.Lease{Name: row.Text(0), Holder: row.Text(1), Since: row.Instant(2), Until: row.Instant(3)}
		return nil
	})
	return found, err
}

func (s *Store) TakeLease(ctx context.Context, lease backoffice.Lease, now backoffice.Instant,
	gone string) (taken bool, err error) {
	text := "INSERT /*backoffice:leases.take*/ INTO leases (name, holder, since, until) VALUES ($1, $2, $3, $4)" +
		" ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, since = excluded.since, until = excluded.until" +
		" WHERE leases.holder = excluded.holder OR leases.until <= $5 OR leases.holder = $6" +
		" OR leases.since > $5 + leases.until - leases.since" // by a clock that was ahead
	changed, err := s.execAlone(ctx, text, storable(lease.Name), storable(lease.Holder), lease.Since.Milliseconds(),
		lease.Until.Milliseconds(), now.Milliseconds(), storable(gone))
	return changed == 1 && err == nil, err
}

func (s *Store) EndLease(ctx context.Context, name, holder string) error {
	_, err := s.execLast(ctx, "DELETE /*backoffice:leases.end*/ FROM leases WHERE name = $1 AND holder = $2",
		storable(name), storable(holder))
	return err
}
