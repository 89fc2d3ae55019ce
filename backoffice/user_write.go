package backoffice

import (
	"context"
	"strconv"
)

// UserFields is the input to change a user: absent keeps, null clears.
type UserFields struct {
	FirstName Optional[string]
	LastName  Optional[string]
	Email     Optional[string]
	Language  Optional[string]
	LabelIDs  Optional[[]string]
}

var userInput = inputOf[UserFields](UserTable)

// UpdateUser changes a user; it needs users.write. An update without any change leaves the version alone and is not
// logged. Refused also with NOT_FOUND (id, or the index in labelIds) and STALE_VERSION.
func (s *Service) UpdateUser(
	ctx context.Context, by *Principal, id string, in UserFields, expected Versions,
) (*User, error) {
	if err := require(by, UsersWrite); err != nil {
		return nil, err
	}
	if there, err := s.writesThere(ctx, NounUser); err != nil {
		return nil, err
	} else if there {
		return s.updateUserThere(ctx, by, id, in, expected)
	}
	var labels map[string]*Label
	sent, _ := in.LabelIDs.Get()
	return update(ctx, s, updating[User, UserFields, UserCriteria]{
		by: by, action: "updateUser", input: userInput, id: id, in: &in, expected: expected,
		look: func(ctx context.Context, tx Tx) (err error) {
			labels, err = findLabels(ctx, tx, sent)
			return err
		},
		check: func(before, after *User, check *checker) {
			checkLabels(labels, sent, check)
			if RestrictionOf(ctx).SeesOthers(before, after) {
				check.add(CodeNotAllowed, outOfView, "labelIds")
			}
		},
	})
}

// findLabels returns the labels that exist. It reads none of too many, which UserTable rejects.
func findLabels(ctx context.Context, tx Tx, ids []string) (map[string]*Label, error) {
	if len(ids) == 0 || len(ids) > MaxLabels {
		return nil, nil
	}
	return ReadByID(ctx, tx.Labels(), sound(ids...), 0)
}

func checkLabels(found map[string]*Label, ids []string, check *checker) {
	if len(ids) > MaxLabels {
		return
	}
	for i, id := range ids {
		if CheckID(id) == nil && found[id] == nil {
			check.add(CodeNotFound, "no label has this identifier", "labelIds", strconv.Itoa(i))
		}
	}
}

// DeleteUser deletes a user for good; it needs users.write. Its customers have no responsible user then, each as a
// change with its own version. Refused with NOT_FOUND (id) and STALE_VERSION.
func (s *Service) DeleteUser(ctx context.Context, by *Principal, id string, expected Versions) error {
	if err := requireDelete(by, UsersWrite); err != nil {
		return err
	}
	if there, err := s.writesThere(ctx, NounUser); err != nil {
		return err
	} else if there {
		return s.deleteUserThere(ctx, by, id, expected)
	}
	return s.write(ctx, func(ctx context.Context, tx Tx) (raced bool, err error) {
		change := changeBy(by, InstantOf(s.now()), "deleteUser", NounUser, id)
		return removeVersion(ctx, tx, UserTable, change, expected)
	})
}
