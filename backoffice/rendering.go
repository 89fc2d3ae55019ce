package backoffice

import (
	"context"
	"reflect"
	"sync"
)

// drawings are the documents that one operation has generated: the same is not drawn twice, and all together they are
// drawn from so many bytes of answers at most.
type drawings struct {
	most int // bytes of answers

	mu    sync.Mutex
	drawn int
	made  map[string]TranscriptDocument // by the transcript's identifier, with the transcript as it was stored then
}

// BoundRenderings bounds the documents that one operation generates: they are drawn from so many bytes of answers at
// most, unless one alone has more, and the same is not drawn twice. Errors then: OverLimit.
func (r *Request) BoundRenderings(most int) { r.drawings = &drawings{most: most} }

// drawingsOf are those of a context; nil, which keeps and bounds nothing, when there is no operation.
func drawingsOf(ctx context.Context) *drawings { return RequestOf(ctx).drawings }

// have reports whether the document that is stored was drawn in this operation, and from the same.
func (d *drawings) have(of TranscriptDocument) bool {
	if d == nil {
		return false
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	earlier, ok := d.made[of.Transcript.ID]
	return ok && reflect.DeepEqual(earlier, of)
}

func (d *drawings) allow(of TranscriptDocument) error {
	if d == nil {
		return nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	bytes := len(of.Transcript.CustomVariables)
	if d.drawn > 0 && d.drawn+bytes > d.most {
		return Errorf(OverLimit, "the documents of one operation are generated from at most %d bytes of customVariables; generate the rest in another one", d.most)
	}
	d.drawn += bytes
	return nil
}

// keep remembers a document that is stored by now, with its transcript as it is since.
func (d *drawings) keep(of TranscriptDocument, stored *Transcript) {
	if d == nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	as := *stored // the caller's may change
	of.Transcript = &as
	if d.made == nil {
		d.made = map[string]TranscriptDocument{}
	}
	d.made[stored.ID] = of
}
