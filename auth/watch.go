package auth

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"example.org/backoffice/backoffice"
)

const (
	keepAfter   = time.Minute     // between two writes of which pairs were used
	warnAfter   = time.Hour       // between two looks at which pairs end soon
	lastWrite   = 2 * time.Second // when the server stops
	daySeconds  = 24 * 60 * 60
	keptAtATime = 500 // pairs
)

// use is on which day a pair was used last. A request writes it at most once a day, and only into memory.
type use struct {
	day  atomic.Int64 // days since 1970, UTC
	kept atomic.Int64 // the day that the store knows
}

func (u *use) note(now time.Time) {
	if today := now.Unix() / daySeconds; u.day.Load() < today {
		u.day.Store(today)
	}
}

func (a *Authenticator) useOf(c *backoffice.Credential) *use {
	known, _ := a.used.LoadOrStore(c.ID, &use{})
	u := known.(*use)
	if kept := c.LastUsedAt.Milliseconds() / (daySeconds * 1000); u.kept.Load() < kept {
		u.kept.Store(kept)
	}
	return u
}

// Watch does what is to be done about pairs and keeps no request waiting, until ctx ends: it has the store keep the
// day on which each was used last, with the last ones when ctx has ended, and warns of those that end soon, of each
// once a day.
func (a *Authenticator) Watch(ctx context.Context, log *slog.Logger) {
	w := &watch{Authenticator: a, log: log, warned: map[string]int64{}}
	w.warn(ctx)
	looked := a.now()
	backoffice.Every(ctx, keepAfter, func() {
		w.keep(ctx)
		if now := a.now(); now.Sub(looked) >= warnAfter {
			w.warn(ctx)
			looked = now
		}
	})
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastWrite)
	defer cancel()
	w.keep(last)
}

type watch struct {
	*Authenticator
	log    *slog.Logger
	warned map[string]int64 // on which day of which pair
	failed bool             // the last write did
}

// keep has the store keep what it does not know: a statement for each day of which there is something to tell, which
// is today, and yesterday after midnight.
func (w *watch) keep(ctx context.Context) {
	byDay := map[int64][]string{}
	w.used.Range(func(id, known any) bool {
		u := known.(*use)
		if day := u.day.Load(); u.kept.Load() < day {
			byDay[day] = append(byDay[day], id.(string))
		}
		return true
	})
	for day, ids := range byDay {
		for ; len(ids) > 0; ids = ids[min(len(ids), keptAtATime):] {
			some := ids[:min(len(ids), keptAtATime)]
			err := w.store.CredentialsUsed(ctx, some, backoffice.InstantOf(time.Unix(day*daySeconds, 0)))
			if err != nil {
				if !w.failed && ctx.Err() == nil {
					w.log.WarnContext(ctx, "which credential pairs were used could not be kept; it is tried again", "cause", err)
				}
				w.failed = true
				return
			}
			for _, id := range some {
				known, _ := w.used.Load(id)
				known.(*use).kept.Store(day)
			}
		}
	}
	w.failed = false
}

// warn tells of pairs that end soon.
func (w *watch) warn(ctx context.Context) {
	reading, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	pairs, err := w.store.Credentials(reading)
	if err != nil {
		return // which requests notice, too; it is looked again
	}
	now := w.now()
	today := now.Unix() / daySeconds
	for _, pair := range pairs {
		days, soon := pair.EndsSoon(backoffice.InstantOf(now))
		if last, told := w.warned[pair.ID]; !soon || told && last == today {
			continue
		}
		w.warned[pair.ID] = today
		w.log.WarnContext(ctx, "a credential pair ends soon: credentials extend gives it another end", "client", pair.ID, "days", days, "expiresAt", pair.ExpiresAt.String())
	}
}
