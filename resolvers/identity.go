package resolvers

import "slices"

// hangOnIdentity are the fields whose resolvers look at nothing of their object but its identifier.
var hangOnIdentity = map[string][]string{
	"Customer":      {"transcripts", "relations", "documents", "minfinDocuments", "calculationProposal"},
	"Checklist":     {"transcripts"},
	"FinancialYear": {"checklists", "transcripts"},
	"Transcript":    {"calculation"},
	"User":          {"customers", "transcripts"},
}

// HangsOnIdentity reports whether the resolver of a field can be asked before its object was read.
func HangsOnIdentity(object, field string) bool {
	return slices.Contains(hangOnIdentity[object], field)
}
