package gateway

import (
	"example.org/backoffice/backoffice"
	"example.org/backoffice/execute"
	"example.org/backoffice/resolvers"
)

// Lists hang on an object by its identifier, and a query that names it tells that at once: so they are read in the same
// trip as the object.

// early lets the executor do that.
var early = execute.Early{Object: identified, Enough: resolvers.HangsOnIdentity}

// identified is the object that a root field returns by its identifier, as far as that is known before it was read.
func identified(rootField string, args map[string]any) execute.List {
	id, _ := args["id"].(string)
	switch rootField {
	case "customer":
		return execute.Of[*backoffice.Customer]{{ID: id}}
	case "checklist":
		return execute.Of[*backoffice.Checklist]{{ID: id}}
	case "financialYear":
		return execute.Of[*backoffice.FinancialYear]{{ID: id}}
	case "transcript":
		return execute.Of[*backoffice.Transcript]{{ID: id}}
	case "user":
		return execute.Of[*backoffice.User]{{ID: id}}
	}
	return nil
}
