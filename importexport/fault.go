package importexport

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"example.org/backoffice/backoffice"
)

// MaxBadLines is how many bad lines of a file are reported; reading stops there.
const MaxBadLines = 100

// Fault is one error in a line. It never contains a value of the line.
type Fault struct {
	Field string // in the folder's names, "addressFields.city"; "" for the line as a whole
	Why   string
}

type BadLine struct {
	Line   int // from 1
	Faults []Fault
	Record string // its identifier or key, as far as it is known, in Loaded.Bad
}

// BadFile is the error of a file with bad lines. Nothing of the file was loaded.
type BadFile struct {
	File  string
	Lines []BadLine // by line, at most MaxBadLines
	Cut   bool      // the file was not read to its end, so there may be more
	// Partly: portions of the file were loaded before these lines became bad.
	Partly bool
}

// Error counts the bad lines; Reports lists them.
func (e *BadFile) Error() string {
	count := strconv.Itoa(len(e.Lines))
	switch {
	case e.Cut:
		count += " or more bad lines"
	case len(e.Lines) == 1:
		count += " bad line"
	default:
		count += " bad lines"
	}
	if e.Partly {
		return e.File + " was loaded in part: it has " + count + "; import it again"
	}
	return "nothing of " + e.File + " was loaded: it has " + count
}

// Reports are the bad lines, a text without a line break each: file, line number, field and why.
func (e *BadFile) Reports() []string {
	return backoffice.Map(e.Lines, func(l BadLine) string { return l.Report(e.File) })
}

// Report is a text without a line break: file, line number, field and why.
func (l *BadLine) Report(file string) string {
	return fmt.Sprintf("%s:%d: %s", file, l.Line, strings.Join(backoffice.Map(l.Faults, Fault.String), "; "))
}

func (f Fault) String() string {
	if f.Field == "" {
		return f.Why
	}
	return f.Field + ": " + f.Why
}

type badLines struct {
	lines []badLine
	all   bool // collect all of them, because the other lines are loaded
}

type badLine struct {
	BadLine
	at stagedLine
	id string // "" when unknown
}

func (b *badLines) add(at stagedLine, id string, faults ...Fault) {
	b.lines = append(b.lines, badLine{BadLine{Line: at.number, Faults: faults}, at, id})
}

func (b *badLines) full() bool { return !b.all && len(b.lines) >= MaxBadLines }

func (b *badLines) sort() {
	slices.SortStableFunc(b.lines, func(x, y badLine) int { return cmp.Compare(x.Line, y.Line) })
	same := func(x, y badLine) bool { return x.Line == y.Line } // a relation may overlap several
	b.lines = slices.CompactFunc(b.lines, same)
}

// of makes the error, nil when every line was good.
func (b *badLines) of(file string, cut bool) error {
	if len(b.lines) == 0 {
		return nil
	}
	b.sort()
	told := b.lines
	if len(told) > MaxBadLines {
		told, cut = told[:MaxBadLines], true
	}
	lines := backoffice.Map(told, func(b badLine) BadLine { return b.BadLine })
	return &BadFile{File: file, Lines: lines, Cut: cut}
}

type nested struct {
	part string
	err  error
}

func (e *nested) Error() string { return e.err.Error() }
func (e *nested) Unwrap() error { return e.err }

// faultOf turns the error of a field's reader into a fault.
func faultOf(field string, err error) Fault {
	var part *nested
	for errors.As(err, &part) {
		field += "." + part.part
		err = part.err
	}
	return Fault{Field: field, Why: err.Error()}
}

// faultsOf turns the domain's errors into faults with the folder's names.
func faultsOf(found []*backoffice.UserError) []Fault {
	return backoffice.Map(found, func(wrong *backoffice.UserError) Fault {
		return Fault{Field: folderName(wrong.Field), Why: wrong.Message}
	})
}

// folderName is the name that a path of GraphQL's inputs has in the folder.
func folderName(path []string) string {
	if len(path) == 0 {
		return ""
	}
	first := path[0]
	switch {
	case first == "address":
		first = "addressFields"
	case first == "labelIds":
		first = "labels"
	default:
		first = strings.TrimSuffix(first, "Id")
	}
	return strings.Join(append([]string{first}, path[1:]...), ".")
}

// LineName is the name in lines of a field of GraphQL's inputs: address.street for a part of an object.
func LineName(field string) string { return folderName(strings.Split(field, ".")) }

var (
	errRequired = backoffice.Errorf(backoffice.BadInput, "this field is required")
	errTwice    = backoffice.Errorf(backoffice.BadInput, "duplicate field")
	errUnknown  = backoffice.Errorf(backoffice.BadInput, "unknown field")
	errEmpty    = backoffice.Errorf(backoffice.BadInput,
		"a text must have a character that is not a space; use null for none")
)

// shownKey is an unknown field's name as it may be printed: quoted when it is not a plain word.
func shownKey(key string) string {
	shown := backoffice.ShownName(key)
	quoted := strconv.Quote(shown)
	if len(quoted) != len(shown)+2 || shown == "" || strings.ContainsAny(shown, " .:;") {
		return quoted
	}
	return shown
}
