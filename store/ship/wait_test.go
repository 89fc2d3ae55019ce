package ship

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"example.org/backoffice/backoffice"
)

// waits is the office whose writes wait for a shipper that has no turns of its own.
func (o *office) waits(t testing.TB, to backoffice.ObjectStore) {
	t.Helper()
	s, _ := o.ships(t, func(s *Shipper) { s.period = time.Hour; s.To = to })
	o.wait(t, func() bool { return s.last.Load() >= 0 })
	o.Store = s.Waiting(o.store)
}

func TestWhatWasAcknowledgedIsAwayWhenWritesWait(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.waits(t, &faulty{ObjectStore: o.objects(t)})
	var writers sync.WaitGroup
	for w := range 8 {
		writers.Go(func() {
			for i := range 10 {
				o.label(t, fmt.Sprintf("label %d %d", w, i))
			}
		})
	}
	writers.Wait()
	if _, r := o.restored(t, Target{}); r.Last != latest(t, o.path) { // nothing is shipped when the machine is lost
		t.Errorf("what was shipped ends with %d, and what was acknowledged with %d", r.Last, latest(t, o.path))
	}
}

func TestAWriteThatIsNotAwayInTimeWasWrittenAndIsNotAcknowledged(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	to := &faulty{ObjectStore: o.objects(t)}
	o.waits(t, to)
	to.mode.Store(away)
	inTime, cancel := context.WithTimeout(t.Context(), 3*time.Second)
	defer cancel()
	create := func(ctx context.Context) error {
		_, err := o.CreateLabel(ctx, operator, backoffice.LabelDraft{Name: "late"}, backoffice.Value("the same key"))
		return err
	}
	err := create(inTime)
	if backoffice.KindOf(err) != backoffice.Unavailable || !strings.Contains(err.Error(), "idempotency key") {
		t.Errorf("the answer is %v", err)
	}
	written := func(path string) (n int) {
		withDatabase(t, path, func(db *sql.DB) {
			if err := db.QueryRow("SELECT count(*) FROM labels WHERE name = 'late'").Scan(&n); err != nil {
				t.Fatal(err)
			}
		})
		return n
	}
	if n := written(o.path); n != 1 {
		t.Errorf("it was written %d times", n)
	}
	to.mode.Store(works)
	if err := create(t.Context()); err != nil {
		t.Errorf("asked again, the answer is %v", err)
	}
	path, _ := o.restored(t, Target{})
	if n := written(path); n != 1 {
		t.Errorf("%d of it were shipped", n)
	}
}
