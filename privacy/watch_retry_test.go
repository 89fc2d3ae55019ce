package privacy

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.org/backoffice/backoffice"
)

// awayAtFirst are receipts whose store cannot be reached for a while.
type awayAtFirst struct {
	backoffice.ReceiptStore
	tries atomic.Int64
	back  atomic.Bool
}

func (a *awayAtFirst) Names(ctx context.Context) ([]string, error) {
	a.tries.Add(1)
	if !a.back.Load() {
		return nil, errors.New("away")
	}
	return a.ReceiptStore.Names(ctx)
}

func TestReceiptsThatCannotBeReachedAtTheStartAreComparedBeforeTheNextOneIsWritten(t *testing.T) {
	t.Parallel()
	keys, store := testKeys(t), newMemoryStore()
	receipts, _ := testReceipts(t)
	heads, entries := store.state()
	before := NewVault(keys, store)
	consult(t, before, 2)
	if err := before.WriteReceipts(t.Context(), receipts); err != nil {
		t.Fatal(err)
	}
	store.putBack(heads, entries) // to its beginning
	away := &awayAtFirst{ReceiptStore: receipts}
	vault := NewVault(keys, store)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); vault.Watch(ctx, away, time.Millisecond) }()
	consult(t, vault, 1)
	wait(t, "a second attempt", func() bool { return away.tries.Load() > 2 })
	names := func() int {
		names, err := receipts.Names(t.Context())
		if err != nil {
			t.Error(err)
		}
		return len(names)
	}
	if n := names(); n != 1 {
		t.Errorf("%d receipts before they were compared", n)
	}
	away.back.Store(true)
	wait(t, "a receipt", func() bool { return names() == 2 })
	stop()
	<-ended
	if alarms := vault.Alarms(); len(alarms) == 0 || !strings.Contains(alarms[0], "receipt ") {
		t.Errorf("it says %q", alarms)
	}
	problems, count := against(t, keys, store, receipts)
	if count != 2 || strings.Contains(strings.Join(problems, " "), "previous receipt") {
		t.Errorf("%d receipts: %v", count, problems)
	}
}

func wait(t *testing.T, what string, done func() bool) {
	t.Helper()
	for range 10_000 {
		if done() {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Fatalf("no %s", what)
}

// The writer of entries and the writer of receipts meet here.
func TestAHeadThatIsRestoredNeverReplacesALaterOne(t *testing.T) {
	t.Parallel()
	r := newRegister(testKeys(t), newMemoryStore())
	for n := range int64(100_000) {
		var both sync.WaitGroup
		both.Go(func() { r.restore(backoffice.ConsultationHead{Chain: 1, Count: n}) })
		both.Go(func() { r.noteHead(backoffice.ConsultationHead{Chain: 1, Count: n + 1}) })
		both.Wait()
		if heads := r.takeHeads(); len(heads) != 1 || heads[0].Count != n+1 {
			t.Fatalf("%+v is left of %d and %d", heads, n, n+1)
		}
	}
}
