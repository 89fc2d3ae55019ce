package cache

import (
	"reflect"

	"example.org/backoffice/backoffice"
)

// mostQuestion is the largest question whose answer is cached, in bytes. Clients make them: a filter may have 2,500
// alternatives, and texts of 64 KiB.
const mostQuestion = 4 << 10

// sizeOf is how many bytes a question's texts and nested criteria take. It stops counting beyond mostQuestion. A
// restriction's are shared by all questions of its credential.
func sizeOf(question any) int { return sizeOfValue(reflect.ValueOf(question), 0) }

func sizeOfValue(v reflect.Value, size int) int {
	if size > mostQuestion {
		return size
	}
	switch v.Kind() {
	case reflect.String:
		return size + v.Len()
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return size
		}
		return sizeOfValue(v.Elem(), size+int(v.Elem().Type().Size()))
	case reflect.Slice:
		for i := range v.Len() {
			size = sizeOfValue(v.Index(i), size+int(v.Type().Elem().Size()))
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[backoffice.Restriction]() {
			return size
		}
		for _, field := range v.Fields() {
			size = sizeOfValue(field, size)
		}
	}
	return size
}
