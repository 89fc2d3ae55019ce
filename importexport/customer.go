package importexport

import (
	"bytes"
	"context"
	"fmt"

	"example.org/backoffice/backoffice"
)

type customer = backoffice.Customer

var customers = define(noun[customer, backoffice.CustomerCriteria]{
	name: backoffice.NounCustomer,
	file: "customers.ndjson",
	fields: []field[customer]{
		labelled("type", "type", func(c *customer) *backoffice.CustomerType { return &c.Type }, backoffice.ParseCustomerTypeLabel),
		text("name", "name", func(c *customer) *backoffice.Text { return &c.OwnName }),
		derived[customer]("displayName"),
		text("firstName", "firstName", func(c *customer) *backoffice.Text { return &c.FirstName }),
		text("lastName", "lastName", func(c *customer) *backoffice.Text { return &c.LastName }),
		list("scopes", "scopes", func(c *customer) *[]string { return &c.Scopes }),
		text("kboNumber", "kboNumber", func(c *customer) *backoffice.Text { return &c.KboNumber }),
		text("companyType", "companyType", func(c *customer) *backoffice.LegalForm { return &c.CompanyType }),
		addressFields(),
		text("customerCode", "customerCode", func(c *customer) *backoffice.Text { return &c.CustomerCode }),
		registration("registrationNumber", backoffice.RegistrationNumber, func(c *customer) *backoffice.Sealed { return &c.Registration }),
		registration("spouseRegistrationNumber", backoffice.SpouseRegistrationNumber, func(c *customer) *backoffice.Sealed { return &c.SpouseRegistration }),
		reference("responsible", backoffice.NounUser, func(c *customer) *string { return &c.ResponsibleID }),
		text("language", "language", func(c *customer) *backoffice.Text { return &c.Language }),
		text("email", "email", func(c *customer) *backoffice.Text { return &c.Email }),
		text("phone", "phone", func(c *customer) *backoffice.Text { return &c.Phone }),
		moment("createdAt", "createdAt", func(c *customer) *backoffice.Instant { return &c.CreatedAt }),
		moment("updatedAt", "updatedAt", func(c *customer) *backoffice.Instant { return &c.UpdatedAt }),
		version(func(c *customer) *int { return &c.Version }),
	},
	id:    func(c *customer) *string { return &c.ID },
	fresh: func(now backoffice.Instant) *customer { return &customer{CreatedAt: now, UpdatedAt: now} },
	reader: func(s backoffice.Reads) backoffice.Reader[*customer, backoffice.CustomerCriteria] {
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

// addressParts are the keys of addressFields.
var addressParts = []struct {
	name string
	at   func(*backoffice.Address) *backoffice.Text
}{
	{"street", func(a *backoffice.Address) *backoffice.Text { return &a.Street }},
	{"houseNumber", func(a *backoffice.Address) *backoffice.Text { return &a.HouseNumber }},
	{"box", func(a *backoffice.Address) *backoffice.Text { return &a.Box }},
	{"postalCode", func(a *backoffice.Address) *backoffice.Text { return &a.PostalCode }},
	{"city", func(a *backoffice.Address) *backoffice.Text { return &a.City }},
	{"country", func(a *backoffice.Address) *backoffice.Text { return &a.Country }},
}

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
			return readAddress(&c.Address, value)
		},
		write: func(out []byte, c *customer) []byte {
			for i, part := range addressParts {
				out = append(out, ",{"[max(0, 1-i)])
				out = append(backoffice.AppendJSONString(out, part.name), ':')
				out = part.at(&c.Address).AppendJSON(out)
			}
			return append(out, '}')
		},
	}
}

func readAddress(address *backoffice.Address, object raw) error {
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
			*part.at(address) = backoffice.Text(text)
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
