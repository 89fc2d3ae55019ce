package backoffice

import "encoding/json"

// Optional is a field of a write as the caller sent it: absent, null or a value. The zero value is absent.
type Optional[T any] struct {
	value T
	state sent
}

type sent uint8

const (
	absent sent = iota
	null
	given
)

func Null[T any]() Optional[T]         { return Optional[T]{state: null} }
func Value[T any](value T) Optional[T] { return Optional[T]{value: value, state: given} }

// ValueOf returns a value, or absent for nil: for calls in which absent and null are the same.
func ValueOf[T any](value *T) Optional[T] {
	if value == nil {
		return Optional[T]{}
	}
	return Value(*value)
}

// NullOr returns a value, or null for nil: for fields that were sent.
func NullOr[T any](value *T) Optional[T] {
	if value == nil {
		return Null[T]()
	}
	return Value(*value)
}

func (o Optional[T]) IsSent() bool            { return o.state != absent }
func (o Optional[T]) IsNull() bool            { return o.state == null }
func (o Optional[T]) Get() (value T, ok bool) { return o.value, o.state == given }

// Put sets the field to a value of its type, or to null for nil.
func (o *Optional[T]) Put(value any) {
	if value == nil {
		*o = Null[T]()
		return
	}
	*o = Value(value.(T))
}

// IsZero reports whether the field is absent, for encoders that omit it then.
func (o Optional[T]) IsZero() bool { return o.state == absent }

// UnmarshalJSON reads null or a value. A decoder calls it only for a key that is present.
func (o *Optional[T]) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		*o = Null[T]()
		return nil
	}
	var value T
	if err := json.Unmarshal(data, &value); err != nil {
		return err
	}
	*o = Value(value)
	return nil
}

func (o Optional[T]) MarshalJSON() ([]byte, error) {
	if o.state != given {
		return []byte("null"), nil
	}
	return json.Marshal(o.value)
}

// what returns the value, nil for none, and how it was sent.
func (o Optional[T]) what() (any, sent) {
	if o.state == given {
		return o.value, given
	}
	return nil, o.state
}
