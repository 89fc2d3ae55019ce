package ship

import (
	"context"
	"errors"
	"strings"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/store/sqlite"
)

// A stand-by that is promoted gives its store, and the place, a name that the store before does not have. So that one,
// should its server come back, ships there no more.

var errPromoted = errors.New("a stand-by of this store was promoted: what is written here is shipped no more, " +
	"and is in no other copy; stop this server, or, if an earlier backup was restored, ship to an empty place")

// nameOf is the name of a store at its place: its fingerprint, and that of its last promotion.
func nameOf(ctx context.Context, store *sqlite.Store) (string, error) {
	fingerprint, err := store.Fingerprint(ctx)
	if err != nil {
		return "", err
	}
	_, promotion, err := backoffice.LastDone(ctx, store, backoffice.DonePromotion)
	return promoted(fingerprint, promotion), err
}

func promoted(fingerprint, promotion string) string {
	if promotion == "" {
		return fingerprint
	}
	return fingerprint + "." + promotion
}

func (o owner) fingerprint() string {
	fingerprint, _, _ := strings.Cut(o.store, ".")
	return fingerprint
}

// Promotion is that of the store that is shipped to the place, "" for none.
func (p Place) Promotion(ctx context.Context) (string, error) {
	mark, err := readOwner(ctx, p.From)
	_, promotion, _ := strings.Cut(mark.store, ".")
	return promotion, err
}

// Promote gives the place to the store of a promotion. The caller must hold it.
func (p Place) Promote(ctx context.Context, promotion string) error {
	mark, err := readOwner(ctx, p.From)
	if err != nil {
		return err
	}
	err = p.From.Put(ctx, ownerName, owner{promoted(mark.fingerprint(), promotion), mark.key}.content())
	if now, _ := p.Promotion(ctx); now == promotion { // even if the answer was lost
		return nil
	}
	return err
}
