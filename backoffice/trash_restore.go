package backoffice

import (
	"context"
	"fmt"
	"maps"
	"slices"
)

// keepDeleted makes a transaction put what it deletes into the trash, if the service has one.
func (s *Service) keepDeleted(tx Tx, by *Principal, at Instant, mergedInto string) {
	if s.Trash > 0 {
		tx.KeepDeleted(Keeping{At: at, ClientID: by.ClientID, Period: s.Trash, MergedInto: mergedInto})
	}
}

type Restored struct {
	Rows int      // all records
	Left []string // relations without their other customer: they stay in the trash until it is restored
}

// RestoreTrashed writes deleted records again, as they were, all or none. A customer whose responsible user no longer
// exists has none. It is for operators and needs no scope. Refused with NOT_FOUND for an entry that is not in the trash
// or a reference to a missing record; with TAKEN, naming the holder, for an identifier or unique value that is in use
// again. Unavailable when stored files are missing.
func (s *Service) RestoreTrashed(ctx context.Context, ids ...string) (restored Restored, err error) {
	ids = Unique(ids)
	err = s.write(ctx, func(ctx context.Context, tx Tx) (bool, error) {
		restored = Restored{}
		entries, err := tx.TakeTrashed(ctx, ids...)
		if err != nil {
			return false, err
		}
		if len(entries) < len(ids) {
			return false, refused(CodeNotFound, "nothing in the trash has this identifier")
		}
		waiting, err := tx.TakeWaiting(ctx, ids...)
		if err != nil {
			return false, err
		}
		entries = append(entries, waiting...)
		r := &restoring{tx: tx, all: Trashed{Records: map[Noun][]any{}}, own: map[string]Noun{},
			of: map[string]*Trashed{}, waiting: waiting}
		for _, entry := range entries {
			r.add(entry)
		}
		if err := r.check(ctx, s.Files); err != nil {
			return false, err
		}
		if err := r.write(ctx); err != nil {
			return false, err
		}
		for _, left := range r.left {
			restored.Left = append(restored.Left, left.ID)
		}
		entries = slices.DeleteFunc(entries, func(e *Trashed) bool { return slices.Contains(restored.Left, e.ID) })
		now := InstantOf(s.now())
		changes := Map(entries, func(entry *Trashed) *Change {
			return &Change{At: now, Action: "restore", Noun: entry.Noun, ObjectID: entry.ID}
		})
		restored.Rows = r.all.Rows()
		return false, tx.LogChanges(ctx, changes...)
	})
	return restored, err
}

type restoring struct {
	tx      Tx
	all     Trashed
	left    []*Trashed
	own     map[string]Noun     // what is restored, by identifier
	of      map[string]*Trashed // the entry of a relation, by its identifier
	waiting []*Trashed          // relations that are restored with their customer
}

func (r *restoring) add(entry *Trashed) {
	for noun, records := range entry.Records {
		r.all.Add(noun, records...)
	}
	for _, relation := range RelationTable.In(entry) {
		r.of[relation.ID] = entry
	}
}

// check checks the records against what is stored now, and leaves out relations without their customers.
func (r *restoring) check(ctx context.Context, files FileStore) error {
	for noun, records := range r.all.Records {
		for _, record := range records {
			r.own[record.(Entity).Identity()] = noun
		}
	}
	customers, minfin := CustomerTable.In(&r.all), MinfinTable.In(&r.all)
	ask := slices.Collect(maps.Keys(r.own))
	for _, c := range customers {
		ask = append(ask, c.ResponsibleID)
	}
	for _, e := range RelationTable.In(&r.all) {
		ask = append(ask, e.CustomerID, e.RelatedCustomerID)
	}
	for _, d := range minfin {
		ask = append(ask, d.FinancialYearID)
	}
	stored, err := ReadNouns(ctx, r.tx, sound(ask...))
	if err != nil {
		return err
	}
	from, err := r.tx.VersionsFrom(ctx)
	if err != nil {
		return err
	}
	for id, noun := range r.own {
		if now := stored[id]; now != "" {
			return taken("the " + string(noun) + " " + id + " cannot be restored: a " +
				string(now) + " now has its identifier")
		}
	}
	for _, c := range customers {
		if c.ResponsibleID != "" && stored[c.ResponsibleID] != NounUser {
			c.UpdatedAt = c.openUpdatedAt() // at the other only a number was written
			before := *c
			c.ResponsibleID, c.Version = "", NextVersion(c.Version, from)
			c.NoteChange(&before, false, from)
		}
	}
	if err := r.leave(stored); err != nil {
		return err
	}
	years := map[string]*FinancialYear{}
	for _, t := range TranscriptTable.In(&r.all) {
		year, read := years[t.ChecklistID]
		if !read {
			if year, err = r.tx.LockYearOf(ctx, t.ChecklistID); err != nil {
				return err
			}
			years[t.ChecklistID] = year
		}
		if year == nil {
			return missing("the transcript "+t.ID, NounChecklist, t.ChecklistID)
		}
		t.FinancialYearID = year.ID // the checklist may have been moved
	}
	for _, d := range minfin {
		if d.FinancialYearID != "" && stored[d.FinancialYearID] != NounFinancialYear {
			return missing("the minfin document "+d.ID, NounFinancialYear, d.FinancialYearID)
		}
	}
	if err := r.checkUnique(ctx); err != nil {
		return err
	}
	gone, err := files.Missing(ctx, r.all.FileKeys())
	if err == nil && len(gone) > 0 {
		err = Errorf(Unavailable,
			"%d of the stored files are missing; nothing was changed", len(gone))
	}
	return err
}

// leave takes out relations without their customers. They stay in the trash; one that was asked for is NOT_FOUND.
func (r *restoring) leave(stored map[string]Noun) error {
	is := func(id string) bool { return r.own[id] == NounCustomer || stored[id] == NounCustomer }
	var absent error
	relations := r.all.Records[NounRelation]
	r.all.Records[NounRelation] = slices.DeleteFunc(relations, func(record any) bool {
		relation := record.(*CustomerRelation)
		for _, end := range []string{relation.CustomerID, relation.RelatedCustomerID} {
			if is(end) {
				continue
			}
			of := r.of[relation.ID]
			if of.Noun == NounRelation && !slices.Contains(r.waiting, of) {
				absent = missing("the relation "+relation.ID, NounCustomer, end)
			}
			delete(r.own, relation.ID)
			r.left = append(r.left, &Trashed{
				ID: relation.ID, Noun: NounRelation, ClientID: of.ClientID, At: of.At, Until: of.Until, WaitsFor: end,
				Records: map[Noun][]any{NounRelation: {relation}},
			})
			return true
		}
		return false
	})
	return absent
}

func (r *restoring) checkUnique(ctx context.Context) error {
	err := unused(ctx, CustomerTable, r.tx.Customers(), &r.all,
		"the customer %s cannot be restored: the customer %s has its customerCode")
	if err != nil {
		return err
	}
	return unused(ctx, RelationTable, r.tx.Relations(), &r.all,
		"the relation %s cannot be restored: the relation %s is the same")
}

// unused rejects what is restored if a stored record, or another restored one, has its unique value.
func unused[T any, C comparable](ctx context.Context, of *Table[T, C], stored interface {
	Holders(ctx context.Context, rows []*T) (map[string][]string, error)
}, all *Trashed, message string) error {
	rows := of.In(all)
	holders, err := stored.Holders(ctx, rows)
	if err != nil {
		return err
	}
	restored := map[string][]*T{}
	for _, row := range rows {
		value, by := of.UniqueValue(row), holders[*of.ID(row)]
		for _, other := range restored[value.Value] {
			if value.Conflicts(of.UniqueValue(other)) {
				by = append(by, *of.ID(other))
			}
		}
		if by != nil {
			return taken(fmt.Sprintf(message, *of.ID(row), by[0]))
		}
		restored[value.Value] = append(restored[value.Value], row)
	}
	return nil
}

// write writes all records, each noun before those that refer to it.
func (r *restoring) write(ctx context.Context) error {
	calculated := map[string]bool{}
	for _, n := range CalculationTable.In(&r.all) {
		calculated[n.TranscriptID] = true
	}
	for _, t := range TranscriptTable.In(&r.all) {
		if !calculated[t.ID] { // keeps the time of the deletion of an earlier calculation
			t.OwnUpdatedAt = max(t.OwnUpdatedAt, t.UpdatedAt)
		}
	}
	for _, noun := range Nouns {
		if err := noun.insert(ctx, r.tx, &r.all); err != nil {
			return err
		}
	}
	for _, left := range r.left {
		if err := r.tx.PutTrashed(ctx, left); err != nil {
			return err
		}
	}
	return r.tx.MarkRestored(ctx, slices.Collect(maps.Keys(r.own))...)
}

func taken(message string) error { return refused(CodeTaken, message) }

func missing(what string, noun Noun, id string) error {
	return refused(CodeNotFound, what+" cannot be restored: there is no "+string(noun)+" "+id)
}

// EmptyTrash erases entries and their files for good, and returns those that existed. Operators need no scope for it.
func (s *Service) EmptyTrash(ctx context.Context, ids ...string) (erased []string, err error) {
	erased, keys, err := s.Store.EmptyTrash(ctx, ids...)
	if err == nil {
		s.removeFiles(ctx, keys)
	}
	return erased, err
}

// EmptyDueTrash does so with all entries whose time is over, and returns how many.
func (s *Service) EmptyDueTrash(ctx context.Context) (int, error) {
	erased, keys, err := s.Store.EmptyDueTrash(ctx)
	if err == nil {
		s.removeFiles(ctx, keys)
	}
	return len(erased), err
}
