package store

import (
	"context"
	"strings"

	"example.org/backoffice/backoffice"
)

// nouns are all nouns on a dialect.
type nouns struct {
	dialect         *Dialect
	financialYears  *noun[backoffice.FinancialYear, backoffice.FinancialYearCriteria]
	checklists      *noun[backoffice.Checklist, backoffice.ChecklistCriteria]
	transcripts     *noun[backoffice.Transcript, backoffice.TranscriptCriteria]
	calculations    *noun[backoffice.Calculation, backoffice.CalculationCriteria]
	customers       *noun[backoffice.Customer, backoffice.CustomerCriteria]
	withoutNumbers  *noun[backoffice.Customer, backoffice.CustomerCriteria] // customers, for reading alone
	relations       *noun[backoffice.CustomerRelation, backoffice.RelationCriteria]
	documents       *noun[backoffice.CustomerDocument, backoffice.DocumentCriteria]
	minfin          *noun[backoffice.MinfinDocument, backoffice.MinfinCriteria]
	users           *noun[backoffice.User, backoffice.UserCriteria]
	labels          *noun[backoffice.Label, backoffice.LabelCriteria]
	privacyAccesses *noun[backoffice.Consultation, backoffice.ConsultationCriteria]
	ofIDs           string // the statement of NounsOf
	changesAside    copyTexts
	changesAtEnd    string
	setDocument     string
}

func nounsOn(d *Dialect) *nouns {
	return &nouns{
		dialect:         d,
		financialYears:  nounOf(financialYearTable, d),
		checklists:      nounOf(checklistTable, d),
		transcripts:     nounOf(transcriptTable, d),
		calculations:    nounOf(calculationTable, d),
		customers:       nounOf(customerTable, d),
		withoutNumbers:  nounOf(customersWithoutNumbers, d),
		relations:       nounOf(relationTable, d),
		documents:       nounOf(documentTable, d),
		minfin:          nounOf(minfinTable, d),
		users:           nounOf(userTable, d),
		labels:          nounOf(labelTable, d),
		privacyAccesses: nounOf(privacyAccessTable, d),
		ofIDs:           nounsOfText(d),
		changesAside:    changesAsideOf(d),
		changesAtEnd:    changesAtEndOf(d),
		setDocument:     setDocumentText(d),
	}
}

func nounsOfText(d *Dialect) string {
	var parts []string
	for _, of := range described {
		parts = append(parts, "SELECT t.id, '"+string(of.noun)+"' FROM "+of.table+" t WHERE t.id "+strings.ReplaceAll(d.in, "?", "$1"))
	}
	return strings.Join(parts, " UNION ALL ")
}

// nounReader implements backoffice.NounReader.
type nounReader struct {
	nouns *nouns
	from  source
}

// Send implements backoffice.Sender.
func (r *nounReader) Send(ctx context.Context, b *backoffice.Batch) error {
	return send(ctx, r.from, b)
}

// Nouns implements backoffice.NounReader.
func (r *nounReader) Nouns(b *backoffice.Batch, ids []string, into []backoffice.Noun) backoffice.Queued {
	asked := backoffice.Unique(wellFormed(ids))
	if asked == nil {
		return b.Queue(failed(nil))
	}
	found := make(map[string]backoffice.Noun, len(asked))
	each := func(row *Row) error {
		found[row.Text(0)] = backoffice.Noun(row.Text(1))
		return nil
	}
	return b.Queue(&Query{Statement: Statement{Text: r.nouns.ofIDs, Args: []any{r.nouns.dialect.List(asked)}, Each: each}, done: func() {
		for i, id := range ids {
			into[i] = found[id]
		}
	}})
}

// readers implement backoffice.Reads.
type readers struct {
	nounReader
	financialYears  reader[backoffice.FinancialYear, backoffice.FinancialYearCriteria]
	checklists      reader[backoffice.Checklist, backoffice.ChecklistCriteria]
	transcripts     transcriptReader
	calculations    reader[backoffice.Calculation, backoffice.CalculationCriteria]
	customers       reader[backoffice.Customer, backoffice.CustomerCriteria]
	withoutNumbers  reader[backoffice.Customer, backoffice.CustomerCriteria]
	relations       reader[backoffice.CustomerRelation, backoffice.RelationCriteria]
	documents       reader[backoffice.CustomerDocument, backoffice.DocumentCriteria]
	minfin          reader[backoffice.MinfinDocument, backoffice.MinfinCriteria]
	users           reader[backoffice.User, backoffice.UserCriteria]
	labels          reader[backoffice.Label, backoffice.LabelCriteria]
	privacyAccesses reader[backoffice.Consultation, backoffice.ConsultationCriteria]
}

func (n *nouns) readers(from source) readers {
	return readers{
		nounReader:      nounReader{n, from},
		financialYears:  reader[backoffice.FinancialYear, backoffice.FinancialYearCriteria]{n.financialYears, from},
		checklists:      reader[backoffice.Checklist, backoffice.ChecklistCriteria]{n.checklists, from},
		transcripts:     transcriptReader{reader[backoffice.Transcript, backoffice.TranscriptCriteria]{n.transcripts, from}},
		calculations:    reader[backoffice.Calculation, backoffice.CalculationCriteria]{n.calculations, from},
		customers:       reader[backoffice.Customer, backoffice.CustomerCriteria]{n.customers, from},
		withoutNumbers:  reader[backoffice.Customer, backoffice.CustomerCriteria]{n.withoutNumbers, from},
		relations:       reader[backoffice.CustomerRelation, backoffice.RelationCriteria]{n.relations, from},
		documents:       reader[backoffice.CustomerDocument, backoffice.DocumentCriteria]{n.documents, from},
		minfin:          reader[backoffice.MinfinDocument, backoffice.MinfinCriteria]{n.minfin, from},
		users:           reader[backoffice.User, backoffice.UserCriteria]{n.users, from},
		labels:          reader[backoffice.Label, backoffice.LabelCriteria]{n.labels, from},
		privacyAccesses: reader[backoffice.Consultation, backoffice.ConsultationCriteria]{n.privacyAccesses, from},
	}
}

// FinancialYears implements backoffice.Readers.
func (r *readers) FinancialYears() backoffice.Reader[*backoffice.FinancialYear, backoffice.FinancialYearCriteria] {
	return &r.financialYears
}

// Checklists implements backoffice.Readers.
func (r *readers) Checklists() backoffice.Reader[*backoffice.Checklist, backoffice.ChecklistCriteria] {
	return &r.checklists
}

// Transcripts implements backoffice.Readers.
func (r *readers) Transcripts() backoffice.TranscriptReader { return &r.transcripts }

// Calculations implements backoffice.Readers.
func (r *readers) Calculations() backoffice.Reader[*backoffice.Calculation, backoffice.CalculationCriteria] {
	return &r.calculations
}

// CustomersWithoutNumbers implements backoffice.Readers.
func (r *readers) CustomersWithoutNumbers() backoffice.Reader[*backoffice.Customer, backoffice.CustomerCriteria] {
	return &r.withoutNumbers
}

// Customers implements backoffice.Readers.
func (r *readers) Customers() backoffice.Reader[*backoffice.Customer, backoffice.CustomerCriteria] {
	return &r.customers
}

// Relations implements backoffice.Readers.
func (r *readers) Relations() backoffice.Reader[*backoffice.CustomerRelation, backoffice.RelationCriteria] {
	return &r.relations
}

// Documents implements backoffice.Readers.
func (r *readers) Documents() backoffice.Reader[*backoffice.CustomerDocument, backoffice.DocumentCriteria] {
	return &r.documents
}

// MinfinDocuments implements backoffice.Readers.
func (r *readers) MinfinDocuments() backoffice.Reader[*backoffice.MinfinDocument, backoffice.MinfinCriteria] {
	return &r.minfin
}

// Users implements backoffice.Readers.
func (r *readers) Users() backoffice.Reader[*backoffice.User, backoffice.UserCriteria] {
	return &r.users
}

// Labels implements backoffice.Readers.
func (r *readers) Labels() backoffice.Reader[*backoffice.Label, backoffice.LabelCriteria] {
	return &r.labels
}

// Consultations implements backoffice.Readers.
func (r *readers) Consultations() backoffice.Reader[*backoffice.Consultation, backoffice.ConsultationCriteria] {
	return &r.privacyAccesses
}
