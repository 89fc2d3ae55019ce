package gateway_test

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// column is a change of rights, by the command line's words or by what is written into the map of people.
type column struct {
	person bool
	args   []string // of the command behind the credential's identifier
	rule   string   // of the map afterwards; "" for the same, "-" for none
	denied bool
	status int    // with which what it ends is answered; 0 when all goes on
	reason string // that is given
}

const (
	changed   = "this caller's rights were changed"
	secretEnd = "was revoked or has expired"
	elsewhere = "no longer valid from this network"
	tokenEnds = "the token ends"
	nothing   = "grants this person anything"
)

const peopleScopes = `"scopes": ["privacy.read", "customers.write", "pti.write", "minfin.read"]`

// columns are the changes of rights. That these are all there are, is looked up in the command line and in the map.
var columns = map[string]*column{
	"credentials scopes --remove":    {args: []string{"--remove=privacy.read", "--remove=customers.write", "--remove=minfin.read"}, status: 403, reason: changed},
	"credentials scopes --add":       {args: []string{"--add=settings.write"}, status: 403, reason: changed},
	"credentials rotate --overlap":   {args: []string{"--overlap=0s"}, status: 401, reason: secretEnd},
	"credentials rotate":             {},
	"credentials revoke":             {status: 401, reason: secretEnd},
	"credentials extend --expires":   {status: 401, reason: secretEnd}, // in a moment
	"credentials extend --no-expiry": {args: []string{"--no-expiry"}},
	"credentials networks --add":     {args: []string{"--add=192.0.2.0/24"}, status: 401, reason: elsewhere},
	"credentials networks --remove":  {args: []string{"--remove=127.0.0.0/8"}, status: 401, reason: elsewhere},

	"scopes":          {person: true, rule: `"scopes": ["pti.write"]`, status: 403, reason: changed},
	"onlyResponsible": {person: true, rule: peopleScopes + `, "onlyResponsible": ["user-an"]`, status: 403, reason: changed},
	"onlyLabel":       {person: true, rule: peopleScopes + `, "onlyLabel": ["label-tax"]`, status: 403, reason: changed},
	"onlyCustomer":    {person: true, rule: peopleScopes + `, "onlyCustomer": ["brouwerij"]`, status: 403, reason: changed},
	"onlyYear":        {person: true, rule: peopleScopes + `, "onlyYear": ["2025"]`, status: 403, reason: changed},
	"claim":           {person: true, rule: "claim", status: 403, reason: nothing},
	"value":           {person: true, rule: "value", status: 403, reason: nothing},
	"rules":           {person: true, rule: "-", status: 403, reason: nothing},
	"deny":            {person: true, denied: true, status: 401, reason: "may no longer sign in here"},
	tokenEnds:         {person: true, status: 401, reason: "has expired"},
	"another's":       {person: true},
}

// mapText is the map of people before or after the changes.
func (s *stage) mapText(after bool) string {
	var rules, deny []string
	for name, col := range columns {
		claim, value, gives := "groups", name, peopleScopes
		switch {
		case !col.person:
			continue
		case !after || col.rule == "":
		case col.rule == "-":
			continue
		case col.rule == "claim":
			claim = "roles"
		case col.rule == "value":
			value = "nobody"
		default:
			gives = col.rule
		}
		if after && col.denied {
			deny = append(deny, fmt.Sprintf("%q", name))
		}
		rules = append(rules, fmt.Sprintf(`{"claim": %q, "value": %q, %s}`, claim, value, gives))
	}
	return fmt.Sprintf(`{"rules": [%s], "deny": [%s]}`, strings.Join(rules, ","), strings.Join(deny, ","))
}

// change does to a credential what its column says.
func (c *caller) change(t *testing.T, col *column) {
	t.Helper()
	words := strings.Fields(c.name)[:2]
	for attempt := range 5 {
		args := append(append(words[:2:2], c.id), col.args...)
		if c.name == "credentials extend --expires" {
			args = append(args, "--expires="+time.Now().UTC().Add(time.Duration(3+3*attempt)*time.Second).Format(time.RFC3339))
		}
		said, err := c.command(t.Context(), args...)
		if err == nil {
			return
		}
		if attempt == 4 || !strings.Contains(string(said), "must be in the future") {
			t.Fatalf("%s: %v %s", c.name, err, said)
		}
	}
}
