package people

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"example.org/backoffice/backoffice"
)

// Map gives people scopes, and says which customers they see, by the claims of their tokens. It never changes.
type Map struct {
	rules  []rule
	deny   map[string]bool
	digest [sha256.Size]byte
}

// rule gives what it gives to whoever has a value in a claim.
type rule struct {
	claim, value string
	scopes       []backoffice.Scope
	restriction  backoffice.Restriction
}

const (
	maxMap   = 1 << 20 // bytes
	maxRules = 1000
	// together are the alternatives that the rules of one person may come to.
	together = 50
)

// The members of the file and of its rules.
type (
	mapText struct {
		Rules []json.RawMessage `json:"rules"`
		Deny  []string          `json:"deny"`
	}
	ruleText struct {
		Claim           *string  `json:"claim"`
		Value           *string  `json:"value"`
		Scopes          []string `json:"scopes"`
		OnlyResponsible []string `json:"onlyResponsible"`
		OnlyLabel       []string `json:"onlyLabel"`
		OnlyCustomer    []string `json:"onlyCustomer"`
		OnlyYear        []string `json:"onlyYear"`
	}
)

// ParseMap reads a map. Errors say which rule is wrong, and repeat nothing of it.
func ParseMap(text []byte) (*Map, error) {
	if len(text) > maxMap {
		return nil, fmt.Errorf("a map has at most %d bytes", maxMap)
	}
	if err := backoffice.CheckJSONObject(text); err != nil {
		return nil, err
	}
	var read mapText
	if err := strictly(text, &read, "rules", "deny"); err != nil {
		return nil, err
	}
	if len(read.Rules) == 0 || len(read.Rules) > maxRules {
		return nil, fmt.Errorf("a map has 1 to %d rules", maxRules)
	}
	m := &Map{deny: map[string]bool{}, digest: sha256.Sum256(text)}
	for i, text := range read.Rules {
		r, err := parseRule(text)
		if err != nil {
			return nil, fmt.Errorf("rule %d: %w", i+1, err)
		}
		m.rules = append(m.rules, r)
	}
	for i, subject := range read.Deny {
		if err := backoffice.CheckText(subject, maxSubject); err != nil {
			return nil, fmt.Errorf("deny, subject %d: %w", i+1, err)
		}
		m.deny[subject] = true
	}
	return m, nil
}

// strictly decodes these members alone: a misspelt one would take away a restriction or a denial.
func strictly(text []byte, into any, members ...string) error {
	var all map[string]json.RawMessage
	if err := json.Unmarshal(text, &all); err != nil {
		return errors.New("it is not a JSON object")
	}
	for name, value := range all {
		if !slices.Contains(members, name) {
			return fmt.Errorf("unknown member; the members are %s", strings.Join(members, ", "))
		}
		if bytes.Equal(bytes.TrimSpace(value), []byte("null")) {
			return fmt.Errorf("%s is null: leave it out", name)
		}
	}
	var wrong *json.UnmarshalTypeError
	switch err := json.Unmarshal(text, into); {
	case errors.As(err, &wrong):
		return fmt.Errorf("%s: wrong type", wrong.Field)
	case err != nil:
		return errors.New("it has the wrong form")
	}
	return nil
}

func parseRule(text []byte) (r rule, err error) {
	var read ruleText
	err = strictly(text, &read, "claim", "value", "scopes", "onlyResponsible", "onlyLabel", "onlyCustomer", "onlyYear")
	if err != nil {
		return r, err
	}
	if read.Claim == nil || *read.Claim == "" || read.Value == nil || *read.Value == "" {
		return r, errors.New("a rule must have a claim and a value")
	}
	r.claim, r.value = *read.Claim, *read.Value
	for i, name := range read.Scopes {
		scope, err := backoffice.ParseScope(name)
		if err != nil {
			return r, fmt.Errorf("scope %d: %w", i+1, err)
		}
		r.scopes = append(r.scopes, scope)
	}
	for name, values := range map[string][]string{"onlyResponsible": read.OnlyResponsible, "onlyLabel": read.OnlyLabel,
		"onlyCustomer": read.OnlyCustomer, "onlyYear": read.OnlyYear} {
		switch {
		case slices.Contains(values, ""):
			return r, fmt.Errorf("%s: a value is empty", name)
		case values != nil && len(values) == 0: // which would lift the restriction
			return r, fmt.Errorf("%s is empty: leave it out", name)
		}
	}
	r.restriction, err = backoffice.NewRestriction(backoffice.RestrictionFields{Responsible: read.OnlyResponsible,
		Labels: read.OnlyLabel, Customers: read.OnlyCustomer, Years: read.OnlyYear})
	if err != nil {
		err = errors.New("onlyResponsible, onlyLabel and onlyCustomer take identifiers, onlyYear takes years (YYYY)")
	}
	return r, err
}

// checkNamed checks that the users, labels and customers of the rules exist. It asks for all of them at once; the error
// says which rule is wrong.
func (m *Map) checkNamed(ctx context.Context, reads backoffice.Readers) error {
	var all backoffice.RestrictionFields
	for _, r := range m.rules {
		for _, f := range r.restriction.Alternatives() {
			all.Responsible = append(all.Responsible, f.Responsible...)
			all.Labels, all.Customers = append(all.Labels, f.Labels...), append(all.Customers, f.Customers...)
		}
	}
	together, err := backoffice.NewRestriction(all)
	if err == nil {
		err = together.CheckNamed(ctx, reads)
	}
	if backoffice.KindOf(err) != backoffice.Refused {
		return err
	}
	for i, r := range m.rules {
		err := r.restriction.CheckNamed(ctx, reads)
		known, ok := errors.AsType[*backoffice.Error](err)
		switch {
		case ok && known.Kind == backoffice.Refused:
			return fmt.Errorf("rule %d: %s", i+1, known.UserErrors[0].Message)
		case err != nil:
			return err
		}
	}
	return nil // it is there by now
}

func (m *Map) match(claims map[string]any) (rules []int) {
	for i, r := range m.rules {
		if has(claims, r.claim, r.value) {
			rules = append(rules, i)
		}
	}
	return rules
}

// has reports whether a claim is a text, or a list that has it. A claim that begins with / is a JSON pointer, for those
// within others; scope is a list parted by blanks (RFC 9068).
func has(claims map[string]any, claim, value string) bool {
	found, is := claims[claim]
	if !is && strings.HasPrefix(claim, "/") {
		found = pointed(claims, claim)
	}
	switch found := found.(type) {
	case string:
		return found == value || claim == "scope" && slices.Contains(strings.Fields(found), value)
	case []any:
		return slices.Contains(found, any(value))
	}
	return false
}

var unescape = strings.NewReplacer("~1", "/", "~0", "~")

// pointed is what a JSON pointer (RFC 6901) leads to, nil for nothing.
func pointed(value any, pointer string) any {
	for part := range strings.SplitSeq(pointer[1:], "/") {
		part = unescape.Replace(part)
		switch in := value.(type) {
		case map[string]any:
			value = in[part]
		case []any:
			at, err := strconv.Atoi(part)
			if err != nil || at < 0 || at >= len(in) {
				return nil
			}
			value = in[at]
		default:
			return nil
		}
	}
	return value
}

// give is what rules give together: all of their scopes; and what any of them lets see, which is everything when one
// restricts nothing. Forbidden when there is no rule.
func (m *Map) give(rules []int) (scopes []backoffice.Scope, restriction backoffice.Restriction, err error) {
	if len(rules) == 0 {
		return nil, restriction, errNothing
	}
	var restrictions []backoffice.Restriction
	given := map[backoffice.Scope]bool{}
	for _, i := range rules {
		if i < 0 || i >= len(m.rules) {
			return nil, restriction, errEnded
		}
		for _, scope := range m.rules[i].scopes {
			given[scope] = true
		}
		restrictions = append(restrictions, m.rules[i].restriction)
	}
	for _, scope := range backoffice.AllScopes {
		if given[scope] {
			scopes = append(scopes, scope)
		}
	}
	restriction = backoffice.AnyOf(restrictions[0], restrictions[1:]...)
	if len(restriction.Alternatives()) > together {
		return nil, restriction, errMany
	}
	return scopes, restriction, nil
}

var errMany = backoffice.Errorf(backoffice.Forbidden,
	"more than %d rules with restrictions match this person: put several values into one rule", together)
