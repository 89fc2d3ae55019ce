package backoffice

import (
	"context"
	"time"
)

type KeyState string

// The states, in the order in which a key goes through them.
const (
	KeyNext    KeyState = "next"    // servers get to know it; it seals nothing yet
	KeyPrimary KeyState = "primary" // seals what is new
	KeyOld     KeyState = "old"     // what it has sealed is there still
	KeyClosing KeyState = "closing" // as old, and no more may come
	KeyClosed  KeyState = "closed"  // no number is sealed by it
)

// Key is what a store knows of a key: all but the key itself.
type Key struct {
	ID          string
	Fingerprint string
	Prefix      []byte // with which what it has sealed begins
	State       KeyState
	MadeAt      Instant
	TurnedAt    Instant // when it became the primary, zero for never
	ClosedAt    Instant
	Asked       bool // numbers are searched for by it as well
}

// KeyUser is a program that has the keyset open.
type KeyUser struct {
	ID    string
	Name  string   // for the operator
	Knows []string // the store's keys that it has
	Seals string   // the key by which it seals
	Until Instant
}

// KeyLag is for how many milliseconds after a key was closed it is still searched by: no replica that is asked is behind
// by as much.
const KeyLag = 60_000

// SealedThing is a kind of what keys seal or sign in a store.
type SealedThing string

// What is sealed, signed or kept as a keyed digest.
const (
	SealedNumbers     SealedThing = "numbers"     // of customers; the index by which one is found goes with it
	SealedTrash       SealedThing = "trash"       // numbers of what was deleted
	SealedWebhooks    SealedThing = "webhooks"    // their secrets
	SealedIdempotency SealedThing = "idempotency" // contents of calls that are remembered
	SealedRegister    SealedThing = "register"    // entries and heads of the register of consultations
)

// SealedCount is how many there are that begin with a prefix, which tells the key.
type SealedCount struct {
	Of     SealedThing
	Prefix string // bytes
	Count  int64
}

// PrefixSize is how many bytes tell the key.
const PrefixSize = 5

// Resealed is a row whose sealed values are to be exchanged, unless it holds others by now.
type Resealed struct {
	ID            string
	Before, After [2]Sealed // in the order of AllPrivacyFields
}

// KeyStore keeps the state of keys, counts what they have sealed and exchanges it. What is read and written here is of
// the primary, never a replica's. Times are the store's own.
type KeyStore interface {
	// ClaimedKeyset is the fingerprint that the store was filled with, "" when no keyset has claimed it.
	ClaimedKeyset(ctx context.Context) (string, error)
	Keys(ctx context.Context) ([]Key, error)
	// AddKey adds one; when there is one of its identifier already, that stays as it is. A primary is added only where
	// there are none.
	AddKey(ctx context.Context, key Key) error
	// UseKeys notes, for a time, what a program knows, and returns the keys as they are then. No key turns between the
	// two.
	UseKeys(ctx context.Context, user KeyUser, milliseconds int64) ([]Key, error)
	// OnlyWriterSince is when a transaction of this program took the lock that keeps every other program from writing,
	// zero when none holds it. Until it commits, which renews what UseKeys noted, no key turns.
	OnlyWriterSince() time.Time
	EndKeyUse(ctx context.Context, id string) error
	// KeyUsers are the programs whose time is not over.
	KeyUsers(ctx context.Context) ([]KeyUser, error)
	// TurnKey makes the next key the primary, and the primary before it an old one, unless there are programs that do
	// not know it: these are returned, and nothing is changed then.
	TurnKey(ctx context.Context, id string) (lacking []KeyUser, err error)
	// CloseKey brings an old key to closing, unless there are programs that seal by it: these are returned then. When
	// it returns none, every write that began before is done, and none that comes seals a number by it.
	CloseKey(ctx context.Context, id string) (using []KeyUser, err error)
	// ClosedKey says of a closing key that no number is sealed by it.
	ClosedKey(ctx context.Context, id string) error
	RemoveKey(ctx context.Context, id string) error
	SealedCounts(ctx context.Context) ([]SealedCount, error)
	// NumbersNotBy lists customers behind an identifier that have a number which begins with another prefix.
	NumbersNotBy(ctx context.Context, prefix []byte, after string, limit int) ([]Resealed, error)
	CountNumbersNotBy(ctx context.Context, prefix []byte) (int64, error)
	// Reseal exchanges sealed values, and nothing else of a row: no version, no moment and no entry of the change log.
	// It leaves rows alone that were written since.
	Reseal(ctx context.Context, rows []Resealed) error
	// ResealTrash has change exchange the numbers of customers in the trash, one deletion after the other.
	ResealTrash(ctx context.Context, change func(*Customer) (changed bool, err error)) error
	ResealWebhooks(ctx context.Context, change func(id string, sealed []byte) ([]byte, error)) error
}
