package importexport

import (
	"context"

	"example.org/backoffice/backoffice"
)

type user = backoffice.User
type userLoading = loading[user, backoffice.UserCriteria]

var users = describe(backoffice.UserTable, noun[user, backoffice.UserCriteria]{
	file:   "users.ndjson",
	fields: []field[user]{derived[user]("displayName")},
	remove: freeCustomers,
	keys: always(fewKey[user, backoffice.UserCriteria](func(u *user) string {
		return backoffice.FoldEmail(u.Email)
	}, "email")),
})

// freeCustomers logs that customers lose their responsible user; the store clears it when the user is deleted.
func freeCustomers(ctx context.Context, l *userLoading, entries []*entry[user]) error {
	for _, e := range entries {
		var of backoffice.ListQuery[backoffice.CustomerCriteria]
		of.Criteria.ResponsibleID = e.id
		err := backoffice.EachPage(ctx, l.tx.Customers(), of, backoffice.NoParent, 0, func(page []*customer) error {
			return l.tx.LogChanges(ctx, backoffice.Map(page, func(c *customer) *backoffice.Change {
				return l.change(backoffice.NounCustomer, c.ID, []string{"responsibleId"})
			})...)
		})
		if err != nil {
			return err
		}
	}
	return nil
}
