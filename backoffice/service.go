package backoffice

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"
)

// Service does what callers may do to the records: each method is one write of the APIs or of the command line, with
// all its rules, in one transaction together with its entry of the change log and its idempotency key.
//
// Every method that has a Principal checks its scopes (Forbidden). What the caller can fix is Refused, with the paths
// of GraphQL's inputs; nothing was written then. Other kinds are the store's: Unavailable, Timeout, Internal. An
// Service may be used by any number of callers at once.
type Service struct {
	Store     Store
	Files     FileStore
	Keys      Sealer
	Documents Documents        // nil: no documents can be generated
	Checker   DocumentChecker  // nil: no queries can be saved
	Origin    Origin           // nil: what is mirrored takes no writes
	Now       func() time.Time // nil: time.Now
	Trash     time.Duration    // for how long a customer or relation that is deleted can be brought back; 0: not at all

	dry    bool // see DryRun
	copies bool // see onCopies
}

// DryRun is the service that does every write to its end, with all rules, and then undoes it: what comes back is what
// would have come, and nothing stays, but for what the register of consultations is told. Identifiers of what would
// have been made name nothing. Of what would be deleted it only looks what goes with it.
func (s *Service) DryRun() *Service {
	dry := *s
	dry.dry = true
	return &dry
}

// looks says that one of many writes stands for all: they are undone, and nothing can be wrong with the others alone.
func (s *Service) looks(ctx context.Context) bool { return s.dry && !RestrictionOf(ctx).IsSet() }

// Sealer keeps registration numbers and the contents of calls from being read back.
type Sealer interface {
	// Seal encrypts a registration number (11 digits) for one field of one customer.
	Seal(customerID string, field PrivacyField, number string) (Sealed, error)
	// Digest is a keyed digest of a content; the context keeps different uses apart.
	Digest(context string, content []byte) ([]byte, error)
	// Lookups are keyed digests by which a content is found again: one, or while keys turn one by each key, the older
	// first.
	Lookups(context string, content []byte) ([][]byte, error)
	// Confirmed notes that the caller in ctx has learned that these fields of a customer hold the numbers it sent: a
	// search that found the customer. It fails where nothing can be noted.
	Confirmed(ctx context.Context, customerID string, fields ...PrivacyField) error
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

// maxRaces is how often an update starts again because another one came between its reading and its writing.
const maxRaces = 50

// errUndone ends a transaction of which nothing is to stay, and which has not failed.
var errUndone = errors.New("nothing of the transaction stays")

// write runs a transaction. When do says that it lost a race, it starts again from what is stored now.
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

// lost reports whether an update of a row that was just read found a newer one: another transaction came between.
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

// versionsFrom is Tx.VersionsFrom, for what is asked together.
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
	var known *Error
	if errors.As(err, &known) {
		return known.UserErrors
	}
	return nil
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
		return refused(CodeStaleVersion, "the object was changed since this version", "expectedVersion")
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

// removeFiles removes files whose notes to be forgotten are durable. What fails or is cut short here is left to the
// sweep.
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
