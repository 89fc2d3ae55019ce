package resolvers

import (
	"context"

	"example.org/backoffice/backoffice"
)

var users = nounOf(backoffice.UserTable)

func (query) User(ctx context.Context, id string) (*backoffice.User, error) {
	return users.of(ctx).One(ctx, id)
}

func (r query) Users(ctx context.Context, first *int, after *string, last *int, before *string, page, pageSize *int,
	filter *backoffice.UserFilter, orderBy *backoffice.UserOrder) (*backoffice.UserConnection, error) {
	criteria, err := filter.Criteria()
	if err != nil {
		return nil, err
	}
	return all(ctx, r.Root, users.of(ctx), criteria, orderBy.Order(),
		pageArgs(first, after, last, before, page, pageSize))
}

// Labels loads the labels of all users at once and returns each user's in its order.
func (user) Labels(ctx context.Context, users []*backoffice.User) ([][]*backoffice.Label, error) {
	return listed(ctx, labels.of(ctx), users, func(u *backoffice.User) []string { return u.LabelIDs })
}

func (r user) Customers(ctx context.Context, users []*backoffice.User, first *int, after *string, last *int,
	before *string, page, pageSize *int) ([]*backoffice.CustomerConnection, error) {
	return below(ctx, r.Root, customers.of(ctx), users, (*backoffice.User).Identity, backoffice.OfUser,
		backoffice.CustomerCriteria{}, backoffice.ByID, pageArgs(first, after, last, before, page, pageSize))
}

func (r user) Transcripts(ctx context.Context, users []*backoffice.User, first *int, after *string, last *int,
	before *string, page, pageSize *int, filter *backoffice.TranscriptFilter,
	orderBy *backoffice.TranscriptOrder) ([]*backoffice.TranscriptConnection, error) {
	return transcriptsOf(ctx, r.Root, users, (*backoffice.User).Identity, backoffice.OfUser, filter, orderBy,
		pageArgs(first, after, last, before, page, pageSize))
}
