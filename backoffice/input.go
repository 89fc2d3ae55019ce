package backoffice

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// input maps what callers send, an I, to records T: each field of I sets the field of T with the same name.
type input[T, I any, C comparable] struct {
	table  *Table[T, C]
	fields []sentField[T]
}

// sentField is a field with its index in I, followed by the index within that for a part of an object.
type sentField[T any] struct {
	*WritableField[T]
	place []int
}

// inputOf finds the fields by their names, without regard to case. It panics at program start when a field of I, other
// than those of except, is not in the table.
func inputOf[I, T any, C comparable](table *Table[T, C], except ...string) *input[T, I, C] {
	in, of := &input[T, I, C]{table: table}, reflect.TypeFor[I]()
	found := map[int]bool{}
	for i := range table.Fields {
		f := &table.Fields[i]
		at, place := of, []int(nil)
		for name := range strings.SplitSeq(f.Name, ".") {
			if get, ok := at.MethodByName("Get"); ok {
				at = get.Type.Out(0)
			}
			field, ok := at.FieldByNameFunc(func(sent string) bool { return strings.EqualFold(sent, name) })
			if !ok {
				place = nil
				break
			}
			at, place = field.Type, append(place, field.Index[0])
		}
		if place != nil {
			found[place[0]] = true
			in.fields = append(in.fields, sentField[T]{f, place})
		}
	}
	for i := range of.NumField() {
		if name := of.Field(i).Name; !found[i] && !slices.Contains(except, name) {
			panic(fmt.Sprintf("a %s has no field for %s of %s", table.Noun, name, of))
		}
	}
	return in
}

// apply sets the fields of a record that were sent: absent keeps, null clears. An empty text is refused, here or, in a
// required field, by the table.
func (n *input[T, I, C]) apply(in *I, record *T, check *checker) {
	for i := range n.fields {
		f := &n.fields[i]
		at, state := f.sentIn(reflect.ValueOf(in).Elem())
		switch {
		case state == absent:
		case state == null:
			f.put(record, reflect.Value{})
		case at.Kind() == reflect.String && at.Len() == 0 && f.Optional:
			check.add(CodeInvalid, "a text cannot be empty; null clears it", strings.Split(f.Name, ".")...)
		default:
			f.put(record, at)
		}
	}
}

func (f *sentField[T]) sentIn(at reflect.Value) (reflect.Value, sent) {
	for _, place := range f.place {
		value, state := sentOf(at.Field(place))
		if state != given {
			return at, state
		}
		at = reflect.ValueOf(value)
	}
	return at, given
}

// told returns the fields that were sent, by their names in the table: a text in the specification's words, a list of
// texts, or nil for null.
func (n *input[T, I, C]) told(in *I) map[string]any {
	told := map[string]any{}
	for i := range n.fields {
		f := &n.fields[i]
		at, state := f.sentIn(reflect.ValueOf(in).Elem())
		switch {
		case state == absent:
		case state == null:
			told[f.Name] = nil
		case at.Kind() == reflect.String:
			text := at.String()
			if word, ok := f.At.(Word[T]); ok && word.Label != nil {
				text = word.Label(text)
			}
			told[f.Name] = text
		default:
			told[f.Name] = at.Interface()
		}
	}
	return told
}

// fill applies what was sent to a new record, and returns all its faults.
func (n *input[T, I, C]) fill(in *I, record *T) (wrong checker) {
	n.apply(in, record, &wrong)
	wrong.found = append(wrong.found, n.table.Check(record)...)
	return wrong
}

// sentOf returns what was sent of a field. An empty field that is not an Optional counts as null.
func sentOf(field reflect.Value) (value any, state sent) {
	value = field.Interface()
	if optional, ok := value.(interface{ what() (any, sent) }); ok {
		return optional.what()
	}
	switch {
	case field.IsZero():
		return nil, null
	case field.Kind() == reflect.Pointer:
		return field.Elem().Interface(), given
	}
	return value, given
}

// put sets the field of a record; the zero Value clears it.
func (f *WritableField[T]) put(record *T, sent reflect.Value) {
	text := ""
	if sent.Kind() == reflect.String {
		text = sent.String()
	}
	switch at := f.At.(type) {
	case func(*T) *Text:
		*at(record) = Text(text)
	case func(*T) *string:
		*at(record) = text
	case Word[T]:
		at.Set(record, text)
	case func(*T) *[]string:
		if *at(record) = nil; sent.IsValid() {
			*at(record) = slices.Clone(sent.Interface().([]string))
		}
	case func(*T) *Instant:
		if *at(record) = 0; sent.IsValid() {
			*at(record) = sent.Interface().(Instant)
		}
	case func(*T) *bool:
		*at(record) = sent.IsValid() && sent.Bool()
	default:
		panic("the field " + f.Name + " cannot be set by callers")
	}
}

// values returns the fields of a record that callers can send.
func (n *input[T, I, C]) values(record *T) values {
	v := values{}
	for i := range n.fields {
		v.set(n.fields[i].Name, n.fields[i].value(record))
	}
	return v
}
