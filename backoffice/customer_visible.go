package backoffice

import "cmp"

// A caller without privacy.read must not learn whether registration numbers are stored or were changed. Such a caller
// sees a version and an updatedAt that changes of numbers alone leave as they are, and the columns of the numbers are
// not even read.

// CustomersVisibleTo returns the customers as a caller may read them.
func CustomersVisibleTo(by *Principal, reads Readers) Reader[*Customer, CustomerCriteria] {
	if by.Has(PrivacyRead) {
		return reads.Customers()
	}
	return reads.CustomersWithoutNumbers()
}

func StoreVisibleTo(by *Principal, store Store) Store {
	if by.Has(PrivacyRead) {
		return store
	}
	return withoutNumbers{store}
}

type withoutNumbers struct{ Store }

func (s withoutNumbers) Customers() Reader[*Customer, CustomerCriteria] {
	return s.CustomersWithoutNumbers()
}

func (s withoutNumbers) Records(of Noun) any {
	if of == NounCustomer {
		of = CustomersWithoutNumbers
	}
	return s.Store.Records(of)
}

// VisibleTo returns the customer as a caller may see it: without privacy.read a copy without the numbers, with the
// version and the updatedAt that changes of numbers leave as they are.
func (c *Customer) VisibleTo(by *Principal) *Customer {
	if by.Has(PrivacyRead) {
		return c
	}
	seen := *c
	seen.Registration, seen.SpouseRegistration = Sealed{}, Sealed{}
	seen.Version, seen.UpdatedAt = c.Version-c.HiddenChanges, c.openUpdatedAt()
	seen.HiddenChanges, seen.OpenUpdatedAt = 0, 0
	return &seen
}

func (c *Customer) openUpdatedAt() Instant { return cmp.Or(c.OpenUpdatedAt, c.UpdatedAt) }

// NoteChange sets HiddenChanges and OpenUpdatedAt of a customer that has the Version and UpdatedAt of its change.
// numbersOnly is a change of registration numbers alone; from is Tx.VersionsFrom.
func (c *Customer) NoteChange(before *Customer, numbersOnly bool, from int) {
	shown, at := before.Version-before.HiddenChanges, before.openUpdatedAt()
	if !numbersOnly { // an import may skip versions, or set the version back
		shown, at = max(NextVersion(shown, from), c.Version-before.HiddenChanges), 0
		if c.OpenUpdatedAt != before.OpenUpdatedAt { // an undo sets it back to when only a number was written
			c.UpdatedAt = c.openUpdatedAt()
		}
	}
	c.HiddenChanges, c.OpenUpdatedAt = max(0, min(c.Version-shown, c.Version-1)), at
}
