package mapping

import "reflect"

// optional is a field of the domain that may be absent, null or a value.
type optional interface{ Put(value any) }

func (m *maker) optional(of types) copier {
	get, ok := of.to.MethodByName("Get")
	if !ok {
		return nil
	}
	sent := readerOf(of.from)
	inner := types{sent.of, get.Type.Out(0)}
	copied := m.values(inner)
	if copied == nil {
		return nil
	}
	return func(from, to reflect.Value) {
		value, state := sent.read(from)
		switch field := to.Addr().Interface().(optional); state {
		case null:
			field.Put(nil)
		case given:
			source, target := reflect.New(inner.from).Elem(), reflect.New(inner.to).Elem()
			source.Set(value)
			copied(source, target)
			field.Put(target.Interface())
		}
	}
}

func isOptional(of reflect.Type) bool {
	return reflect.PointerTo(of).Implements(reflect.TypeFor[optional]())
}

func (m *maker) pointer(of types) copier {
	sent := readerOf(of.from)
	copied := m.values(types{sent.of, of.to.Elem()})
	if copied == nil {
		return nil
	}
	return func(from, to reflect.Value) {
		if value, state := sent.read(from); state == given {
			source := reflect.New(sent.of).Elem()
			source.Set(value)
			to.Set(reflect.New(of.to.Elem()))
			copied(source, to.Elem())
		}
	}
}

type state int

const (
	absent state = iota
	null
	given
)

type reader struct {
	of   reflect.Type // of the value
	read func(reflect.Value) (reflect.Value, state)
}

// readerOf knows the types in which GraphQL and REST hold such a field.
func readerOf(field reflect.Type) reader {
	if get, ok := field.MethodByName("Get"); ok { // the domain's
		return reader{get.Type.Out(0), func(v reflect.Value) (reflect.Value, state) {
			switch sent := v.Interface().(interface{ IsSent() bool }); {
			case !sent.IsSent():
				return v, absent
			case v.Interface().(interface{ IsNull() bool }).IsNull():
				return v, null
			}
			return v.MethodByName("Get").Call(nil)[0], given
		}}
	}
	if value, ok := field.MethodByName("Value"); ok { // gqlgen's Omittable, of a pointer or a list
		of := value.Type.Out(0)
		pointer := of.Kind() == reflect.Pointer
		if pointer {
			of = of.Elem()
		}
		return reader{of, func(v reflect.Value) (reflect.Value, state) {
			if !v.Interface().(interface{ IsSet() bool }).IsSet() {
				return v, absent
			}
			switch sent := v.MethodByName("Value").Call(nil)[0]; {
			case sent.IsNil():
				return v, null
			case pointer:
				return sent.Elem(), given
			default:
				return sent, given
			}
		}}
	}
	if field.Kind() == reflect.Pointer {
		return reader{field.Elem(), func(v reflect.Value) (reflect.Value, state) {
			if v.IsNil() {
				return v, absent
			}
			return v.Elem(), given
		}}
	}
	return reader{field, func(v reflect.Value) (reflect.Value, state) { return v, given }}
}
