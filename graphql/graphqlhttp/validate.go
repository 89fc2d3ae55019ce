package graphqlhttp

import (
	"cmp"
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/validator/core"
	"github.com/vektah/gqlparser/v2/validator/rules"

	"example.org/backoffice/backoffice"
)

// validationRules are the rules of the GraphQL specification, without those of gqlparser that quote values, or look for
// what was meant for each fault, also for those that are not reported.
var validationRules = func() []core.Rule {
	chosen := rules.NewDefaultRules()
	for _, replaced := range []string{
		rules.FieldsOnCorrectTypeRule.Name, rules.KnownArgumentNamesRule.Name, rules.KnownTypeNamesRule.Name,
		rules.ScalarLeafsRule.Name, rules.ValuesOfCorrectTypeRule.Name, rules.SingleFieldSubscriptionsRule.Name,
	} {
		chosen.RemoveRule(replaced)
	}
	for _, rule := range []core.Rule{
		{Name: rules.KnownArgumentNamesRule.Name, RuleFunc: knownNames}, rules.KnownTypeNamesRuleWithoutSuggestions,
		rules.ScalarLeafsRuleWithoutSuggestions, valuesOfCorrectType, oneFieldOfSubscription,
	} {
		chosen.AddRule(rule.Name, rule.RuleFunc)
	}
	var list []core.Rule
	for name, check := range chosen.GetInner() {
		list = append(list, core.Rule{Name: name, RuleFunc: check})
	}
	slices.SortFunc(list, func(a, b core.Rule) int { return cmp.Compare(a.Name, b.Name) })
	return list
}()

// validate checks a document against the schema and reports at most `most` errors. Run it once: it notes definitions in
// the document and makes literals exact. constants are variables besides those of the operations. notNull are variables
// whose type has null and whose place has not: they may be left out, or have a default.
func validate(schema *ast.Schema, document *ast.QueryDocument, most int) (
	constants map[string]any, notNull map[*ast.VariableDefinition]bool, errs gqlerror.List) {
	var (
		found  gqlerror.List
		events core.Events
		values []*ast.Value
	)
	events.OnDirective(func(_ *core.Walker, d *ast.Directive) {
		if text := d.Position.Src.Input; d.Position.Start > 0 && text[d.Position.Start-1] == '@' {
			at := *d.Position
			at.Start, at.Column = at.Start-1, at.Column-1
			d.Position = &at
		}
	})
	notNull = map[*ast.VariableDefinition]bool{}
	events.OnValue(func(_ *core.Walker, value *ast.Value) {
		values = append(values, value)
		if value.Kind == ast.Variable && value.ExpectedType != nil && value.ExpectedType.NonNull {
			notNull[value.VariableDefinition] = true
		}
	})
	for _, rule := range validationRules {
		rule.RuleFunc(&events, func(options ...core.ErrorOption) {
			if len(found) >= max(most, 1) {
				return
			}
			fault := failure(codeValidation, "")
			for _, option := range options {
				option(fault)
			}
			fault.Message = presentable(fault.Message)
			fault.Extensions = map[string]any{"code": codeValidation}
			found = append(found, fault)
		})
	}
	core.Walk(schema, document, &events)
	if len(found) > 0 {
		return nil, nil, found
	}
	constants = map[string]any{}
	exact(values, constants)
	return constants, notNull, nil
}

// knownNames are gqlparser's rules of fields and arguments, with the position of the argument. Fields selected of a
// scalar are not reported: their selection is the fault.
func knownNames(observers *core.Events, addError core.AddErrFunc) {
	check := func(given ast.ArgumentList, known ast.ArgumentDefinitionList, of string) {
		for _, one := range given {
			if known.ForName(one.Name) == nil {
				addError(core.Message(`Unknown argument "%s" on %s.`, one.Name, of),
					didYouMean(one.Name, func() []string {
						return backoffice.Map(known, func(a *ast.ArgumentDefinition) string { return a.Name })
					}), core.At(one.Position))
			}
		}
	}
	observers.OnField(func(walker *core.Walker, f *ast.Field) {
		switch of := f.ObjectDefinition; {
		case of == nil:
		case f.Definition != nil:
			check(f.Arguments, f.Definition.Arguments, `field "`+of.Name+"."+f.Name+`"`)
		case of.IsCompositeType():
			addError(core.Message(`Cannot query field "%s" on type "%s".`, f.Name, of.Name),
				orFragment(walker.Schema, of, f.Name), core.At(f.Position))
		}
	})
	observers.OnDirective(func(_ *core.Walker, d *ast.Directive) {
		if d.Definition != nil {
			check(d.Arguments, d.Definition.Arguments, `directive "@`+d.Name+`"`)
		}
	})
}

// presentable cuts and masks the names that a message quotes.
func presentable(message string) string {
	const most = 1_000
	parts := strings.Split(message, `"`)
	for i := 1; i < len(parts); i += 2 {
		parts[i] = backoffice.ShownName(parts[i])
	}
	if message = backoffice.MaskDigits(strings.Join(parts, `"`)); len(message) > most {
		message = strings.ToValidUTF8(message[:most], "") + "…"
	}
	return message
}
