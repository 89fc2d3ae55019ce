package gateway

import (
	"context"
	"sync/atomic"
	"time"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/store/sqlite"
)

// measureBackups measures the embedded store: PostgreSQL has backups of its own.
func measureBackups(s server, store backoffice.Store) {
	if _, embedded := store.(*sqlite.Store); embedded {
		s.http.Gauge("backoffice_backup_age_seconds", "How old the last whole backup is; -1 when there was none.",
			ageOf(store, backoffice.DoneBackup))
	}
}

// ageOf returns a gauge of how many seconds ago a task was last done, -1 for never. While the store fails, it goes by
// the last known time.
func ageOf(store backoffice.LeaseStore, task string) func() int64 {
	var last atomic.Int64 // a backoffice.Instant
	return func() int64 {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		if at, _, err := backoffice.LastDone(ctx, store, task); err == nil {
			last.Store(int64(at))
		}
		at := backoffice.Instant(last.Load())
		if at.IsZero() {
			return -1
		}
		return int64(time.Since(at.Time()).Seconds())
	}
}
