package backoffice

import (
	"crypto/sha256"
	"encoding/base64"
)

// Person is someone who signed in at an identity provider.
type Person struct {
	Issuer, Subject string // the permanent identity; the name may change
	Link            string // names them in signed paths: no store has them
	Claims          any    // for the package that checked them
}

// PersonPrefix starts what a person has instead of a client id. No client id starts with it.
const PersonPrefix = "person-"

// PersonID is a person's identifier wherever a credential has its client id.
func PersonID(issuer, subject string) string {
	sum := sha256.Sum256([]byte(issuer + "\x00" + subject)) // neither has control characters
	return PersonPrefix + base64.RawURLEncoding.EncodeToString(sum[:])
}

// Link is the principal's name in a signed path.
func (v *Principal) Link() string {
	if v.Person != nil {
		return v.Person.Link
	}
	return v.ClientID + "." + v.Secret
}
