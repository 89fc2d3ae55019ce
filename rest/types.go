package rest

import (
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"example.org/backoffice/backoffice"
)

// Optional is a field that may be absent, null or a value, as the domain tells them apart.
type Optional[T any] struct{ backoffice.Optional[T] }

// Schema is the value's, or null.
func (Optional[T]) Schema(r huma.Registry) *huma.Schema {
	s := *huma.SchemaFromType(r, reflect.TypeFor[T]())
	s.Nullable = true
	return &s
}

// The fields that have a fixed set of values take the specification's words, from the domain's own lists.
type (
	// CustomerType is Company or Private Person.
	CustomerType string
	// LegalForm is a key of the table of legal forms.
	LegalForm string
	// RelationKind is director, UBO, shareholder or contact person.
	RelationKind string
	// TranscriptStatus is a transcript's status, or the state of its calculation.
	TranscriptStatus string
	// CalculationState is how far a calculation has come.
	CalculationState string
	// Object is a free-form JSON object.
	Object string
	// Instant is RFC 3339 in UTC, with milliseconds.
	Instant = backoffice.Instant
)

func oneOf[T any](values []T, label func(T) string) *huma.Schema {
	s := &huma.Schema{Type: huma.TypeString}
	for _, value := range values {
		s.Enum = append(s.Enum, label(value))
	}
	return s
}

// Schema lists the words.
func (CustomerType) Schema(huma.Registry) *huma.Schema {
	return oneOf([]backoffice.CustomerType{backoffice.Company, backoffice.PrivatePerson}, backoffice.CustomerType.Label)
}

// Schema lists the keys.
func (LegalForm) Schema(huma.Registry) *huma.Schema {
	return oneOf(backoffice.LegalForms(), backoffice.LegalForm.String)
}

// Schema lists the words.
func (RelationKind) Schema(huma.Registry) *huma.Schema {
	return oneOf(backoffice.RelationKinds, backoffice.RelationKind.Label)
}

// Schema lists the words.
func (TranscriptStatus) Schema(huma.Registry) *huma.Schema {
	return oneOf(backoffice.TranscriptStatuses, backoffice.TranscriptStatus.Label)
}

// Schema lists the words.
func (CalculationState) Schema(huma.Registry) *huma.Schema {
	return oneOf(backoffice.CalculationStates, backoffice.CalculationState.Label)
}

// Schema is any object.
func (Object) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true}
}

// UnmarshalJSON keeps the text, for the domain to read.
func (o *Object) UnmarshalJSON(data []byte) error {
	*o = Object(data)
	return nil
}

// MarshalJSON writes the text.
func (o Object) MarshalJSON() ([]byte, error) { return []byte(o), nil }
