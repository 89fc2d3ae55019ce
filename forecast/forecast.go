package forecast

import (
	"context"
	"errors"
	"slices"

	"example.org/backoffice/backoffice"
)

// MostRows is how many rows are imagined for one run of a query. More than that is not foretold: fragments that spread others
// several times over would take as long as the query itself.
const MostRows = 5_000

// Statements is how many statements a query asks a store for at most, and exactly as many when
//
//   - it finds something for every field: each list has a row, what is referred to is there, and so is what arguments name;
//   - no row, list or total is asked for by two of its levels: what a query has read it does not read again;
//   - no page between cursors has rows beyond it, and none that has a number lies behind the end of its list;
//   - it names no objects by nothing but an identifier (node, nodes, objects of changes): which nouns those are of only the store
//     knows, so the dearest that it may be are counted.
//
// run executes the query, for one who may read everything, and asks the store that it is given for all that it reads. columns is
// asked for nothing but which columns serve a field. known is false when more rows would have to be imagined than MostRows.
func Statements(ctx context.Context, columns backoffice.Readers, run func(context.Context, backoffice.Store) error) (most int, known bool, err error) {
	f := forecast{columns: columns, run: run}
	most, identifiers, err := f.count(ctx, "")
	if err == nil && identifiers > 0 {
		var further []int
		for _, noun := range nouns {
			var n int
			if n, _, err = f.count(ctx, noun); err != nil {
				break
			}
			further = append(further, n-most)
		}
		slices.SortFunc(further, func(a, b int) int { return b - a })
		for _, n := range further[:min(identifiers, len(further))] {
			most += n
		}
	}
	if errors.Is(err, errTooMany) {
		return 0, false, nil
	}
	return most, err == nil, err
}

// nouns are those of which an identifier alone may be.
var nouns = []backoffice.Noun{
	backoffice.NounFinancialYear, backoffice.NounChecklist, backoffice.NounTranscript, backoffice.NounCalculation, backoffice.NounCustomer,
	backoffice.NounRelation, backoffice.NounDocument, backoffice.NounMinfin, backoffice.NounUser, backoffice.NounLabel, backoffice.NounConsultation,
}

type forecast struct {
	columns backoffice.Readers
	run     func(context.Context, backoffice.Store) error
}

// count is the number of statements when all identifiers are of a noun, "" for none, and how many identifiers are asked for theirs.
func (f forecast) count(ctx context.Context, noun backoffice.Noun) (statements, identifiers int, err error) {
	full := world{noun: noun}
	if statements, err = f.through(ctx, &full); err != nil || !full.numbered {
		return statements, full.identifiers, err
	}
	// An empty numbered page asks whether there is any before it. No page is empty and has rows below it at the same time, but
	// the query may have one of each.
	empty := world{noun: noun, behind: true}
	if _, err = f.through(ctx, &empty); err == nil {
		statements += empty.looks
	}
	return statements, full.identifiers, err
}

func (f forecast) through(ctx context.Context, w *world) (statements int, err error) {
	w.rows = MostRows
	ctx, counted := backoffice.WithStatementCount(ctx)
	if err = f.run(ctx, newStore(w, f.columns)); err == nil {
		err = w.failed
	}
	return counted.Count(), err
}
