package webhooks

import (
	"context"
	"time"

	"example.org/backoffice/backoffice"
)

// MostBehind is how far Behind counts.
const MostBehind = 10_000

const countedAtOnce = 1_000 // changes that are read at a time

// Behind counts, by webhook, the changes that each has still to be told: those of its nouns behind its place, as its
// pair may see them, and no acts of administrators; at most MostBehind. Of a webhook whose pair has ended or may read
// none of its nouns it is 0.
func Behind(ctx context.Context, store backoffice.Store, hooks []*backoffice.Webhook) (map[string]int, error) {
	all, err := store.Credentials(ctx)
	if err != nil {
		return nil, err
	}
	pairs, now, behind := byID(all), backoffice.InstantOf(time.Now()), make(map[string]int, len(hooks))
	for _, hook := range hooks {
		kinds, stop := mayTell(hook, pairs, now)
		if stop != "" {
			continue
		}
		if behind[hook.ID], err = countBehind(asPairOf(ctx, hook, pairs), store, hook.History, hook.At, kinds); err != nil {
			return nil, err
		}
	}
	return behind, nil
}

func countBehind(ctx context.Context, store backoffice.ChangeReader, history string, after int64, kinds backoffice.ChangeKinds) (n int, err error) {
	for {
		page, err := backoffice.ReadChangePage(ctx, store, backoffice.ChangeQuery{
			History: history, After: after, First: min(countedAtOnce, MostBehind-n), Kinds: kinds,
		})
		if err != nil && backoffice.KindOf(err) != backoffice.CursorExpired { // then what is kept counts
			return 0, err
		}
		if n += len(page.Changes); !page.More || n >= MostBehind { // a page may be longer than was asked
			return min(n, MostBehind), nil
		}
		after = page.Changes[len(page.Changes)-1].Sequence
	}
}
