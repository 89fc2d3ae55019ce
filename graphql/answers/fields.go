package answers

import (
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
)

// ofReads lists, by type, the fields that are determined by what the query reads, its arguments and the caller's view.
// Scalars and enums without arguments or a scope are among them, unless ofRequest lists them.
var ofReads = map[string]string{
	"Query": "node nodes currentFinancialYear financialYear financialYears checklist checklists transcript " +
		"transcripts transcriptDiff workList transcriptsAggregate customer customerBy customers customersAggregate " +
		"relations calculations documents user users label labels discrepancies",
	"Node":          "",
	"FinancialYear": "checklists transcripts",
	"Checklist":     "financialYear transcripts",
	"Transcript":    "customer checklist financialYear calculation file",
	"Calculation":   "transcript proposal",
	"File":          "",
	"Customer": "companyTypeLabel address responsible relations transcripts documents " +
		"calculationProposal ownership holdings discrepancies",
	"Ownership":                  "owners beneficialOwners discrepancies rings",
	"Holdings":                   "companies rings",
	"Owner":                      "person paths",
	"Holding":                    "company paths",
	"BeneficialOwner":            "person",
	"OwnershipDiscrepancy":       "person relation",
	"OwnershipPath":              "steps",
	"OwnershipStep":              "relation",
	"OwnershipRing":              "customers",
	"Address":                    "",
	"CustomerRelation":           "customer relatedCustomer",
	"CustomerDocument":           "customer file",
	"Discrepancy":                "customer person",
	"DiscrepancyConnection":      page,
	"DiscrepancyEdge":            "node",
	"MinfinDocument":             "customer financialYear file",
	"User":                       "labels customers transcripts",
	"Label":                      "",
	"FinancialYearConnection":    page,
	"FinancialYearEdge":          "node",
	"ChecklistConnection":        page,
	"ChecklistEdge":              "node",
	"TranscriptConnection":       page + " statusCounts",
	"TranscriptEdge":             "node",
	"TranscriptStatusCount":      "",
	"WorkList":                   "untouched overdue withoutDocument missingChecklist ownershipDiffers notSent",
	"TranscriptDiff":             "added removed changed",
	"TranscriptVariable":         "",
	"ChangedVariable":            "",
	"TranscriptsAggregate":       "groups",
	"TranscriptGroup":            "keys turnaround",
	"Turnaround":                 "",
	"CustomerDuplicates":         "groups",
	"DuplicateGroup":             "customers",
	"TranscriptGroupKey":         "",
	"CustomersAggregate":         "groups",
	"CustomerGroup":              "keys",
	"CustomerGroupKey":           "",
	"CustomerConnection":         page,
	"CustomerEdge":               "node",
	"CalculationConnection":      page,
	"CalculationEdge":            "node",
	"CustomerRelationConnection": page,
	"CustomerRelationEdge":       "node otherCustomer",
	"CustomerDocumentConnection": page,
	"CustomerDocumentEdge":       "node",
	"MinfinDocumentConnection":   page,
	"MinfinDocumentEdge":         "node",
	"UserConnection":             page,
	"UserEdge":                   "node",
	"LabelConnection":            page,
	"LabelEdge":                  "node",
	"PageInfo":                   "",
}

const page = "edges nodes pageInfo"

// ofRequest lists the fields that depend on the caller or on the time, that go past memory, or that need a scope. "*"
// is all fields of a type.
var ofRequest = map[string]string{
	"Query":                   "viewer savedQueries changes minfinDocument minfinDocuments duplicates",
	"File":                    "downloadPath",
	"Customer":                "registrationNumber spouseRegistrationNumber privacyAccesses minfinDocuments",
	"Viewer":                  "*",
	"SavedQuery":              "*",
	"ChangeConnection":        "*",
	"ChangeEdge":              "*",
	"PrivacyAccess":           "*",
	"PrivacyAccessConnection": "*",
	"PrivacyAccessEdge":       "*",
}

// ofChange lists the types whose fields are determined by the entry of the change log that an event tells, and the
// caller's view. Queries reach them only through a field of the request.
const ofChange = "Subscription Change ChangeParent"

// Class is what determines the value of a field.
type Class uint8

const (
	Unknown Class = iota // treated like OfRequest
	OfReads
	OfChange
	OfRequest
)

// ClassOf returns the class of a field of the schema.
func ClassOf(schema *ast.Schema, of string, field *ast.FieldDefinition) Class {
	needsScope := field.Directives.ForName("hasScope") != nil
	if listed := ofRequest[of]; needsScope || listed == "*" || lists(listed, field.Name) {
		return OfRequest
	}
	if lists(ofChange, of) {
		return OfChange
	}
	listed, known := ofReads[of]
	if !known {
		return Unknown
	}
	def := schema.Types[field.Type.Name()]
	if lists(listed, field.Name) || len(field.Arguments) == 0 && def != nil && def.IsLeafType() {
		return OfReads
	}
	return Unknown
}

func lists(fields, name string) bool { return slices.Contains(strings.Fields(fields), name) }

// Keepable reports whether all that a validated document selects is of its reads, or of the change that an event tells.
func Keepable(schema *ast.Schema, document *ast.QueryDocument) bool {
	for _, operation := range document.Operations {
		if operation.Operation == ast.Mutation || !keepable(schema, operation.SelectionSet) {
			return false
		}
	}
	for _, fragment := range document.Fragments {
		if !keepable(schema, fragment.SelectionSet) {
			return false
		}
	}
	return true
}

func keepable(schema *ast.Schema, selections ast.SelectionSet) bool {
	for _, selection := range selections {
		switch selection := selection.(type) {
		case *ast.Field:
			if selection.Name != "__typename" && !isKeepable(schema, selection) || !keepable(schema, selection.SelectionSet) {
				return false
			}
		case *ast.InlineFragment:
			if !keepable(schema, selection.SelectionSet) {
				return false
			}
		}
	}
	return true
}

func isKeepable(schema *ast.Schema, field *ast.Field) bool {
	if field.ObjectDefinition == nil || field.Definition == nil {
		return false
	}
	class := ClassOf(schema, field.ObjectDefinition.Name, field.Definition)
	return class == OfReads || class == OfChange
}
