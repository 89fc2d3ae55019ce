package backoffice

type ViewerKind string

const (
	ViewerCredential ViewerKind = "CREDENTIAL"
	ViewerPerson     ViewerKind = "PERSON"
)

func (v *Principal) Kind() ViewerKind {
	if v.Person != nil {
		return ViewerPerson
	}
	return ViewerCredential
}

// Subject is the issuer's identifier of the person, nil for a credential.
func (v *Principal) Subject() *string {
	if v.Person == nil {
		return nil
	}
	return &v.Person.Subject
}

// Seen describes which customers the principal sees, nil for all.
func (v *Principal) Seen() *string {
	if !v.Restriction.IsSet() {
		return nil
	}
	seen := v.Restriction.String()
	return &seen
}
