package importexport

import (
	"context"
	"maps"
	"slices"

	"example.org/backoffice/backoffice"
)

type entry[T any] struct {
	line     int
	id       string
	keyed    bool   // the line has no _id: identify finds it
	known    string // its key, "" for none
	deleted  bool   // the line has _deleted
	kept     bool   // by the import that is taken back
	given    fieldSet
	members  []member
	old, row *T // as stored, nil for none, and as it will be
	file     fileReference
	at       stagedLine
	changed  fieldSet
	faults   []Fault
	repaired []Fault // of fields that were left out instead
}

type member struct {
	field int
	value raw
}

func idsOf[T any](entries []*entry[T]) []string {
	return backoffice.Map(entries, func(e *entry[T]) string { return e.id })
}

func (e *entry[T]) isBad() bool { return len(e.faults) > 0 }

func (e *entry[T]) fault(field, why string) {
	e.faults = append(e.faults, Fault{Field: field, Why: why})
}

// parse parses a line. Errors in its form are in the entry's faults.
func (l *loading[T, C]) parse(number int, text []byte) *entry[T] {
	e := &entry[T]{line: number}
	if sheet := l.source.sheet; sheet != nil {
		line, why := sheet.line(text)
		if why != "" {
			e.fault("", why)
			return e
		}
		text = line
	}
	if why := checkObject(text); why != "" {
		e.fault("", why)
		return e
	}
	line := raw(slices.Clone(text)) // the reader's buffer is used again
	hasID, hasDeleted := false, false
	_ = eachMember(line, func(key, value raw) error {
		name, err := key.text()
		if err != nil {
			e.fault("", "a field's name is not valid UTF-8")
			return nil
		}
		i, known := l.at[name]
		switch {
		case name == "_id":
			if hasID {
				e.fault(name, errTwice.Message)
			}
			hasID = true
			e.id, err = value.text()
			if err == nil {
				err = backoffice.CheckID(e.id)
			}
		case name == "_deleted":
			if hasDeleted {
				e.fault(name, errTwice.Message)
			}
			hasDeleted = true
			e.deleted, err = value.boolean()
		case !known:
			e.fault(shownKey(name), errUnknown.Message)
		case e.given.has(i):
			e.fault(name, errTwice.Message)
		default:
			e.given.add(i)
			e.members = append(e.members, member{i, value})
		}
		if err != nil {
			e.faults = append(e.faults, faultOf(name, err))
		}
		return nil
	})
	if e.keyed = !hasID && l.im.Key != "" && l.ownKey() != nil; !hasID && !e.keyed {
		e.fault("_id", errRequired.Message)
	}
	return e
}

// again parses a staged line.
func (l *loading[T, C]) again(line stagedLine, text []byte) *entry[T] {
	e := l.parse(line.number, text)
	if e.at = line; e.keyed {
		e.id = line.id
	}
	return e
}

// merge reads the rows as they are stored and puts the lines' fields into copies of them.
func (l *loading[T, C]) merge(ctx context.Context, entries []*entry[T]) error {
	if l.tx != nil {
		if err := l.writer.Lock(ctx, idsOf(entries)...); err != nil {
			return err
		}
	}
	stored, err := backoffice.ReadByID(ctx, l.rows, idsOf(entries), 0)
	switch {
	case err != nil:
		return err
	case l.im.undo > 0:
		return l.putBack(ctx, entries, stored)
	}
	for _, e := range entries {
		if e.old = l.parked[e.id]; e.old == nil {
			e.old = stored[e.id]
		}
		if !e.deleted {
			l.fill(e)
		}
		e.members = nil // the line's text is no longer needed
	}
	return nil
}

func (l *loading[T, C]) fill(e *entry[T]) {
	if e.old != nil {
		row := *e.old // a copy is enough: fields replace lists, never change them in place
		e.row = &row
	} else {
		e.row = l.fresh(l.now)
		*l.ID(e.row) = e.id
	}
	r := reading{now: l.im.now, keys: l.im.Keys, exact: l.im.stream}
	for _, m := range e.members {
		f := &l.noun.fields[m.field]
		var kept backoffice.Instant
		updated := l.touched != nil && m.field == l.at["updatedAt"]
		if updated {
			kept = *l.touched(e.row)
		}
		if err := f.read(&r, e.row, m.value); err != nil && !l.leaveOut(e, m.field, faultOf(f.name, err)) {
			e.faults = append(e.faults, faultOf(f.name, err))
		}
		if updated && *l.touched(e.row) > l.now { // ignore a time in the future
			*l.touched(e.row) = kept
			e.given.remove(m.field)
		}
	}
	e.file = r.file
}

// resolve rejects identifiers of another noun, and references to missing records.
func (l *loading[T, C]) resolve(ctx context.Context, entries []*entry[T]) error {
	if len(l.refs) > knownRefs {
		clear(l.refs)
	}
	var ask []string
	for _, e := range entries {
		if e.old == nil {
			ask = append(ask, e.id)
		}
		l.eachTarget(e, func(_ *field[T], id string) {
			if _, known := l.refs[id]; !known {
				ask = append(ask, id)
			}
		})
	}
	if len(ask) > 0 {
		slices.Sort(ask)
		nouns, err := backoffice.ReadNouns(ctx, l.in, slices.Compact(ask))
		if err != nil {
			return err
		}
		maps.Copy(l.refs, nouns)
	}
	for _, e := range entries {
		if noun, taken := l.refs[e.id]; taken && e.old == nil {
			e.fault("_id", "the identifier belongs to another record, a "+string(noun))
		}
		l.eachTarget(e, func(f *field[T], id string) {
			if l.refs[id] == f.refers || !slices.Contains(f.targets(e.row), id) { // or it was left out
				return
			}
			missing := Fault{f.name, "no " + string(f.refers) + " has this identifier"}
			if l.im.rejected.has(id) {
				missing.Why = "the " + string(f.refers) + " with this identifier was rejected"
			}
			if !l.leaveOut(e, l.at[f.name], missing) {
				e.faults = append(e.faults, missing)
			}
		})
	}
	return nil
}

func (l *loading[T, C]) eachTarget(e *entry[T], visit func(f *field[T], id string)) {
	for i := range l.noun.fields {
		f := &l.noun.fields[i]
		if f.targets == nil || e.old != nil && !e.given.has(i) {
			continue
		}
		for _, id := range f.targets(e.row) {
			visit(f, id)
		}
	}
}
