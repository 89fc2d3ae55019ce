package backoffice

import (
	"context"
	"encoding/hex"
	"time"
)

// IdempotencyPeriod is how long a key is remembered.
const IdempotencyPeriod = 24 * time.Hour

// Idempotency is what is remembered of a creating call with an idempotency key.
type Idempotency struct {
	ClientID  string
	Noun      Noun
	Key       string // a keyed digest of what was sent, which may be anything: see SealIdempotencyKeys
	Digest    []byte // keyed digest of the content
	ObjectID  string // what was created
	CreatedAt Instant
}

// IdempotencyStore remembers keys, inside the transaction of the write itself.
type IdempotencyStore interface {
	// RememberKey stores the entry unless one younger than notBefore exists for the same pair, noun and key: then it
	// returns that one and stores nothing. Concurrent calls wait for each other's transactions, so exactly one stores.
	RememberKey(ctx context.Context, entry *Idempotency, notBefore Instant) (earlier *Idempotency, err error)
}

// SealIdempotencyKeys replaces the keys that an earlier version kept as they were sent, so that a retry still finds what
// was made before the upgrade. A server calls it when it opens a store; where there are none it only looks.
func SealIdempotencyKeys(ctx context.Context, store Store, keys Sealer) error {
	return store.SealIdempotencyKeys(ctx, func(clientID string, noun Noun, key string) (string, error) {
		return sealIdempotencyKey(keys, clientID, noun, key)
	})
}

// sealIdempotencyKey is what is kept of a key: it can be found again, and cannot be read.
func sealIdempotencyKey(keys Sealer, clientID string, noun Noun, key string) (string, error) {
	digest, err := keys.Lookup("idempotency key of a "+string(noun)+" of "+clientID, []byte(key))
	return hex.EncodeToString(digest), err
}
