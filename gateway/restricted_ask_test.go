package gateway

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
)

// asker makes up documents from the schema: any field, argument and input field there is comes up in time, with
// values that are those of the office's records, in view or not.
type asker struct {
	*rand.Rand
	schema  *ast.Schema
	all     *records
	cursors map[string][]string // of lists of a type, each of a row of the whole office
	left    int                 // how many fields a document may still have
	used    map[string]bool     // fields and arguments that were asked
}

// notAsked are fields and arguments that the differential test leaves out, each with where it is looked at.
var notAsked = map[string]string{
	"Query.changes": "the two stores have other logs: compared entry by entry below",
}

// document is a query of one root field.
func (a *asker) document(field *ast.FieldDefinition) string {
	a.left = 120
	return "query { " + a.field(a.schema.Query, field, 4, "") + " }"
}

func (a *asker) field(of *ast.Definition, f *ast.FieldDefinition, depth int, args string) string {
	a.left--
	a.used[of.Name+"."+f.Name] = true
	text := f.Name + a.arguments(of, f, args)
	if result := a.schema.Types[f.Type.Name()]; result.IsCompositeType() {
		return text + " " + a.selection(result, depth-1)
	}
	return text
}

func (a *asker) selection(of *ast.Definition, depth int) string {
	parts := []string{"__typename"}
	if of.IsAbstractType() {
		for _, possible := range a.schema.GetPossibleTypes(of) {
			parts = append(parts, "... on "+possible.Name+" "+a.selection(possible, depth-1))
		}
		return "{ " + strings.Join(parts, " ") + " }"
	}
	for _, f := range of.Fields {
		if strings.HasPrefix(f.Name, "__") || notAsked[of.Name+"."+f.Name] != "" {
			continue
		}
		composite := a.schema.Types[f.Type.Name()].IsCompositeType()
		if composite && f.Name != "userErrors" && f.Name != "results" && (depth <= 0 || a.left <= 0 || a.IntN(5) < 2) {
			continue
		}
		if composite { // so that two selections of one type with other arguments do not meet
			parts = append(parts, fmt.Sprintf("f%d: ", a.left)+a.field(of, f, depth, ""))
		} else {
			parts = append(parts, a.field(of, f, depth, ""))
		}
	}
	return "{ " + strings.Join(parts, " ") + " }"
}

// arguments are some of a field's, after those that are given.
func (a *asker) arguments(of *ast.Definition, f *ast.FieldDefinition, given string) string {
	var parts []string
	if given != "" {
		parts = append(parts, given)
	}
	add := func(name string, value string) {
		a.used[of.Name+"."+f.Name+"("+name+")"] = true
		parts = append(parts, name+": "+value)
	}
	has := func(name string) bool { return f.Arguments.ForName(name) != nil }
	for _, arg := range f.Arguments {
		switch arg.Name {
		case "first", "after", "last", "before", "page", "pageSize", "dryRun":
			continue
		}
		if given != "" && strings.HasPrefix(given, arg.Name+":") {
			continue
		}
		if arg.Type.NonNull && arg.DefaultValue == nil || a.IntN(2) == 0 {
			add(arg.Name, a.value(arg.Type, of.Name+"."+f.Name+"."+arg.Name, 2))
		}
	}
	if has("dryRun") {
		parts = append(parts, "dryRun: true")
		a.used[of.Name+"."+f.Name+"(dryRun)"] = true
	}
	if !has("first") {
		return joinedArguments(parts)
	}
	size := func() string { return fmt.Sprint(1 + a.IntN(6)) }
	cursor := func() string {
		if known := a.cursors[f.Type.Name()]; len(known) > 0 {
			return fmt.Sprintf("%q", anyOf(a.Rand, known))
		}
		return `"x"`
	}
	switch mode := a.IntN(6); {
	case mode == 0 && has("page"):
		add("page", fmt.Sprint(1+a.IntN(3)))
		add("pageSize", size())
	case mode == 1 && has("last"):
		add("last", size())
		if a.IntN(2) == 0 {
			add("before", cursor())
		}
	case mode < 4:
		add("first", size())
		if has("after") && a.IntN(2) == 0 {
			add("after", cursor())
		}
	}
	return joinedArguments(parts)
}

func joinedArguments(parts []string) string {
	if len(parts) == 0 {
		return ""
	}
	return "(" + strings.Join(parts, ", ") + ")"
}

// value is one of a type, by what the path to it says.
func (a *asker) value(of *ast.Type, path string, depth int) string {
	if of.Elem != nil {
		list := make([]string, 1+a.IntN(2))
		for i := range list {
			list[i] = a.value(of.Elem, path, depth)
		}
		return "[" + strings.Join(slices.Compact(list), ", ") + "]"
	}
	definition := a.schema.Types[of.NamedType]
	switch definition.Kind {
	case ast.Enum:
		return definition.EnumValues[a.IntN(len(definition.EnumValues))].Name
	case ast.InputObject:
		return a.object(definition, path, depth)
	}
	switch of.NamedType {
	case "ID":
		return fmt.Sprintf("%q", a.id(path))
	case "Boolean":
		return strconv.FormatBool(a.IntN(2) == 0)
	case "Int":
		return fmt.Sprint(1 + a.IntN(3))
	case "DateTime":
		return fmt.Sprintf("%q", fmt.Sprintf("2024-%02d-01T00:00:00.000Z", 1+a.IntN(12)))
	case "JSON":
		return `{tag: "a"}`
	}
	return fmt.Sprintf("%q", a.text(path))
}

func (a *asker) object(of *ast.Definition, path string, depth int) string {
	var parts []string
	add := func(f *ast.FieldDefinition) {
		a.used[of.Name+"."+f.Name] = true
		parts = append(parts, f.Name+": "+a.value(f.Type, path+"."+f.Name, depth-1))
	}
	if of.Directives.ForName("oneOf") != nil {
		add(of.Fields[a.IntN(len(of.Fields))])
		return "{" + parts[0] + "}"
	}
	odds := 5
	if strings.HasSuffix(of.Name, "Input") {
		odds = 3
	}
	for _, f := range of.Fields {
		nested := a.schema.Types[f.Type.Name()].Kind == ast.InputObject
		switch {
		case f.Type.NonNull && f.DefaultValue == nil:
			add(f)
		case nested && depth <= 0, f.Name == "idempotencyKey", f.Name == "expectedVersion" && a.IntN(2) == 0:
		case a.IntN(odds) == 0:
			add(f)
		}
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// id is an identifier of the kind that a path asks for, now and then of any other.
func (a *asker) id(path string) string {
	of := ""
	lower := strings.ToLower(path)
	for _, hint := range [][2]string{
		{"relatedcustomerid", "customer"}, {"customerid", "customer"}, {"responsibleid", "user"}, {"checklistid", "checklist"}, {"financialyearid", "year"}, {"transcriptid", "transcript"},
		{"labelids", "label"}, {"customerrelation", "relation"}, {"minfin", "minfin"}, {"document", "document"}, {"calculation", "calculation"}, {"transcript", "transcript"},
		{"checklist", "checklist"}, {"year", "year"}, {"user", "user"}, {"label", "label"}, {"customer", "customer"},
	} {
		if strings.Contains(lower, hint[0]) {
			of = hint[1]
			break
		}
	}
	if ids := a.all.ids(of); a.IntN(30) > 0 && len(ids) > 0 {
		return anyOf(a.Rand, ids)
	}
	return anyOf(a.Rand, append(a.all.ids(""), "nobody"))
}

// text is one that the records have, by the name of what it is for.
func (a *asker) text(path string) string {
	name := path[strings.LastIndexByte(path, '.')+1:]
	switch name {
	case "search":
		text := []rune(anyOf(a.Rand, namesOfOffices))
		from := a.IntN(len(text) - 3)
		return string(text[from:min(len(text), from+3+a.IntN(6))])
	case "customerCode":
		return fmt.Sprint("C-", a.IntN(18))
	case "kboNumber":
		return "0200065765"
	case "email":
		return fmt.Sprintf("info%d@customer.example", a.IntN(16))
	case "registrationNumber", "spouseRegistrationNumber":
		return anyOf(a.Rand, numbersOfTests)
	case "language":
		return anyOf(a.Rand, []string{"dutch", "french"})
	case "city":
		return "Gent"
	case "postalCode":
		return "9000"
	case "country":
		return "BE"
	case "scope", "scopes":
		return "checklist"
	case "documentType":
		return "letter"
	case "key":
		return "tag"
	case "equals":
		return "a"
	}
	return "Text " + fmt.Sprint(a.IntN(5))
}
