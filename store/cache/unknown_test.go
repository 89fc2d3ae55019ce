package cache_test

import (
	"context"
	"testing"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/store/cache"
	"example.org/backoffice/store/storetest"
)

func TestWhatTheCacheDoesNotKnowIsReadFromTheStoreAndTheRestOfTheBatchIsAnswered(t *testing.T) {
	t.Parallel()
	for engine, openIn := range everywhere {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			open := openIn(t)
			source, other := open(), open()
			s := before(t, source, cache.Options{Bytes: 1 << 20})
			w := &watch{Context: t.Context(), found: t.Errorf}
			read := func(ctx context.Context) (known, unknown []string, err error) {
				ctx, end := backoffice.BeginSnapshot(storetest.WithSessionOf(ctx, &backoffice.Principal{ClientID: "reader"}), s)
				defer end()
				var b backoffice.Batch
				s.Labels().Find(&b, []string{"label-0"}, 0, func(l *backoffice.Label) { known = append(known, string(l.Color)) })
				source.Labels().Find(&b, []string{"label-0"}, 0, func(l *backoffice.Label) { unknown = append(unknown, string(l.Color)) })
				return known, unknown, s.Send(ctx, &b)
			}
			for _, text := range []string{"#000000", "#111111", "#222222"} {
				write(w, other, func(ctx context.Context, tx backoffice.Tx) error {
					return tx.Labels().Upsert(ctx, []*backoffice.Label{colour(0, text)})
				})
				for range 3 {
					known, unknown, err := read(t.Context())
					if err != nil || len(known) != 1 || known[0] != text || len(unknown) != 1 || unknown[0] != text {
						t.Errorf("read %v and %v (%v), want %s", known, unknown, err, text)
					}
				}
			}
			over, cancel := context.WithCancel(t.Context())
			cancel()
			if _, unknown, err := read(over); err == nil || len(unknown) > 0 {
				t.Errorf("a request that is over reads %v", unknown)
			}
		})
	}
}
