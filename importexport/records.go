package importexport

import "example.org/backoffice/backoffice"

// records are what the rules across nouns ask about: as they were at one moment, or in a transaction.
type records struct {
	checklists  backoffice.Reader[*checklist, backoffice.ChecklistCriteria]
	transcripts backoffice.Reader[*transcript, backoffice.TranscriptCriteria]
	minfin      backoffice.Reader[*minfinDocument, backoffice.MinfinCriteria]
	nouns       backoffice.NounReader
}

func recordsOf(reads backoffice.Readers) records {
	return records{reads.Checklists(), reads.Transcripts(), reads.MinfinDocuments(), reads}
}

func recordsIn(tx backoffice.Tx) records {
	return records{tx.Checklists(), tx.Transcripts(), tx.MinfinDocuments(), tx}
}
