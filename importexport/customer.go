package importexport

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"example.org/backoffice/backoffice"
)

type customer = backoffice.Customer

var customers = define(noun[customer, backoffice.CustomerCriteria]{
	name: backoffice.NounCustomer,
	file: "customers.ndjson",
	fields: withTexts(backoffice.CustomerFieldTable(),
		labelled("type", "type", func(c *customer) *backoffice.CustomerType { return &c.Type }, backoffice.ParseCustomerTypeLabel),
		inTable[customer]("name"),
		derived[customer]("displayName"),
		inTable[customer]("firstName"),
		inTable[customer]("lastName"),
		list("scopes", "scopes", func(c *customer) *[]string { return &c.Scopes }),
		inTable[customer]("kboNumber"),
		text("companyType", "companyType", func(c *customer) *backoffice.LegalForm { return &c.CompanyType }),
		addressFields(),
		inTable[customer]("customerCode"),
		registration("registrationNumber", backoffice.RegistrationNumber, func(c *customer) *backoffice.Sealed { return &c.Registration }),
		registration("spouseRegistrationNumber", backoffice.SpouseRegistrationNumber, func(c *customer) *backoffice.Sealed { return &c.SpouseRegistration }),
		reference("responsible", backoffice.NounUser, func(c *customer) *string { return &c.ResponsibleID }),
		inTable[customer](""),
		moment("createdAt", "createdAt", func(c *customer) *backoffice.Instant { return &c.CreatedAt }),
		moment("updatedAt", "updatedAt", func(c *customer) *backoffice.Instant { return &c.UpdatedAt }),
		version(func(c *customer) *int { return &c.Version }),
	),
	id:    func(c *customer) *string { return &c.ID },
	fresh: func(now backoffice.Instant) *customer { return &customer{CreatedAt: now, UpdatedAt: now} },
	reader: func(s backoffice.Readers) backoffice.Reader[*customer, backoffice.CustomerCriteria] {
		return s.Customers()
	},
	writer: func(tx backoffice.Tx) backoffice.Writer[*customer, backoffice.CustomerCriteria] {
		return tx.Customers()
	},
	version: func(c *customer) *int { return &c.Version },
	noted:   (*customer).NoteChange,
	touched: func(c *customer) *backoffice.Instant { return &c.UpdatedAt },
	sealed: func(c *customer, f backoffice.PrivacyField) backoffice.Sealed {
		if f == backoffice.SpouseRegistrationNumber {
			return c.SpouseRegistration
		}
		return c.Registration
	},
	check:  backoffice.CheckCustomer,
	unique: &uniqueValue[customer]{"customerCode", func(c *customer) string { return string(c.CustomerCode) }},
	remove: removeCustomers,
})

// addressPart is a text of the address, by its key.
type addressPart struct {
	name string
	at   func(*customer) *backoffice.Text
}

// addressParts are the keys of addressFields.
var addressParts = func() (parts []addressPart) {
	for _, field := range backoffice.CustomerFieldTable() {
		if part, ok := strings.CutPrefix(field.Name, "address."); ok {
			parts = append(parts, addressPart{part, field.Text})
		}
	}
	return parts
}()

// addressFields is an object in the line: an absent part keeps, null clears it, and null for the object clears all.
func addressFields() field[customer] {
	return field[customer]{
		name: "addressFields", shown: "address",
		read: func(_ *reading, c *customer, value raw) error {
			if value.isNull() {
				c.Address = backoffice.Address{}
				return nil
			}
			if value[0] != '{' {
				return backoffice.Errorf(backoffice.BadInput, "an address is an object")
			}
			return readAddress(c, value)
		},
		write: func(out []byte, c *customer) []byte {
			for i, part := range addressParts {
				out = append(out, ",{"[max(0, 1-i)])
				out = append(backoffice.AppendJSONString(out, part.name), ':')
				out = part.at(c).AppendJSON(out)
			}
			return append(out, '}')
		},
	}
}

func readAddress(c *customer, object raw) error {
	var seen fieldSet
	return eachMember(object, func(key, value raw) error {
		name, err := key.text()
		if err != nil {
			return err
		}
		for i, part := range addressParts {
			if part.name != name {
				continue
			}
			if seen.has(i) {
				return &nested{name, errTwice}
			}
			seen.add(i)
			text := ""
			if !value.isNull() {
				if text, err = value.text(); err == nil && text == "" {
					err = errEmpty
				}
			}
			if err != nil {
				return &nested{name, err}
			}
			*part.at(c) = backoffice.Text(text)
			return nil
		}
		return &nested{shownKey(name), errUnknown}
	})
}

// registration makes the field of a registration number, which is in clear in the folder and sealed in the row.
func registration(name string, secret backoffice.PrivacyField, at func(*customer) *backoffice.Sealed) field[customer] {
	return field[customer]{
		name: name, shown: name, secret: secret,
		read: func(r *reading, c *customer, value raw) error {
			sealed := at(c)
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
			index, err := r.keys.Index(secret, number)
			if err != nil || bytes.Equal(index, sealed.Index()) {
				return err
			}
			*sealed, err = r.keys.Seal(c.ID, secret, number)
			return err
		},
		same: func(a, b *customer) bool { return at(a).SameNumber(*at(b)) },
	}
}

// removeCustomers forgets the files of everything that goes with the customers.
func removeCustomers(ctx context.Context, l *loading[customer, backoffice.CustomerCriteria], entries []*entry[customer]) error {
	keys, err := l.tx.FileKeysOf(ctx, idsOf(entries)...)
	if err != nil || len(keys) == 0 {
		return err
	}
	if err := l.tx.ForgetFiles(ctx, keys); err != nil {
		return fmt.Errorf("forgetting the files of customers: %w", err)
	}
	return nil
}
