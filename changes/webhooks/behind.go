package webhooks

import (
	"context"
	"time"

	"example.org/backoffice/backoffice"
)

// MostBehind is how far Behind counts.
const MostBehind = 10_000

const countedAtOnce = 1_000 // changes that are read at a time

// Behind counts, by webhook, the changes of its nouns after its cursor that its credential may see, without acts of
// administrators; at most MostBehind. A webhook whose credential has ended or may read none of its nouns has 0.
func Behind(ctx context.Context, store backoffice.Store, hooks []*backoffice.Webhook) (map[string]int, error) {
	all, err := store.Credentials(ctx)
	if err != nil {
		return nil, err
	}
	credentials, now, behind := byID(all), backoffice.InstantOf(time.Now()), make(map[string]int, len(hooks))
	for _, hook := range hooks {
		kinds, stop := mayTell(hook, credentials, now)
		if stop != "" {
			continue
		}
		behind[hook.ID], err = countBehind(asOwner(ctx, hook, credentials), store, hook.History, hook.At, kinds)
		if err != nil {
			return nil, err
		}
	}
	return behind, nil
}

func countBehind(ctx context.Context, store backoffice.ChangeReader, history string, after int64,
	kinds backoffice.ChangeKinds) (n int, err error) {
	for {
		page, err := backoffice.ReadChangePage(ctx, store, backoffice.ChangeQuery{
			History: history, After: after, First: min(countedAtOnce, MostBehind-n), Kinds: kinds,
		})
		if err != nil && backoffice.KindOf(err) != backoffice.CursorExpired { // then it counts what is kept
			return 0, err
		}
		if n += len(page.Changes); !page.More || n >= MostBehind { // a page may exceed its limit
			return min(n, MostBehind), nil
		}
		after = page.Changes[len(page.Changes)-1].Sequence
	}
}
