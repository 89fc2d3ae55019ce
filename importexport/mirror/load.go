package mirror

import (
	"bytes"
	"context"
	"maps"
	"slices"
	"sync"

	"example.org/backoffice/backoffice"
)

// filesAtOnce is how many files are in the folder at a time.
const filesAtOnce = 32

func (p *pulling) load(ctx context.Context, n *noun, w *walk, records []record) error {
	var found map[string]stored
	if n.file != nil && len(records) > 0 {
		var err error
		if found, err = n.find(ctx, p.Store, backoffice.Map(records, record.id)); err != nil {
			return err
		}
	}
	var batch []held
	var wanted []wantedFile
	for _, r := range records {
		w.Persons = w.Persons || r.text("type") == "Private Person"
		w.Shown = w.Shown || r["registrationNumber"] != nil
		id := r.id()
		var of *file
		if n.file != nil {
			of = n.file(r, found[id])
		}
		at := r[placeOnPage]
		r = p.lineOf(n, r)
		if of != nil {
			wanted = append(wanted, wantedFile{file: of, line: r, at: len(batch), name: p.inHand.name()})
			batch = append(batch, held{id: id, name: nameOf(w, id, at)})
		} else {
			batch = append(batch, held{id, nameOf(w, id, at), r.line()})
		}
		if len(wanted) >= filesAtOnce {
			if err := p.loadBatch(ctx, n, w, batch, wanted); err != nil {
				return err
			}
			batch, wanted = nil, nil
		}
	}
	return p.loadBatch(ctx, n, w, batch, wanted)
}

func (p *pulling) lineOf(n *noun, r record) record {
	told := maps.Clone(r) // the metadata of a file is needed later
	if n.fix != nil {
		n.fix(told)
	}
	if n.of == backoffice.NounMinfin && p.onlyYear != "" && told.text("financialYear") != p.onlyYear {
		delete(told, "financialYear") // the origin does not describe that year
	}
	told.keep(n.fields)
	if p.Purpose == nil {
		delete(told, "registrationNumber")
		delete(told, "spouseRegistrationNumber")
	}
	return told
}

type wantedFile struct {
	*file
	line record
	at   int // in the batch
	name string
}

// loadBatch reads the files of some records and loads them.
func (p *pulling) loadBatch(ctx context.Context, n *noun, w *walk, batch []held, wanted []wantedFile) error {
	if len(batch) == 0 {
		return nil
	}
	failed := make([]error, len(wanted))
	var reading sync.WaitGroup
	for i := range wanted {
		reading.Go(func() { // the throttle bounds how many run at once
			f := &wanted[i]
			there, err := p.origin.fetch(ctx, f.file, p.inHand, f.name, f.line)
			if failed[i] = err; err == nil && !there && f.has.file != nil { // the file here would stay for good
				failed[i] = &errAway{why: "it has no such file", answered: true}
			}
			batch[f.at].line = f.line.line() // also for a file that is left out below
		})
	}
	reading.Wait()
	for i, err := range failed {
		if err == nil {
			continue
		}
		of := &batch[wanted[i].at]
		if err := p.leaveOut(n, "the file of "+of.name, err); err != nil {
			return err
		}
		w.failf(whyLeftOut)
		w.unloaded, w.Held = append(w.unloaded, of.id), true // an interrupted walk would forget it
		of.line = nil
	}
	batch = slices.DeleteFunc(batch, func(h held) bool { return h.line == nil })
	if len(wanted) > 0 {
		defer p.inHand.empty()
	}
	return p.loadLines(ctx, n, w, batch)
}

// loadLines loads lines and holds back those that it cannot load.
func (p *pulling) loadLines(ctx context.Context, n *noun, w *walk, batch []held) error {
	loaded, err := p.stream.Load(ctx, n.of, linesOf(batch), n.file != nil) // lines with files are not held back
	if err != nil {
		return err
	}
	room := maxHeld
	for _, h := range w.held {
		room -= len(h.line)
	}
	for _, bad := range loaded.Bad {
		if h := batch[bad.Line-1]; room > 0 && !bytes.Contains(h.line, []byte(`"file"`)) {
			w.held, w.Held = append(w.held, h), true
			loaded.Rejected--
			room -= len(h.line)
		} else {
			w.unloaded, w.Held = append(w.unloaded, h.id), true
			if err := p.reject(n, h, bad.Faults); err != nil {
				return err
			}
		}
	}
	if loaded.Rejected == 0 {
		loaded.Reasons = nil // reported when they are final
	}
	p.of(n).add(loaded)
	return nil
}

func linesOf(batch []held) []byte {
	return slices.Concat(backoffice.Map(batch, func(h held) []byte { return h.line })...)
}

// loadAll loads records that were read outside a walk, and returns those that could not be loaded.
func (p *pulling) loadAll(ctx context.Context, n *noun, records []record) (unloaded []string, err error) {
	w := &walk{}
	for some := range slices.Chunk(records, mostAPage) {
		if err := p.load(ctx, n, w, some); err != nil {
			return nil, err
		}
	}
	err = p.loadHeld(ctx, n, w)
	return w.unloaded, err
}

// loadHeld tries rejected records again after all others: two may have swapped a unique value.
func (p *pulling) loadHeld(ctx context.Context, n *noun, w *walk) error {
	if len(w.held) == 0 {
		return nil
	}
	loaded, err := p.stream.Load(ctx, n.of, linesOf(w.held), true)
	if err != nil {
		return err
	}
	p.of(n).add(loaded)
	for _, bad := range loaded.Bad {
		w.unloaded = append(w.unloaded, w.held[bad.Line-1].id)
		if err := p.reject(n, w.held[bad.Line-1], bad.Faults); err != nil {
			return err
		}
	}
	w.held = nil
	return nil
}
