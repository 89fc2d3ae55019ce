package backoffice

import "strings"

// DuplicateKey is what customers share who may be the same one.
type DuplicateKey string

const (
	SameEmail             DuplicateKey = "EMAIL"
	SameKboNumber         DuplicateKey = "KBO_NUMBER"
	SameNameAndPostalCode DuplicateKey = "NAME_AND_POSTAL_CODE"
)

// Dimensions of duplicates alone: text is folded.
const (
	GroupByEmail            Dimension = "EMAIL"
	GroupByKboNumber        Dimension = "KBO_NUMBER"
	GroupByName             Dimension = "NAME"
	GroupByPostalCodeFolded Dimension = "POSTAL_CODE_FOLDED"
)

var duplicateDimensions = map[DuplicateKey][]Dimension{
	SameEmail: {GroupByEmail}, SameKboNumber: {GroupByKboNumber},
	SameNameAndPostalCode: {GroupByName, GroupByPostalCodeFolded},
}

// DefaultDuplicates is the number of groups without first; MostMembers the most customers that a group lists.
const (
	DefaultDuplicates = 50
	MostMembers       = 10
)

// NewDuplicateQuery groups customers who share a value that each of them has. Errors: those of NewGroupQuery.
func NewDuplicateQuery(
	criteria CustomerCriteria, by DuplicateKey, first *int) (q GroupQuery[CustomerCriteria], err error) {
	if first == nil {
		first = new(DefaultDuplicates)
	}
	q, err = NewGroupQuery(criteria, duplicateDimensions[by], first)
	q.Duplicates = true
	return q, err
}

// Value is what the members of a group of duplicates share, folded.
func (g *Group) Value() string {
	return strings.Join(Mapped(g.Keys, func(k *GroupKey) string { return string(k.Value) }), ", ")
}
