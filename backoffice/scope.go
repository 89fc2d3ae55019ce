package backoffice

import (
	"io"
	"slices"
	"strconv"
	"strings"
)

// Scope is a right of a credential, spelled as in the specification (section 5).
type Scope string

const (
	PrivacyRead    Scope = "privacy.read"
	CustomersWrite Scope = "customers.write"
	PtiWrite       Scope = "pti.write"
	MinfinRead     Scope = "minfin.read"
	SettingsWrite  Scope = "settings.write"
	UsersWrite     Scope = "users.write"
)

// AllScopes is in the specification's order.
var AllScopes = []Scope{PrivacyRead, CustomersWrite, PtiWrite, MinfinRead, SettingsWrite, UsersWrite}

// ParseScope parses a name of the specification ("privacy.read"). Other names are BadInput.
func ParseScope(name string) (Scope, error) {
	if slices.Contains(AllScopes, Scope(name)) {
		return Scope(name), nil
	}
	return "", Errorf(BadInput, "unknown scope; the scopes are %s", strings.Join(NamesOf(AllScopes), ", "))
}

func NamesOf(scopes []Scope) []string {
	return Map(scopes, Scope.String)
}

func (s Scope) String() string { return string(s) }

func (s Scope) MarshalGQL(w io.Writer) {
	_, _ = io.WriteString(w, strconv.Quote(strings.ToUpper(strings.ReplaceAll(string(s), ".", "_"))))
}

func (s *Scope) UnmarshalGQL(v any) (err error) {
	*s, err = readEnum(v, func(name string) (Scope, error) {
		return ParseScope(strings.ToLower(strings.Replace(name, "_", ".", 1)))
	})
	return err
}

// readEnum parses an enum value, which gqlgen passes as a string. Anything else is BadInput.
func readEnum[E any](v any, parse func(name string) (E, error)) (value E, err error) {
	name, ok := v.(string)
	if !ok {
		return value, Errorf(BadInput, "this must be an enum value")
	}
	return parse(name)
}
