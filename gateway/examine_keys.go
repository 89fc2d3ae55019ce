package gateway

import (
	"context"
	"fmt"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/privacy"
)

// examineKeys checks whether the keyset's keys seal the store's values, and whether a key rotation is unfinished.
func examineKeys(ctx context.Context, keys *privacy.Keyset, store backoffice.Store, tell func(backoffice.Finding)) {
	if err := keys.Fits(ctx, store); err != nil {
		tell(backoffice.Fail("keyset", err.Error(),
			"pass this database's keyset with --keyset: without it the registration numbers cannot be read"))
		return
	}
	listed, err := store.Keys(ctx)
	if err != nil {
		tell(backoffice.Fail("keyset", err.Error(), "see the log of the server that has the database open"))
		return
	}
	for _, key := range listed {
		switch key.State {
		case backoffice.KeyNext:
			tell(backoffice.Warn("keyset", fmt.Sprintf("the key %s is waiting to become the primary", key.ID),
				"run backoffice keys rotate again"))
		case backoffice.KeyOld, backoffice.KeyClosing:
			tell(backoffice.Warn("keyset",
				fmt.Sprintf("the key %s was replaced, and not everything it sealed has been resealed", key.ID),
				"run backoffice keys reseal"))
		case backoffice.KeyClosed:
			tell(backoffice.Warn("keyset", fmt.Sprintf("the key %s is no longer needed for registration numbers",
				key.ID), "run backoffice keys retire "+key.ID))
		}
	}
}
