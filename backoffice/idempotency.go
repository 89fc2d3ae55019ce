package backoffice

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"time"
)

// IdempotencyPeriod is how long a key is remembered.
const IdempotencyPeriod = 24 * time.Hour

// Idempotency is what is stored of a creating call with an idempotency key.
type Idempotency struct {
	ClientID  string
	Noun      Noun
	Key       string   // a keyed digest of what was sent, which may be anything: see SealIdempotencyKeys
	Others    []string // the digests by other keys during a key rotation, stored too
	Digest    []byte   // keyed digest of the content
	ObjectID  string   // of the created object; for a batch, its outcome as text
	CreatedAt Instant  // by the store's clock, which all gateways share
}

// IdempotencyStore stores keys, in the transaction of the write itself.
type IdempotencyStore interface {
	// RememberKey stores the entry, or returns the one of the same credential, noun and key that is not older than
	// keep. Concurrent calls wait for each other. With Others it does so for each key; any of them finds the entry.
	RememberKey(ctx context.Context, entry *Idempotency, keep time.Duration) (earlier *Idempotency, err error)
	// CompleteKey replaces the ObjectID of an entry that this transaction has stored.
	CompleteKey(ctx context.Context, entry *Idempotency) error
}

// SealIdempotencyKeys replaces the keys that an earlier version stored as they were sent, so that a retry still finds
// what was made before the upgrade. A server calls it when it opens a store.
func SealIdempotencyKeys(ctx context.Context, store Store, keys Sealer) error {
	return store.SealIdempotencyKeys(ctx, func(clientID string, noun Noun, key string) (string, error) {
		digests, err := sealIdempotencyKey(keys, clientID, noun, key)
		if err != nil {
			return "", err
		}
		return digests[0], nil
	})
}

// sealIdempotencyKey returns the digests of a key that are stored: they identify it and cannot be read.
func sealIdempotencyKey(keys Sealer, clientID string, noun Noun, key string) ([]string, error) {
	digests, err := keys.Lookups("idempotency key of a "+string(noun)+" of "+clientID, []byte(key))
	return Map(digests, hex.EncodeToString), err
}

func checkKey(key Optional[string], check *checker) {
	if text, ok := key.Get(); ok && CheckText(text, 255) != nil {
		check.add(CodeInvalid, "an idempotency key must have 1 to 255 characters", "idempotencyKey")
	}
}

type keyUse struct {
	entry   *Idempotency
	context string // of the content's digest
	content []byte
}

// keyUse prepares the entry of a call with a key; nil without a key.
func (s *Service) keyUse(
	by *Principal, noun Noun, key Optional[string], content any, objectID string,
) (*keyUse, error) {
	text, keyed := key.Get()
	if !keyed {
		return nil, nil
	}
	u := &keyUse{context: "idempotency key of a " + string(noun)}
	var err error
	if u.content, err = json.Marshal(content); err != nil { // sorts the names of values
		return nil, Fault(err, "encoding the content of a call")
	}
	u.entry = &Idempotency{ClientID: by.ClientID, Noun: noun, ObjectID: objectID}
	if u.entry.Digest, err = s.Keys.Digest(u.context, u.content); err != nil {
		return nil, err
	}
	digests, err := sealIdempotencyKey(s.Keys, by.ClientID, noun, text)
	if err != nil {
		return nil, err
	}
	u.entry.Key, u.entry.Others = digests[0], digests[1:]
	return u, nil
}

// useKey stores the key and returns "", or the ObjectID of an earlier use. Refused with IDEMPOTENCY_KEY_REUSED when the
// earlier content was different.
func (s *Service) useKey(ctx context.Context, tx Tx, u *keyUse) (earlier string, err error) {
	if u == nil {
		return "", nil
	}
	entry := *u.entry
	known, err := tx.RememberKey(ctx, &entry, IdempotencyPeriod)
	switch {
	case err != nil || known == nil:
		return "", err
	case !s.Keys.SameContent(u.context, u.content, known.Digest):
		return "", refused(CodeIdempotencyKeyReused,
			"the idempotency key was used with other content", "idempotencyKey")
	}
	return known.ObjectID, nil
}

// goneSince is the error for a key whose object was deleted.
func goneSince(noun Noun) *UserError {
	message := "the " + string(noun) + " created with this idempotency key has been deleted"
	return &UserError{Code: CodeNotFound, Message: message, Field: []string{"idempotencyKey"}}
}
