package backoffice

import (
	"regexp"
	"slices"
	"strings"
)

// DuplicateKey is what customers share who may be the same one.
type DuplicateKey string

const (
	SameEmail             DuplicateKey = "EMAIL"
	SameKboNumber         DuplicateKey = "KBO_NUMBER"
	SameNameAndPostalCode DuplicateKey = "NAME_AND_POSTAL_CODE"
	// SimilarNameAndPostalCode is of names that SimilarNameOf takes for one.
	SimilarNameAndPostalCode DuplicateKey = "SIMILAR_NAME_AND_POSTAL_CODE"
	SameRegistrationNumber   DuplicateKey = "REGISTRATION_NUMBER" // needs privacy.read
)

// Dimensions of duplicates alone: text is folded.
const (
	GroupByEmail            Dimension = "EMAIL"
	GroupByKboNumber        Dimension = "KBO_NUMBER"
	GroupByName             Dimension = "NAME"
	GroupByPostalCodeFolded Dimension = "POSTAL_CODE_FOLDED"
	GroupBySimilarName      Dimension = "SIMILAR_NAME"
	// GroupByRegistration is the blind index, which is no value of a group: those have "".
	GroupByRegistration Dimension = "REGISTRATION_NUMBER"
)

var duplicateDimensions = map[DuplicateKey][]Dimension{
	SameEmail: {GroupByEmail}, SameKboNumber: {GroupByKboNumber},
	SameNameAndPostalCode:    {GroupByName, GroupByPostalCodeFolded},
	SimilarNameAndPostalCode: {GroupBySimilarName, GroupByPostalCodeFolded},
	SameRegistrationNumber:   {GroupByRegistration},
}

// DefaultDuplicates is the number of groups without first; MostMembers the most customers that a group lists.
const (
	DefaultDuplicates = 50
	MostMembers       = 10
)

// NewDuplicateQuery groups customers who share a value that each of them has. During a key rotation, customers whose
// numbers are sealed by different keys share none. To share a number is to be found by it, so begin comes first: that
// of privacy.Searching. Errors: those of NewGroupQuery and of begin.
func NewDuplicateQuery(criteria CustomerCriteria, by DuplicateKey, first *int,
	begin func(PrivacyField) error) (q GroupQuery[CustomerCriteria], err error) {
	if by == SameRegistrationNumber {
		if err := begin(RegistrationNumber); err != nil {
			return q, err
		}
	}
	if first == nil {
		first = new(DefaultDuplicates)
	}
	q, err = NewGroupQuery(criteria, duplicateDimensions[by], first)
	q.Duplicates = true
	return q, err
}

// Value is what the members of a group of duplicates share, folded.
func (g *Group) Value() string {
	return strings.Join(Map(g.Keys, func(k *GroupKey) string { return string(k.Value) }), ", ")
}

// SimilarNameOf is what names have in common that people take for one: it has their words in alphabetical order, without
// accents, legal forms, punctuation and spaces, and spells alike what sounds alike. It is "" for a name of none of that.
func SimilarNameOf(name string) string {
	var words []string
	for word := range wordsOf(dotted.ReplaceAllStringFunc(Fold(name), undotted)) {
		if !slices.Contains(formWords, word) {
			words = append(words, string(slices.Compact([]rune(soundAlike.Replace(word)))))
		}
	}
	slices.Sort(words)
	return strings.Join(words, " ")
}

// formWords are the legal forms that stand in names: today's, and those that still do.
var formWords = strings.Fields("bv bvba ebvba nv cv cva cvba cvoa vof gcv commv comm vzw ivzw " +
	"srl sprl sprlu sa sc scrl scris snc scs sca asbl aisbl gmbh ag se ltd inc")

var (
	dotted     = regexp.MustCompile(`\b(\p{L}\.){2,}`) // as in B.V.
	undotted   = func(letters string) string { return strings.ReplaceAll(letters, ".", "") + " " }
	soundAlike = strings.NewReplacer("ij", "y", "ei", "y", "ey", "y", "ie", "i", "ck", "k", "ch", "g", "qu", "kw",
		"ph", "f", "th", "t", "ae", "a", "oe", "u", "ou", "u", "c", "k", "z", "s", "x", "ks")
)
