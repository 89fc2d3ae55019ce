package backoffice

// A caller without privacy.read must not learn from anything whether registration numbers are stored or were changed.
// So for such a caller a customer has a version and a moment of change of its own, which a change of the numbers alone
// does not move, and the columns of the numbers are not even read.

// CustomersVisibleTo are the customers as a caller may read them.
func CustomersVisibleTo(by *Principal, reads Readers) Reader[*Customer, CustomerCriteria] {
	if by.Has(PrivacyRead) {
		return reads.Customers()
	}
	return reads.CustomersWithoutNumbers()
}

// StoreVisibleTo is the store as a caller may read it.
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

// VisibleTo is the customer as a caller may see it: for one without privacy.read a copy without the numbers, with the
// version and the moment of change that do not tell of them.
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

func (c *Customer) openUpdatedAt() Instant {
	if c.OpenUpdatedAt != 0 {
		return c.OpenUpdatedAt
	}
	return c.UpdatedAt
}

// NoteChange works out, for a customer whose Version and UpdatedAt are those of its change, what pairs without
// privacy.read see of them. numbersOnly is a change of nothing else than registration numbers; from is Tx.VersionsFrom.
func (c *Customer) NoteChange(before *Customer, numbersOnly bool, from int) {
	shown, at := before.Version-before.HiddenChanges, before.openUpdatedAt()
	if !numbersOnly { // a file may take several versions at once, or set the version back
		shown, at = max(NextVersion(shown, from), c.Version-before.HiddenChanges), 0
	}
	c.HiddenChanges, c.OpenUpdatedAt = max(0, min(c.Version-shown, c.Version-1)), at
}
