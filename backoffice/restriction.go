package backoffice

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
)

// Restriction is which customers a caller may see, and with them what hangs on those. Of the same kind of condition
// one of its values has to be met, and each kind that is set. A restriction may have alternatives: what any of them
// admits is seen. It is comparable, so that it can be a part of a question; the zero value restricts nothing.
type Restriction struct {
	alternatives string // sorted, each once, parted by line ends; each has four sets of texts, parted by tabs
}

// RestrictionFields are the values of a restriction, in the order of its flags.
type RestrictionFields struct {
	Responsible []string `json:"responsible,omitempty"` // customers of these users
	Labels      []string `json:"labels,omitempty"`      // customers whose responsible user has one of these labels
	Customers   []string `json:"customers,omitempty"`   // these customers
	Years       []string `json:"years,omitempty"`       // customers with transcripts of these years (YYYY), and theirs alone
}

// NewRestriction makes a restriction. Refused with INVALID for what can be no identifier or year.
func NewRestriction(f RestrictionFields) (Restriction, error) {
	var check checker
	for _, of := range []struct {
		field  string
		values []string
	}{{"responsible", f.Responsible}, {"labels", f.Labels}, {"customers", f.Customers}} {
		for _, id := range of.values {
			if err := CheckID(id); err != nil {
				check.add(CodeInvalid, err.Error(), of.field)
			}
		}
	}
	for _, year := range f.Years {
		if _, err := ParseYear(year); err != nil {
			check.add(CodeInvalid, err.Error(), "years")
		}
	}
	if err := check.refusal(); err != nil {
		return Restriction{}, err
	}
	return restrictionOf(f), nil
}

func restrictionOf(f RestrictionFields) Restriction {
	one := strings.Join([]string{idSet(f.Responsible), idSet(f.Labels), idSet(f.Customers), idSet(f.Years)}, "\t")
	if one == "\t\t\t" {
		return Restriction{}
	}
	return Restriction{one}
}

// idSet is one text for a set of texts that have no blanks.
func idSet(values []string) string {
	values = slices.Clone(values)
	slices.Sort(values)
	return strings.Join(slices.Compact(values), " ")
}

// AnyOf is the restriction whose alternatives are those of all of these: none, when one of them restricts nothing.
func AnyOf(first Restriction, others ...Restriction) Restriction {
	var all []string
	for _, r := range append([]Restriction{first}, others...) {
		if !r.IsSet() {
			return r
		}
		all = append(all, strings.Split(r.alternatives, "\n")...)
	}
	slices.Sort(all)
	return Restriction{strings.Join(slices.Compact(all), "\n")}
}

// Alternatives are the values of each, one without any where nothing is restricted.
func (r Restriction) Alternatives() (all []RestrictionFields) {
	for one := range strings.SplitSeq(r.alternatives, "\n") {
		sets := append(strings.Split(one, "\t"), "", "", "")
		all = append(all, RestrictionFields{
			strings.Fields(sets[0]), strings.Fields(sets[1]), strings.Fields(sets[2]), strings.Fields(sets[3]),
		})
	}
	return all
}

// Equal is for comparisons that cannot look inside.
func (r Restriction) Equal(other Restriction) bool { return r == other }
func (r Restriction) IsSet() bool                  { return r != Restriction{} }

// String is the restriction as it is stored and listed: a JSON object, an array of them where there are alternatives,
// "" for none.
func (r Restriction) String() string {
	if !r.IsSet() {
		return ""
	}
	var shown any = r.Alternatives()
	if all := r.Alternatives(); len(all) == 1 {
		shown = all[0]
	}
	text, _ := json.Marshal(shown) // of texts: it has nothing to fail on
	return string(text)
}

// ParseRestriction is the inverse of String. Treat an error as a restriction that hides everything, never as none.
func ParseRestriction(text string) (Restriction, error) {
	if text == "" {
		return Restriction{}, nil
	}
	if !strings.HasPrefix(text, "[") {
		text = "[" + text + "]"
	}
	var fields []RestrictionFields
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.DisallowUnknownFields() // a later program's kind of condition
	err := decoder.Decode(&fields)
	var all []Restriction
	for _, f := range fields {
		one, wrong := NewRestriction(f)
		all, err = append(all, one), errors.Join(err, wrong)
	}
	if err != nil || len(all) == 0 {
		return Restriction{}, Fault(errRestriction, "reading the restriction of a credential pair")
	}
	r := AnyOf(all[0], all[1:]...)
	if shown := r.String(); shown != text && "["+shown+"]" != text {
		return Restriction{}, Fault(errRestriction, "reading the restriction of a credential pair")
	}
	return r, nil
}

var errRestriction = errors.New("it is not as it was written")

// AdmitsNew reports whether a customer without any transcript is visible, by itself and its user, nil for nobody.
func (r Restriction) AdmitsNew(c *Customer, responsible *User) bool {
	return slices.ContainsFunc(r.Alternatives(), func(f RestrictionFields) bool {
		return f.admitsNew(c) && f.admitsResponsible(responsible)
	})
}

// admitsNewOfSome reports whether the customer would be in view with another user, or with one at all.
func (r Restriction) admitsNewOfSome(c *Customer) bool {
	return slices.ContainsFunc(r.Alternatives(), func(f RestrictionFields) bool { return f.admitsNew(c) })
}

func (f *RestrictionFields) admitsNew(c *Customer) bool {
	return len(f.Years) == 0 && (len(f.Customers) == 0 || slices.Contains(f.Customers, c.ID))
}

// AdmitsResponsible reports whether customers of a user, nil for nobody, may be in view as far as their user tells.
func (r Restriction) AdmitsResponsible(user *User) bool {
	return slices.ContainsFunc(r.Alternatives(), func(f RestrictionFields) bool { return f.admitsResponsible(user) })
}

func (f *RestrictionFields) admitsResponsible(user *User) bool {
	if len(f.Responsible) > 0 && (user == nil || !slices.Contains(f.Responsible, user.ID)) {
		return false
	}
	return len(f.Labels) == 0 || user != nil &&
		slices.ContainsFunc(user.LabelIDs, func(id string) bool { return slices.Contains(f.Labels, id) })
}

// SeesOthers reports whether a change of a user changes which customers are in view: those of whoever has a label.
func (r Restriction) SeesOthers(before, after *User) bool {
	return slices.ContainsFunc(r.Alternatives(), func(f RestrictionFields) bool {
		return slices.ContainsFunc(f.Labels, func(label string) bool {
			return slices.Contains(before.LabelIDs, label) != slices.Contains(after.LabelIDs, label)
		})
	})
}

// AdmitsYear reports whether what belongs to a financial year may be in view as far as that tells.
func (r Restriction) AdmitsYear(year *FinancialYear) bool {
	return slices.ContainsFunc(r.Alternatives(), func(f RestrictionFields) bool {
		return len(f.Years) == 0 || slices.Contains(f.Years, year.StartDate)
	})
}

// CheckNamed refuses a restriction that names what is not there: with NOT_FOUND.
func (r Restriction) CheckNamed(ctx context.Context, reads Readers) error {
	var check checker
	for _, f := range r.Alternatives() {
		if err := f.checkNamed(ctx, reads, &check); err != nil {
			return err
		}
	}
	return check.refusal()
}

func (f *RestrictionFields) checkNamed(ctx context.Context, reads Readers, check *checker) error {
	err := checkNamed(ctx, reads.Users(), f.Responsible, "no user has this identifier", "responsible", check)
	if err == nil {
		err = checkNamed(ctx, reads.Labels(), f.Labels, "no label has this identifier", "labels", check)
	}
	if err == nil {
		err = checkNamed(ctx, reads.Customers(), f.Customers, "no customer has this identifier", "customers", check)
	}
	return err
}

func checkNamed[T any, C comparable](
	ctx context.Context, reads Reader[T, C], ids []string, message, field string, check *checker,
) error {
	found, err := ReadByID(ctx, reads, ids, 1)
	if err == nil && len(found) < len(ids) {
		check.add(CodeNotFound, message, field)
	}
	return err
}

// WithRestriction restricts what a context asks a Store: every read and every write, whoever asks. It stays with all
// contexts that are made of this one.
func WithRestriction(ctx context.Context, to Restriction) context.Context {
	return WithRequest(ctx, func(r *Request) { r.Restriction = to })
}

func RestrictionOf(ctx context.Context) Restriction { return RequestOf(ctx).Restriction }

// OutOfView refuses a write that touches, or makes, what its pair may not see.
func OutOfView(field ...string) error {
	return Refuse(&UserError{Code: CodeNotAllowed, Message: outOfView, Field: field})
}

const outOfView = "the write touches what this pair may not see, or leads there"
