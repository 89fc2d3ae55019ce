package resolvers

import (
	"example.org/backoffice/backoffice"
	"example.org/backoffice/graph"
	"example.org/backoffice/privacy"
)

type Root struct {
	// Keys seal cursors and sign download paths.
	Keys    *privacy.Keyset
	Service *backoffice.Service
}

type (
	query                struct{ *Root }
	calculation          struct{ *Root }
	checklist            struct{ *Root }
	customer             struct{ *Root }
	customerDocument     struct{ *Root }
	customerRelation     struct{ *Root }
	customerRelationEdge struct{ *Root }
	file                 struct{ *Root }
	financialYear        struct{ *Root }
	minfinDocument       struct{ *Root }
	transcript           struct{ *Root }
	user                 struct{ *Root }
	pageInfo             struct{}
)

var _ graph.ResolverRoot = (*Root)(nil)

func (r *Root) Query() graph.QueryResolver                       { return query{r} }
func (r *Root) Calculation() graph.CalculationResolver           { return calculation{r} }
func (r *Root) Checklist() graph.ChecklistResolver               { return checklist{r} }
func (r *Root) Customer() graph.CustomerResolver                 { return customer{r} }
func (r *Root) CustomerDocument() graph.CustomerDocumentResolver { return customerDocument{r} }
func (r *Root) CustomerRelation() graph.CustomerRelationResolver { return customerRelation{r} }
func (r *Root) CustomerRelationEdge() graph.CustomerRelationEdgeResolver {
	return customerRelationEdge{r}
}
func (r *Root) File() graph.FileResolver                               { return file{r} }
func (r *Root) FinancialYear() graph.FinancialYearResolver             { return financialYear{r} }
func (r *Root) MinfinDocument() graph.MinfinDocumentResolver           { return minfinDocument{r} }
func (r *Root) Transcript() graph.TranscriptResolver                   { return transcript{r} }
func (r *Root) User() graph.UserResolver                               { return user{r} }
func (r *Root) PageInfo() graph.PageInfoResolver                       { return pageInfo{} }
func (r *Root) CustomerConnection() graph.CustomerConnectionResolver   { return customers }
func (r *Root) ChecklistConnection() graph.ChecklistConnectionResolver { return checklists }
func (r *Root) CustomerDocumentConnection() graph.CustomerDocumentConnectionResolver {
	return documents
}
func (r *Root) CustomerRelationConnection() graph.CustomerRelationConnectionResolver {
	return relations{}
}
func (r *Root) FinancialYearConnection() graph.FinancialYearConnectionResolver { return financialYears }
func (r *Root) LabelConnection() graph.LabelConnectionResolver                 { return labels }
func (r *Root) MinfinDocumentConnection() graph.MinfinDocumentConnectionResolver {
	return minfinDocuments
}
func (r *Root) PrivacyAccessConnection() graph.PrivacyAccessConnectionResolver {
	return privacyAccesses
}
func (r *Root) TranscriptConnection() graph.TranscriptConnectionResolver {
	return transcripts{transcriptNoun}
}
func (r *Root) CalculationConnection() graph.CalculationConnectionResolver { return calculations }
func (r *Root) UserConnection() graph.UserConnectionResolver               { return users }
