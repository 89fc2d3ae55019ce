package backoffice

import (
	"cmp"
	"context"
	"slices"
)

type CustomerUpdate struct {
	ID       string
	Fields   CustomerFields
	Expected Versions
}

// UpdateCustomer changes a customer; it needs customers.write, and privacy.read when a registration number is sent,
// also as null. An update without any change leaves version and updatedAt alone and is not logged. If a number is the
// stored one, the caller learns that, so the register gets an entry of a search that found the customer. Refused also
// with NOT_FOUND (id), STALE_VERSION, TAKEN (customerCode) and NOT_FOUND (responsibleId).
func (s *Service) UpdateCustomer(
	ctx context.Context, by *Principal, id string, in CustomerFields, expected Versions,
) (*Customer, error) {
	if there, err := s.writesThere(ctx, NounCustomer); err != nil {
		return nil, err
	} else if there {
		return s.updateCustomerThere(ctx, by, id, in, expected)
	}
	plan, err := s.updateCustomers(ctx, by, "updateCustomer", []CustomerUpdate{{id, in, expected}}, Atomic)
	if err == nil {
		err = (&checker{found: plan.changes[0].found}).refusal()
	}
	if err != nil {
		return nil, err
	}
	return plan.changes[0].after.VisibleTo(by), nil
}

// UpdateCustomers changes a customer for each input, as UpdateCustomer does. A second input for the same customer is
// STALE_VERSION when it expects a version, else NOT_ALLOWED (id). A customer code that another customer has before the
// batch, or gets in it, is TAKEN. Refused as a whole with INVALID (inputs).
func (s *Service) UpdateCustomers(
	ctx context.Context, by *Principal, inputs []CustomerUpdate, mode BatchMode,
) (*BatchOutcome[Customer], error) {
	plan, err := s.updateCustomers(ctx, by, "updateCustomers", inputs, mode)
	if err != nil {
		return nil, err
	}
	outcome := &BatchOutcome[Customer]{Results: make([]BatchResult[Customer], len(inputs)), Written: len(plan.written)}
	for i, change := range plan.changes {
		if len(change.found) > 0 {
			outcome.refuse(i, change.found)
		} else {
			outcome.Results[i].Object = change.after
		}
	}
	if !outcome.stands(mode) {
		outcome.withdraw()
	}
	return visibleTo(by, outcome), nil
}

type customerUpdates struct {
	changes []customerUpdate
	written []*Customer
	log     []*Change
}

// customerUpdate is the result of one input: the customer after it, or the faults.
type customerUpdate struct {
	after     *Customer
	found     []*UserError
	confirmed []PrivacyField // numbers that the caller learned
}

func (s *Service) updateCustomers(
	ctx context.Context, by *Principal, action string, inputs []CustomerUpdate, mode BatchMode,
) (plan *customerUpdates, err error) {
	if err := require(by, CustomersWrite); err != nil {
		return nil, err
	}
	var wrong checker
	checkInputs(len(inputs), &wrong)
	if err := wrong.refusal(); err != nil {
		return nil, err
	}
	ids, sent := make([]string, len(inputs)), make([]*Customer, len(inputs))
	for i := range inputs {
		if err := guardNumbers(by, &inputs[i].Fields, false); err != nil {
			return nil, err
		}
		ids[i], sent[i] = inputs[i].ID, &Customer{}
		inputs[i].Fields.apply(sent[i], &checker{}) // only what was sent
	}
	ids = sound(ids...)
	err = s.write(ctx, func(ctx context.Context, tx Tx) (raced bool, err error) {
		plan = nil
		var found map[string]*Customer
		var others around
		err = tx.Together(ctx, func(ctx context.Context) (err error) {
			if len(ids) > 0 {
				found, err = ReadByID(ctx, tx.Customers(), ids, 0)
			}
			return err
		}, func(ctx context.Context) error {
			return others.look(ctx, tx, sent...)
		}, versionsFrom(tx, &others.versionsFrom))
		if err != nil {
			return false, err
		}
		if plan, err = s.planUpdates(by, action, inputs, mode, found, &others); err != nil {
			return false, err
		}
		if mode != Each && plan.refused() {
			return false, errUndone
		}
		if len(plan.written) == 0 {
			return false, nil
		}
		if err := tx.Customers().Update(ctx, plan.written...); err != nil {
			return lost(err) || KindOf(err) == Refused, err
		}
		return false, tx.LogChanges(ctx, plan.log...)
	})
	if plan != nil {
		for i := range plan.changes { // also when the write failed later
			err = cmp.Or(s.Keys.Confirmed(ctx, plan.changes[i].confirmed, inputs[i].ID), err)
		}
	}
	return plan, err
}

func (p *customerUpdates) refused() bool {
	return slices.ContainsFunc(p.changes, func(u customerUpdate) bool { return len(u.found) > 0 })
}

// planUpdates applies the updates to the stored customers.
func (s *Service) planUpdates(
	by *Principal, action string, inputs []CustomerUpdate, mode BatchMode, stored map[string]*Customer, others *around,
) (*customerUpdates, error) {
	plan := &customerUpdates{changes: make([]customerUpdate, len(inputs))}
	seen := map[string]bool{}
	for i := range inputs {
		in, into := &inputs[i], &plan.changes[i]
		before := stored[in.ID]
		var check checker
		switch {
		case before == nil:
			check.found = userErrorsOf(NoSuch(NounCustomer, "id"))
		case seen[in.ID] && in.Expected != nil:
			check.found = userErrorsOf(checkVersion(Versions{}, before.Version))
		case seen[in.ID]:
			check.add(CodeNotAllowed, "another input of the batch also changes this customer", "id")
		default:
			check.found = userErrorsOf(checkVersion(in.Expected, before.VisibleTo(by).Version))
		}
		seen[in.ID] = true
		if into.found = check.found; len(into.found) > 0 {
			continue
		}
		after := *before
		in.Fields.apply(&after, &check)
		digits := s.numbers(&in.Fields, &check)
		others.check(&after, before, &check)
		if mode != Each || len(check.found) == 0 {
			others.claim(&after)
		}
		if into.found = check.found; len(into.found) > 0 {
			continue
		}
		numbers, same, err := s.seal(&after, digits)
		if err != nil {
			return nil, err
		}
		into.confirmed = same
		changed := customerInput.values(before).changed(customerInput.values(&after))
		for name := range numbers {
			changed[name] = ""
		}
		if into.after = before; len(changed) == 0 {
			continue
		}
		now := InstantOf(s.now())
		after.Version = NextVersion(after.Version, others.versionsFrom)
		after.UpdatedAt = max(after.UpdatedAt, now) // else a clock that was set back hides changes from updatedSince
		after.NoteChange(before, len(changed) == len(numbers), others.versionsFrom)
		into.after = &after
		plan.written = append(plan.written, &after)
		plan.log = append(plan.log, changeBy(by, now, action, NounCustomer, after.ID, changed.names()...))
	}
	return plan, nil
}
