package graphqlhttp

import (
	"fmt"
	"math"
	"strconv"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/validator/core"

	"example.org/backoffice/backoffice"
)

// valuesOfCorrectType is the specification's rule for literals ("Values of Correct Type"). gqlparser's own rule quotes
// the value in its messages and accepts numbers that are out of range.
var valuesOfCorrectType = core.Rule{
	Name: "ValuesOfCorrectType",
	RuleFunc: func(observers *core.Events, addError core.AddErrFunc) {
		observers.OnValue(func(_ *core.Walker, value *ast.Value) {
			if value.Definition == nil || value.ExpectedType == nil || value.Kind == ast.Variable {
				return
			}
			wrong, more := "", core.Message("")
			switch {
			case value.Kind == ast.NullValue:
				if value.ExpectedType.NonNull {
					wrong = mismatch(value)
				}
			case value.Kind == ast.ListValue:
				if value.ExpectedType.Elem == nil {
					wrong = mismatch(value)
				}
			case value.Definition.Kind == ast.Scalar:
				wrong = wrongScalar(value)
			case value.Definition.Kind == ast.Enum:
				wrong, more = wrongEnum(value)
			case value.Kind != ast.ObjectValue:
				wrong = mismatch(value)
			default:
				wrongFields(value, addError)
			}
			if wrong != "" {
				at := *value.Position
				at.Column -= quotes[value.Kind]
				addError(core.Message("%s", wrong), more, core.At(&at))
			}
		})
	},
}

func wrongScalar(value *ast.Value) string {
	var ok bool
	switch value.Definition.Name {
	case "Int":
		_, err := strconv.ParseInt(value.Raw, 10, 32)
		ok = value.Kind == ast.IntValue && err == nil
	case "Float":
		number, err := strconv.ParseFloat(value.Raw, 64)
		ok = (value.Kind == ast.IntValue || value.Kind == ast.FloatValue) && err == nil && !math.IsInf(number, 0)
	case "String":
		ok = value.Kind == ast.StringValue || value.Kind == ast.BlockValue
	case "Boolean":
		ok = value.Kind == ast.BooleanValue
	case "ID":
		ok = value.Kind == ast.StringValue || value.Kind == ast.BlockValue || value.Kind == ast.IntValue
	default:
		ok = isScalarLiteral(value)
	}
	if ok {
		return ""
	}
	return mismatch(value)
}

func wrongEnum(value *ast.Value) (wrong string, more core.ErrorOption) {
	switch def := value.Definition; {
	case value.Kind != ast.EnumValue:
		return mismatch(value), core.Message("")
	case def.EnumValues.ForName(value.Raw) == nil:
		return fmt.Sprintf(`The enum "%s" has no such value.`, def.Name), didYouMean(value.Raw, func() []string {
			return valuesOf(def)
		})
	}
	return "", core.Message("")
}

func wrongFields(value *ast.Value, addError core.AddErrFunc) {
	def := value.Definition
	for _, field := range def.Fields {
		if field.Type.NonNull && field.DefaultValue == nil && value.Children.ForName(field.Name) == nil {
			addError(core.Message(`Field "%s.%s" of required type "%s" was not provided.`,
				def.Name, field.Name, field.Type), core.At(value.Position))
		}
	}
	for _, child := range value.Children {
		if def.Fields.ForName(child.Name) == nil {
			addError(core.Message(`Field "%s" is not defined by type "%s".`,
				backoffice.ShownName(child.Name), def.Name),
				didYouMean(child.Name, func() []string { return namesOf(def.Fields) }), core.At(child.Position))
		}
	}
	if def.Directives.ForName("oneOf") != nil &&
		(len(value.Children) != 1 || value.Children[0].Value.Kind == ast.NullValue) {
		addError(core.Message(`Exactly one field of "%s" must be given, and not null.`, def.Name),
			core.At(value.Position))
	}
}

var kindsOfValues = map[ast.ValueKind]string{
	ast.NullValue: "null", ast.IntValue: "a number that does not fit", ast.FloatValue: "a number that does not fit",
	ast.StringValue: "a string", ast.BlockValue: "a string", ast.BooleanValue: "a boolean",
	ast.EnumValue: "an enum value", ast.ListValue: "a list", ast.ObjectValue: "an object",
}

// mismatch names the kind of a wrong value, not the value.
func mismatch(value *ast.Value) string {
	return fmt.Sprintf(`Expected a value of type "%s", found %s%s.`,
		value.ExpectedType, kindsOfValues[value.Kind], formOf(value.Definition))
}
