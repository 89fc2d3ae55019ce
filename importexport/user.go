package importexport

import (
	"context"

	"example.org/backoffice/backoffice"
)

type user = backoffice.User

var users = define(noun[user, backoffice.UserCriteria]{
	name: backoffice.NounUser,
	file: "users.ndjson",
	fields: []field[user]{
		text("firstName", "firstName", func(u *user) *string { return &u.FirstName }),
		text("lastName", "lastName", func(u *user) *string { return &u.LastName }),
		derived[user]("displayName"),
		text("email", "email", func(u *user) *string { return &u.Email }),
		text("language", "language", func(u *user) *backoffice.Text { return &u.Language }),
		userLabels(),
		version(func(u *user) *int { return &u.Version }),
	},
	id:      func(u *user) *string { return &u.ID },
	fresh:   func(backoffice.Instant) *user { return &user{} },
	reader:  func(s backoffice.Readers) backoffice.Reader[*user, backoffice.UserCriteria] { return s.Users() },
	writer:  func(tx backoffice.Tx) backoffice.Writer[*user, backoffice.UserCriteria] { return tx.Users() },
	check:   backoffice.CheckUser,
	version: func(u *user) *int { return &u.Version },
	remove:  freeCustomers,
})

func userLabels() field[user] {
	f := list("labels", "labelIds", func(u *user) *[]string { return &u.LabelIDs })
	f.refers = backoffice.NounLabel
	f.targets = func(u *user) []string { return u.LabelIDs }
	return f
}

// freeCustomers logs that customers lose their responsible user; the store takes it from them when the user is deleted.
func freeCustomers(ctx context.Context, l *loading[user, backoffice.UserCriteria], entries []*entry[user]) error {
	for _, e := range entries {
		of := backoffice.CustomerCriteria{ResponsibleID: e.id}
		err := eachPage(ctx, l.tx.Customers(), backoffice.Root, backoffice.NoParent, of, func(page []*customer) error {
			changes := make([]*backoffice.Change, len(page))
			for i, c := range page {
				changes[i] = &backoffice.Change{At: l.now, Action: action, Noun: backoffice.NounCustomer, ObjectID: c.ID, Fields: []string{"responsibleId"}}
			}
			return l.tx.LogChanges(ctx, changes...)
		})
		if err != nil {
			return err
		}
	}
	return nil
}
