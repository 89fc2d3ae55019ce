package importexport

import (
	"fmt"
	"slices"
	"strings"
)

// repairer is what repairable asks of a noun.
type repairer interface{ canLeaveOut(field string) bool }

// canLeaveOut reports whether a line can be read without one of the noun's fields.
func (n *noun[T, C]) canLeaveOut(name string) bool {
	i, known := n.at[name]
	return known && (n.fields[i].write != nil || n.fields[i].secret != "")
}

// repairable checks the names of fields that may be left out of lines.
func repairable(names []string) (map[string]bool, error) {
	fields := map[string]bool{}
	for _, name := range names {
		for _, t := range tables {
			if t.(repairer).canLeaveOut(name) {
				fields[name] = true
			}
		}
		if !fields[name] {
			return nil, fmt.Errorf("no line has a field %s that can be left out", shownKey(name))
		}
	}
	return fields, nil
}

// leaveOut reads a line as if it did not have a field that is bad, when that is wanted: a record that is stored keeps
// what it has there, a new one has none. It reports whether it did.
func (l *loading[T, C]) leaveOut(e *entry[T], field int, bad Fault) bool {
	f := &l.noun.fields[field]
	if !l.im.repairs[f.name] || !e.given.has(field) || !l.canLeaveOut(f.name) {
		return false
	}
	if f.write != nil { // a number that cannot be read has left the row as it was
		kept := e.old
		if kept == nil {
			kept = l.blankRow
		}
		r := reading{now: l.im.now, keys: l.im.Keys, exact: l.im.stream}
		if err := f.read(&r, e.row, f.write(nil, kept)); err != nil {
			return false
		}
	}
	e.given.remove(field)
	e.repaired = append(e.repaired, bad)
	return true
}

// faultsOf is what is wrong with a row by itself. Of a stream a document may come later than its transcript says that
// there is one: the origin shows it only of those that are completed.
func (l *loading[T, C]) faultsOf(row *T) []Fault {
	faults := faultsOf(l.noun.check(row))
	if l.im.stream {
		faults = slices.DeleteFunc(faults, func(f Fault) bool { return f.Field == "documentGenerated" })
	}
	return faults
}

// check holds a row to the rules that need no other record, after each field that was left out again.
func (l *loading[T, C]) check(e *entry[T]) {
	for {
		e.faults = l.faultsOf(e.row)
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
