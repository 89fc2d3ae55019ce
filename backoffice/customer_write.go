package backoffice

import (
	"context"
	"slices"
	"strconv"
)

func (in *CustomerFields) number(field PrivacyField) Optional[string] {
	if field == SpouseRegistrationNumber {
		return in.SpouseRegistrationNumber
	}
	return in.RegistrationNumber
}

func (c *Customer) SealedNumber(field PrivacyField) *Sealed {
	if field == SpouseRegistrationNumber {
		return &c.SpouseRegistration
	}
	return &c.Registration
}

// apply sets the fields of a customer that were sent, without the registration numbers.
func (in *CustomerFields) apply(c *Customer, check *checker) {
	before := *c
	customerInput.apply(in, c, check)
	c.DropShownName(&before)
	check.found = append(check.found, CustomerTable.Check(c)...)
}

// numbers parses the registration numbers that were sent: the digits, "" for one to clear.
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

// seal sets the customer's numbers. It returns the names of the fields that changed, and the fields that had the same
// number before.
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
			changed[field.Input()] = "" // only the name may be logged
		case number != "":
			same = append(same, field)
		}
	}
	return changed, same, nil
}

// around has the other records that customers are checked against.
type around struct {
	users        map[string]*User
	holders      map[Text]string // the customer with a code
	restriction  Restriction     // of the caller
	versionsFrom int             // see Tx
}

// look reads the records that customers with these values are checked against.
func (a *around) look(ctx context.Context, tx Tx, customers ...*Customer) error {
	*a = around{holders: map[Text]string{}, restriction: RestrictionOf(ctx)}
	var users []string
	var coded []*Customer // one for each code
	codes := map[string]Text{}
	for i, c := range customers {
		users = append(users, c.ResponsibleID)
		has := func(other *Customer) bool { return other.CustomerCode == c.CustomerCode }
		if c.CustomerCode == "" || CheckText(string(c.CustomerCode), MaxText) != nil ||
			slices.ContainsFunc(coded, has) {
			continue
		}
		place := "#" + strconv.Itoa(i) // the identifier of no customer
		codes[place] = c.CustomerCode
		coded = append(coded, &Customer{ID: place, CustomerCode: c.CustomerCode})
	}
	return tx.Together(ctx, func(ctx context.Context) (err error) {
		if users = sound(users...); len(users) > 0 {
			a.users, err = ReadByID(ctx, tx.Users(), users, 0)
		}
		return err
	}, func(ctx context.Context) error {
		if len(coded) == 0 {
			return nil
		}
		holders, err := tx.Customers().Holders(ctx, coded)
		for place, of := range holders {
			a.holders[codes[place]] = of[0]
		}
		return err
	})
}

// check checks a customer against other records. before is nil for a new one.
func (a *around) check(c, before *Customer, check *checker) {
	if a.restriction.IsSet() {
		a.checkView(c, before, check)
	}
	if c.ResponsibleID != "" && CheckID(c.ResponsibleID) == nil && a.users[c.ResponsibleID] == nil &&
		(before == nil || before.ResponsibleID != c.ResponsibleID) {
		check.add(CodeNotFound, "no user has this identifier", "responsibleId")
	}
	if holder, taken := a.holders[c.CustomerCode]; taken && holder != c.ID &&
		(before == nil || before.CustomerCode != c.CustomerCode) {
		check.add(CodeTaken, "another customer has this code", "customerCode")
	}
}

// checkView checks that the customer stays visible. The store checks at the end what depends on other records.
func (a *around) checkView(c, before *Customer, check *checker) {
	user := a.users[c.ResponsibleID]
	unknown := c.ResponsibleID != "" && user == nil
	switch {
	case before == nil && !unknown && !a.restriction.AdmitsNew(c, user) && !a.restriction.admitsNewOfSome(c):
		check.add(CodeNotAllowed, outOfView) // with any responsible user
	case before == nil && !unknown && !a.restriction.AdmitsNew(c, user),
		before != nil && before.ResponsibleID != c.ResponsibleID && !unknown && !a.restriction.AdmitsResponsible(user),
		before != nil && before.ResponsibleID != c.ResponsibleID && !unknown &&
			before.ResponsibleID != "" && a.restriction.NamesCustomers(): // who may be visible by this customer alone
		check.add(CodeNotAllowed, outOfView, "responsibleId")
	}
}

// claim reserves the code of a customer from later inputs of its batch.
func (a *around) claim(c *Customer) {
	if _, taken := a.holders[c.CustomerCode]; !taken && c.CustomerCode != "" {
		a.holders[c.CustomerCode] = c.ID
	}
}

// guardNumbers refuses registration numbers, in an update also null, from callers without privacy.read. Forbidden then.
func guardNumbers(by *Principal, in *CustomerFields, creating bool) error {
	for _, field := range AllPrivacyFields {
		sent := in.number(field)
		if _, given := sent.Get(); (given || sent.IsSent() && !creating) && !by.Has(PrivacyRead) {
			return MissingScope(PrivacyRead)
		}
	}
	return nil
}

// draftCustomer makes the customer of an input, with the faults that it has by itself.
func (s *Service) draftCustomer(by *Principal, in *CustomerFields, now Instant) (*draft[Customer], error) {
	if err := guardNumbers(by, in, true); err != nil {
		return nil, err
	}
	c := &Customer{ID: NewID(), CreatedAt: now, UpdatedAt: now, Version: 1}
	d := &draft[Customer]{made: c}
	in.apply(c, &d.wrong)
	digits := s.numbers(in, &d.wrong)
	d.content = customerInput.values(c)
	for field, number := range digits {
		if sent, _ := in.number(field).Get(); number == "" { // an invalid number is different content than none
			number = sent
		}
		d.content.set(field.Input(), number)
	}
	if len(d.wrong.found) > 0 {
		return d, nil
	}
	_, _, err := s.seal(c, digits)
	return d, err
}

// CreateCustomer makes a customer; it needs customers.write, and privacy.read when a registration number is sent.
// Refused also with TAKEN (customerCode), NOT_FOUND (responsibleId) and, for a key that was used before, like create.
func (s *Service) CreateCustomer(
	ctx context.Context, by *Principal, in CustomerFields, key Optional[string],
) (*Customer, error) {
	if err := require(by, CustomersWrite); err != nil {
		return nil, err
	}
	d, err := s.draftCustomer(by, &in, InstantOf(s.now()))
	if err == nil {
		err = s.numbersStay(ctx, &in)
	}
	if err != nil {
		return nil, err
	}
	var others around
	made, err := create(ctx, s, creation[Customer, CustomerCriteria]{
		by: by, action: "createCustomer", table: CustomerTable, made: d.made, key: key,
		content: d.content, wrong: d.wrong,
		told:  func() map[string]any { return customerInput.told(&in) },
		look:  func(ctx context.Context, tx Tx) error { return others.look(ctx, tx, d.made) },
		check: func(check *checker) { others.check(d.made, nil, check) },
	})
	if err != nil {
		return nil, err
	}
	return made.VisibleTo(by), nil
}

// CreateCustomers makes a customer of each input, as CreateCustomer does. Of several inputs with the same customer code
// the first gets it, with Each the first valid one, and the others are TAKEN. Refused as a whole like createAll.
func (s *Service) CreateCustomers(
	ctx context.Context, by *Principal, inputs []BatchInput[CustomerFields], mode BatchMode, key Optional[string],
) (*BatchOutcome[Customer], error) {
	if err := require(by, CustomersWrite); err != nil {
		return nil, err
	}
	now := InstantOf(s.now())
	drafts, customers := make([]*draft[Customer], len(inputs)), make([]*Customer, len(inputs))
	for i := range inputs {
		d, err := s.draftCustomer(by, &inputs[i].Input, now)
		if err != nil {
			return nil, err
		}
		inputs[i].checkOwnKey(&d.wrong)
		drafts[i], customers[i] = d, d.made
	}
	var others around
	outcome, err := createAll(ctx, s, creations[Customer, CustomerCriteria]{
		by: by, action: "createCustomers", table: CustomerTable, mode: mode, at: now, key: key, drafts: drafts,
		look: func(ctx context.Context, tx Tx) error { return others.look(ctx, tx, customers...) },
		check: func(d *draft[Customer], check *checker) {
			others.check(d.made, nil, check)
			if mode != Each || len(check.found) == 0 {
				others.claim(d.made)
			}
		},
	})
	return visibleTo(by, outcome), err
}

// visibleTo replaces the customers of an outcome by what a caller may see.
func visibleTo(by *Principal, o *BatchOutcome[Customer]) *BatchOutcome[Customer] {
	if o != nil {
		for i := range o.Results {
			if c := o.Results[i].Object; c != nil {
				o.Results[i].Object = c.VisibleTo(by)
			}
		}
	}
	return o
}
