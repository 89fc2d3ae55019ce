package inputs

import (
	"github.com/99designs/gqlgen/graphql"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/rest/mapping"
)

// UpdateUserInput is the input of updateUser: absent keeps, null clears.
type UpdateUserInput struct {
	ID              string
	ExpectedVersion *int
	FirstName       graphql.Omittable[*string]
	LastName        graphql.Omittable[*string]
	Email           graphql.Omittable[*string]
	Language        graphql.Omittable[*string]
	LabelIds        graphql.Omittable[[]string]
}

type DeleteUserInput struct {
	ID              string
	ExpectedVersion *int
}

type UpdateUserPayload struct {
	User *backoffice.User
	Outcome
}

type DeleteUserPayload struct {
	DeletedUserID *string
	Outcome
}

var updateUser = mapping.New[UpdateUserInput, backoffice.UserFields](mapping.Except("ID", "ExpectedVersion"))

func (in *UpdateUserInput) Fields() backoffice.UserFields { return updateUser.Map(in) }
