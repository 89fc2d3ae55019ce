package cache

import (
	"context"

	"example.org/backoffice/backoffice"
)

type reader[T backoffice.Entity, C comparable] struct {
	of    *Store
	view  view
	below backoffice.Reader[T, C]
	rules *rules[C]
	form  *form
}

func (r *reader[T, C]) Send(ctx context.Context, b *backoffice.Batch) error { return r.of.Send(ctx, b) }

// Holders implements backoffice.Reader. It serves writes.
func (r *reader[T, C]) Holders(ctx context.Context, rows []T) (map[string][]string, error) {
	return r.below.Holders(ctx, rows)
}

func (r *reader[T, C]) Columns(fields []string) backoffice.Columns { return r.below.Columns(fields) }

func (r *reader[T, C]) Find(b *backoffice.Batch, ids []string, want backoffice.Columns,
	found func(T)) backoffice.Queued {
	return b.Queue(&find[T, C]{reader: r, ids: ids, want: want, found: found})
}

func (r *reader[T, C]) Lists(b *backoffice.Batch, list backoffice.ListQuery[C], parents []string,
	want backoffice.Columns, into []backoffice.Page[T]) backoffice.Queued {
	parents = atRoot(list.Parent, parents)
	return b.Queue(&listRead[T, C]{reader: r, list: list, parents: parents, want: want, into: into})
}

type counted[C comparable] struct {
	under    backoffice.Parent
	criteria C
}

func (r *reader[T, C]) Counts(b *backoffice.Batch, under backoffice.Parent, criteria C, parents []string,
	into []int) backoffice.Queued {
	return b.Queue(&valueRead[C, int]{
		of: r.of, view: r.view, rules: r.rules, under: under, criteria: criteria, parents: atRoot(under, parents),
		into: into, question: counted[C]{under, criteria}, anyOrder: true,
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

// Groups implements backoffice.Reader. They are counted anew: any change of a noun that they use would evict them.
func (r *reader[T, C]) Groups(b *backoffice.Batch, q backoffice.GroupQuery[C],
	into *backoffice.Aggregate) backoffice.Queued {
	return (&direct[T, C]{r.below, r.of}).Groups(b, q, into)
}

type transcriptReader struct {
	*reader[*backoffice.Transcript, backoffice.TranscriptCriteria]
	counting backoffice.TranscriptReader
}

type byStatus struct {
	counted[backoffice.TranscriptCriteria]
}

func (r *transcriptReader) StatusCounts(b *backoffice.Batch, under backoffice.Parent,
	criteria backoffice.TranscriptCriteria, parents []string,
	into [][]backoffice.TranscriptStatusCount) backoffice.Queued {
	return b.Queue(&valueRead[backoffice.TranscriptCriteria, []backoffice.TranscriptStatusCount]{
		of: r.of, view: r.view, rules: r.rules, under: under, criteria: criteria, parents: atRoot(under, parents),
		into: into, question: byStatus{counted[backoffice.TranscriptCriteria]{under, criteria}},
		ask: func(b *backoffice.Batch, parents []string, into [][]backoffice.TranscriptStatusCount) backoffice.Queued {
			return r.counting.StatusCounts(b, under, criteria, parents, into)
		},
	})
}

// keep adds a reader of a cached noun. Reads of other nouns bypass it.
func keep[T backoffice.Entity, C comparable](s *Store, noun backoffice.NounOf[T, C], rules rules[C]) *reader[T, C] {
	rules.noun, rules.finds = noun.Name().Index(), noun.CanMatch
	r := &reader[T, C]{
		of: s, view: view(rules.noun), below: noun.Reader(s.Source), rules: &rules, form: formOf[T](),
	}
	s.readers[noun.Name()] = r
	return r
}

func (s *Store) keepReaders() {
	keep(s, backoffice.FinancialYearTable, rules[backoffice.FinancialYearCriteria]{})
	keep(s, backoffice.ChecklistTable, rules[backoffice.ChecklistCriteria]{})
	keep(s, backoffice.CalculationTable, rules[backoffice.CalculationCriteria]{})
	keep(s, backoffice.RelationTable, rules[backoffice.RelationCriteria]{})
	keep(s, backoffice.DocumentTable, rules[backoffice.DocumentCriteria]{})
	keep(s, backoffice.MinfinTable, rules[backoffice.MinfinCriteria]{})
	keep(s, backoffice.DiscrepancyTable, rules[backoffice.DiscrepancyCriteria]{})
	keep(s, backoffice.UserTable, rules[backoffice.UserCriteria]{})
	keep(s, backoffice.LabelTable, rules[backoffice.LabelCriteria]{})
	transcripts := keep(s, backoffice.TranscriptTable, transcriptRules)
	s.readers[backoffice.NounTranscript] = &transcriptReader{transcripts, s.Source.Transcripts()}
	open := *keep(s, backoffice.CustomerTable, customerRules)
	open.view, open.below = withoutNumbers, s.Source.CustomersWithoutNumbers()
	s.readers[backoffice.CustomersWithoutNumbers] = &open
	s.readers[backoffice.NounConsultation] = &direct[*backoffice.Consultation, backoffice.ConsultationCriteria]{
		s.Source.Consultations(), s}
}

func (s *Store) Records(of backoffice.Noun) any {
	if r := s.readers[of]; r != nil {
		return r
	}
	return s.Source.Records(of)
}
