package importexport

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"example.org/backoffice/backoffice"
)

// undoStep is one of the steps in which an import is taken back: what it created is deleted, or all else is put back.
type undoStep struct {
	noun   backoffice.Noun
	delete bool
	put    bool
	again  bool // what cannot be deleted is tried again later
}

// undoSteps delete records before those that they refer to: customers and what they have first, which frees their
// unique values; all that is left when nothing that is put back refers to it any more. Years come last, at once: one of
// them is always current.
func undoSteps() (steps []undoStep) {
	deleting := func(to int, again bool) {
		for i := len(backoffice.Nouns) - 1; i >= to; i-- {
			if noun := backoffice.Nouns[i].Name(); noun != backoffice.NounFinancialYear {
				steps = append(steps, undoStep{noun: noun, delete: true, again: again})
			}
		}
	}
	deleting(backoffice.NounCustomer.Index(), true)
	for _, of := range backoffice.Nouns {
		if of.Name() != backoffice.NounFinancialYear {
			steps = append(steps, undoStep{noun: of.Name(), put: true})
		}
	}
	deleting(0, false)
	return append(steps, undoStep{noun: backoffice.NounFinancialYear, delete: true, put: true})
}

// Undo takes back the import with a number: what it created is deleted, and all else is as it was. Records that were
// changed since, or that others refer to now, stay as they are and are named in Loaded.Bad.
func (i *Importer) Undo(ctx context.Context, number int64) (all []Loaded, err error) {
	undone := *i
	undone.Action, undone.Key, undone.Repair = "import undo", "", nil
	im, err := undone.importing(nil)
	if err != nil {
		return nil, err
	}
	im.undo = number
	if !i.DryRun {
		end, err := i.turn(ctx)
		if err != nil {
			return nil, err
		}
		defer end()
	}
	var touched []string
	var unchanged []bool // counts of a source: what is tried again, or is gone by then, is none
	for _, step := range undoSteps() {
		created, others, err := i.Store.ImportedRecords(ctx, number, step.noun)
		if err != nil {
			return nil, err
		}
		touched = append(touched, others...)
		var lines bytes.Buffer
		if step.delete {
			for _, id := range created {
				fmt.Fprintf(&lines, `{"_id":%q,"_deleted":true}`+"\n", id)
			}
		}
		if step.put {
			for _, id := range others {
				fmt.Fprintf(&lines, `{"_id":%q}`+"\n", id)
			}
		}
		if lines.Len() > 0 {
			t := tables[step.noun]
			im.sources = append(im.sources, opened{t, source{
				name: t.fileName(), file: inMemory{bytes.NewReader(lines.Bytes())}, size: int64(lines.Len()),
				again: step.again,
			}})
			unchanged = append(unchanged, step.put)
		}
	}
	if len(im.sources) == 0 {
		return nil, fmt.Errorf("nothing is kept of an import %d: pass the number that its report has; it can be taken "+
			"back once, and within the --trash that it was given", number)
	}
	load := im.loadAll
	if i.DryRun {
		load = im.rehearse
	}
	steps, err := load(ctx)
	for n, step := range steps {
		if !unchanged[n] {
			step.Unchanged = 0
		}
		at := slices.IndexFunc(all, func(l Loaded) bool { return l.File == step.File })
		if at < 0 {
			all = append(all, step)
			continue
		}
		all[at].Add(step)
	}
	if err != nil || i.DryRun {
		return all, err
	}
	return all, i.Store.Write(ctx, func(ctx context.Context, tx backoffice.Tx) error {
		touched = slices.DeleteFunc(touched, im.rejected.has)
		_, err := tx.ForgetImported(ctx, number, touched...) // also of what was as before
		return err
	})
}

const (
	changedSince = "it was changed since"
	referredTo   = "other records refer to it"
)

// putBack makes of each line the record as it was before the import that is taken back.
func (l *loading[T, C]) putBack(ctx context.Context, entries []*entry[T], stored map[string]*T) error {
	was, err := l.im.Store.Imported(ctx, l.im.undo, idsOf(entries)...)
	if err != nil {
		return err
	}
	var deleted []*entry[T]
	for _, e := range entries {
		e.given = 1<<len(l.noun.fields) - 1
		if e.old = stored[e.id]; l.parked[e.id] != nil {
			e.old = l.parked[e.id]
		}
		one := was[e.id]
		e.kept = one != nil
		var now any
		if e.old != nil {
			now = e.old
		}
		switch {
		case e.deleted && e.old == nil: // it is gone already
		case one == nil: // an earlier attempt took it back, or it was erased since
			e.deleted = e.old == nil
		case !one.Same(now):
			l.stays(e, changedSince)
		case e.deleted:
			deleted = append(deleted, e)
		default:
			e.row = one.Before.(*T)
		}
		e.row = cmp.Or(e.row, e.old)
	}
	return l.keepReferred(ctx, deleted)
}

// stays leaves a record as it is; this is told once nothing more can be done.
func (l *loading[T, C]) stays(e *entry[T], why string) {
	if e.row = e.old; l.source.again {
		e.deleted = false
		return
	}
	e.fault("", why)
}

// referring counts the records that refer to each of others.
type referring func(ctx context.Context, in backoffice.NounReader, ids []string) (map[string]int, error)

func countsOf[T backoffice.Entity, C comparable](under backoffice.Parent, of backoffice.NounOf[T, C], all C) referring {
	return func(ctx context.Context, in backoffice.NounReader, ids []string) (map[string]int, error) {
		return backoffice.ReadCounts(ctx, of.Reader(in), under, all, ids)
	}
}

// countLabelled counts the users, who are few, with each label.
func countLabelled(ctx context.Context, in backoffice.NounReader, _ []string) (map[string]int, error) {
	counts := map[string]int{}
	err := eachOf(ctx, in, backoffice.UserTable, func(u *user) {
		for _, id := range u.LabelIDs {
			counts[id]++
		}
	})
	return counts, err
}

// referringTo are the records that must be gone before one that an import created is deleted.
var referringTo = map[backoffice.Noun][]referring{
	backoffice.NounCustomer: {
		countsOf(backoffice.OfCustomer, backoffice.RelationTable, backoffice.RelationCriteria{}),
		countsOf(backoffice.OfCustomer, backoffice.TranscriptTable, backoffice.TranscriptCriteria{}),
		countsOf(backoffice.OfCustomer, backoffice.DocumentTable, backoffice.DocumentCriteria{}),
		countsOf(backoffice.OfCustomer, backoffice.MinfinTable, backoffice.MinfinCriteria{}),
		// What the server alone found goes with the customer.
		countsOf(backoffice.OfCustomer, backoffice.DiscrepancyTable,
			backoffice.DiscrepancyCriteria{Reported: backoffice.Yes}),
	},
	backoffice.NounTranscript: {
		countsOf(backoffice.OfTranscript, backoffice.CalculationTable, backoffice.CalculationCriteria{}),
	},
	backoffice.NounUser:  {countsOf(backoffice.OfUser, backoffice.CustomerTable, backoffice.CustomerCriteria{})},
	backoffice.NounLabel: {countLabelled},
}

// keepReferred rejects the deletion of records that others refer to.
func (l *loading[T, C]) keepReferred(ctx context.Context, deleted []*entry[T]) error {
	if len(deleted) == 0 {
		return nil
	}
	if l.tx != nil {
		if err := l.writer.LockToDelete(ctx, idsOf(deleted)...); err != nil {
			return err
		}
	}
	for _, by := range referringTo[l.Noun] {
		counts, err := by(ctx, l.in, idsOf(deleted))
		if err != nil {
			return err
		}
		for _, e := range deleted {
			if counts[e.id] > 0 && !e.isBad() {
				l.stays(e, referredTo)
			}
		}
	}
	return nil
}

// number notes the import in the change log, and returns its number there; 0 when it cannot be taken back.
func (im *importing) number(ctx context.Context) (int64, error) {
	if im.Trash == 0 || im.stream || im.undo > 0 || im.dry != nil || im.noted > 0 {
		return im.noted, nil
	}
	act := cmp.Or(backoffice.ActOf(ctx), &backoffice.Act{Action: "import"})
	entry := act.Entry(nil)
	err := im.Store.Write(backoffice.WithAct(ctx, nil), func(ctx context.Context, tx backoffice.Tx) error {
		return tx.LogChanges(ctx, entry)
	})
	if err != nil {
		return 0, err
	}
	act.Noted()
	if im.noted = entry.Sequence; im.Numbered != nil {
		im.Numbered(im.noted)
	}
	return im.noted, nil
}

// keepBefore has a transaction keep what it changes, and the trash what it deletes.
func (im *importing) keepBefore(ctx context.Context, tx backoffice.Tx, number int64, now backoffice.Instant) error {
	if im.Trash == 0 {
		return nil
	}
	tx.KeepDeleted(backoffice.Keeping{At: now, ClientID: im.ClientID, Period: im.Trash, KeepEarlier: im.undo > 0})
	if number == 0 {
		return nil
	}
	return tx.KeepBefore(ctx, number, backoffice.InstantOf(im.now.Add(im.Trash).Round(time.Millisecond)))
}

// undid forgets what was taken back. What is written again is not in the trash any more. errStale when it was erased
// for good after it was read.
func (l *applying[T, C]) undid(ctx context.Context, all []*entry[T]) error {
	var done, again []string
	kept := int64(0)
	for _, e := range all {
		if !e.isBad() && e.deleted == e.at.deleted { // else it is tried again later
			done = append(done, e.id)
			if e.kept {
				kept++
			}
			if e.old == nil && !e.deleted {
				again = append(again, e.id)
			}
		}
	}
	if _, err := l.tx.TakeTrashed(ctx, again...); err != nil {
		return err
	}
	if n, err := l.tx.ForgetImported(ctx, l.im.undo, done...); err != nil || n == kept {
		return err
	}
	return errStale
}
