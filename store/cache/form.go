package cache

import (
	"reflect"
	"slices"

	"example.org/backoffice/backoffice"
)

// form knows where the texts of a noun's records are, so that a cached record holds no memory but its own: a store
// reads many rows in a block, and their texts in another.
type form struct {
	of    reflect.Type
	texts [][]int // of strings that can be moved
	lists [][]int // of lists of strings
	bytes [][]int // of lists of bytes
	own   [][]int // of strings that have their own memory
	files [][]int // of pointers to structs
	below *form   // of what those point to
}

func formOf[T any]() *form { return formOfType(reflect.TypeFor[T]().Elem()) }

func formOfType(of reflect.Type) *form {
	f := &form{of: of}
	f.add(of, nil, true)
	return f
}

func (f *form) add(of reflect.Type, at []int, exported bool) {
	for i := range of.NumField() {
		field := of.Field(i)
		path := append(append([]int{}, at...), i)
		open := exported && field.IsExported()
		switch field.Type.Kind() {
		case reflect.String:
			if open {
				f.texts = append(f.texts, path)
			} else {
				f.own = append(f.own, path)
			}
		case reflect.Slice:
			switch {
			case open && field.Type.Elem().Kind() == reflect.String:
				f.lists = append(f.lists, path)
			case open && field.Type.Elem().Kind() == reflect.Uint8:
				f.bytes = append(f.bytes, path)
			default:
				f.own = append(f.own, path)
			}
		case reflect.Struct:
			f.add(field.Type, path, open)
		case reflect.Pointer:
			if open && field.Type.Elem().Kind() == reflect.Struct {
				f.files = append(f.files, path)
				f.below = formOfType(field.Type.Elem())
			}
		}
	}
}

// copyOf copies a record with its texts, and returns how many bytes it takes.
func copyOf[T backoffice.Entity](f *form, row T) (T, int) {
	copied, bytes := f.copy(reflect.ValueOf(row))
	return copied.Interface().(T), bytes
}

func (f *form) copy(pointer reflect.Value) (reflect.Value, int) {
	copied := reflect.New(f.of)
	row := copied.Elem()
	row.Set(pointer.Elem())
	texts := 0
	for _, at := range f.texts {
		texts += row.FieldByIndex(at).Len()
	}
	arena := make([]byte, 0, texts)
	for _, at := range f.texts {
		arena = append(arena, row.FieldByIndex(at).String()...)
	}
	all := string(arena)
	for _, at := range f.texts {
		field := row.FieldByIndex(at)
		n := field.Len()
		if n == 0 { // an empty text may point into others, which the collector would then keep
			field.SetZero()
			continue
		}
		field.SetString(all[:n])
		all = all[n:]
	}
	bytes := texts + int(f.of.Size())
	for _, at := range f.lists {
		field := row.FieldByIndex(at)
		if field.IsNil() {
			continue
		}
		list := reflect.MakeSlice(field.Type(), field.Len(), field.Len())
		for i := range field.Len() {
			text := append([]byte{}, field.Index(i).String()...)
			list.Index(i).SetString(string(text))
			bytes += len(text) + 16
		}
		field.Set(list)
	}
	for _, at := range f.bytes {
		field := row.FieldByIndex(at)
		field.SetBytes(slices.Clone(field.Bytes()))
		bytes += field.Len()
	}
	for _, at := range f.own {
		bytes += row.FieldByIndex(at).Len()
	}
	for _, at := range f.files {
		if field := row.FieldByIndex(at); !field.IsNil() {
			file, size := f.below.copy(field)
			field.Set(file)
			bytes += size
		}
	}
	return copied, bytes
}
