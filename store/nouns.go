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
	privacyAccesses *noun[backoffice.PrivacyAccess, backoffice.ConsultationCriteria]
	ofIDs           string // the statement of NounsOf
	changesAside    copyTexts
	changesAtEnd    string
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
	}
}

// tablesOfNouns are the tables whose rows have an identifier that anyone may ask about.
var tablesOfNouns = []struct {
	noun  backoffice.Noun
	table string
}{
	{backoffice.NounCustomer, customerTable.name}, {backoffice.NounTranscript, transcriptTable.name},
	{backoffice.NounRelation, relationTable.name}, {backoffice.NounCalculation, calculationTable.name},
	{backoffice.NounDocument, documentTable.name}, {backoffice.NounMinfin, minfinTable.name},
	{backoffice.NounChecklist, checklistTable.name}, {backoffice.NounFinancialYear, financialYearTable.name},
	{backoffice.NounUser, userTable.name}, {backoffice.NounLabel, labelTable.name},
	{backoffice.NounConsultation, privacyAccessTable.name},
}

func nounsOfText(d *Dialect) string {
	var parts []string
	for _, of := range tablesOfNouns {
		parts = append(parts, "SELECT t.id, '"+string(of.noun)+"' FROM "+of.table+" t WHERE t.id "+strings.ReplaceAll(d.in, "?", "$1"))
	}
	return strings.Join(parts, " UNION ALL ")
}

func (n *nouns) of(ctx context.Context, conn Conn, ids []string) (map[string]backoffice.Noun, error) {
	found := make(map[string]backoffice.Noun, len(ids))
	ids = unique(wellFormed(ids))
	if ids == nil {
		return found, nil
	}
	err := conn.Query(ctx, n.ofIDs, []any{n.dialect.List(ids)}, func(row *Row) error {
		found[row.Text(0)] = backoffice.Noun(row.Text(1))
		return nil
	})
	return found, err
}

// NounsOf implements backoffice.Tx.
func (t *tx) NounsOf(ctx context.Context, ids []string) (map[string]backoffice.Noun, error) {
	return t.store.nouns.of(ctx, t.conn, ids)
}

// readers implement backoffice.Reads on a connection.
type readers struct {
	nouns           *nouns
	conn            Conn
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
	privacyAccesses reader[backoffice.PrivacyAccess, backoffice.ConsultationCriteria]
}

func (n *nouns) readers(conn Conn) readers {
	return readers{
		nouns: n, conn: conn,
		financialYears:  reader[backoffice.FinancialYear, backoffice.FinancialYearCriteria]{n.financialYears, conn},
		checklists:      reader[backoffice.Checklist, backoffice.ChecklistCriteria]{n.checklists, conn},
		transcripts:     transcriptReader{reader[backoffice.Transcript, backoffice.TranscriptCriteria]{n.transcripts, conn}},
		calculations:    reader[backoffice.Calculation, backoffice.CalculationCriteria]{n.calculations, conn},
		customers:       reader[backoffice.Customer, backoffice.CustomerCriteria]{n.customers, conn},
		withoutNumbers:  reader[backoffice.Customer, backoffice.CustomerCriteria]{n.withoutNumbers, conn},
		relations:       reader[backoffice.CustomerRelation, backoffice.RelationCriteria]{n.relations, conn},
		documents:       reader[backoffice.CustomerDocument, backoffice.DocumentCriteria]{n.documents, conn},
		minfin:          reader[backoffice.MinfinDocument, backoffice.MinfinCriteria]{n.minfin, conn},
		users:           reader[backoffice.User, backoffice.UserCriteria]{n.users, conn},
		labels:          reader[backoffice.Label, backoffice.LabelCriteria]{n.labels, conn},
		privacyAccesses: reader[backoffice.PrivacyAccess, backoffice.ConsultationCriteria]{n.privacyAccesses, conn},
	}
}

// FinancialYears implements backoffice.Reads.
func (r *readers) FinancialYears() backoffice.Reader[*backoffice.FinancialYear, backoffice.FinancialYearCriteria] {
	return &r.financialYears
}

// Checklists implements backoffice.Reads.
func (r *readers) Checklists() backoffice.Reader[*backoffice.Checklist, backoffice.ChecklistCriteria] {
	return &r.checklists
}

// Transcripts implements backoffice.Reads.
func (r *readers) Transcripts() backoffice.TranscriptReader { return &r.transcripts }

// Calculations implements backoffice.Reads.
func (r *readers) Calculations() backoffice.Reader[*backoffice.Calculation, backoffice.CalculationCriteria] {
	return &r.calculations
}

// CustomersWithoutNumbers implements backoffice.Reads.
func (r *readers) CustomersWithoutNumbers() backoffice.Reader[*backoffice.Customer, backoffice.CustomerCriteria] {
	return &r.withoutNumbers
}

// Customers implements backoffice.Reads.
func (r *readers) Customers() backoffice.Reader[*backoffice.Customer, backoffice.CustomerCriteria] {
	return &r.customers
}

// Relations implements backoffice.Reads.
func (r *readers) Relations() backoffice.Reader[*backoffice.CustomerRelation, backoffice.RelationCriteria] {
	return &r.relations
}

// Documents implements backoffice.Reads.
func (r *readers) Documents() backoffice.Reader[*backoffice.CustomerDocument, backoffice.DocumentCriteria] {
	return &r.documents
}

// MinfinDocuments implements backoffice.Reads.
func (r *readers) MinfinDocuments() backoffice.Reader[*backoffice.MinfinDocument, backoffice.MinfinCriteria] {
	return &r.minfin
}

// Users implements backoffice.Reads.
func (r *readers) Users() backoffice.Reader[*backoffice.User, backoffice.UserCriteria] {
	return &r.users
}

// Labels implements backoffice.Reads.
func (r *readers) Labels() backoffice.Reader[*backoffice.Label, backoffice.LabelCriteria] {
	return &r.labels
}

// PrivacyAccesses implements backoffice.Reads.
func (r *readers) PrivacyAccesses() backoffice.Reader[*backoffice.PrivacyAccess, backoffice.ConsultationCriteria] {
	return &r.privacyAccesses
}

// NounsOf implements backoffice.Reads.
func (r *readers) NounsOf(ctx context.Context, ids []string) (map[string]backoffice.Noun, error) {
	return r.nouns.of(ctx, r.conn, ids)
}
