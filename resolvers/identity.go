package resolvers

import "slices"

// hangOnIdentity lists the fields whose resolvers use only their object's identifier.
var hangOnIdentity = map[string][]string{
	"Customer":      {"transcripts", "relations", "documents", "minfinDocuments", "calculationProposal"},
	"Checklist":     {"transcripts"},
	"FinancialYear": {"checklists", "transcripts"},
	"Transcript":    {"calculation"},
	"User":          {"customers", "transcripts"},
}

// HangsOnIdentity reports whether a field can be resolved before its object was read.
func HangsOnIdentity(object, field string) bool {
	return slices.Contains(hangOnIdentity[object], field)
}
