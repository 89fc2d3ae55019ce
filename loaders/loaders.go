package loaders

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"example.org/backoffice/backoffice"
)

// Loaders are the loaders of one request.
type Loaders struct {
	ctx   context.Context // all that is read in it is of one moment
	alone context.Context // for the one read of a request that has no other
	end   func()          // gives back what the one moment needs
	store backoffice.Store
	wait  time.Duration

	lent    backoffice.Lent
	waiting atomic.Int32 // asks that are not answered yet
	mu      sync.Mutex
	places  []*places // in use

	FinancialYears   Noun[*backoffice.FinancialYear, backoffice.FinancialYearCriteria]
	Checklists       Noun[*backoffice.Checklist, backoffice.ChecklistCriteria]
	Transcripts      Noun[*backoffice.Transcript, backoffice.TranscriptCriteria]
	Calculations     Noun[*backoffice.Calculation, backoffice.CalculationCriteria]
	Customers        Noun[*backoffice.Customer, backoffice.CustomerCriteria]
	Relations        Noun[*backoffice.CustomerRelation, backoffice.RelationCriteria]
	Documents        Noun[*backoffice.CustomerDocument, backoffice.DocumentCriteria]
	MinfinDocuments  Noun[*backoffice.MinfinDocument, backoffice.MinfinCriteria]
	Users            Noun[*backoffice.User, backoffice.UserCriteria]
	Labels           Noun[*backoffice.Label, backoffice.LabelCriteria]
	PrivacyAccesses  Noun[*backoffice.PrivacyAccess, backoffice.ConsultationCriteria]
	TranscriptCounts StatusCounts
	Nouns            Nouns
}

// Timed is how long a batch stays open when no gate closes it: under gqlgen's own executor.
const Timed = 500 * time.Microsecond

// Gated is for requests whose levels all run through Level: the gate closes every batch, and no timer does.
const Gated = time.Hour

type loadersKey struct{}

// With gives a request its loaders over a store. wait is Gated or Timed. They read with the context that is given here,
// whichever resolver asks first, and all that they read is of one moment. Close them when what they have read is not
// needed any more.
func With(ctx context.Context, store backoffice.Store, wait time.Duration) context.Context {
	l := &Loaders{store: store, wait: wait}
	l.alone = backoffice.WithLent(ctx, &l.lent)
	ctx, l.end = store.BeginSnapshot(ctx)
	ctx = context.WithValue(ctx, loadersKey{}, l)
	l.ctx = backoffice.WithLent(ctx, &l.lent)
	l.FinancialYears.serve(l, 0, store.FinancialYears())
	l.Checklists.serve(l, 1, store.Checklists())
	l.Transcripts.serve(l, 2, store.Transcripts())
	l.Calculations.serve(l, 3, store.Calculations())
	l.Customers.serve(l, 4, store.Customers())
	l.Relations.serve(l, 5, store.Relations())
	l.Documents.serve(l, 6, store.Documents())
	l.MinfinDocuments.serve(l, 7, store.MinfinDocuments())
	l.Users.serve(l, 8, store.Users())
	l.Labels.serve(l, 9, store.Labels())
	l.PrivacyAccesses.serve(l, 10, store.PrivacyAccesses())
	l.TranscriptCounts.serve(l, store.Transcripts())
	l.Nouns.serve(l, store)
	return ctx
}

// From returns the request's loaders. It panics in a context that With did not make: that is a fault of the wiring.
func From(ctx context.Context) *Loaders { return ctx.Value(loadersKey{}).(*Loaders) }

// Forget drops all that the request has read. A write calls it, so that what follows in the same request sees it.
func (l *Loaders) Forget() {
	l.FinancialYears.forget()
	l.Checklists.forget()
	l.Transcripts.forget()
	l.Calculations.forget()
	l.Customers.forget()
	l.Relations.forget()
	l.Documents.forget()
	l.MinfinDocuments.forget()
	l.Users.forget()
	l.Labels.forget()
	l.PrivacyAccesses.forget()
	l.TranscriptCounts.loader.forget()
	l.Nouns.loader.forget()
}

func (l *Loaders) borrowPlaces() *places {
	p := unused.Get().(*places)
	l.mu.Lock()
	l.places = append(l.places, p)
	l.mu.Unlock()
	return p
}

// Close ends the request's reading: the memory of the rows is used again, so nobody may look at one any more. When
// something still reads, the memory is left to the garbage collector instead.
func (l *Loaders) Close() {
	l.end()
	if l.waiting.Load() != 0 {
		return
	}
	l.Forget() // what is given back below others use next
	l.lent.TakeBack()
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, p := range l.places {
		p.giveBack()
	}
	l.places = nil
}
