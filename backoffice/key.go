package backoffice

import (
	"context"
	"time"
)

type KeyState string

// The states, in the order in which a key goes through them.
const (
	KeyNext    KeyState = "next"    // servers load it; it seals nothing yet
	KeyPrimary KeyState = "primary" // seals new values
	KeyOld     KeyState = "old"     // seals nothing new; its sealed values are still stored
	KeyClosing KeyState = "closing" // like old; no program may seal by it
	KeyClosed  KeyState = "closed"  // no number is sealed by it
)

// Key is what a store knows of a key: all but the key itself.
type Key struct {
	ID          string
	Fingerprint string
	Prefix      []byte // of everything that it sealed
	State       KeyState
	MadeAt      Instant
	TurnedAt    Instant // when it became the primary, zero for never
	ClosedAt    Instant
	Asked       bool // searches for numbers use it too
}

// KeyUser is a program that has the keyset open.
type KeyUser struct {
	ID    string
	Name  string   // for the operator
	Knows []string // the store's keys that it has
	Seals string   // the key that it seals with
	Until Instant
}

// KeyLag is for how many milliseconds searches use a key after it was closed. No replica in use lags as much.
const KeyLag = 60_000

// SealedThing is a kind of what keys seal or sign in a store.
type SealedThing string

// What is sealed, signed or kept as a keyed digest.
const (
	SealedNumbers     SealedThing = "numbers"     // of customers, with their blind index
	SealedTrash       SealedThing = "trash"       // numbers of deleted customers
	SealedWebhooks    SealedThing = "webhooks"    // their secrets
	SealedIdempotency SealedThing = "idempotency" // contents of calls with an idempotency key
	SealedRegister    SealedThing = "register"    // entries and heads of the register of consultations
)

// SealedCount counts the sealed values with a prefix, which identifies the key.
type SealedCount struct {
	Of     SealedThing
	Prefix string // bytes
	Count  int64
}

// PrefixSize is how many bytes identify the key.
const PrefixSize = 5

// Resealed is a row whose sealed values Reseal replaces, unless they have changed from Before.
type Resealed struct {
	ID            string
	Before, After [2]Sealed // in the order of AllPrivacyFields
}

// KeyStore keeps the state of keys, counts what they have sealed and replaces it. It reads from and writes to the
// primary, never a replica. Times are by the store's clock.
type KeyStore interface {
	// ClaimedKeyset returns the fingerprint of the store's keyset, "" when no keyset has claimed it.
	ClaimedKeyset(ctx context.Context) (string, error)
	Keys(ctx context.Context) ([]Key, error)
	// AddKey adds a key; an existing one with its identifier stays. A primary is added only where there are none.
	AddKey(ctx context.Context, key Key) error
	// UseKeys stores, for a time, which keys a program knows, and returns the keys as they are then. No key is rotated
	// between the two.
	UseKeys(ctx context.Context, user KeyUser, milliseconds int64) ([]Key, error)
	// OnlyWriterSince is when a transaction of this program took the lock that keeps every other program from writing,
	// zero when none has it. Until it commits, which renews what UseKeys stored, no key is rotated.
	OnlyWriterSince() time.Time
	EndKeyUse(ctx context.Context, id string) error
	// KeyUsers returns the programs whose time is not over.
	KeyUsers(ctx context.Context) ([]KeyUser, error)
	// PromoteKey makes the next key the primary, and the previous primary an old one. If programs do not know the key,
	// it returns them and changes nothing.
	PromoteKey(ctx context.Context, id string) (lacking []KeyUser, err error)
	// CloseKey sets an old key to closing. If programs seal by it, it returns them and changes nothing. When it returns
	// none, every earlier write is done, and no later one seals a number by the key.
	CloseKey(ctx context.Context, id string) (using []KeyUser, err error)
	// ClosedKey sets a closing key to closed: no number is sealed by it.
	ClosedKey(ctx context.Context, id string) error
	// RemoveKey removes a closed key, or one that waits to become the primary: nothing is sealed by it.
	RemoveKey(ctx context.Context, id string) error
	SealedCounts(ctx context.Context) ([]SealedCount, error)
	// NumbersNotBy returns customers after an identifier that have a number with another prefix.
	NumbersNotBy(ctx context.Context, prefix []byte, after string, limit int) ([]Resealed, error)
	CountNumbersNotBy(ctx context.Context, prefix []byte) (int64, error)
	// Reseal replaces sealed values, and nothing else of a row: no version, no time and no entry of the change log. It
	// skips rows that were written since.
	Reseal(ctx context.Context, rows []Resealed) error
	// ResealTrash has change replace the numbers of customers in the trash, one deletion after the other.
	ResealTrash(ctx context.Context, change func(*Customer) (changed bool, err error)) error
	ResealWebhooks(ctx context.Context, change func(id string, sealed []byte) ([]byte, error)) error
}
