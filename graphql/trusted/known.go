package trusted

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"example.org/backoffice/backoffice"
)

// staleAfter is how long an entry is used. Together with the time of one read it keeps a removal by an operator within
// the 5 seconds in which servers obey a revocation.
const staleAfter = 4 * time.Second

// mostBytes bounds the entries; beyond it, all are dropped.
const mostBytes = 32 << 20

// Known finds trusted documents by their identifiers. It asks the store for each of them every 4 seconds at most, while
// clients use it. Unknown identifiers are not kept. Safe for concurrent use.
type Known struct {
	store backoffice.TrustedDocumentStore
	now   func() time.Time

	asking singleflight.Group
	mu     sync.RWMutex
	bytes  int
	byID   map[string]entry

	tools   []*backoffice.TrustedDocument // by name
	toolsAt time.Time                     // when they were read
}

type entry struct {
	*Found
	at time.Time
}

// Found is a document that the store holds.
type Found struct {
	*backoffice.TrustedDocument
	ByOperator bool // trusted by an operator, besides anyone who has saved it
}

func NewKnown(store backoffice.TrustedDocumentStore) *Known {
	return &Known{store: store, now: time.Now, byID: map[string]entry{}}
}

// Find returns the document of an identifier in any form. Errors: NotFound.
func (k *Known) Find(ctx context.Context, id string) (*Found, error) {
	id = backoffice.ParseDocumentID(id)
	k.mu.RLock()
	known, ok := k.byID[id]
	k.mu.RUnlock()
	if ok && k.now().Sub(known.at) < staleAfter {
		return known.Found, nil
	}
	asked := k.asking.DoChan(id, func() (any, error) { return k.ask(context.WithoutCancel(ctx), id) })
	select {
	case answer := <-asked:
		found, _ := answer.Val.(*Found)
		return found, answer.Err
	case <-ctx.Done():
		return nil, backoffice.Fault(context.Cause(ctx), "waiting for a trusted document")
	}
}

// Tools returns the documents that agents may call, sorted by the names of the tools. They are shared.
func (k *Known) Tools(ctx context.Context) ([]*backoffice.TrustedDocument, error) {
	k.mu.RLock()
	tools, at := k.tools, k.toolsAt
	k.mu.RUnlock()
	if k.now().Sub(at) < staleAfter {
		return tools, nil
	}
	asked := k.asking.DoChan("", func() (any, error) { return k.askTools(context.WithoutCancel(ctx)) }) // no identifier
	select {
	case answer := <-asked:
		tools, _ = answer.Val.([]*backoffice.TrustedDocument)
		return tools, answer.Err
	case <-ctx.Done():
		return nil, backoffice.Fault(context.Cause(ctx), "waiting for the tools")
	}
}

func (k *Known) askTools(ctx context.Context) ([]*backoffice.TrustedDocument, error) {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	at := k.now()
	tools, err := k.store.TrustedDocuments(ctx, backoffice.TrustedQuery{Tools: true, Texts: true})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(tools, func(a, b *backoffice.TrustedDocument) int { return cmp.Compare(a.Tool.Name, b.Tool.Name) })
	k.mu.Lock()
	defer k.mu.Unlock()
	k.tools, k.toolsAt = tools, at
	return tools, nil
}

const askTime = 2 * time.Second

func (k *Known) ask(ctx context.Context, id string) (*Found, error) {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	at := k.now()
	documents, err := k.store.TrustedDocuments(ctx, backoffice.TrustedQuery{ID: id, Texts: true})
	if err != nil {
		return nil, err
	}
	if len(documents) == 0 {
		k.forget(id)
		return nil, backoffice.Errorf(backoffice.NotFound, "there is no such document")
	}
	found := &Found{TrustedDocument: documents[0]}
	for _, d := range documents {
		found.ByOperator = found.ByOperator || d.Set != ""
	}
	k.keep(id, entry{found, at})
	return found, nil
}

func (k *Known) keep(id string, found entry) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if old, ok := k.byID[id]; ok {
		k.bytes -= old.weight()
	}
	if k.bytes += found.weight(); k.bytes > mostBytes {
		k.byID, k.bytes = map[string]entry{}, found.weight()
	}
	k.byID[id] = found
}

func (k *Known) forget(id string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if old, ok := k.byID[id]; ok {
		k.bytes -= old.weight()
		delete(k.byID, id)
	}
}

func (e entry) weight() int { return 512 + len(e.Text) }
