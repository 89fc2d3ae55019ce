package ship

import (
	"database/sql"
	"strings"
	"testing"
	"time"
)

func TestWhatIsCommittedIsShippedAtAStopThoughAnotherProcessWrites(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		writes time.Duration
		lost   bool
	}{"for longer than one try": {6 * time.Second, false}, "for too long": {20 * time.Second, true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := newOffice(t)
			_, stop := o.ships(t, func(s *Shipper) { s.period = time.Hour })
			o.wait(t, func() bool { return strings.Contains(o.log.String(), "shipped a snapshot") })
			o.label(t, "last")
			withDatabase(t, o.path, func(db *sql.DB) {
				writes, err := db.Begin()
				if err == nil {
					_, err = writes.Exec("INSERT INTO leases (name, holder, since, until) VALUES ('it', '', 0, 0)")
				}
				if err != nil {
					t.Fatal(err)
				}
				stopped := make(chan struct{})
				go func() { defer close(stopped); stop() }()
				select {
				case <-stopped:
				case <-time.After(c.writes):
				}
				if err := writes.Rollback(); err != nil {
					t.Fatal(err)
				}
				<-stopped
			})
			if told := strings.Contains(o.log.String(), "the last writes were not shipped"); told != c.lost {
				t.Errorf("it tells that the last is not shipped: %v", told)
			}
			if !c.lost {
				o.isLatest(t)
			}
		})
	}
}
