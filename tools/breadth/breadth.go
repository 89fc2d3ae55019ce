package main

import (
	_ "embed"
	"fmt"
	"go/types"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/99designs/gqlgen/codegen"
	"github.com/99designs/gqlgen/codegen/config"
	"github.com/99designs/gqlgen/codegen/templates"
	"github.com/vektah/gqlparser/v2/ast"
)

//go:embed breadth.gotpl
var template string

type breadth struct {
	executor     string          // the import path of package execute
	subscription *ast.Definition // the root of subscriptions; nil without any
}

// Name is what gqlgen calls the plugin.
func (*breadth) Name() string { return "breadth" }

// MutateSchema makes an ordinary object of the root of subscriptions: what it holds is one event, and the executor is
// handed several of them at once. gqlgen would have a resolver return a channel, and execute one event after the
// other.
func (b *breadth) MutateSchema(schema *ast.Schema) error { //nolint:unparam // gqlgen's interface has an error
	b.subscription, schema.Subscription = schema.Subscription, nil
	return nil
}

// GenerateCode writes breadth.go beside gqlgen's own file. It refuses what the executor has no form for.
func (b *breadth) GenerateCode(data *codegen.Data) error {
	file := &file{Data: data, Executor: b.executor, Subscription: b.subscription, scalars: map[string]*config.TypeReference{}}
	for _, object := range data.Objects {
		if object.Stream || object.BuiltIn {
			continue
		}
		if err := file.check(object); err != nil {
			return err
		}
		file.BreadthObjects = append(file.BreadthObjects, object)
	}
	return templates.Render(templates.Options{
		PackageName:     data.Config.Exec.Package,
		Filename:        filepath.Join(data.Config.Exec.Dir(), "breadth.go"),
		Template:        template,
		Data:            file,
		GeneratedHeader: true,
		Packages:        data.Config.Packages,
	})
}

type file struct {
	*codegen.Data
	Executor       string
	Subscription   *ast.Definition
	BreadthObjects []*codegen.Object
	scalars        map[string]*config.TypeReference // by the name of their function
}

func (f *file) check(object *codegen.Object) error {
	if !object.Root {
		if _, isStruct := object.Type.Underlying().(*types.Struct); !isStruct {
			return fmt.Errorf("%s: the executor takes objects that are structs, not %s", object.Name, object.Type)
		}
	}
	for _, field := range object.Fields {
		if field.IsReserved() {
			continue
		}
		if field.IsMap() || field.HasHaser {
			return fmt.Errorf("%s.%s: the executor takes no fields of maps or with a Has method", object.Name, field.Name)
		}
		ref := field.TypeReference
		if f.IsComposite(field) {
			if shapeOf(ref) == "" {
				return fmt.Errorf("%s.%s: the executor takes objects and lists of objects, not %s", object.Name, field.Name, ref.GO)
			}
			continue
		}
		f.addScalar(ref)
	}
	return nil
}

// addScalar notes that a function is needed that appends the type, and the types that it consists of.
func (f *file) addScalar(ref *config.TypeReference) {
	f.scalars[f.Put(ref)] = ref
	if ref.IsSlice() || ref.IsPtrToSlice() || ref.IsPtrToIntf() || indirect(ref) {
		f.addScalar(ref.Elem())
	}
}

// Scalars are the types of scalars and enums, by the names of the functions that append them.
func (f *file) Scalars() map[string]*config.TypeReference { return f.scalars }

// Put names the function that appends a scalar.
func (*file) Put(ref *config.TypeReference) string { return "put" + ref.UniquenessKey() }

// IsComposite reports whether a field has fields below it.
func (*file) IsComposite(field *codegen.Field) bool {
	switch field.TypeReference.Definition.Kind {
	case ast.Object, ast.Interface, ast.Union:
		return true
	}
	return false
}

// IsLeaf reports whether a field can be read from its object while writing.
func (f *file) IsLeaf(field *codegen.Field) bool {
	return !f.IsComposite(field) && !field.IsResolver && !field.HasDirectives() && len(field.Args) == 0 &&
		(field.IsVariable() || field.NoErr && !field.MethodHasContext)
}

// Possible names the object types that a field may return.
func (f *file) Possible(field *codegen.Field) []string {
	definition := field.TypeReference.Definition
	if definition.Kind == ast.Object {
		return []string{definition.Name}
	}
	return f.ImplementorNames(definition.Name)
}

// ImplementorNames names the object types of an interface or union.
func (f *file) ImplementorNames(name string) []string {
	var names []string
	for _, implementor := range f.Interfaces[name].Implementors {
		if !slices.Contains(names, implementor.Name) {
			names = append(names, implementor.Name)
		}
	}
	return names
}

// Kind is the place of an implementor among the types of its interface, from 1.
func (f *file) Kind(iface string, implementor codegen.InterfaceImplementor) int {
	return 1 + slices.Index(f.ImplementorNames(iface), implementor.Name)
}

// Identifier is the Go field of the identifier of the object that a field of Query returns by it; empty for all other
// fields.
func (f *file) Identifier(field *codegen.Field) string {
	ref := field.TypeReference
	if field.Object != f.QueryRoot || len(field.Args) != 1 || !isIdentifier(field.Args[0].Name, field.Args[0].TypeReference) ||
		ref.Definition.Kind != ast.Object || shapeOf(ref) != "Pointer" {
		return ""
	}
	for _, of := range f.Objects.ByName(ref.Definition.Name).Fields {
		if isIdentifier(of.Name, of.TypeReference) && of.IsVariable() {
			return of.GoFieldName
		}
	}
	return ""
}

func isIdentifier(name string, ref *config.TypeReference) bool {
	return name == "id" && ref.GQL.String() == "ID!" && types.Identical(ref.GO, types.Typ[types.String])
}

func (f *file) GoType(name string) types.Type { return f.Objects.ByName(name).Type }

// SplitInterfaces are the interfaces and unions that some field returns.
func (f *file) SplitInterfaces() []*codegen.Interface {
	used := map[string]*codegen.Interface{}
	for _, object := range f.BreadthObjects {
		for _, field := range object.Fields {
			if iface := f.Interfaces[field.TypeReference.Definition.Name]; iface != nil {
				used[iface.Name] = iface
			}
		}
	}
	sorted := make([]*codegen.Interface, 0, len(used))
	for _, name := range slices.Sorted(maps.Keys(used)) {
		sorted = append(sorted, used[name])
	}
	return sorted
}

// shapeOf names the form in which a resolver returns objects; empty when the executor has none for it.
func shapeOf(ref *config.TypeReference) string {
	list := ""
	goType := ref.GO
	if ref.IsSlice() {
		list, goType = "List", goType.(*types.Slice).Elem()
		if ref.GQL.Elem.Elem != nil {
			return ""
		}
	}
	if ref.Definition.Kind != ast.Object {
		if _, isInterface := goType.Underlying().(*types.Interface); isInterface {
			return "Interface" + list
		}
		return ""
	}
	if pointer, isPointer := goType.(*types.Pointer); isPointer {
		if _, isStruct := pointer.Elem().Underlying().(*types.Struct); isStruct {
			return "Pointer" + list
		}
		return ""
	}
	if _, isStruct := goType.Underlying().(*types.Struct); isStruct {
		return "Value" + list
	}
	return ""
}

// Column is the expression that makes a column of the variable values.
func (f *file) Column(field *codegen.Field) string {
	ref := field.TypeReference
	if !f.IsComposite(field) {
		return fmt.Sprintf("execute.Leaves(values, %s)", f.Put(ref))
	}
	switch shape := shapeOf(ref); shape {
	case "Pointer":
		return "execute.Singles(values)"
	case "Value":
		if f.IsPlainVariable(field) { // the values are pointers already
			return "execute.Singles(values)"
		}
		return "execute.Singles(execute.Pointers(values))"
	case "PointerList":
		return "execute.Lists(values)"
	case "ValueList":
		return "execute.Lists(execute.PointerLists(values))"
	case "Interface":
		return fmt.Sprintf("execute.Interfaces(values, split%s)", ref.Definition.Name)
	default:
		return fmt.Sprintf("execute.InterfaceLists(values, split%s)", ref.Definition.Name)
	}
}

// IsPlainVariable reports whether a field is a struct in the struct of its object, so that one may point at it.
func (f *file) IsPlainVariable(field *codegen.Field) bool {
	return field.IsVariable() && !field.IsResolver && f.IsComposite(field) && shapeOf(field.TypeReference) == "Value"
}

// Arguments are the arguments of a call behind its first, each read from the map args.
func (f *file) Arguments(field *codegen.Field) string {
	return strings.Join(append([]string{""}, f.arguments(field)...), ", ")
}

func (f *file) MethodCall(field *codegen.Field) string {
	args := f.arguments(field)
	if field.MethodHasContext {
		args = append([]string{"ctx"}, args...)
	}
	return fmt.Sprintf("obj.%s(%s)", field.GoFieldName, strings.Join(args, ", "))
}

func (*file) arguments(field *codegen.Field) []string {
	var args []string
	for _, arg := range field.Args {
		expression := fmt.Sprintf("args[%q]", arg.Name)
		if iface, ok := types.Unalias(arg.TypeReference.GO).(*types.Interface); !ok || !iface.Empty() {
			expression += ".(" + templates.CurrentImports.LookupType(arg.TypeReference.GO) + ")"
		}
		args = append(args, expression)
	}
	return args
}

// Receiver is the method of gqlgen's ResolverRoot that has a field's resolver.
func (*file) Receiver(field *codegen.Field) string {
	return strings.ToUpper(field.Object.Name[:1]) + field.Object.Name[1:]
}
