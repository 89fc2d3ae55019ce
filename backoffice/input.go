package backoffice

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// input is what callers may send of a noun T, an I: each field of I goes into the field of T that has its name.
type input[T, I any, C comparable] struct {
	table  *Table[T, C]
	fields []sentField[T]
}

// sentField is a field with where it is in what is sent: the place in I, and in that for a part of an object.
type sentField[T any] struct {
	*WritableField[T]
	place []int
}

// inputOf finds the fields by their names, without regard to case. It panics, and so keeps the program from starting,
// when a field of I has none in the table; the others of I are excepted.
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

// apply puts what was sent into a record: absent keeps, null clears. An empty text is refused where null is the way to
// clear.
func (n *input[T, I, C]) apply(in *I, record *T, check *checker) {
	for i := range n.fields {
		f := &n.fields[i]
		at, state := f.sentIn(reflect.ValueOf(in).Elem())
		switch {
		case state == absent:
		case state == null:
			f.put(record, reflect.Value{})
		case at.Kind() == reflect.String && at.Len() == 0:
			message := "a text is not empty"
			if f.Optional {
				message += "; null clears it"
			}
			check.add(CodeInvalid, message, strings.Split(f.Name, ".")...)
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

// told are the fields that were sent, by their names in the table: a text, in the specification's words, or a list of
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

// fill applies what was sent to a new record, and returns all that is wrong with it.
func (n *input[T, I, C]) fill(in *I, record *T) (wrong checker) {
	n.apply(in, record, &wrong)
	wrong.found = append(wrong.found, n.table.Check(record)...)
	return wrong
}

// sentOf is what was sent of a field. One that always is there is none when it is empty.
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

// put sets the field of a record, or clears it for the zero Value.
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
	default:
		panic("the field " + f.Name + " is not sent by callers")
	}
}

// values are those of a record that callers can send.
func (n *input[T, I, C]) values(record *T) values {
	v := values{}
	for i := range n.fields {
		v.set(n.fields[i].Name, n.fields[i].value(record))
	}
	return v
}
