package importexport

import (
	"context"

	"example.org/backoffice/backoffice"
)

type user = backoffice.User

var users = describe(backoffice.UserTable, noun[user, backoffice.UserCriteria]{
	file:   "users.ndjson",
	fields: []field[user]{derived[user]("displayName")},
	remove: freeCustomers,
})

// freeCustomers logs that customers lose their responsible user; the store takes it from them when the user is deleted.
func freeCustomers(ctx context.Context, l *loading[user, backoffice.UserCriteria], entries []*entry[user]) error {
	for _, e := range entries {
		of := backoffice.ListQuery[backoffice.CustomerCriteria]{Criteria: backoffice.CustomerCriteria{ResponsibleID: e.id}}
		err := backoffice.EachPage(ctx, l.tx.Customers(), of, backoffice.NoParent, 0, func(page []*customer) error {
			changes := make([]*backoffice.Change, len(page))
			for i, c := range page {
				changes[i] = &backoffice.Change{At: l.now, ClientID: l.im.ClientID, Action: l.im.action(), Noun: backoffice.NounCustomer, ObjectID: c.ID, Fields: []string{"responsibleId"}}
			}
			return l.tx.LogChanges(ctx, changes...)
		})
		if err != nil {
			return err
		}
	}
	return nil
}
