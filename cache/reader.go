package cache

import (
	"context"

	"example.org/backoffice/backoffice"
)

// reader queues reads of one view of a noun.
type reader[T backoffice.Entity, C comparable] struct {
	of    *Store
	view  view
	below backoffice.Reader[T, C]
	rules *rules[C]
	form  *form
}

func (r *reader[T, C]) Send(ctx context.Context, b *backoffice.Batch) error { return r.of.Send(ctx, b) }

// Holders implements backoffice.Reader. It is asked by those who are about to write.
func (r *reader[T, C]) Holders(ctx context.Context, rows []T) (map[string]string, error) {
	return r.below.Holders(ctx, rows)
}

func (r *reader[T, C]) Columns(fields []string) backoffice.Columns { return r.below.Columns(fields) }

func (r *reader[T, C]) Find(b *backoffice.Batch, ids []string, want backoffice.Columns, found func(T)) backoffice.Queued {
	return b.Queue(&find[T, C]{reader: r, ids: ids, want: want, found: found})
}

func (r *reader[T, C]) Lists(b *backoffice.Batch, list backoffice.ListQuery[C], parents []string, want backoffice.Columns, into []backoffice.Page[T]) backoffice.Queued {
	return b.Queue(&listRead[T, C]{reader: r, list: list, parents: atRoot(list.Under, parents), want: want, into: into})
}

type counted[C comparable] struct {
	under    backoffice.Parent
	criteria C
}

func (r *reader[T, C]) Counts(b *backoffice.Batch, under backoffice.Parent, criteria C, parents []string, into []int) backoffice.Queued {
	return b.Queue(&valueRead[C, int]{
		of: r.of, view: r.view, rules: r.rules, under: under, criteria: criteria, parents: atRoot(under, parents), into: into, question: counted[C]{under, criteria}, anyOrder: true,
		ask: func(b *backoffice.Batch, parents []string, into []int) backoffice.Queued {
			return r.below.Counts(b, under, criteria, parents, into)
		},
	})
}

func atRoot(under backoffice.Parent, parents []string) []string {
	if under == backoffice.Root {
		return []string{backoffice.NoParent}
	}
	return parents
}

// Groups implements backoffice.Reader. They are counted anew: any change of a noun that they name would drop them.
func (r *reader[T, C]) Groups(b *backoffice.Batch, q backoffice.GroupQuery[C], into *backoffice.Aggregate) backoffice.Queued {
	return (&past[T, C]{r.below, r.of}).Groups(b, q, into)
}

// transcriptReader is a reader that counts by status as well.
type transcriptReader struct {
	reader[*backoffice.Transcript, backoffice.TranscriptCriteria]
	counting backoffice.TranscriptReader
}

type byStatus struct {
	counted[backoffice.TranscriptCriteria]
}

func (r *transcriptReader) StatusCounts(b *backoffice.Batch, under backoffice.Parent, criteria backoffice.TranscriptCriteria, parents []string, into [][]backoffice.TranscriptStatusCount) backoffice.Queued {
	return b.Queue(&valueRead[backoffice.TranscriptCriteria, []backoffice.TranscriptStatusCount]{
		of: r.of, view: r.view, rules: r.rules, under: under, criteria: criteria, parents: atRoot(under, parents), into: into,
		question: byStatus{counted[backoffice.TranscriptCriteria]{under, criteria}},
		ask: func(b *backoffice.Batch, parents []string, into [][]backoffice.TranscriptStatusCount) backoffice.Queued {
			return r.counting.StatusCounts(b, under, criteria, parents, into)
		},
	})
}

type readers struct {
	years          reader[*backoffice.FinancialYear, backoffice.FinancialYearCriteria]
	checklists     reader[*backoffice.Checklist, backoffice.ChecklistCriteria]
	transcripts    transcriptReader
	calculations   reader[*backoffice.Calculation, backoffice.CalculationCriteria]
	customers      reader[*backoffice.Customer, backoffice.CustomerCriteria]
	withoutNumbers reader[*backoffice.Customer, backoffice.CustomerCriteria]
	relations      reader[*backoffice.CustomerRelation, backoffice.RelationCriteria]
	documents      reader[*backoffice.CustomerDocument, backoffice.DocumentCriteria]
	minfin         reader[*backoffice.MinfinDocument, backoffice.MinfinCriteria]
	users          reader[*backoffice.User, backoffice.UserCriteria]
	labels         reader[*backoffice.Label, backoffice.LabelCriteria]
	consultations  past[*backoffice.Consultation, backoffice.ConsultationCriteria]
}

func readerOf[T backoffice.Entity, C comparable](s *Store, of view, below backoffice.Reader[T, C], rules *rules[C]) reader[T, C] {
	return reader[T, C]{of: s, view: of, below: below, rules: rules, form: formOf[T]()}
}

func (s *Store) newReaders() readers {
	below := s.Source
	return readers{
		years:          readerOf(s, years, below.FinancialYears(), &yearRules),
		checklists:     readerOf(s, checklists, below.Checklists(), &checklistRules),
		transcripts:    transcriptReader{readerOf[*backoffice.Transcript, backoffice.TranscriptCriteria](s, transcripts, below.Transcripts(), &transcriptRules), below.Transcripts()},
		calculations:   readerOf(s, calculations, below.Calculations(), &calcRules),
		customers:      readerOf(s, customers, below.Customers(), &customerRules),
		withoutNumbers: readerOf(s, withoutNumbers, below.CustomersWithoutNumbers(), &customerRules),
		relations:      readerOf(s, relations, below.Relations(), &relationRules),
		documents:      readerOf(s, documents, below.Documents(), &documentRules),
		minfin:         readerOf(s, minfin, below.MinfinDocuments(), &minfinRules),
		users:          readerOf(s, users, below.Users(), &userRules),
		labels:         readerOf(s, labels, below.Labels(), &labelRules),
		consultations:  past[*backoffice.Consultation, backoffice.ConsultationCriteria]{below.Consultations(), s},
	}
}

func (s *Store) FinancialYears() backoffice.Reader[*backoffice.FinancialYear, backoffice.FinancialYearCriteria] {
	return &s.readers.years
}

func (s *Store) Checklists() backoffice.Reader[*backoffice.Checklist, backoffice.ChecklistCriteria] {
	return &s.readers.checklists
}

func (s *Store) Transcripts() backoffice.TranscriptReader { return &s.readers.transcripts }

func (s *Store) Calculations() backoffice.Reader[*backoffice.Calculation, backoffice.CalculationCriteria] {
	return &s.readers.calculations
}

func (s *Store) Customers() backoffice.Reader[*backoffice.Customer, backoffice.CustomerCriteria] {
	return &s.readers.customers
}

func (s *Store) CustomersWithoutNumbers() backoffice.Reader[*backoffice.Customer, backoffice.CustomerCriteria] {
	return &s.readers.withoutNumbers
}

func (s *Store) Relations() backoffice.Reader[*backoffice.CustomerRelation, backoffice.RelationCriteria] {
	return &s.readers.relations
}

func (s *Store) Documents() backoffice.Reader[*backoffice.CustomerDocument, backoffice.DocumentCriteria] {
	return &s.readers.documents
}

func (s *Store) MinfinDocuments() backoffice.Reader[*backoffice.MinfinDocument, backoffice.MinfinCriteria] {
	return &s.readers.minfin
}

func (s *Store) Users() backoffice.Reader[*backoffice.User, backoffice.UserCriteria] {
	return &s.readers.users
}

func (s *Store) Labels() backoffice.Reader[*backoffice.Label, backoffice.LabelCriteria] {
	return &s.readers.labels
}

func (s *Store) Consultations() backoffice.Reader[*backoffice.Consultation, backoffice.ConsultationCriteria] {
	return &s.readers.consultations
}
