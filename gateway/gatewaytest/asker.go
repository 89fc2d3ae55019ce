package gatewaytest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
)

// Asker makes up documents from the schema. In time it uses each field, argument and input field, with values of the
// office's records, visible or not.
type Asker struct {
	*rand.Rand
	Schema  *ast.Schema
	All     *Records
	Cursors map[string][]string                                   // of lists of a type, each of a row of the whole office
	Left    int                                                   // how many fields a document may still have
	Used    map[string]bool                                       // fields and arguments that were asked
	Skips   func(of *ast.Definition, f *ast.FieldDefinition) bool // leaves out fields; nil leaves out none
}

// NotAsked are the fields and arguments that comparisons leave out, each with what tests it.
var NotAsked = map[string]string{
	"Query.changes": "the two stores have other logs: compared entry by entry below",
}

// Document is a query of one root field.
func (a *Asker) Document(field *ast.FieldDefinition) string {
	a.Left = 120
	return "query { " + a.Field(a.Schema.Query, field, 4, "") + " }"
}

// Field is a field with arguments and a selection. args, if set, are the arguments.
func (a *Asker) Field(of *ast.Definition, f *ast.FieldDefinition, depth int, args string) string {
	a.Left--
	a.Used[of.Name+"."+f.Name] = true
	text := f.Name + a.arguments(of, f, args)
	if result := a.Schema.Types[f.Type.Name()]; result.IsCompositeType() {
		return text + " " + a.selection(result, depth-1)
	}
	return text
}

func (a *Asker) selection(of *ast.Definition, depth int) string {
	parts := []string{"__typename"}
	if of.IsAbstractType() {
		for _, possible := range a.Schema.GetPossibleTypes(of) {
			parts = append(parts, "... on "+possible.Name+" "+a.selection(possible, depth-1))
		}
		return "{ " + strings.Join(parts, " ") + " }"
	}
	for _, f := range of.Fields {
		if strings.HasPrefix(f.Name, "__") || NotAsked[of.Name+"."+f.Name] != "" || a.Skips != nil && a.Skips(of, f) {
			continue
		}
		composite := a.Schema.Types[f.Type.Name()].IsCompositeType()
		if composite && f.Name != "userErrors" && f.Name != "results" && (depth <= 0 || a.Left <= 0 || a.IntN(5) < 2) {
			continue
		}
		if composite { // so that two selections of one type with other arguments do not meet
			parts = append(parts, fmt.Sprintf("f%d: ", a.Left)+a.Field(of, f, depth, ""))
		} else {
			parts = append(parts, a.Field(of, f, depth, ""))
		}
	}
	return "{ " + strings.Join(parts, " ") + " }"
}

// arguments are some of a field's, after those that are given.
func (a *Asker) arguments(of *ast.Definition, f *ast.FieldDefinition, given string) string {
	var parts []string
	if given != "" {
		parts = append(parts, given)
	}
	add := func(name string, value string) {
		a.Used[of.Name+"."+f.Name+"("+name+")"] = true
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
		a.Used[of.Name+"."+f.Name+"(dryRun)"] = true
	}
	if !has("first") {
		return joinedArguments(parts)
	}
	size := func() string { return fmt.Sprint(1 + a.IntN(6)) }
	cursor := func() string {
		if known := a.Cursors[f.Type.Name()]; len(known) > 0 {
			return fmt.Sprintf("%q", AnyOf(a.Rand, known))
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
func (a *Asker) value(of *ast.Type, path string, depth int) string {
	if of.Elem != nil {
		list := make([]string, 1+a.IntN(2))
		for i := range list {
			list[i] = a.value(of.Elem, path, depth)
		}
		return "[" + strings.Join(slices.Compact(list), ", ") + "]"
	}
	definition := a.Schema.Types[of.NamedType]
	switch definition.Kind {
	case ast.Enum:
		return definition.EnumValues[a.IntN(len(definition.EnumValues))].Name
	case ast.InputObject:
		return a.object(definition, path, depth)
	}
	switch of.NamedType {
	case "ID":
		return fmt.Sprintf("%q", a.ID(path))
	case "Boolean":
		return strconv.FormatBool(a.IntN(2) == 0)
	case "Int":
		return fmt.Sprint(1 + a.IntN(3))
	case "DateTime":
		return fmt.Sprintf("%q", fmt.Sprintf("2024-%02d-01T00:00:00.000Z", 1+a.IntN(12)))
	case "Date":
		return fmt.Sprintf(`"2024-%02d-01"`, 1+a.IntN(12))
	case "Float":
		return fmt.Sprintf("%d.5", a.IntN(100))
	case "JSON":
		return `{tag: "a"}`
	}
	return fmt.Sprintf("%q", a.Text(path))
}

func (a *Asker) object(of *ast.Definition, path string, depth int) string {
	var parts []string
	add := func(f *ast.FieldDefinition) {
		a.Used[of.Name+"."+f.Name] = true
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
		nested := a.Schema.Types[f.Type.Name()].Kind == ast.InputObject
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

// ID is an identifier of the kind that a path asks for, sometimes of another kind.
func (a *Asker) ID(path string) string {
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
	if ids := a.All.ids(of); a.IntN(30) > 0 && len(ids) > 0 {
		return AnyOf(a.Rand, ids)
	}
	return AnyOf(a.Rand, append(a.All.ids(""), "nobody"))
}

// Text is a text of the records, by the name of its field.
func (a *Asker) Text(path string) string {
	name := path[strings.LastIndexByte(path, '.')+1:]
	switch name {
	case "search":
		text := []rune(AnyOf(a.Rand, namesOfOffices))
		from := a.IntN(len(text) - 3)
		return string(text[from:min(len(text), from+3+a.IntN(6))])
	case "customerCode":
		return fmt.Sprint("C-", a.IntN(18))
	case "kboNumber":
		return "0200065765"
	case "email":
		return fmt.Sprintf("info%d@customer.example", a.IntN(16))
	case "registrationNumber", "spouseRegistrationNumber":
		return AnyOf(a.Rand, RegistrationNumbers)
	case "language":
		return AnyOf(a.Rand, []string{"dutch", "french"})
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
