package store

import (
	"context"
	"strconv"
	"time"

	"example.org/backoffice/backoffice"
)

// If no server ran for long, the clock may be wrong, or the store may be an old backup from whose trash something is
// wanted. What only age deletes then waits: in the trash, the change log and the quarantine.
const longUnseen = 8 * 24 * time.Hour // more than a server that runs once a week

// noteClock notes what time it is, and whether nobody noted it for long.
func (t *tx) noteClock(ctx context.Context) error {
	_, err := t.conn.Exec(ctx, "INSERT /*backoffice:leases.clock*/ INTO leases (name, holder, since, until)"+
		" VALUES ($1, '', 0, "+t.store.nouns.dialect.now+") ON CONFLICT (name) DO UPDATE SET until = excluded.until,"+
		" since = CASE WHEN excluded.until - leases.until > $2 THEN excluded.until"+
		" WHEN excluded.until < leases.since THEN 0 ELSE leases.since END", // it was corrected
		[]any{backoffice.LeaseOfClock, longUnseen.Milliseconds()})
	return err
}

// settled reports whether what is old may be deleted.
func (s *Store) settled(ctx context.Context) (bool, error) {
	now := s.nouns.dialect.now
	after := func(period time.Duration) string { return now + " - " + strconv.FormatInt(period.Milliseconds(), 10) }
	unsettled, err := firstText(ctx, s.primary(), "SELECT /*backoffice:leases.settled*/ name FROM leases"+
		" WHERE name = $1 AND (until < "+after(longUnseen)+" OR since > "+after(backoffice.SettlingPeriod)+")",
		backoffice.LeaseOfClock)
	return unsettled == "", err
}
