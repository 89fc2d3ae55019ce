package backoffice

import (
	"slices"
	"strconv"
	"strings"
)

// User is a colleague in the office, who can be responsible for customers.
type User struct {
	ID        string
	FirstName string
	LastName  string
	Email     string
	Language  Text
	LabelIDs  []string // in the order given
	Version   int      // grows by one with every change
}

const MaxLabels = 100

func (u *User) DisplayName() string            { return strings.TrimSpace(u.FirstName + " " + u.LastName) }
func SearchTextOfUser(u *User) string          { return Fold(u.FirstName+" "+u.LastName) + "\n" + Fold(u.Email) }
func (u *User) Identity() string               { return u.ID }
func (u *User) Position(key OrderKey) Position { return positionByName(key, u.ID, u.DisplayName()) }

// UserFilter picks users; nil is no filter.
type UserFilter struct {
	Search *string // 3 to 200 characters; the name or the e-mail contains it, case and accents ignored
}

// UserCriteria is a UserFilter prepared for the store; zero fields are no criterion.
type UserCriteria struct {
	Search string // folded
}

// Criteria prepares the filter for the store. Errors: BadInput for a search of under 3 or over 200 characters.
func (f *UserFilter) Criteria() (c UserCriteria, err error) {
	if f != nil && f.Search != nil {
		c.Search, err = foldSearch(*f.Search)
		err = InField(err, "search")
	}
	return c, err
}

var UserTable = &Table[User, UserCriteria]{
	Noun:    NounUser,
	ID:      func(u *User) *string { return &u.ID },
	Version: func(u *User) *int { return &u.Version },
	Fields: []WritableField[User]{
		requiredField("firstName", func(u *User) *string { return &u.FirstName }, plainText),
		requiredField("lastName", func(u *User) *string { return &u.LastName }, plainText),
		requiredField("email", func(u *User) *string { return &u.Email }, ParseEmail),
		textField("language", func(u *User) *Text { return &u.Language }, ParseLanguage),
		listField("labelIds", NounLabel, func(u *User) *[]string { return &u.LabelIDs }, checkLabelIDs),
	},
}

// checkLabelIDs keeps the first of equal labels.
func checkLabelIDs(u *User, check *checker) {
	var labels []string
	for i, id := range u.LabelIDs {
		if CheckID(id) != nil {
			check.add(CodeNotFound, "no label has this identifier", "labelIds", strconv.Itoa(i))
		} else if !slices.Contains(labels, id) {
			labels = append(labels, id)
		}
		if len(labels) > MaxLabels {
			check.add(CodeInvalid, "a user has at most "+strconv.Itoa(MaxLabels)+" labels", "labelIds")
			break
		}
	}
	if len(check.found) == 0 {
		u.LabelIDs = labels
	}
}
