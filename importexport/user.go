package importexport

import "example.org/backoffice/backoffice"

type user = backoffice.User

var users = describe(backoffice.UserTable, noun[user, backoffice.UserCriteria]{
	file:   "users.ndjson",
	fields: []field[user]{derived[user]("displayName")},
	keys: always(fewKey[user, backoffice.UserCriteria](func(u *user) string {
		return backoffice.FoldEmail(u.Email)
	}, "email")),
})
