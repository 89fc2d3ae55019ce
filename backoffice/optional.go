package backoffice

import "encoding/json"

// Optional is a field of a write as its caller sent it: absent, null or a value. The zero value is absent.
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

// ValueOf is a value, or absent when there is none: for calls in which absent and null are one.
func ValueOf[T any](value *T) Optional[T] {
	if value == nil {
		return Optional[T]{}
	}
	return Value(*value)
}

// NullOr is a value, or null when there is none: for fields that were sent.
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

// IsZero says that the field is absent, for encoders that leave it out then.
func (o Optional[T]) IsZero() bool { return o.state == absent }

// UnmarshalJSON reads null or a value; a decoder calls it only for a key that is there.
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

// what is the value, nil for none, and whether it was sent.
func (o Optional[T]) what() (any, sent) {
	if o.state == given {
		return o.value, given
	}
	return nil, o.state
}
