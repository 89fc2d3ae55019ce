package backoffice

import (
	"crypto/sha256"
	"encoding/base64"
)

// Person is somebody who signed in at an identity provider, as far as they are known here.
type Person struct {
	Issuer, Subject string // who they are, for good; the name may change
	Link            string // by which signed paths name them: they are in no store
	Claims          any    // belongs to whoever checked them
}

// PersonPrefix begins what a person has in the place of a client id. No pair's begins so.
const PersonPrefix = "person-"

// PersonID is a person's identifier wherever a pair has its client id.
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
