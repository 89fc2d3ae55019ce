package resolvers

import "slices"

// needOnlyID lists the fields whose resolvers use only their object's identifier.
var needOnlyID = map[string][]string{
	"Customer":      {"transcripts", "relations", "documents", "minfinDocuments", "calculationProposal"},
	"Checklist":     {"transcripts"},
	"FinancialYear": {"checklists", "transcripts"},
	"Transcript":    {"calculation"},
	"User":          {"customers", "transcripts"},
}

// NeedsOnlyID reports whether a field can be resolved before its object was read.
func NeedsOnlyID(object, field string) bool {
	return slices.Contains(needOnlyID[object], field)
}
