package backoffice

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"
)

// Service does what callers may do to the records: each method is one write of the APIs or of the command line, with all
// its rules, in one transaction together with its entry of the change log and its idempotency key.
//
// Every method that has a Principal checks its scopes (Forbidden). What the caller can fix is Refused, with the paths of
// GraphQL's inputs; nothing was written then. Other kinds are the store's: Unavailable, Timeout, Internal.
// An Service may be used by any number of callers at once.
type Service struct {
	Store     Store
	Files     FileStore
	Keys      Sealer
	Documents Documents        // nil: no documents can be generated
	Now       func() time.Time // nil: time.Now
}

// Sealer keeps registration numbers and the contents of calls from being read back.
type Sealer interface {
	// Seal encrypts a registration number (11 digits) for one field of one customer.
	Seal(customerID string, field PrivacyField, number string) (Sealed, error)
	// Digest is a keyed digest of a content; the context keeps different uses apart.
	Digest(context string, content []byte) ([]byte, error)
	// Lookup is a keyed digest by which a content is found again: it stays the same for good, also when keys change.
	Lookup(context string, content []byte) ([]byte, error)
	// Confirmed notes that the caller in ctx has learned that these fields of a customer hold the numbers it sent: a
	// search that found the customer. It fails where nothing can be noted.
	Confirmed(ctx context.Context, customerID string, fields ...PrivacyField) error
	// SameContent says whether a digest was made of this content in this context.
	SameContent(context string, content, digest []byte) bool
}

func (s *Service) now() time.Time {
	if s.Now != nil {
		return s.Now()
	}
	return time.Now()
}

func require(by *Principal, scope Scope) error {
	if !by.Has(scope) {
		return MissingScope(scope)
	}
	return nil
}

// maxRaces is how often an update starts again because another one came between its reading and its writing. Each time
// that other one got somewhere, so reaching the bound takes a crowd that does nothing else.
const maxRaces = 50

// write runs a transaction. When do says that it lost a race, it starts again from what is stored now.
func (s *Service) write(ctx context.Context, do func(ctx context.Context, tx Tx) (raced bool, err error)) error {
	for range maxRaces {
		var raced bool
		err := s.Store.Write(ctx, func(ctx context.Context, tx Tx) (err error) {
			raced, err = do(ctx, tx)
			return err
		})
		if err == nil || !raced {
			return err
		}
	}
	return Errorf(Unavailable, "too many writes of one object at once; try again")
}

// lost says whether an update of a row that was just read found a newer one: another transaction came between.
func lost(err error) bool {
	known, ok := err.(*Error)
	return ok && known.Kind == Refused && known.UserErrors[0].Code == CodeStaleVersion
}

// finding is Find, for what is asked together.
func finding[T any, C comparable](rows Reader[T, C], id string, row *T, ok *bool) func(context.Context) error {
	return func(ctx context.Context) (err error) {
		*row, *ok, err = Find(ctx, rows, id)
		return err
	}
}

// unknown is the refusal to change or delete what is not there.
func unknown(noun Noun, field ...string) error {
	return Refuse(&UserError{Code: CodeNotFound, Message: "no " + string(noun) + " has this identifier", Field: field})
}

// Versions guards a write against lost updates: the object has to have one of them. Nil is a caller who does not care.
type Versions []int

// OnlyVersion guards with one version, if there is one.
func OnlyVersion(expected *int) Versions {
	if expected == nil {
		return nil
	}
	return Versions{*expected}
}

func checkVersion(expected Versions, version int) error {
	if expected != nil && !slices.Contains(expected, version) {
		return Refuse(&UserError{Code: CodeStaleVersion, Message: "the object was changed since this version", Field: []string{"expectedVersion"}})
	}
	return nil
}

// values are the values of a record that a caller can set, by their names in GraphQL's inputs, without those that are
// missing. Two records with equal fields have nothing to tell them apart but identifier, version and time.
type values map[string]string

func (v values) set(name, value string) {
	if value != "" {
		v[name] = value
	}
}

// names lists what the change log tells of the fields: the name of an address for each of its parts.
func (v values) names() []string {
	names := make([]string, 0, len(v))
	for name := range v {
		name, _, _ = strings.Cut(name, ".")
		names = append(names, name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// changed are the fields that are not the same in both.
func (v values) changed(other values) values {
	changed := values{}
	for _, both := range []values{v, other} {
		for name, value := range both {
			if v[name] != other[name] {
				changed[name] = value
			}
		}
	}
	return changed
}

// creation is a call that makes one object.
type creation[T any, C comparable] struct {
	by      *Principal
	action  string
	table   *Table[T]
	made    *T
	at      Instant          // when the object says that it was created; zero: now
	key     Optional[string] // the idempotency key
	content values           // all that was asked for, in its canonical form
	wrong   checker          // what is wrong without looking into the store

	rows  func(Tx) Writer[*T, C]
	look  func(ctx context.Context, tx Tx) error // reads what the object is checked against; nil: nothing
	check func(check *checker)                   // holds the object to it
}

// checkKey refuses a key that cannot be one.
func (c *creation[T, C]) checkKey() {
	key, ok := c.key.Get()
	if ok && CheckText(key, 255) != nil {
		c.wrong.add(CodeInvalid, "an idempotency key has 1 to 255 characters", "idempotencyKey")
	}
}

// create makes the object once per idempotency key: it checks and writes it; or, when the key was used for the same content
// within IdempotencyPeriod, reads the object again that was made then.
func create[T any, C comparable](ctx context.Context, s *Service, c creation[T, C]) (*T, error) {
	c.checkKey()
	noun, id := c.table.Noun, *c.table.ID(c.made)
	key, keyed := c.key.Get()
	use := "idempotency key of a " + string(noun)
	content, err := json.Marshal(c.content) // sorts the names
	if err != nil {
		return nil, Fault(err, "encoding the content of a call")
	}
	var digest []byte
	if keyed {
		if digest, err = s.Keys.Digest(use, content); err != nil {
			return nil, err
		}
		if key, err = sealIdempotencyKey(s.Keys, c.by.ClientID, noun, key); err != nil {
			return nil, err
		}
	}
	now := c.at
	if now.IsZero() {
		now = InstantOf(s.now())
	}
	var made *T
	err = s.write(ctx, func(ctx context.Context, tx Tx) (bool, error) {
		check := &checker{found: slices.Clone(c.wrong.found)}
		var earlier *Idempotency
		err := tx.Together(ctx, func(ctx context.Context) (err error) {
			if keyed && len(check.found) == 0 {
				entry := &Idempotency{ClientID: c.by.ClientID, Noun: noun, Key: key, Digest: digest, ObjectID: id, CreatedAt: now}
				earlier, err = tx.RememberKey(ctx, entry, InstantOf(s.now().Add(-IdempotencyPeriod)))
			}
			return err
		}, func(ctx context.Context) error {
			if c.look == nil || earlier != nil {
				return nil
			}
			return c.look(ctx, tx)
		})
		switch {
		case err != nil:
			return false, err
		case earlier != nil && !s.Keys.SameContent(use, content, earlier.Digest):
			return false, Refuse(&UserError{Code: CodeIdempotencyKeyReused, Message: "the idempotency key was used for another content", Field: []string{"idempotencyKey"}})
		case earlier != nil:
			var there bool
			if made, there, err = Find(ctx, c.rows(tx), earlier.ObjectID); err == nil && !there {
				err = Refuse(&UserError{Code: CodeNotFound, Message: "the " + string(noun) + " that was made with this idempotency key has been deleted", Field: []string{"idempotencyKey"}})
			}
			return false, err
		}
		if c.check != nil {
			c.check(check)
		}
		if err := check.refusal(); err != nil {
			return false, err
		}
		made = c.made
		if err := c.rows(tx).Insert(ctx, made); err != nil {
			return false, err
		}
		return false, tx.LogChanges(ctx, &Change{At: now, ClientID: c.by.ClientID, Action: c.action, Noun: noun, ObjectID: id, Fields: c.content.names()})
	})
	if err != nil {
		return nil, err
	}
	return made, nil
}

// removeFiles removes files whose notes to be forgotten are durable. What fails or is cut short here is left to the sweep.
func (s *Service) removeFiles(ctx context.Context, keys []string) {
	if len(keys) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	if s.Files.Delete(ctx, keys...) == nil {
		_ = s.Store.FilesRemoved(ctx, keys)
	}
}
