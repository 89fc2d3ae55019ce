package importexport

import (
	"context"
	"maps"
	"slices"

	"example.org/backoffice/backoffice"
)

type customer = backoffice.Customer
type customerLoading = loading[customer, backoffice.CustomerCriteria]

var customers = describe(backoffice.CustomerTable, noun[customer, backoffice.CustomerCriteria]{
	file: "customers.ndjson",
	fields: []field[customer]{
		derived[customer]("displayName"),
		registration(backoffice.RegistrationNumber),
		registration(backoffice.SpouseRegistrationNumber),
	},
	noted:   (*customer).NoteChange,
	touched: func(c *customer) *backoffice.Instant { return &c.UpdatedAt },
	sealed:  (*customer).SealedNumber,
	derive:  dropShownNames,
	keys:    customerKey,
})

// customerKey finds customers by what the office knows. No search by a registration number: each is an entry of the
// register.
func customerKey(key string) *ownKey[customer, backoffice.CustomerCriteria] {
	if !slices.Contains(backoffice.CustomerKeys, key) {
		return nil
	}
	of := func(c *customer) string { return string(c.CustomerCode) }
	if key == "kboNumber" {
		of = func(c *customer) string {
			if number, err := backoffice.ParseKBONumber(string(c.KboNumber)); err == nil {
				return number
			}
			return string(c.KboNumber)
		}
	}
	return &ownKey[customer, backoffice.CustomerCriteria]{[]string{key}, of, func(
		ctx context.Context, l *customerLoading, rows map[string]*customer,
	) (map[string][]string, error) {
		return backoffice.CustomersBy(ctx, l.rows, key, slices.Collect(maps.Keys(rows)))
	}}
}

// registration makes the field of a registration number: plain in the folder, sealed in the row.
func registration(secret backoffice.PrivacyField) field[customer] {
	return field[customer]{
		name: secret.Input(), before: "responsible", shown: secret.Input(), secret: secret,
		read: func(r *reading, c *customer, value raw) error {
			sealed := c.SealedNumber(secret)
			if value.isNull() {
				*sealed = backoffice.Sealed{}
				return nil
			}
			text, err := value.text()
			if err != nil {
				return err
			}
			number, err := backoffice.ParseNationalNumber(text, r.now)
			if err != nil {
				return err
			}
			same, err := r.keys.Holds(*sealed, secret, number)
			if err != nil || same {
				return err
			}
			*sealed, err = r.keys.Seal(c.ID, secret, number)
			return err
		},
		same: func(a, b *customer) bool { return a.SealedNumber(secret).SameNumber(*b.SealedNumber(secret)) },
	}
}

// dropShownNames is for lines that were exported and changed: an origin, and an undone import, have names as they are.
func dropShownNames(_ context.Context, l *customerLoading, entries []*entry[customer]) error {
	for _, e := range entries {
		if e.old != nil && !l.im.stream && l.im.undo == 0 {
			e.row.DropShownName(e.old)
		}
	}
	return nil
}
