package backoffice

import (
	"reflect"
	"sync"
)

// drawings are the documents that one operation has generated. See BoundRenderings. nil, without an
// operation, stores and limits nothing.
type drawings struct {
	most int // bytes of answers

	mu    sync.Mutex
	drawn int
	made  map[string]TranscriptDocument // by the transcript's identifier, each with the transcript as stored then
}

// BoundRenderings limits the bytes of answers from which an operation generates documents. The first document is always
// generated, and none twice. OverLimit for those beyond.
func (r *Request) BoundRenderings(most int) { r.drawings = &drawings{most: most} }

// have reports whether this operation has generated the stored document, from the same data.
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
		return Errorf(OverLimit, "one operation generates documents from at most %d bytes of customVariables; generate the rest in another one", d.most)
	}
	d.drawn += bytes
	return nil
}

// keep remembers a stored document, with the transcript as it is stored now.
func (d *drawings) keep(of TranscriptDocument, stored *Transcript) {
	if d == nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	as := *stored // the caller may change its own
	of.Transcript = &as
	if d.made == nil {
		d.made = map[string]TranscriptDocument{}
	}
	d.made[stored.ID] = of
}
