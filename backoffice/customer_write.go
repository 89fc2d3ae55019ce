package backoffice

import "context"

// number is what was sent for a guarded field.
func (in *CustomerFields) number(field PrivacyField) Optional[string] {
	if field == SpouseRegistrationNumber {
		return in.SpouseRegistrationNumber
	}
	return in.RegistrationNumber
}

// SealedNumber is the place of a guarded field.
func (c *Customer) SealedNumber(field PrivacyField) *Sealed {
	if field == SpouseRegistrationNumber {
		return &c.SpouseRegistration
	}
	return &c.Registration
}

// apply puts what was sent, but for the registration numbers, into a customer.
func (in *CustomerFields) apply(c *Customer, check *checker) {
	shown := c.workedOutName()
	customerInput.apply(in, c, check)
	if c.Type == PrivatePerson && c.OwnName == shown { // sent as it was read, perhaps beside another last name
		c.OwnName = ""
	}
	check.found = append(check.found, CustomerTable.Check(c)...)
}

// numbers reads the registration numbers that were sent: the digits, "" for one that is to be cleared.
func (s *Service) numbers(in *CustomerFields, check *checker) map[PrivacyField]string {
	digits := map[PrivacyField]string{}
	for _, field := range AllPrivacyFields {
		sent := in.number(field)
		text, ok := sent.Get()
		if sent.IsNull() {
			digits[field] = ""
		}
		if !ok {
			continue
		}
		var err error
		if digits[field], err = ParseNationalNumber(text, s.now()); err != nil {
			check.add(CodeInvalid, err.Error(), field.Input())
		}
	}
	return digits
}

// seal puts the numbers into the customer and returns the names of those fields that changed by it, and the fields that
// hold the number already which was sent.
func (s *Service) seal(c *Customer, digits map[PrivacyField]string) (changed values, same []PrivacyField, err error) {
	changed = values{}
	for field, number := range digits {
		var sealed Sealed
		if number != "" {
			if sealed, err = s.Keys.Seal(c.ID, field, number); err != nil {
				return nil, nil, err
			}
		}
		switch place := c.SealedNumber(field); {
		case !place.SameNumber(sealed):
			*place = sealed
			changed[field.Input()] = "" // the name is all that may be told
		case number != "":
			same = append(same, field)
		}
	}
	return changed, same, nil
}

// around is what other records have to say about a customer.
type around struct {
	responsible *User
	known       bool // the responsible user
	holder      *Customer
	taken       bool // the customer's code, by holder
}

// look reads what a customer of these values is checked against.
func (a *around) look(ctx context.Context, tx Tx, c *Customer) error {
	return tx.Together(ctx, finding(tx.Users(), c.ResponsibleID, &a.responsible, &a.known), func(ctx context.Context) (err error) {
		if a.taken = false; c.CustomerCode != "" && CheckText(string(c.CustomerCode), MaxText) == nil {
			a.holder, a.taken, err = First(ctx, tx.Customers(), ListQuery[CustomerCriteria]{Criteria: CustomerCriteria{CustomerCode: string(c.CustomerCode)}}, NoParent)
		}
		return err
	})
}

// check holds a customer to the rules that other records have a part in. before is nil for a new one.
func (a *around) check(c, before *Customer, check *checker) {
	if c.ResponsibleID != "" && CheckID(c.ResponsibleID) == nil && (before == nil || before.ResponsibleID != c.ResponsibleID) && !a.known {
		check.add(CodeNotFound, "no user has this identifier", "responsibleId")
	}
	if (before == nil || before.CustomerCode != c.CustomerCode) && a.taken && a.holder.ID != c.ID {
		check.add(CodeTaken, "another customer has this code", "customerCode")
	}
}

// CreateCustomer makes a customer; it needs customers.write, and privacy.read when a registration number is sent.
// Refused also with TAKEN (customerCode), NOT_FOUND (responsibleId) and, for a key that was used before, as create says.
func (s *Service) CreateCustomer(ctx context.Context, by *Principal, in CustomerFields, key Optional[string]) (*Customer, error) {
	if err := require(by, CustomersWrite); err != nil {
		return nil, err
	}
	for _, field := range AllPrivacyFields {
		if _, sent := in.number(field).Get(); sent && !by.Has(PrivacyRead) {
			return nil, MissingScope(PrivacyRead)
		}
	}
	now := InstantOf(s.now())
	c := &Customer{ID: NewID(), CreatedAt: now, UpdatedAt: now, Version: 1}
	var check checker
	in.apply(c, &check)
	digits := s.numbers(&in, &check)
	content := customerInput.values(c)
	for field, number := range digits {
		content.set(field.Input(), number)
	}
	if _, _, err := s.seal(c, digits); err != nil {
		return nil, err
	}
	var others around
	made, err := create(ctx, s, creation[Customer, CustomerCriteria]{
		by: by, action: "createCustomer", table: CustomerTable, made: c, key: key, content: content, wrong: check, rows: Tx.Customers,
		look:  func(ctx context.Context, tx Tx) error { return others.look(ctx, tx, c) },
		check: func(check *checker) { others.check(c, nil, check) },
	})
	if err != nil {
		return nil, err
	}
	return made.VisibleTo(by), nil
}

// UpdateCustomer changes a customer; it needs customers.write, and privacy.read when a registration number is sent, also
// as null. A change that changes nothing leaves version and updatedAt alone and is not logged; that a number is the stored
// one, which the caller learns by it, is entered as a search that found the customer. Refused also with
// NOT_FOUND (id), STALE_VERSION, TAKEN (customerCode) and NOT_FOUND (responsibleId).
func (s *Service) UpdateCustomer(ctx context.Context, by *Principal, id string, in CustomerFields, expected Versions) (*Customer, error) {
	if err := require(by, CustomersWrite); err != nil {
		return nil, err
	}
	if (in.RegistrationNumber.IsSent() || in.SpouseRegistrationNumber.IsSent()) && !by.Has(PrivacyRead) {
		return nil, MissingScope(PrivacyRead)
	}
	var updated *Customer
	var confirmed []PrivacyField
	var sent Customer // with nothing but what was sent
	in.apply(&sent, &checker{})
	err := s.write(ctx, func(ctx context.Context, tx Tx) (raced bool, err error) {
		confirmed = nil
		var before *Customer
		var ok bool
		var others around
		err = tx.Together(ctx, finding(tx.Customers(), id, &before, &ok), func(ctx context.Context) error { return others.look(ctx, tx, &sent) })
		if err != nil {
			return false, err
		}
		if !ok {
			return false, unknown(NounCustomer, "id")
		}
		if err := checkVersion(expected, before.VisibleTo(by).Version); err != nil {
			return false, err
		}
		after := *before
		var check checker
		in.apply(&after, &check)
		digits := s.numbers(&in, &check)
		others.check(&after, before, &check)
		if err := check.refusal(); err != nil {
			return false, err
		}
		numbers, same, err := s.seal(&after, digits)
		if err != nil {
			return false, err
		}
		confirmed = same
		changed := customerInput.values(before).changed(customerInput.values(&after))
		for name := range numbers {
			changed[name] = ""
		}
		if updated = before; len(changed) == 0 {
			return false, nil
		}
		updated = &after
		raced, err = s.saveCustomer(ctx, tx, by, "updateCustomer", before, &after, changed, len(changed) == len(numbers))
		return raced, err
	})
	if len(confirmed) > 0 { // also when the write failed after the comparison
		if unnoted := s.Keys.Confirmed(ctx, id, confirmed...); unnoted != nil {
			err = unnoted
		}
	}
	if err != nil {
		return nil, err
	}
	return updated.VisibleTo(by), nil
}

// saveCustomer stores a changed customer as its next version.
func (s *Service) saveCustomer(ctx context.Context, tx Tx, by *Principal, action string, before, c *Customer, changed values, numbersOnly bool) (raced bool, err error) {
	now := InstantOf(s.now())
	c.Version++
	c.UpdatedAt = max(c.UpdatedAt, now) // a clock that was set back must not hide the change from updatedSince
	c.NoteChange(before, numbersOnly)
	if err := tx.Customers().Update(ctx, c); err != nil {
		return lost(err), err
	}
	return false, tx.LogChanges(ctx, &Change{At: now, ClientID: by.ClientID, Action: action, Noun: NounCustomer, ObjectID: c.ID, Fields: changed.names()})
}

// DeleteCustomer erases a customer with its relations, transcripts (also of archived years), calculations, documents and
// stored files; it needs customers.write. The files are removed once the rest is durable. Refused with NOT_FOUND (id) and
// STALE_VERSION.
func (s *Service) DeleteCustomer(ctx context.Context, by *Principal, id string, expected Versions) error {
	if err := require(by, CustomersWrite); err != nil {
		return err
	}
	var keys []string
	err := s.write(ctx, func(ctx context.Context, tx Tx) (bool, error) {
		c, ok, err := Find(ctx, tx.Customers(), id)
		if err != nil {
			return false, err
		}
		if !ok {
			return false, unknown(NounCustomer, "id")
		}
		if err := checkVersion(expected, c.VisibleTo(by).Version); err != nil {
			return false, err
		}
		raced := false
		err = tx.Together(ctx, func(ctx context.Context) (err error) {
			if expected != nil { // whoever else changes this version loses, or came first
				c.Version++
				err = tx.Customers().Update(ctx, c)
				raced = lost(err)
			}
			return err
		}, func(ctx context.Context) (err error) {
			keys, err = tx.ForgetFilesOf(ctx, id)
			return err
		}, func(ctx context.Context) error {
			return remove(ctx, tx, tx.Customers(), &Change{At: InstantOf(s.now()), ClientID: by.ClientID, Action: "deleteCustomer", Noun: NounCustomer, ObjectID: id})
		})
		return raced, err
	})
	if err != nil {
		return err
	}
	s.removeFiles(ctx, keys)
	return nil
}

// remove deletes the row that a change is about and logs it.
func remove[T any, C comparable](ctx context.Context, tx Tx, rows Writer[T, C], change *Change) error {
	gone, err := rows.Delete(ctx, change.ObjectID)
	if err != nil {
		return err
	}
	if len(gone) == 0 { // another transaction was faster
		return unknown(change.Noun, "id")
	}
	return tx.LogChanges(ctx, change)
}
