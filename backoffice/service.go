package backoffice

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"
)

// Service has a method for each write of the APIs and the command line. It checks all rules and writes the records, the
// change log and the idempotency key in one transaction. It is safe for concurrent use.
//
// Methods with a Principal check its scopes (Forbidden). What the caller can fix is Refused, with the paths of
// GraphQL's inputs; nothing was written then. Other kinds are the store's: Unavailable, Timeout, Internal.
type Service struct {
	Store     Store
	Files     FileStore
	Keys      Sealer
	Documents Documents        // nil: no documents can be generated
	Checker   DocumentChecker  // nil: no queries can be saved
	Origin    Origin           // nil: mirrored records are read-only
	Now       func() time.Time // nil: time.Now
	Trash     time.Duration    // how long deleted customers and relations can be restored; 0: not at all

	dry    bool // see DryRun
	copies bool // see onCopies
}

// DryRun returns a service that runs each write with all its rules and then rolls it back. Results are as of the write,
// but new identifiers refer to nothing and deletions only read their cascade. Entries of the register stay.
func (s *Service) DryRun() *Service {
	dry := *s
	dry.dry = true
	return &dry
}

// looks reports whether one of many equal writes is enough: in a dry run, unless a restriction could reject another.
func (s *Service) looks(ctx context.Context) bool { return s.dry && !RestrictionOf(ctx).IsSet() }

// Sealer seals registration numbers and makes keyed digests, from which nothing can be read back.
type Sealer interface {
	// Seal encrypts a registration number (11 digits) for one field of one customer.
	Seal(customerID string, field PrivacyField, number string) (Sealed, error)
	// Move seals a customer's number for another one.
	Move(from, to string, field PrivacyField, number Sealed) (Sealed, error)
	// Digest returns a keyed digest of content. The context separates different uses.
	Digest(context string, content []byte) ([]byte, error)
	// Lookups returns the digests to search content by: one, or during a key rotation one by each key, older first.
	Lookups(context string, content []byte) ([][]byte, error)
	// Confirmed records, as a search that found the customers, that the caller in ctx learned whether these fields, if
	// any, have the numbers it sent or each other's. It fails where nothing can be recorded.
	Confirmed(ctx context.Context, fields []PrivacyField, customerIDs ...string) error
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

// requireDelete is require for a write that deletes.
func requireDelete(by *Principal, scope Scope) error {
	if err := require(by, scope); err != nil {
		return err
	}
	return by.MayDelete()
}

// maxRaces bounds the attempts of a write that others overtake between its read and its write.
const maxRaces = 50

// errUndone rolls back a transaction that has not failed.
var errUndone = errors.New("rolling back the transaction")

// write runs a transaction, and again when do reports a lost race. Unavailable after maxRaces attempts.
func (s *Service) write(ctx context.Context, do func(ctx context.Context, tx Tx) (raced bool, err error)) error {
	mirror, err := s.Store.Mirror(ctx)
	if err != nil {
		return err
	}
	if s.copies {
		mirror = nil
	}
	for range maxRaces {
		var raced bool
		err := s.Store.Write(ctx, func(ctx context.Context, tx Tx) (err error) {
			if s.dry {
				tx.DryRun()
			}
			if raced, err = do(ctx, guarded(tx, mirror)); err == nil && s.dry {
				if err = tx.StaysInView(ctx); err == nil {
					err = errUndone
				}
			}
			return err
		})
		switch {
		case errors.Is(err, errUndone):
			return nil
		case err == nil || !raced:
			return err
		}
	}
	return Errorf(Unavailable, "too many writes of one object at once; try again")
}

// lost reports whether an update failed because another transaction changed the row after it was read.
func lost(err error) bool { return refusedBy(err, CodeStaleVersion) }

func refusedBy(err error, code UserErrorCode) bool {
	known, ok := err.(*Error)
	return ok && known.Kind == Refused && known.UserErrors[0].Code == code
}

// finding is Find for Tx.Together.
func finding[T any, C comparable](rows Reader[T, C], id string, row *T, ok *bool) func(context.Context) error {
	return func(ctx context.Context) (err error) {
		*row, *ok, err = Find(ctx, rows, id)
		return err
	}
}

// versionsFrom is Tx.VersionsFrom for Tx.Together.
func versionsFrom(tx Tx, from *int) func(context.Context) error {
	return func(ctx context.Context) (err error) {
		*from, err = tx.VersionsFrom(ctx)
		return err
	}
}

// NoSuch rejects a change or deletion of a record that does not exist, or that the caller cannot see.
func NoSuch(noun Noun, field ...string) error {
	return Refuse(&UserError{Code: CodeNotFound, Message: "no " + string(noun) + " has this identifier", Field: field})
}

func userErrorsOf(err error) []*UserError {
	if known, ok := errors.AsType[*Error](err); ok {
		return known.UserErrors
	}
	return nil
}

// Versions guards a write against lost updates: the object must have one of them. Nil accepts any version.
type Versions []int

// OnlyVersion accepts one version, or any when it is nil.
func OnlyVersion(expected *int) Versions {
	if expected == nil {
		return nil
	}
	return Versions{*expected}
}

func checkVersion(expected Versions, version int) error {
	if expected != nil && !slices.Contains(expected, version) {
		return refused(CodeStaleVersion, "the object was changed since this version", "expectedVersion")
	}
	return nil
}

// values are the values of a record that callers can set, by their names in GraphQL's inputs, without missing ones.
// Records with equal values differ only in identifier, version and times.
type values map[string]string

func (v values) set(name, value string) {
	if value != "" {
		v[name] = value
	}
}

// names returns the names for the change log: a part of an object has the name of the object.
func (v values) names() []string {
	names := make([]string, 0, len(v))
	for name := range v {
		name, _, _ = strings.Cut(name, ".")
		names = append(names, name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// changed returns the fields that differ.
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

// removeFiles removes files whose ForgetFiles is durable. What fails or takes too long is left to the sweep.
func (s *Service) removeFiles(ctx context.Context, keys []string) {
	if len(keys) == 0 || s.dry {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	if s.Files.Delete(ctx, keys...) == nil {
		_ = s.Store.FilesRemoved(ctx, keys)
	}
}
