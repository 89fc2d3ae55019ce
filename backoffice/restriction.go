package backoffice

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
)

// Restriction is which customers a caller may see, with their records. A visible customer meets all conditions of one
// of the alternatives. A condition is met by any of its values. A restriction is comparable, for cache keys. The
// zero value restricts nothing.
type Restriction struct {
	alternatives string // sorted, each once, one a line; each has four sets of texts, separated by tabs
}

// RestrictionFields are the values of a restriction, in the order of its flags.
type RestrictionFields struct {
	Responsible []string `json:"responsible,omitempty"` // customers of these users
	Labels      []string `json:"labels,omitempty"`      // customers whose responsible user has one of these labels
	Customers   []string `json:"customers,omitempty"`   // these customers
	Years       []string `json:"years,omitempty"`       // customers with transcripts of these years (YYYY), only those
}

// NewRestriction makes a restriction. Refused with INVALID for malformed identifiers and years.
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
	one := strings.Join([]string{idSet(f.Responsible), idSet(f.Labels), idSet(f.Customers), idSet(f.Years)}, "\t")
	if one == "\t\t\t" {
		return Restriction{}, nil
	}
	return Restriction{one}, nil
}

// idSet encodes a set of texts without spaces as one text.
func idSet(values []string) string {
	values = slices.Clone(values)
	slices.Sort(values)
	return strings.Join(slices.Compact(values), " ")
}

// AnyOf returns a restriction with all their alternatives. It restricts nothing if one of them restricts nothing.
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

// Alternatives returns the values of each alternative; one without values if nothing is restricted.
func (r Restriction) Alternatives() (all []RestrictionFields) {
	for one := range strings.SplitSeq(r.alternatives, "\n") {
		sets := append(strings.Split(one, "\t"), "", "", "")
		all = append(all, RestrictionFields{
			strings.Fields(sets[0]), strings.Fields(sets[1]), strings.Fields(sets[2]), strings.Fields(sets[3]),
		})
	}
	return all
}

// NamesCustomers reports whether each alternative names its customers. Then of the users only those are visible who are
// responsible for a visible customer.
func (r Restriction) NamesCustomers() bool {
	namesNone := func(f RestrictionFields) bool { return len(f.Customers) == 0 }
	return r.IsSet() && !slices.ContainsFunc(r.Alternatives(), namesNone)
}

// Equal is for comparisons that cannot read unexported fields.
func (r Restriction) Equal(other Restriction) bool { return r == other }
func (r Restriction) IsSet() bool                  { return r != Restriction{} }

// String is the stored and listed form: a JSON object, an array of them for several alternatives, "" for none.
func (r Restriction) String() string {
	if !r.IsSet() {
		return ""
	}
	var shown any = r.Alternatives()
	if all := r.Alternatives(); len(all) == 1 {
		shown = all[0]
	}
	text, _ := json.Marshal(shown) // only texts: it cannot fail
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
	decoder.DisallowUnknownFields() // such as a condition of a later version
	err := decoder.Decode(&fields)
	var all []Restriction
	for _, f := range fields {
		one, wrong := NewRestriction(f)
		all, err = append(all, one), errors.Join(err, wrong)
	}
	if err != nil || len(all) == 0 {
		return Restriction{}, Fault(errRestriction, "reading the restriction of a credential")
	}
	r := AnyOf(all[0], all[1:]...)
	if shown := r.String(); shown != text && "["+shown+"]" != text {
		return Restriction{}, Fault(errRestriction, "reading the restriction of a credential")
	}
	return r, nil
}

var errRestriction = errors.New("it is malformed")

// AdmitsNew reports whether a customer without transcripts and with this user, nil for none, is visible.
func (r Restriction) AdmitsNew(c *Customer, responsible *User) bool {
	return slices.ContainsFunc(r.Alternatives(), func(f RestrictionFields) bool {
		return f.admitsNew(c) && f.admitsResponsible(responsible)
	})
}

// admitsNewOfSome reports whether such a customer would be visible with some user.
func (r Restriction) admitsNewOfSome(c *Customer) bool {
	return slices.ContainsFunc(r.Alternatives(), func(f RestrictionFields) bool { return f.admitsNew(c) })
}

func (f *RestrictionFields) admitsNew(c *Customer) bool {
	return len(f.Years) == 0 && (len(f.Customers) == 0 || slices.Contains(f.Customers, c.ID))
}

// AdmitsResponsible reports whether customers of a user, nil for none, may be visible. Other conditions may hide them.
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

// SeesOthers reports whether the change of a user's labels may change which customers are visible.
func (r Restriction) SeesOthers(before, after *User) bool {
	return slices.ContainsFunc(r.Alternatives(), func(f RestrictionFields) bool {
		return slices.ContainsFunc(f.Labels, func(label string) bool {
			return slices.Contains(before.LabelIDs, label) != slices.Contains(after.LabelIDs, label)
		})
	})
}

// AdmitsYear reports whether records of this financial year may be visible. Other conditions may hide them.
func (r Restriction) AdmitsYear(year *FinancialYear) bool {
	return slices.ContainsFunc(r.Alternatives(), func(f RestrictionFields) bool {
		return len(f.Years) == 0 || slices.Contains(f.Years, year.StartDate)
	})
}

// CheckNamed checks that what is named exists. Refused with NOT_FOUND (responsible, labels, customers).
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

// WithRestriction restricts every read and write of a Store in the context and in contexts derived from it.
func WithRestriction(ctx context.Context, to Restriction) context.Context {
	return WithRequest(ctx, func(r *Request) { r.Restriction = to })
}

func RestrictionOf(ctx context.Context) Restriction { return RequestOf(ctx).Restriction }

// OutOfView is the error of a write that changes or creates what the caller may not see: NOT_ALLOWED.
func OutOfView(field ...string) error {
	return Refuse(&UserError{Code: CodeNotAllowed, Message: outOfView, Field: field})
}

const outOfView = "the write would affect records that this credential may not see"
