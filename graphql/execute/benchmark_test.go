package execute_test

import (
	"bytes"
	"context"
	"maps"
	"sync"
	"testing"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/graphql/execute"
	"github.com/99designs/gqlgen/graphql/executor"
)

// remembered is a Reader that asks each thing once and then answers from memory, so that what a benchmark measures is
// everything but SQL.
type remembered[T any, C comparable] struct {
	backoffice.Reader[T, C]
	mu    sync.RWMutex
	rows  map[string]T
	pages map[backoffice.ListQuery[C]]map[string]backoffice.Page[T]
}

func remember[T any, C comparable](reader backoffice.Reader[T, C]) *remembered[T, C] {
	return &remembered[T, C]{Reader: reader, rows: map[string]T{}, pages: map[backoffice.ListQuery[C]]map[string]backoffice.Page[T]{}}
}

func (r *remembered[T, C]) byID(ids []string) (map[string]T, error) {
	return answer(&r.mu, r.rows, ids, func(missing []string) (map[string]T, error) {
		return backoffice.ReadByID(context.Background(), r.Reader, missing, 0)
	})
}

func (r *remembered[T, C]) byParent(ask backoffice.ListQuery[C], parents []string) (map[string]backoffice.Page[T], error) {
	r.mu.Lock()
	pages := r.pages[ask]
	if pages == nil {
		pages = map[string]backoffice.Page[T]{}
		r.pages[ask] = pages
	}
	r.mu.Unlock()
	return answer(&r.mu, pages, parents, func(missing []string) (map[string]backoffice.Page[T], error) {
		return backoffice.ReadPages(context.Background(), r.Reader, ask, missing, 0)
	})
}

// done is a read that was answered when it was queued.
type done struct{ err error }

func (d done) Err() error { return d.err }

func (r *remembered[T, C]) Find(b *backoffice.Batch, ids []string, _ backoffice.Columns, found func(T)) backoffice.Queued {
	rows, err := r.byID(ids)
	for _, row := range rows {
		found(row)
	}
	return b.Queue(done{err})
}

func (r *remembered[T, C]) Lists(b *backoffice.Batch, ask backoffice.ListQuery[C], parents []string, _ backoffice.Columns, into []backoffice.Page[T]) backoffice.Queued {
	if ask.Parent == backoffice.Root {
		parents = []string{backoffice.NoParent}
	}
	pages, err := r.byParent(ask, parents)
	for i, parent := range parents {
		into[i] = pages[parent]
	}
	return b.Queue(done{err})
}

func answer[V any](mu *sync.RWMutex, known map[string]V, keys []string, ask func([]string) (map[string]V, error)) (map[string]V, error) {
	answers := make(map[string]V, len(keys))
	var missing []string
	mu.RLock()
	for _, key := range keys {
		if value, ok := known[key]; ok {
			answers[key] = value
		} else {
			missing = append(missing, key)
		}
	}
	mu.RUnlock()
	if missing == nil {
		return answers, nil
	}
	found, err := ask(missing)
	if err != nil {
		return nil, err
	}
	mu.Lock()
	maps.Copy(known, found)
	mu.Unlock()
	maps.Copy(answers, found)
	return answers, nil
}

// memory is a store without SQL for what Q1 reads.
type memory struct {
	backoffice.Store
	customers   *remembered[*backoffice.Customer, backoffice.CustomerCriteria]
	users       *remembered[*backoffice.User, backoffice.UserCriteria]
	relations   *remembered[*backoffice.CustomerRelation, backoffice.RelationCriteria]
	transcripts transcriptMemory
	checklists  *remembered[*backoffice.Checklist, backoffice.ChecklistCriteria]
	years       *remembered[*backoffice.FinancialYear, backoffice.FinancialYearCriteria]
}

type transcriptMemory struct {
	*remembered[*backoffice.Transcript, backoffice.TranscriptCriteria]
	backoffice.TranscriptReader
}

func (t transcriptMemory) Send(_ context.Context, b *backoffice.Batch) error { return b.Err() }

func (t transcriptMemory) Find(b *backoffice.Batch, ids []string, want backoffice.Columns, found func(*backoffice.Transcript)) backoffice.Queued {
	return t.remembered.Find(b, ids, want, found)
}

func (t transcriptMemory) Lists(b *backoffice.Batch, ask backoffice.ListQuery[backoffice.TranscriptCriteria], parents []string, want backoffice.Columns, into []backoffice.Page[*backoffice.Transcript]) backoffice.Queued {
	return t.remembered.Lists(b, ask, parents, want, into)
}

func (t transcriptMemory) Counts(b *backoffice.Batch, under backoffice.Parent, criteria backoffice.TranscriptCriteria, parents []string, into []int) backoffice.Queued {
	return t.TranscriptReader.Counts(b, under, criteria, parents, into)
}

func (t transcriptMemory) Groups(b *backoffice.Batch, q backoffice.GroupQuery[backoffice.TranscriptCriteria], into *backoffice.Aggregate) backoffice.Queued {
	return t.TranscriptReader.Groups(b, q, into)
}

func (t transcriptMemory) Holders(ctx context.Context, rows []*backoffice.Transcript) (map[string][]string, error) {
	return t.TranscriptReader.Holders(ctx, rows)
}

func (t transcriptMemory) Columns(fields []string) backoffice.Columns {
	return t.TranscriptReader.Columns(fields)
}

func inMemory(store backoffice.Store) *memory {
	return &memory{
		Store: store, customers: remember(store.Customers()), users: remember(store.Users()), relations: remember(store.Relations()),
		transcripts: transcriptMemory{remember[*backoffice.Transcript, backoffice.TranscriptCriteria](store.Transcripts()), store.Transcripts()},
		checklists:  remember(store.Checklists()), years: remember(store.FinancialYears()),
	}
}

func (m *memory) Records(of backoffice.Noun) any {
	switch of {
	case backoffice.NounCustomer:
		return m.customers
	case backoffice.NounUser:
		return m.users
	case backoffice.NounRelation:
		return m.relations
	case backoffice.NounTranscript:
		return m.transcripts
	case backoffice.NounChecklist:
		return m.checklists
	case backoffice.NounFinancialYear:
		return m.years
	}
	return m.Store.Records(of)
}

func (m *memory) Transcripts() backoffice.TranscriptReader { return m.transcripts }

// Send has nothing to send: all was answered when it was queued.
func (m *memory) Send(_ context.Context, b *backoffice.Batch) error { return b.Err() }

// byHand answers Q1 as one would write it for this query alone: a batch per level, JSON appended.
func (m *memory) byHand(ctx context.Context, b []byte) ([]byte, error) {
	const none = backoffice.NoParent
	roots, err := m.customers.byParent(backoffice.ListQuery[backoffice.CustomerCriteria]{Window: backoffice.Window{Limit: 50}}, []string{none})
	if err != nil {
		return nil, err
	}
	customers := roots[none].Items
	ids := make([]string, len(customers))
	var userIDs []string
	for i, c := range customers {
		ids[i] = c.ID
		if c.ResponsibleID != "" {
			userIDs = append(userIDs, c.ResponsibleID)
		}
	}
	users, err := m.users.byID(userIDs)
	if err != nil {
		return nil, err
	}
	relations, err := m.relations.byParent(backoffice.ListQuery[backoffice.RelationCriteria]{Parent: backoffice.OfCustomer, Window: backoffice.Window{Limit: 10}}, ids)
	if err != nil {
		return nil, err
	}
	transcripts, err := m.transcripts.byParent(backoffice.ListQuery[backoffice.TranscriptCriteria]{Parent: backoffice.OfCustomer, Window: backoffice.Window{Limit: 10}}, ids)
	if err != nil {
		return nil, err
	}
	var relatedIDs, checklistIDs, yearIDs []string
	for _, id := range ids {
		for _, r := range relations[id].Items {
			relatedIDs = append(relatedIDs, r.RelatedCustomerID)
		}
		for _, t := range transcripts[id].Items {
			checklistIDs, yearIDs = append(checklistIDs, t.ChecklistID), append(yearIDs, t.FinancialYearID)
		}
	}
	related, err := m.customers.byID(relatedIDs)
	if err != nil {
		return nil, err
	}
	checklists, err := m.checklists.byID(checklistIDs)
	if err != nil {
		return nil, err
	}
	years, err := m.years.byID(yearIDs)
	if err != nil {
		return nil, err
	}
	text := backoffice.AppendJSONString
	comma := func(b []byte, i int) []byte {
		if i > 0 {
			return append(b, ',')
		}
		return b
	}
	b = append(b, `{"customers":{"nodes":[`...)
	for i, c := range customers {
		b = append(comma(b, i), `{"name":`...)
		b = append(c.Name().AppendJSON(b), `,"responsible":`...)
		if u := users[c.ResponsibleID]; u != nil {
			b = text(append(b, `{"firstName":`...), u.FirstName)
			b = append(text(append(b, `,"lastName":`...), u.LastName), '}')
		} else {
			b = append(b, "null"...)
		}
		b = append(b, `,"relations":{"nodes":[`...)
		for j, r := range relations[c.ID].Items {
			b = text(append(comma(b, j), `{"kind":`...), string(r.Kind))
			b = related[r.RelatedCustomerID].Name().AppendJSON(append(b, `,"relatedCustomer":{"name":`...))
			b = append(b, "}}"...)
		}
		b = append(b, `]},"transcripts":{"nodes":[`...)
		for j, t := range transcripts[c.ID].Items {
			b = text(append(comma(b, j), `{"status":`...), string(t.Status))
			b = text(append(b, `,"checklist":{"name":`...), checklists[t.ChecklistID].Name)
			b = text(append(b, `},"financialYear":{"startDate":`...), years[t.FinancialYearID].StartDate)
			b = append(b, "}}"...)
		}
		b = append(b, "]}}"...)
	}
	return append(b, "]}}"...), nil
}

func TestTheHandWrittenAnswerIsTheSame(t *testing.T) {
	t.Parallel()
	office := newOffice(t)
	ctx, _ := office.request(t.Context())
	want, _ := do(ctx, office.breadth, q1)
	if got, err := inMemory(office.store).byHand(t.Context(), nil); err != nil || string(got) != string(want.Data) {
		t.Fatalf("%v\n%s\nwant\n%s", err, got, want.Data)
	}
}

func benchmark(b *testing.B, e *executor.Executor, office *office, o operation) {
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			ctx, _ := office.request(context.Background())
			ctx, release := execute.WithBuffer(ctx)
			response, refused := do(ctx, e, o)
			if refused != nil || len(response.Errors) > 0 {
				b.Error(refused, response)
				return
			}
			release()
		}
	})
}

func BenchmarkOverAStore(b *testing.B) {
	office := newOffice(b)
	for _, query := range []struct {
		name string
		o    operation
	}{{"Q1", q1}, {"Q2", q2}, {"Q3", q3}, {"Q4", q4}, {"Q5", q5}} {
		b.Run(query.name, func(b *testing.B) { benchmark(b, office.breadth, office, query.o) })
	}
}

// BenchmarkQ1WithoutSQL compares what is left of Q1 when rows come from memory: written by hand, a level at a time, and
// by gqlgen's executor with the same loaders, a resolver at a time.
func BenchmarkQ1WithoutSQL(b *testing.B) {
	office := newOffice(b)
	m := inMemory(office.store)
	office.store = m
	b.Run("by hand", func(b *testing.B) {
		b.ReportAllocs()
		pool := sync.Pool{New: func() any { return new([]byte) }}
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				buffer := pool.Get().(*[]byte)
				*buffer, _ = m.byHand(context.Background(), (*buffer)[:0])
				pool.Put(buffer)
			}
		})
	})
	b.Run("breadth first", func(b *testing.B) { benchmark(b, office.breadth, office, q1) })
	b.Run("gqlgen", func(b *testing.B) { benchmark(b, office.oracle, office, q1) })
}

func TestQ1AllocatesLessThanItHasObjects(t *testing.T) {
	office := newOffice(t)
	office.store = inMemory(office.store)
	objects := 0
	allocations := testing.AllocsPerRun(50, func() {
		ctx, _ := office.request(context.Background())
		ctx, release := execute.WithBuffer(ctx)
		response, _ := do(ctx, office.breadth, q1)
		objects = bytes.Count(response.Data, []byte("{"))
		release()
	})
	t.Logf("%.0f allocations for %d objects", allocations, objects)
	if allocations > 1_000 || objects < 2_000 {
		t.Errorf("%.0f allocations for %d objects", allocations, objects)
	}
}
