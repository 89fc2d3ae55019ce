package mirror

import (
	"context"
	"sync"
	"time"
)

// budget spreads requests over the hour.
type budget struct {
	mu      sync.Mutex
	perHour int
	next    time.Time // before which none is sent
}

// burst is how much of the hour's budget may be spent at once.
const burst = time.Minute

// newBudget allows so many requests an hour, nil for 0: any number.
func newBudget(perHour int) *budget {
	if perHour <= 0 {
		return nil
	}
	return &budget{perHour: perHour, next: time.Now().Add(-burst)}
}

// spend waits until a request may be sent.
func (b *budget) spend(ctx context.Context) error {
	if b == nil {
		return nil
	}
	b.mu.Lock()
	now := time.Now()
	if earliest := now.Add(-burst); b.next.Before(earliest) {
		b.next = earliest
	}
	b.next = b.next.Add(time.Hour / time.Duration(b.perHour))
	wait := b.next.Sub(now)
	b.mu.Unlock()
	if wait <= 0 {
		return nil
	}
	return sleep(ctx, wait)
}
