package backoffice

import (
	"context"
	"slices"
	"strconv"
	"strings"
)

// UserFields is what a caller sends to change a user: absent keeps, null clears.
type UserFields struct {
	FirstName Optional[string]
	LastName  Optional[string]
	Email     Optional[string]
	Language  Optional[string]
	LabelIDs  Optional[[]string]
}

func (in *UserFields) apply(u *User, check *checker) {
	assign(check, &u.FirstName, in.FirstName, "firstName")
	assign(check, &u.LastName, in.LastName, "lastName")
	assign(check, &u.Email, in.Email, "email")
	assign(check, &u.Language, in.Language, "language")
	if in.LabelIDs.IsSent() {
		labels, _ := in.LabelIDs.Get()
		u.LabelIDs = slices.Clone(labels)
	}
}

func (u *User) values() values {
	v := values{}
	v.set("firstName", u.FirstName)
	v.set("lastName", u.LastName)
	v.set("email", u.Email)
	v.set("language", string(u.Language))
	v.set("labelIds", strings.Join(u.LabelIDs, " "))
	return v
}

// UpdateUser changes a user; it needs users.write. A change that changes nothing leaves the version alone and is not
// logged. Refused also with NOT_FOUND (id, or the place of a label in labelIds) and STALE_VERSION.
func (o *Office) UpdateUser(ctx context.Context, by *Viewer, id string, in UserFields, expected Versions) (*User, error) {
	if err := require(by, UsersWrite); err != nil {
		return nil, err
	}
	var updated *User
	err := o.write(ctx, func(ctx context.Context, tx Tx) (bool, error) {
		before, ok, err := find(ctx, tx.Users(), id)
		if err != nil {
			return false, err
		}
		if !ok {
			return false, unknown(NounUser, "id")
		}
		if err := checkVersion(expected, before.Version); err != nil {
			return false, err
		}
		after := *before
		var check checker
		in.apply(&after, &check)
		if err := checkLabels(ctx, tx, after.LabelIDs, &check); err != nil {
			return false, err
		}
		check.found = append(check.found, CheckUser(&after)...)
		if err := check.refusal(); err != nil {
			return false, err
		}
		changed := before.values().changed(after.values())
		if updated = before; len(changed) == 0 {
			return false, nil
		}
		after.Version++
		updated = &after
		if err := tx.Users().Update(ctx, &after); err != nil {
			return lost(err), err
		}
		return false, tx.LogChanges(ctx, &Change{At: InstantOf(o.now()), ClientID: by.ClientID, Action: "updateUser", Noun: NounUser, ObjectID: id, Fields: changed.names()})
	})
	if err != nil {
		return nil, err
	}
	return updated, nil
}

// checkLabels finds the labels that are not there; those that cannot be are CheckUser's.
func checkLabels(ctx context.Context, tx Tx, ids []string, check *checker) error {
	if len(ids) == 0 || len(ids) > MaxLabels {
		return nil
	}
	found, err := tx.Labels().ByID(ctx, sound(ids...), 0)
	if err != nil {
		return err
	}
	for i, id := range ids {
		if CheckID(id) == nil && found[id] == nil {
			check.add(CodeNotFound, "no label has this identifier", "labelIds", strconv.Itoa(i))
		}
	}
	return nil
}

// DeleteUser removes a user for good; it needs users.write. The customers that it was responsible for get no responsible
// user, each as a change of its own version. Refused with NOT_FOUND (id) and STALE_VERSION.
func (o *Office) DeleteUser(ctx context.Context, by *Viewer, id string, expected Versions) error {
	if err := require(by, UsersWrite); err != nil {
		return err
	}
	return o.write(ctx, func(ctx context.Context, tx Tx) (bool, error) {
		user, ok, err := find(ctx, tx.Users(), id)
		if err != nil {
			return false, err
		}
		if !ok {
			return false, unknown(NounUser, "id")
		}
		if err := checkVersion(expected, user.Version); err != nil {
			return false, err
		}
		if expected != nil { // whoever else changes this version loses, or came first
			user.Version++
			if err := tx.Users().Update(ctx, user); err != nil {
				return lost(err), err
			}
		}
		if raced, err := o.releaseCustomers(ctx, tx, by, id); err != nil {
			return raced, err
		}
		return false, remove(ctx, tx, tx.Users(), &Change{At: InstantOf(o.now()), ClientID: by.ClientID, Action: "deleteUser", Noun: NounUser, ObjectID: id})
	})
}

// releaseCustomers takes a user's responsibility for customers away, a page at a time: those that are done no longer
// match.
func (o *Office) releaseCustomers(ctx context.Context, tx Tx, by *Viewer, user string) (raced bool, err error) {
	now := InstantOf(o.now())
	ask := Ask[CustomerCriteria]{Criteria: CustomerCriteria{ResponsibleID: user}, Window: Window{Limit: MaxPageSize}}
	for {
		pages, err := tx.Customers().Pages(ctx, ask, []string{NoParent}, 0)
		if err != nil {
			return false, err
		}
		page := pages[NoParent].Items
		if len(page) == 0 {
			return false, nil
		}
		changes := make([]*Change, len(page))
		for i, c := range page {
			before := *c
			c.ResponsibleID = ""
			c.Version++
			c.UpdatedAt = max(c.UpdatedAt, now)
			c.NoteChange(&before, false)
			changes[i] = &Change{At: now, ClientID: by.ClientID, Action: "deleteUser", Noun: NounCustomer, ObjectID: c.ID, Fields: []string{"responsibleId"}}
		}
		if err := tx.Customers().Update(ctx, page...); err != nil {
			return lost(err), err
		}
		if err := tx.LogChanges(ctx, changes...); err != nil {
			return false, err
		}
	}
}
