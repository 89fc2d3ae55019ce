package backoffice

import (
	"cmp"
	"context"
	"slices"
	"strings"
)

// fill gives the kept customer what it lacks. Refused with all that keeps the two from being merged.
func (m *merging) fill(ctx context.Context) error {
	check := &m.wrong
	if m.after = *m.keep; m.keep.Type != m.drop.Type {
		check.add(CodeNotAllowed, "a company and a private person cannot be merged", "type")
		return check.refusal()
	}
	if m.keep.KboNumber != "" && m.drop.KboNumber != "" && m.keep.KboNumber != m.drop.KboNumber {
		check.add(CodeNotAllowed, "the customers have different KBO numbers", "kboNumber")
	}
	fillFields(&m.after, m.drop)
	check.found = append(check.found, CustomerTable.Check(&m.after)...)
	changed := customerInput.values(m.keep).changed(customerInput.values(&m.after))
	numbersOnly := len(changed) == 0
	for _, field := range AllPrivacyFields {
		number, err := m.Keys.Move(m.drop.ID, m.keep.ID, field, *m.drop.SealedNumber(field))
		if err != nil {
			return err
		}
		switch place := m.after.SealedNumber(field); {
		case number.IsZero():
		case place.IsZero():
			*place = number
			changed[field.Input()] = "" // only the name may be logged
		default:
			if m.compared = append(m.compared, field); !place.SameNumber(number) {
				check.add(CodeNotAllowed, "the customers have different registration numbers", field.Input())
			}
		}
	}
	if others := (around{restriction: RestrictionOf(ctx)}); others.restriction.IsSet() {
		err := others.look(ctx, m.tx, &Customer{ResponsibleID: m.after.ResponsibleID})
		if err != nil {
			return err
		}
		others.checkView(&m.after, m.keep, check)
	}
	m.done.FilledFields = changed.names()
	if err := check.refusal(); err != nil || len(changed) == 0 {
		return err
	}
	m.after.Version = NextVersion(m.after.Version, m.from)
	m.after.UpdatedAt = max(m.after.UpdatedAt, m.at)
	m.after.NoteChange(m.keep, numbersOnly, m.from)
	return nil
}

// fillFields copies fields that a customer lacks. A name and an address are each one field, so none is mixed of two.
func fillFields(keep, from *Customer) {
	named, addressed := keep.Name() != "", keep.Address != Address{}
	names := []string{"name", "firstName", "lastName"}
	for i := range CustomerTable.Fields {
		f := &CustomerTable.Fields[i]
		if named && slices.Contains(names, f.Name) || strings.HasPrefix(f.Name, "address.") && addressed {
			continue
		}
		switch at := f.At.(type) {
		case func(*Customer) *Text:
			*at(keep) = cmp.Or(*at(keep), *at(from))
		case func(*Customer) *string:
			*at(keep) = cmp.Or(*at(keep), *at(from))
		case func(*Customer) *[]string:
			if len(*at(keep)) == 0 {
				*at(keep) = slices.Clone(*at(from))
			}
		case Word[Customer]:
			if at.Get(keep) == "" {
				at.Set(keep, at.Get(from))
			}
		}
	}
}
