package transfer

import "example.org/backoffice/backoffice"

type user = backoffice.User

var users = define(noun[user, backoffice.UserCriteria]{
	name: backoffice.NounUser,
	file: "users.ndjson",
	fields: []field[user]{
		text("firstName", "firstName", func(u *user) *string { return &u.FirstName }),
		text("lastName", "lastName", func(u *user) *string { return &u.LastName }),
		text("email", "email", func(u *user) *string { return &u.Email }),
		text("language", "language", func(u *user) *backoffice.Text { return &u.Language }),
		userLabels(),
		version(func(u *user) *int { return &u.Version }),
	},
	id:      func(u *user) *string { return &u.ID },
	fresh:   func(backoffice.Instant) *user { return &user{} },
	reader:  func(s backoffice.Reads) backoffice.Reader[*user, backoffice.UserCriteria] { return s.Users() },
	writer:  func(tx backoffice.Tx) backoffice.Writer[*user, backoffice.UserCriteria] { return tx.Users() },
	check:   backoffice.CheckUser,
	version: func(u *user) *int { return &u.Version },
})

func userLabels() field[user] {
	f := list("labels", "labels", func(u *user) *[]string { return &u.LabelIDs })
	f.refers = backoffice.NounLabel
	f.targets = func(u *user) []string { return u.LabelIDs }
	return f
}
