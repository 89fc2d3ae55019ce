package gateway

import (
	"context"
	"net/http"
	"sync/atomic"
	"time"

	"example.org/backoffice/backoffice"
)

type MirrorSettings struct {
	// Through, if set, returns the origin of a store, which does the writes of mirrored records.
	Through func(backoffice.Store) backoffice.Origin `kong:"-"`

	MaxAge time.Duration `name:"mirror-max-age" env:"BACKOFFICE_MIRROR_MAX_AGE" placeholder:"TIME" help:"Report not ready if any noun of a mirror has not been completely read for this long, such as 1h; 0 for any age (${default})." default:"0"`
}

// mirrorHeader reports up to when a mirror's answers are complete.
const mirrorHeader = "Mirrored-At"

// mirrorPoll is how often a server reads the state of the mirror from the store.
const mirrorPoll = time.Second

type mirror struct {
	store backoffice.Store
	MirrorSettings
	known atomic.Pointer[backoffice.Mirror]
}

func (m *mirror) poll(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, mirrorPoll)
	defer cancel()
	if found, err := m.store.Mirror(ctx); err == nil {
		m.known.Store(found)
	}
}

func (m *mirror) watch(ctx context.Context) {
	backoffice.Every(ctx, mirrorPoll, func() { m.poll(ctx) })
}

// ready reports whether the store answers, and a mirror is not too old.
func (m *mirror) ready(ctx context.Context) error {
	if err := m.store.Ping(ctx); err != nil {
		return err
	}
	known, now := m.known.Load(), time.Now()
	if known == nil || m.MaxAge == 0 {
		return nil
	}
	for i := range known.Nouns {
		if n := &known.Nouns[i]; known.Age(n, now) > m.MaxAge {
			return backoffice.Errorf(backoffice.Unavailable, "the mirror is stale: every %s was last read at %s",
				n.Noun, max(n.At, known.Since))
		}
	}
	return nil
}

// marks adds the time up to which a mirror is complete to each of its answers.
func (m *mirror) marks(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if known := m.known.Load(); known != nil {
			if at := known.At(); at != 0 {
				w.Header().Set(mirrorHeader, at.String())
			}
		}
		next.ServeHTTP(w, r)
	})
}

func (m *mirror) measure(s server) {
	for _, of := range backoffice.Nouns {
		noun := of.Name()
		s.http.Gauge("backoffice_mirror_age_seconds", "Seconds since every record of a noun was known to match the origin; -1 if it is not mirrored.", func() int64 {
			known := m.known.Load()
			mirrored := known.Of(noun)
			if mirrored == nil {
				return -1
			}
			return int64(known.Age(mirrored, time.Now()).Seconds())
		}, "noun", noun.APIName())
	}
	s.http.Count("backoffice_mirror_incomplete_walks_total",
		"Sweeps of a noun at the origin that did not see every record.", func() (total int64) {
			if known := m.known.Load(); known != nil {
				for _, n := range known.Nouns {
					total += n.Incomplete
				}
			}
			return total
		})
}
