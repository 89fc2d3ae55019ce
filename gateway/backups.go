package gateway

import (
	"context"
	"sync/atomic"
	"time"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/store/sqlite"
)

// backups knows when the embedded store was last copied. PostgreSQL has backups of its own.
type backups struct {
	store backoffice.Store
	last  atomic.Int64 // a backoffice.Instant; zero for none
}

func (b *backups) embedded() bool {
	_, embedded := b.store.(*sqlite.Store)
	return embedded
}

func (b *backups) poll(ctx context.Context) {
	if at, _, err := backoffice.LastDone(ctx, b.store, backoffice.DoneBackup); err == nil {
		b.last.Store(int64(at))
	}
}

func (b *backups) watch(ctx context.Context) {
	if !b.embedded() {
		return
	}
	b.poll(ctx)
	backoffice.Every(ctx, time.Minute, func() { b.poll(ctx) })
}

func (b *backups) measure(s server) {
	if !b.embedded() {
		return
	}
	s.http.Gauge("backoffice_backup_age_seconds", "How old the last whole backup is; -1 when there was none.",
		func() int64 {
			at := backoffice.Instant(b.last.Load())
			if at.IsZero() {
				return -1
			}
			return int64(time.Since(at.Time()).Seconds())
		})
}
