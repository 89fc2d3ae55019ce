package backoffice

import (
	"context"
	"time"
)

// IdempotencyPeriod is how long a key is remembered.
const IdempotencyPeriod = 24 * time.Hour

// Idempotency is what is remembered of a creating call with an idempotency key.
type Idempotency struct {
	ClientID  string
	Noun      Noun
	Key       string
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
