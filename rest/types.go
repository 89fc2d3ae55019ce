package rest

import (
	"reflect"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"example.org/backoffice/backoffice"
)

// Optional is a field that may be absent, null or a value; the domain distinguishes them.
type Optional[T any] struct{ backoffice.Optional[T] }

// Receiver implements huma's interface: a query parameter is read as its value is.
func (*Optional[T]) Receiver() reflect.Value { return reflect.New(reflect.TypeFor[T]()).Elem() }

func (o *Optional[T]) OnParamSet(_ bool, parsed any) {
	o.Put(reflect.ValueOf(parsed).Convert(reflect.TypeFor[T]()).Interface())
}

// Schema is the value's, or null.
func (Optional[T]) Schema(r huma.Registry) *huma.Schema {
	of := reflect.TypeFor[T]()
	if of == reflect.TypeFor[Instant]() { // only fields know the alias
		of = reflect.TypeFor[time.Time]()
	}
	s := *huma.SchemaFromType(r, of)
	s.Nullable = true
	return &s
}

// Fields with a fixed set of values use the specification's words, from the domain's own lists.
type (
	CustomerType string
	LegalForm    string
	RelationKind string
	// TranscriptStatus is a transcript's status, or the state of its calculation.
	TranscriptStatus string
	CalculationState string
	Object           string
	// Instant is RFC 3339 in UTC, with milliseconds.
	Instant = backoffice.Instant
)

// value returns a field's value; nil when absent or null.
func value[T any](field Optional[T]) *T {
	if sent, ok := field.Get(); ok {
		return &sent
	}
	return nil
}

// instant reads a parameter that is an instant; huma has checked its format.
func instant(name string, field Optional[string]) (*backoffice.Instant, error) {
	text, ok := field.Get()
	if !ok {
		return nil, nil
	}
	at, err := backoffice.ParseInstant(text)
	if err != nil {
		return nil, &backoffice.Error{Kind: backoffice.BadInput, Field: name, Message: err.Error()}
	}
	return &at, nil
}

// parsed returns a converter of the specification's words, which huma has checked; the domain rejects others.
func parsed[W, S ~string](parse func(string) (S, error)) func(W) S {
	return func(word W) S {
		if read, err := parse(string(word)); err == nil {
			return read
		}
		return S(word)
	}
}

func allParsed[W, S ~string](parse func(string) (S, error)) func([]W) []S {
	one := parsed[W](parse)
	return func(words []W) (read []S) {
		for _, word := range words {
			read = append(read, one(word))
		}
		return read
	}
}

func oneOf[T any](values []T, label func(T) string) *huma.Schema {
	enum := backoffice.Map(values, func(value T) any { return label(value) })
	return &huma.Schema{Type: huma.TypeString, Enum: enum}
}

func (CustomerType) Schema(huma.Registry) *huma.Schema {
	return oneOf([]backoffice.CustomerType{backoffice.Company, backoffice.PrivatePerson}, backoffice.CustomerType.Label)
}

func (LegalForm) Schema(huma.Registry) *huma.Schema {
	return oneOf(backoffice.LegalForms(), backoffice.LegalForm.String)
}

func (RelationKind) Schema(huma.Registry) *huma.Schema {
	return oneOf(backoffice.RelationKinds, backoffice.RelationKind.Label)
}

func (TranscriptStatus) Schema(huma.Registry) *huma.Schema {
	return oneOf(backoffice.TranscriptStatuses, backoffice.TranscriptStatus.Label)
}

func (CalculationState) Schema(huma.Registry) *huma.Schema {
	return oneOf(backoffice.CalculationStates, backoffice.CalculationState.Label)
}

func (Object) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true}
}

// UnmarshalJSON keeps the text; the domain reads it.
func (o *Object) UnmarshalJSON(data []byte) error {
	*o = Object(data)
	return nil
}

func (o Object) MarshalJSON() ([]byte, error) { return []byte(o), nil }
