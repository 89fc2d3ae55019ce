package execute

import (
	"context"
	"io"

	"github.com/99designs/gqlgen/graphql"
)

// Writer appends the answer, depth first. The objects of each group come in the order in which they lie in it, so that
// a count of those written so far is all that leads from a row to its children.
//
// After a failure it goes on, since gqlgen tells the errors of siblings too, and cuts off what must be null when its
// object is complete.
type Writer struct {
	bytes   []byte
	run     *run
	path    []step
	field   *field // the leaf that is being written
	missing bool   // an element of it is null and must not be
	errors  int
	omitted int

	// Scalars that could not be written, and where. As under gqlgen they are told only if they are part of the answer.
	unwritable []unwritable
}

type unwritable struct {
	at  int
	ctx context.Context
	err error
}

// cut puts null in the place of all that was written from start on.
func (w *Writer) cut(start int) bool {
	w.bytes = w.bytes[:start]
	for last := len(w.unwritable) - 1; last >= 0 && w.unwritable[last].at >= start; last-- {
		w.unwritable = w.unwritable[:last]
	}
	return w.Null()
}

// finish tells what could not be written.
func (w *Writer) finish() {
	for _, u := range w.unwritable {
		if !w.full() {
			graphql.AddError(u.ctx, u.err)
		}
	}
}

// object writes the next object of a group. It reports whether it is there; null was written when it had to be.
func (w *Writer) object(g *group) bool {
	row := g.next
	g.next++
	start, valid := len(w.bytes), true
	object := g.objects.At(row)
	for i := 0; i < len(g.selection.fields); {
		i = w.fields(g, object, row, i, &valid)
	}
	if !valid {
		return w.cut(start)
	}
	w.bytes = append(w.bytes, g.selection.end...)
	return true
}

// fields writes the fields of an object from the i-th on, until the end or the next panic.
func (w *Writer) fields(g *group, object any, row, i int, valid *bool) (next int) {
	fields, depth, start := g.selection.fields, len(w.path), 0
	defer func() {
		if fault := recover(); fault != nil {
			w.path = w.path[:depth]
			w.cut(start)
			f := &fields[i]
			w.tell(f, recovered(w.context(f), fault), theField)
			*valid = *valid && (f.def == nil || !f.def.NonNull)
			next = i + 1
		}
	}()
	for ; i < len(fields); i++ {
		f := &fields[i]
		w.bytes = append(w.bytes, f.prefix...)
		start = len(w.bytes)
		switch {
		case f.def == nil:
			w.bytes = append(w.bytes, f.typename...)
		case f.def.Leaf != nil:
			w.field = f
			if !f.def.Leaf(w, object) {
				w.absent(f, valid)
			}
		case f.def.Call != nil:
			if !w.column(&g.frames[f.column], row) && f.def.NonNull {
				*valid = false
			}
		default:
			w.introspect(f, valid)
		}
	}
	return i
}

// absent deals with a leaf that is null.
func (w *Writer) absent(f *field, valid *bool) {
	if f.def.NonNull || w.missing {
		w.miss(f, nullElement)
	}
	w.missing = false
	*valid = *valid && !f.def.NonNull
}

func (w *Writer) introspect(f *field, valid *bool) {
	ctx := w.context(nil)
	answer := f.def.Introspect(ctx, w.run.operation, f.source)
	answer.MarshalGQL(w)
	if answer == graphql.Null && f.def.NonNull {
		*valid = false
	}
}

// column writes the result that a field has for a row of its group, and reports whether it is there.
func (w *Writer) column(fr *frame, row int) bool {
	f := fr.field
	switch {
	case fr.err != nil:
		w.tell(f, fr.err, fr.blame)
		return w.Null()
	case fr.nothing:
		if f.def.NonNull {
			w.miss(f, nullField)
		}
		return w.Null()
	case fr.errs != nil && fr.errs[row] != nil:
		if fr.leaves == nil {
			w.skip(fr, row)
		}
		w.tell(f, fr.errs[row], fr.blame)
		return w.Null()
	case fr.leaves != nil:
		w.field = f
		valid := fr.leaves.put(w, row)
		if !valid {
			w.absent(f, new(bool))
		}
		return valid
	}
	depth := len(w.path)
	w.path = append(w.path, step{field: f, index: -1})
	valid := false
	if f.def.List {
		valid = w.list(fr, row)
	} else if valid = w.element(fr); !valid && fr.null() && f.def.NonNull {
		w.path = w.path[:depth]
		w.miss(f, nullElement)
	}
	w.path = w.path[:depth]
	return valid
}

// skip passes over the place of a row that is not written.
func (w *Writer) skip(fr *frame, row int) {
	if !fr.field.def.List {
		fr.next++
	}
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

// null tells whether the element that was written last was null from the start.
func (fr *frame) null() bool { return fr.kinds != nil && fr.kinds[fr.next-1] == 0 }

// list writes the list that a frame has for a row.
func (w *Writer) list(fr *frame, row int) bool {
	def, count := fr.field.def, int(fr.counts[row])
	if count < 0 {
		if !def.NonNull {
			return w.Null()
		}
		count = 0
	}
	start, depth, valid := len(w.bytes), len(w.path), true
	w.bytes = append(w.bytes, '[')
	for i := range count {
		if i > 0 {
			w.bytes = append(w.bytes, ',')
		}
		w.path[depth-1].index = i
		if w.element(fr) || !def.NonNullElements {
			continue
		}
		valid = false
		if fr.null() {
			w.miss(nil, nullElement)
		}
	}
	w.path[depth-1].index = -1
	if !valid {
		return w.cut(start)
	}
	w.bytes = append(w.bytes, ']')
	return true
}

var _ io.Writer = (*Writer)(nil)

// Write appends what a graphql.Marshaler writes.
func (w *Writer) Write(p []byte) (int, error) {
	w.bytes = append(w.bytes, p...)
	return len(p), nil
}
