package backoffice

import (
	"context"
	"maps"
	"slices"
)

// Origin is the office that the store mirrors. A Service with an origin writes mirrored records there, as far as the
// specification's interface can: one customer or user at a time, relations, labels and the assignment of a checklist.
type Origin interface {
	// Write writes at the origin, updates the copy and returns the record's identifier. Refused as by the origin; then
	// nothing is written. Unavailable when the origin does not answer, or when the copy could not be updated: the next
	// pull updates it. A write without a key is sent once.
	Write(ctx context.Context, w *OriginWrite) (id string, err error)
}

type OriginWrite struct {
	By      *Principal
	Action  string // its name in the change log
	Noun    Noun
	ID      string // of the record, "" for a new one
	Deletes bool
	// Sent has the fields by their names in the noun's table, such as "address.street". A value is a text in the
	// specification's words, a list of texts, JSON, or nil for null.
	Sent    map[string]any
	Version int              // required of the record at the origin; 0: any
	Key     Optional[string] // the caller's idempotency key
}

// writesThere reports whether the origin writes a noun's records. If it does, a restricted caller gets NOT_ALLOWED.
func (s *Service) writesThere(ctx context.Context, noun Noun) (bool, error) {
	if s.Origin == nil || s.copies {
		return false, nil
	}
	m, err := s.Store.Mirror(ctx)
	if there := m.Of(noun) != nil; err != nil || !there {
		return false, err
	}
	if RestrictionOf(ctx).IsSet() { // the origin does not know the restriction
		return false, refused(CodeNotAllowed, "a restricted credential cannot write mirrored records")
	}
	return true, nil
}

// onCopies returns a service for dry runs on the copies, as if they were the store's own records.
func (s *Service) onCopies() *Service {
	rehearsing := *s
	rehearsing.dry, rehearsing.copies = true, true
	return &rehearsing
}

// changeThere makes a change at the origin, after a rehearsal on the copy by the same rules. Only the origin checks
// other records, because their copies may be stale or missing. A dry run is only the rehearsal.
func (s *Service) changeThere(
	ctx context.Context, w *OriginWrite, version func(ctx context.Context) (int, error),
	rehearse func(on *Service) error,
) error {
	err := rehearse(s.onCopies())
	if s.dry {
		return err
	}
	if others := userErrorsOf(err); len(others) > 0 {
		own := slices.DeleteFunc(slices.Clone(others), func(u *UserError) bool {
			return u.Code == CodeTaken || u.Code == CodeNotFound && !slices.Equal(u.Field, []string{"id"})
		})
		err = (&checker{found: own}).refusal()
	}
	if err == nil && version != nil {
		w.Version, err = version(ctx)
	}
	if err != nil {
		return err
	}
	_, err = s.Origin.Write(ctx, w)
	return err
}

func copyOf[T any, C comparable](
	ctx context.Context, s *Service, table *Table[T, C], id string,
) (copied *T, err error) {
	err = s.Store.Write(ctx, func(ctx context.Context, tx Tx) error {
		found, there, err := Find(ctx, table.Writer(tx), id)
		if err == nil && !there {
			err = NoSuch(table.Noun, "id")
		}
		copied = found
		return err
	})
	return copied, err
}

// versionOf returns a function that reads a copy's version; nil if the caller expects no version.
func versionOf[T any, C comparable](
	s *Service, table *Table[T, C], id string, expected Versions,
) func(context.Context) (int, error) {
	if expected == nil {
		return nil
	}
	return func(ctx context.Context) (int, error) {
		copied, err := copyOf(ctx, s, table, id)
		if err != nil {
			return 0, err
		}
		return *table.Version(copied), nil
	}
}

func createThere[T any, C comparable](ctx context.Context, s *Service, c *creation[T, C]) (*T, error) {
	if err := c.wrong.refusal(); err != nil {
		return nil, err
	}
	told := c.told()
	maps.DeleteFunc(told, func(_ string, value any) bool { return value == nil })
	id, err := s.Origin.Write(ctx, &OriginWrite{By: c.by, Action: c.action, Noun: c.table.Noun, Sent: told, Key: c.key})
	if err != nil {
		return nil, err
	}
	return copyOf(ctx, s, c.table, id)
}

// numbersStay rejects registration numbers of mirrored customers: NOT_ALLOWED, since only the origin writes them.
func (s *Service) numbersStay(ctx context.Context, in *CustomerFields) error {
	there, err := s.writesThere(ctx, NounCustomer)
	if err != nil || !there {
		return err
	}
	var check checker
	for _, field := range AllPrivacyFields {
		if in.number(field).IsSent() {
			check.add(CodeNotAllowed,
				"registration numbers of mirrored customers must be written at the origin", field.Input())
		}
	}
	return check.refusal()
}

func (s *Service) updateCustomerThere(
	ctx context.Context, by *Principal, id string, in CustomerFields, expected Versions,
) (*Customer, error) {
	if err := require(by, CustomersWrite); err != nil {
		return nil, err
	}
	if err := guardNumbers(by, &in, false); err != nil {
		return nil, err
	}
	if err := s.numbersStay(ctx, &in); err != nil {
		return nil, err
	}
	var rehearsed *Customer
	w := &OriginWrite{By: by, Action: "updateCustomer", Noun: NounCustomer, ID: id, Sent: customerInput.told(&in)}
	err := s.changeThere(ctx, w, versionOf(s, CustomerTable, id, expected), func(on *Service) (err error) {
		rehearsed, err = on.UpdateCustomer(ctx, by, id, in, expected)
		return err
	})
	if err != nil || s.dry {
		return rehearsed, err
	}
	updated, err := copyOf(ctx, s, CustomerTable, id)
	if err != nil {
		return nil, err
	}
	return updated.VisibleTo(by), nil
}

func (s *Service) deleteCustomerThere(
	ctx context.Context, by *Principal, id string, expected Versions,
) (gone CustomerDeletion, err error) {
	w := &OriginWrite{By: by, Action: "deleteCustomer", Noun: NounCustomer, ID: id, Deletes: true}
	err = s.changeThere(ctx, w, versionOf(s, CustomerTable, id, expected), func(on *Service) (err error) {
		gone, err = on.DeleteCustomer(ctx, by, id, expected)
		return err
	})
	return gone, err
}

func (s *Service) updateUserThere(
	ctx context.Context, by *Principal, id string, in UserFields, expected Versions,
) (*User, error) {
	var rehearsed *User
	w := &OriginWrite{By: by, Action: "updateUser", Noun: NounUser, ID: id, Sent: userInput.told(&in)}
	err := s.changeThere(ctx, w, versionOf(s, UserTable, id, expected), func(on *Service) (err error) {
		rehearsed, err = on.UpdateUser(ctx, by, id, in, expected)
		return err
	})
	if err != nil || s.dry {
		return rehearsed, err
	}
	return copyOf(ctx, s, UserTable, id)
}

func (s *Service) deleteUserThere(ctx context.Context, by *Principal, id string, expected Versions) error {
	w := &OriginWrite{By: by, Action: "deleteUser", Noun: NounUser, ID: id, Deletes: true}
	return s.changeThere(ctx, w, versionOf(s, UserTable, id, expected), func(on *Service) error {
		return on.DeleteUser(ctx, by, id, expected)
	})
}
