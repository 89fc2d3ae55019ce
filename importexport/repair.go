package importexport

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// canLeaveOut reports whether a line can be read without one of the noun's fields.
func (n *noun[T, C]) canLeaveOut(name string) bool {
	i, known := n.at[name]
	return known && (n.fields[i].write != nil || n.fields[i].secret != "")
}

// repairable checks the names of fields to leave out of lines.
func repairable(names []string) (map[string]bool, error) {
	fields := map[string]bool{}
	for _, name := range names {
		for _, t := range tables {
			if t.canLeaveOut(name) {
				fields[name] = true
			}
		}
		if !fields[name] {
			return nil, fmt.Errorf("no line has a droppable field %s", shownKey(name))
		}
	}
	return fields, nil
}

// leaveOut drops a bad field if the import repairs it: a stored record keeps its value. It reports whether it did. What
// finds the record stays.
func (l *loading[T, C]) leaveOut(e *entry[T], field int, bad Fault) bool {
	f := &l.noun.fields[field]
	isKey := e.keyed && (slices.Contains(l.ownKey().fields, f.name) || slices.Contains(l.Period, f.name))
	if isKey || !l.im.repairs[f.name] || !e.given.has(field) || !l.canLeaveOut(f.name) {
		return false
	}
	if f.write != nil && f.name != "version" { // a bad version or registration number has not changed the row
		r := reading{now: l.im.now, keys: l.im.Keys, exact: l.im.stream}
		if err := f.read(&r, e.row, f.write(nil, cmp.Or(e.old, l.fresh(l.now)))); err != nil {
			return false
		}
	}
	e.given.remove(field)
	e.repaired = append(e.repaired, bad)
	return true
}

// faultsOf are the faults of a row by itself. A generated document without its file is one only where a line of the
// folder says so: an origin shows the file only of completed transcripts, so a mirror may lack it.
func (l *loading[T, C]) faultsOf(e *entry[T]) []Fault {
	faults := faultsOf(l.noun.check(e.row))
	if l.im.stream || l.im.undo > 0 || !e.given.has(l.at["documentGenerated"]) && !e.given.has(l.at["file"]) {
		faults = slices.DeleteFunc(faults, func(f Fault) bool { return f.Field == "documentGenerated" })
	}
	return faults
}

// check checks the rules that need no other record, and again after leaving out fields.
func (l *loading[T, C]) check(e *entry[T]) {
	for {
		e.faults = l.faultsOf(e)
		repaired := false
		for _, fault := range e.faults {
			name, _, _ := strings.Cut(fault.Field, ".")
			if field, known := l.at[name]; known && l.leaveOut(e, field, fault) {
				repaired = true
			}
		}
		if !repaired {
			return
		}
	}
}
