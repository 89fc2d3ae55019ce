package importexport

import (
	"cmp"
	"context"
	"slices"

	"example.org/backoffice/backoffice"
)

// writeRows stores the rows that are new or changed, and logs each.
func (l *loading[T, C]) writeRows(ctx context.Context, entries []*entry[T]) error {
	var changed []*entry[T]
	for _, e := range entries {
		e.changed = l.changesOf(e.old, e.row, &l.out)
		if e.old != nil && e.changed == 0 {
			l.loaded.Unchanged++
			continue
		}
		l.stamp(e)
		changed = append(changed, e)
	}
	if l.last != nil {
		slices.SortStableFunc(changed, func(x, y *entry[T]) int { return order(l.last(x.row)) - order(l.last(y.row)) })
	}
	rows := backoffice.Map(changed, func(e *entry[T]) *T { return e.row })
	if len(rows) == 0 {
		return nil
	}
	if err := l.writer.Upsert(ctx, rows); err != nil {
		return err
	}
	changes := make([]*backoffice.Change, len(changed))
	block := make([]backoffice.Change, len(changed))
	for i, e := range changed {
		if e.old == nil {
			l.loaded.Created++
		} else {
			l.loaded.Updated++
		}
		block[i] = *l.change(l.Noun, e.id, l.shownFields(e.changed))
		changes[i] = &block[i]
	}
	return l.tx.LogChanges(ctx, changes...)
}

func (l *loading[T, C]) change(noun backoffice.Noun, id string, fields []string) *backoffice.Change {
	return &backoffice.Change{At: l.now, ClientID: l.im.ClientID, Action: cmp.Or(l.im.Action, "import"),
		Noun: noun, ObjectID: id, Fields: fields}
}

func order(last bool) int {
	if last {
		return 1
	}
	return 0
}

// stamp sets the version of a changed row, and when it changed.
func (l *loading[T, C]) stamp(e *entry[T]) {
	if l.Version != nil {
		at := l.Version(e.row)
		switch version, given := l.at["version"]; {
		case e.old == nil:
			*at = max(*at, 1)
		case l.im.stream && e.given.has(version): // it is the origin's version
		case given && e.changed == 1<<version && l.im.undo == 0: // the line changes only the version
		case *at <= *l.Version(e.old):
			*at = backoffice.NextVersion(*l.Version(e.old), l.versionsFrom)
		}
	}
	if l.touched != nil {
		if at := l.at["updatedAt"]; !e.given.has(at) {
			*l.touched(e.row) = l.now
		}
	}
	if l.happened != nil && e.old != nil {
		said := *e.row
		l.happened(e.row, e.old, l.now)
		for i, f := range l.noun.fields {
			if f.keep != nil && e.given.has(i) {
				f.keep(e.row, &said)
			}
		}
	}
	if l.noted != nil && e.old != nil {
		l.noted(e.row, e.old, l.numbersOnly(e.changed), l.versionsFrom)
	}
}

// numbersOnly reports whether only registration numbers were changed, apart from version and updatedAt.
func (l *loading[T, C]) numbersOnly(changed fieldSet) (only bool) {
	for i, f := range l.noun.fields {
		switch {
		case !changed.has(i):
		case f.secret != "":
			only = true
		case f.name != "version" && f.name != "updatedAt":
			return false
		}
	}
	return only
}

// shownFields are the names of changed fields in GraphQL's inputs, sorted. Equal sets share a list.
func (l *loading[T, C]) shownFields(set fieldSet) []string {
	if names, known := l.names[set]; known {
		return names
	}
	names := []string{}
	for i, f := range l.noun.fields {
		if set.has(i) && f.shown != "" {
			names = append(names, f.shown)
		}
	}
	slices.Sort(names)
	l.names[set] = slices.Compact(names)
	return l.names[set]
}

// deleteRows deletes rows with their dependents, and logs each.
func (l *loading[T, C]) deleteRows(ctx context.Context, entries []*entry[T]) error {
	if len(entries) == 0 {
		return nil
	}
	var stored []string
	for _, e := range entries {
		if l.File != nil {
			if file := *l.File(e.old); file != nil {
				stored = append(stored, file.Key)
			}
		}
	}
	if l.remove != nil {
		if err := l.remove(ctx, l, entries); err != nil {
			return err
		}
	}
	if err := l.tx.ForgetFiles(ctx, stored); err != nil {
		return err
	}
	gone, err := l.writer.Delete(ctx, idsOf(entries)...)
	if err != nil {
		return err
	}
	changes := backoffice.Map(gone, func(id string) *backoffice.Change { return l.change(l.Noun, id, nil) })
	l.loaded.Deleted += len(gone)
	return l.tx.LogChanges(ctx, changes...)
}
