package auth

import (
	"context"
	"log/slog"
	"slices"
	"sync/atomic"
	"time"

	"example.org/backoffice/backoffice"
)

const (
	keepAfter   = time.Minute     // between writes of last uses
	warnAfter   = time.Hour       // between checks for credentials that end soon
	lastWrite   = 2 * time.Second // when the server stops
	daySeconds  = 24 * 60 * 60
	keptAtATime = 500 // credentials
)

// use is the day on which a credential was last used. A request writes it at most once a day, in memory only.
type use struct {
	day  atomic.Int64 // days since 1970, UTC
	kept atomic.Int64 // the day in the store
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

// Watch does the work that keeps no request waiting, until ctx ends: it stores the day on which each credential was
// last used, a last time when ctx has ended, and warns once a day of each credential that ends soon.
func (a *Authenticator) Watch(ctx context.Context, log *slog.Logger) {
	w := &watch{Authenticator: a, log: log, warned: map[string]int64{}}
	w.warn(ctx)
	checked := a.now()
	backoffice.Every(ctx, keepAfter, func() {
		w.keep(ctx)
		if now := a.now(); now.Sub(checked) >= warnAfter {
			w.warn(ctx)
			checked = now
		}
	})
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastWrite)
	defer cancel()
	w.keep(last)
}

// Ending is how many credentials end soon, as Watch last found.
func (a *Authenticator) Ending() int64 { return a.ending.Load() }

type watch struct {
	*Authenticator
	log    *slog.Logger
	warned map[string]int64 // the day, by client id
	failed bool             // the last write failed
}

// keep stores what the store does not know yet, one statement per day: for today and, after midnight, yesterday.
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
		for some := range slices.Chunk(ids, keptAtATime) {
			err := w.store.CredentialsUsed(ctx, some, backoffice.InstantOf(time.Unix(day*daySeconds, 0)))
			if err != nil {
				if !w.failed && ctx.Err() == nil {
					w.log.WarnContext(ctx,
						"cannot record which credentials were used; will retry", "cause", err)
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

func (w *watch) warn(ctx context.Context) {
	reading, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	credentials, err := w.store.Credentials(reading)
	if err != nil {
		return // requests notice, too; the next check tries again
	}
	now := w.now()
	today := now.Unix() / daySeconds
	ending := int64(0)
	for _, credential := range credentials {
		days, soon := credential.EndsSoon(backoffice.InstantOf(now))
		if soon {
			ending++
		}
		if last, told := w.warned[credential.ID]; !soon || told && last == today {
			continue
		}
		w.warned[credential.ID] = today
		w.log.WarnContext(ctx, "a credential expires soon: extend it with credentials extend",
			"client", credential.ID, "days", days, "expiresAt", credential.ExpiresAt.String())
	}
	w.ending.Store(ending)
}
