package execute

import (
	"context"
	"io"
	"runtime"
)

// Writer appends the answer, depth first. Each group's objects are written in order, so a count of those written so far
// is enough to get from a row to its children.
//
// After a failure it continues, since gqlgen reports the errors of siblings too; it cuts off what must be null when its
// object is complete. State that changes with every field is a number, not a pointer, to spare the garbage collector;
// for the same reason bytes is always appended to in place.
type Writer struct {
	bytes []byte
	run   *run
	group *group // whose object is being written
	leaf  int    // which of its selection's fields

	missing bool // an element of the leaf is null and must not be
	errors  int
	omitted int

	ended   error // why no more is written
	mark    int   // the length at which to ask again
	yields  int   // how often it has yielded
	objects int   // written since the clock was read

	// Scalars that could not be written, and where. As under gqlgen only those in the answer are reported.
	unwritable []unwritable
}

type unwritable struct {
	at    int
	ctx   context.Context
	field *field
	err   error
}

// cut replaces all that was written from start on with null.
func (w *Writer) cut(start int) bool {
	w.bytes = w.bytes[:start]
	for last := len(w.unwritable) - 1; last >= 0 && w.unwritable[last].at >= start; last-- {
		w.unwritable = w.unwritable[:last]
	}
	return w.Null()
}

// How often the writer checks whether it may continue, and yields to small requests.
const (
	bytesFirst     = 2 << 10 // so that a streaming reader can begin
	bytesBetween   = 32 << 10
	bytesAtOnce    = 256 << 10
	objectsBetween = 256
)

func newWriter(r *run, buffer []byte) Writer { return Writer{run: r, bytes: buffer, mark: bytesFirst} }

// checkSize asks whether the answer may be as long as it is.
func (w *Writer) checkSize() {
	w.mark = len(w.bytes) + bytesBetween
	if len(w.bytes)/bytesAtOnce > w.yields {
		w.yields = len(w.bytes) / bytesAtOnce
		runtime.Gosched()
	}
	if written := w.run.executor.options.Written; written != nil && w.ended == nil {
		w.ended = written(w.run.ctx, w.bytes)
	}
}

// checkContext ends the writing when the request is over, but a mutation's result is written all the same.
func (w *Writer) checkContext() {
	if w.objects = 0; w.ended == nil && !w.run.plan.serial {
		w.ended = w.run.ctx.Err()
	}
}

func (w *Writer) finish() {
	for _, u := range w.unwritable {
		if !w.full() {
			add(u.ctx, u.field, u.err)
		}
	}
}

// object writes the next object of a group, or null, and reports whether the object is there.
func (w *Writer) object(g *group) bool {
	row, start := g.next, len(w.bytes)
	g.next++
	object, at := g.objects.At(row), place{valid: true}
	w.group = g
	if w.objects++; w.objects >= objectsBetween {
		w.checkContext()
	}
	for at.field < len(g.selection.fields) && w.ended == nil {
		w.fields(g, object, row, &at)
	}
	if !at.valid {
		return w.cut(start)
	}
	w.bytes = append(w.bytes, g.selection.end...)
	return true
}

// place is how far an object is written.
type place struct {
	field int
	start int // of its value, among the bytes
	valid bool
}

// fields writes the remaining fields of an object, until the end or the next panic.
func (w *Writer) fields(g *group, object any, row int, at *place) {
	defer func() {
		if fault := recover(); fault != nil {
			f := &g.selection.fields[at.field]
			w.group, w.leaf = g, at.field
			w.cut(at.start)
			w.addError(g, f, recovered(w.Context(), fault))
			at.valid = at.valid && (f.def == nil || !f.def.NonNull)
			at.field++
		}
	}()
	fields := g.selection.fields
	for i := at.field; i < len(fields); i++ {
		if len(w.bytes) >= w.mark {
			w.checkSize()
		}
		if w.ended != nil {
			break
		}
		f := &fields[i]
		w.bytes = append(w.bytes, f.prefix...)
		w.leaf, at.field, at.start = i, i, len(w.bytes)
		switch {
		case f.def == nil:
			w.bytes = append(w.bytes, f.typename...)
		case f.def.Leaf != nil:
			if !f.def.Leaf(w, object) {
				w.absent(g, f)
				at.valid = at.valid && !f.def.NonNull
			}
		default:
			if !w.column(&g.frames[f.column], row) && f.def.NonNull {
				at.valid = false
			}
			w.group = g
		}
	}
	at.field = len(fields)
}

// absent reports that a leaf, or an element of it, is null and must not be.
func (w *Writer) absent(g *group, f *field) {
	if f.def.NonNull || w.missing {
		w.addNullError(g, f)
	}
	w.missing = false
}

// column writes a field's result for a row of its group, and reports whether it is there.
func (w *Writer) column(fr *frame, row int) bool {
	f := fr.field
	switch {
	case fr.err != nil:
		w.addError(fr.group, f, fr.err)
		return w.Null()
	case fr.errs != nil && fr.errs[row] != nil:
		if fr.leaves == nil && !f.def.List {
			fr.next++ // skips the object that is not written
		}
		w.addError(fr.group, f, fr.errs[row])
		return w.Null()
	case fr.leaves != nil:
		there := fr.leaves.put(w, row)
		if !there {
			w.absent(fr.group, f)
		}
		return there
	case f.def.List:
		return w.list(fr, int(fr.counts[row]))
	}
	there := w.element(fr)
	if !there && f.def.NonNull && fr.null() {
		w.addNullError(fr.group, f)
	}
	return there
}

// element writes the next element of a frame, which may be null.
func (w *Writer) element(fr *frame) bool {
	kind := uint16(1)
	if fr.kinds != nil {
		kind = fr.kinds[fr.next]
	}
	fr.next++
	if kind == 0 {
		return w.Null()
	}
	return w.object(&fr.groups[kind-1])
}

// null reports whether the last written element was null from the start.
func (fr *frame) null() bool { return fr.kinds != nil && fr.kinds[fr.next-1] == 0 }

// list writes a list of count elements; -1 for a nil one.
func (w *Writer) list(fr *frame, count int) bool {
	def := fr.field.def
	if count < 0 && !def.NonNull {
		return w.Null()
	}
	start, valid := len(w.bytes), true
	w.bytes = append(w.bytes, '[')
	for i := range count {
		if w.ended != nil {
			break
		}
		if i > 0 {
			w.bytes = append(w.bytes, ',')
		}
		fr.index = i
		if w.element(fr) || !def.NonNullElements {
			continue
		}
		valid = false
		if fr.null() {
			w.addElementError(fr)
		}
	}
	if !valid {
		return w.cut(start)
	}
	w.bytes = append(w.bytes, ']')
	return true
}

var _ io.Writer = (*Writer)(nil)

func (w *Writer) Write(p []byte) (int, error) {
	w.bytes = append(w.bytes, p...)
	return len(p), nil
}
