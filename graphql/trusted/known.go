package trusted

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/maypok86/otter/v2"
	"golang.org/x/sync/singleflight"

	"example.org/backoffice/backoffice"
)

// staleAfter is how long an entry is used. Together with the time of one read it keeps a removal by an operator within
// the 5 seconds in which servers obey a revocation.
const staleAfter = 4 * time.Second

// mostBytes bounds the entries.
const mostBytes = 32 << 20

const askTime = 2 * time.Second

// Known finds trusted documents by their identifiers. It asks the store for each of them every 4 seconds at most, while
// clients use it. Unknown identifiers are not kept. Safe for concurrent use.
type Known struct {
	store  backoffice.TrustedDocumentStore
	asking singleflight.Group
	known  *otter.Cache[backoffice.TrustedQuery, *entry]
}

// entry is what the store holds of an identifier, or all tools, which have none.
type entry struct {
	Found
	tools []*backoffice.TrustedDocument // by name
	at    time.Time
}

// Found is a document that the store holds.
type Found struct {
	*backoffice.TrustedDocument
	ByOperator bool // trusted by an operator, besides anyone who has saved it
}

func NewKnown(store backoffice.TrustedDocumentStore) *Known {
	return &Known{store: store, known: otter.Must(&otter.Options[backoffice.TrustedQuery, *entry]{
		MaximumWeight: mostBytes,
		Weigher: func(q backoffice.TrustedQuery, e *entry) uint32 {
			if q.Tools {
				return 0 // they stay
			}
			return 512 + uint32(len(e.Text))
		},
	})}
}

// Find returns the document of an identifier in any form. Errors: NotFound.
func (k *Known) Find(ctx context.Context, id string) (*Found, error) {
	e, err := k.read(ctx, backoffice.TrustedQuery{ID: backoffice.ParseDocumentID(id), Texts: true})
	if err != nil {
		return nil, err
	}
	return &e.Found, nil
}

// Tools returns the documents that agents may call, sorted by the names of the tools. They are shared.
func (k *Known) Tools(ctx context.Context) ([]*backoffice.TrustedDocument, error) {
	e, err := k.read(ctx, backoffice.TrustedQuery{Tools: true, Texts: true})
	if err != nil {
		return nil, err
	}
	return e.tools, nil
}

func (k *Known) read(ctx context.Context, q backoffice.TrustedQuery) (*entry, error) {
	if e, ok := k.known.GetIfPresent(q); ok && time.Since(e.at) < staleAfter {
		return e, nil
	}
	asked := k.asking.DoChan(fmt.Sprint(q), func() (any, error) { return k.ask(context.WithoutCancel(ctx), q) })
	select {
	case answer := <-asked:
		e, _ := answer.Val.(*entry)
		return e, answer.Err
	case <-ctx.Done():
		return nil, backoffice.Fault(context.Cause(ctx), "waiting for a trusted document")
	}
}

func (k *Known) ask(ctx context.Context, q backoffice.TrustedQuery) (*entry, error) {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	e := &entry{at: time.Now()}
	documents, err := k.store.TrustedDocuments(ctx, q)
	switch {
	case err != nil:
		return nil, err
	case q.Tools:
		e.tools = documents
		slices.SortFunc(e.tools,
			func(a, b *backoffice.TrustedDocument) int { return cmp.Compare(a.Tool.Name, b.Tool.Name) })
	case len(documents) == 0:
		k.known.Invalidate(q)
		return nil, backoffice.Errorf(backoffice.NotFound, "there is no such document")
	default:
		e.TrustedDocument = documents[0]
		e.ByOperator = slices.ContainsFunc(documents, func(d *backoffice.TrustedDocument) bool { return d.Set != "" })
	}
	k.known.Set(q, e)
	return e, nil
}
