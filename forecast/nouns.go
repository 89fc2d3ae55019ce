package forecast

import "example.org/backoffice/backoffice"

// What is imagined of a row is what it refers to, by identifiers that nobody has read yet.

func readerOf[T any, C comparable](s *store, columns backoffice.Reader[T, C], imagine func(w *world, id string) T) reader[T, C] {
	return reader[T, C]{Reader: columns, world: s.world, imagine: imagine}
}

// FinancialYears implements backoffice.Readers.
func (s *store) FinancialYears() backoffice.Reader[*backoffice.FinancialYear, backoffice.FinancialYearCriteria] {
	return readerOf(s, s.columns.FinancialYears(), func(_ *world, id string) *backoffice.FinancialYear { return &backoffice.FinancialYear{ID: id} })
}

// Checklists implements backoffice.Readers.
func (s *store) Checklists() backoffice.Reader[*backoffice.Checklist, backoffice.ChecklistCriteria] {
	return readerOf(s, s.columns.Checklists(), func(w *world, id string) *backoffice.Checklist {
		return &backoffice.Checklist{ID: id, FinancialYearID: w.newID()}
	})
}

// Transcripts implements backoffice.Readers.
func (s *store) Transcripts() backoffice.TranscriptReader {
	return transcriptReader{readerOf(s, s.columns.Transcripts(), func(w *world, id string) *backoffice.Transcript {
		return &backoffice.Transcript{ID: id, CustomerID: w.newID(), ChecklistID: w.newID(), FinancialYearID: w.newID()}
	})}
}

// Calculations implements backoffice.Readers.
func (s *store) Calculations() backoffice.Reader[*backoffice.Calculation, backoffice.CalculationCriteria] {
	return readerOf(s, s.columns.Calculations(), func(w *world, id string) *backoffice.Calculation {
		return &backoffice.Calculation{ID: id, TranscriptID: w.newID(), CustomerID: w.newID()}
	})
}

// Customers implements backoffice.Readers.
func (s *store) Customers() backoffice.Reader[*backoffice.Customer, backoffice.CustomerCriteria] {
	return readerOf(s, s.columns.Customers(), func(w *world, id string) *backoffice.Customer {
		return &backoffice.Customer{ID: id, ResponsibleID: w.newID()}
	})
}

// Relations implements backoffice.Readers. Neither end is the customer that a list belongs to: from its other end that one is
// another customer, too.
func (s *store) Relations() backoffice.Reader[*backoffice.CustomerRelation, backoffice.RelationCriteria] {
	return readerOf(s, s.columns.Relations(), func(w *world, id string) *backoffice.CustomerRelation {
		return &backoffice.CustomerRelation{ID: id, CustomerID: w.newID(), RelatedCustomerID: w.newID()}
	})
}

// Documents implements backoffice.Readers.
func (s *store) Documents() backoffice.Reader[*backoffice.CustomerDocument, backoffice.DocumentCriteria] {
	return readerOf(s, s.columns.Documents(), func(w *world, id string) *backoffice.CustomerDocument {
		return &backoffice.CustomerDocument{ID: id, CustomerID: w.newID()}
	})
}

// MinfinDocuments implements backoffice.Readers.
func (s *store) MinfinDocuments() backoffice.Reader[*backoffice.MinfinDocument, backoffice.MinfinCriteria] {
	return readerOf(s, s.columns.MinfinDocuments(), func(w *world, id string) *backoffice.MinfinDocument {
		return &backoffice.MinfinDocument{ID: id, CustomerID: w.newID(), FinancialYearID: w.newID()}
	})
}

// Users implements backoffice.Readers.
func (s *store) Users() backoffice.Reader[*backoffice.User, backoffice.UserCriteria] {
	return readerOf(s, s.columns.Users(), func(w *world, id string) *backoffice.User {
		return &backoffice.User{ID: id, LabelIDs: []string{w.newID()}}
	})
}

// Labels implements backoffice.Readers.
func (s *store) Labels() backoffice.Reader[*backoffice.Label, backoffice.LabelCriteria] {
	return readerOf(s, s.columns.Labels(), func(_ *world, id string) *backoffice.Label { return &backoffice.Label{ID: id} })
}

// Consultations implements backoffice.Readers.
func (s *store) Consultations() backoffice.Reader[*backoffice.Consultation, backoffice.ConsultationCriteria] {
	return readerOf(s, s.columns.Consultations(), func(_ *world, id string) *backoffice.Consultation { return &backoffice.Consultation{ID: id} })
}
