package main

import (
	"fmt"
	"go/types"

	"github.com/99designs/gqlgen/codegen/config"
	"github.com/99designs/gqlgen/codegen/templates"
)

const gqlgen = "github.com/99designs/gqlgen/graphql"

// writers are the methods of execute.Writer that do what gqlgen's marshal functions do.
var writers = map[string]string{
	"MarshalString":       "String",
	"MarshalID":           "String",
	"MarshalInt":          "Int",
	"MarshalBoolean":      "Boolean",
	"MarshalFloatContext": "Float",
}

func indirect(ref *config.TypeReference) bool {
	return ref.IsPtrToPtr() && ref.Unmarshaler == nil && !ref.IsMarshaler
}

// Body is the body of the function that appends the scalar v. It follows gqlgen's template for marshal functions.
func (f *file) Body(ref *config.TypeReference) string {
	switch {
	case ref.IsPtrToSlice() || ref.IsPtrToIntf() || indirect(ref):
		return fmt.Sprintf("if v == nil {\nreturn w.Null()\n}\nreturn %s(w, *v)", f.Put(ref.Elem()))
	case ref.IsSlice():
		return fmt.Sprintf("return execute.AppendList(w, v, %t, %t, %s)", !ref.GQL.NonNull, !ref.GQL.Elem.NonNull, f.Put(ref.Elem()))
	case ref.IsNilable():
		return "if v == nil {\nreturn w.Null()\n}\n" + f.value(ref)
	}
	return f.value(ref)
}

// value appends a v that is not nil.
func (f *file) value(ref *config.TypeReference) string {
	if ref.IsMarshaler {
		if appends(ref.GO) {
			return "return execute.Append(w, v)"
		}
		return "return w.Marshal(v)"
	}
	v := "v"
	switch {
	case ref.IsTargetNilable() && !ref.IsNilable():
		v = "&v"
	case !ref.IsTargetNilable() && ref.IsNilable():
		v = "*v"
	}
	switch {
	case ref.HasEnumValues():
		v = fmt.Sprintf("%s[%s]", ref.EnumMarshalVar(f.Config.UseFunctionSyntaxForExecutionContext), v)
	case ref.CastType != nil:
		v = fmt.Sprintf("%s(%s)", templates.CurrentImports.LookupType(ref.CastType), v)
	}
	if method := writers[ref.Marshaler.Name()]; method != "" && ref.Marshaler.Pkg().Path() == gqlgen {
		return fmt.Sprintf("return w.%s(%s)", method, v)
	}
	return fmt.Sprintf("return w.Marshal(%s(%s))", templates.Call(ref.Marshaler), v)
}

// appends reports whether a type has a method AppendJSON([]byte) []byte.
func appends(goType types.Type) bool {
	method, _, _ := types.LookupFieldOrMethod(goType, false, nil, "AppendJSON")
	function, ok := method.(*types.Func)
	if !ok {
		return false
	}
	bytes := types.NewSlice(types.Typ[types.Byte])
	signature := function.Signature()
	return signature.Params().Len() == 1 && types.Identical(signature.Params().At(0).Type(), bytes) &&
		signature.Results().Len() == 1 && types.Identical(signature.Results().At(0).Type(), bytes)
}
