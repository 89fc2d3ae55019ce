package rest

import (
	"context"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
	"example.org/backoffice/rest/mapping"
)

type User struct {
	ID          string   `json:"_id" doc:"The identifier."`
	FirstName   string   `json:"firstName" doc:"The first name."`
	LastName    string   `json:"lastName" doc:"The last name."`
	DisplayName string   `json:"displayName" doc:"The name to show: first and last name."`
	Email       string   `json:"email" doc:"The e-mail address."`
	Language    *string  `json:"language" doc:"The language, a name such as dutch."`
	LabelIDs    []string `json:"labels" nullable:"false" doc:"The identifiers of the user's labels."`
	Version     int      `json:"version" doc:"Increases with every change."`
}

// UserChange is a change of a user: absent fields stay, null clears.
type UserChange struct {
	FirstName Optional[string]   `json:"firstName,omitempty" doc:"The first name."`
	LastName  Optional[string]   `json:"lastName,omitempty" doc:"The last name."`
	Email     Optional[string]   `json:"email,omitempty" doc:"The e-mail address."`
	Language  Optional[string]   `json:"language,omitempty" doc:"The language: its English name in lower case." example:"dutch"`
	LabelIDs  Optional[[]string] `json:"labels,omitempty" doc:"The identifiers of all labels of the user."`
}

var (
	shownUser  = mapping.New[backoffice.User, User](mapping.Except("DisplayName"), mapping.Convert(allOf))
	userChange = mapping.New[UserChange, backoffice.UserFields]()
)

func showUser(u *backoffice.User) User {
	shown := shownUser.Map(u)
	shown.DisplayName = u.DisplayName()
	return shown
}

type OfUser struct {
	UserID string `path:"userId" doc:"The user's identifier."`
}

func (a *API) users() {
	registerList(a, operation("GET /users", "listUsers", "List users",
		"The users that match all filters."), "", func(ctx context.Context, in *struct {
		Search Optional[string] `query:"search" doc:"A text in the name or the e-mail address, ignoring case and accents; 3 to 200 characters."`
		NameOrder
		Paging
	}) (*answered[List[User]], error) {
		criteria, err := (&backoffice.UserFilter{Search: value(in.Search)}).Criteria()
		if err != nil {
			return nil, err
		}
		q := question[backoffice.UserCriteria]{criteria: criteria, order: in.order()}
		return list(ctx, a.Store.Users(), q, in.Paging, showUser)
	})
	register(a, operation("GET /users/{userId}", "getUser", "Get a user",
		"One user."), "", func(ctx context.Context, in *struct {
		OfUser
		Conditional
	}) (*unlessKnown[User], error) {
		u, err := one(ctx, a.Store.Users(), backoffice.NounUser, in.UserID)
		if err != nil {
			return nil, err
		}
		return unless(in.Conditional, etag(u.Version), func() (User, error) { return showUser(u), nil })
	})
	register(a, operation("PATCH /users/{userId}", "updateUser", "Update a user",
		"Changes the fields that are sent, clears those that are sent as null, and returns the user.",
	), backoffice.UsersWrite, func(ctx context.Context, in *struct {
		OfUser
		Guarded
		Body UserChange
	}) (*versioned[User], error) {
		u, err := a.Service.UpdateUser(ctx, auth.From(ctx), in.UserID, userChange.Map(&in.Body), in.match)
		if err != nil {
			return nil, inPath(err, backoffice.NounUser, "id")
		}
		return &versioned[User]{ETag: etag(u.Version), Body: showUser(u)}, nil
	})
	register(a, operation("DELETE /users/{userId}", "deleteUser", "Delete a user",
		"Deletes the user permanently. The user's customers are left without a responsible user.",
	), backoffice.UsersWrite, func(ctx context.Context, in *struct {
		OfUser
		Guarded
	}) (*nothing, error) {
		err := a.Service.DeleteUser(ctx, auth.From(ctx), in.UserID, in.match)
		return &nothing{}, inPath(err, backoffice.NounUser, "id")
	})
}
