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
	var wanted []string
	for _, u := range users {
		if u != nil {
			wanted = append(wanted, u.LabelIDs...)
		}
	}
	labels, err := labels.of(ctx).All(ctx, wanted)
	if err != nil {
		return nil, err
	}
	lists := make([][]*backoffice.Label, len(users))
	for i, u := range users {
		lists[i] = []*backoffice.Label{}
		if u == nil {
			continue
		}
		for _, label := range labels[:len(u.LabelIDs)] {
			if label != nil {
				lists[i] = append(lists[i], label)
			}
		}
		labels = labels[len(u.LabelIDs):]
	}
	return lists, nil
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
