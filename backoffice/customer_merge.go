package backoffice

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
)

// CustomerMerge counts what moved from one customer to the other.
type CustomerMerge struct {
	Relations        int
	DeletedRelations int // between the two, or that the other had on all their days
	Transcripts      int
	Calculations     int
	Documents        int
	MinfinDocuments  int
	FilledFields     []string // that the kept customer lacked, sorted
}

// MergeCustomers moves the records of one customer to another, which also gets the fields that it lacks, and deletes
// the former, as DeleteCustomer does; it needs customers.write and privacy.read. It changes no answer, so years may be
// archived. What the register of consultations has of the deleted customer stays under its identifier. Numbers that
// both have are compared, so it gets an entry of a search that found each.
//
// Refused, and nothing written, with NOT_FOUND (keepId, dropId), with NOT_ALLOWED for one customer twice (dropId) and
// for what only a person can decide: two types (type), KBO numbers (kboNumber), registration numbers, transcripts of
// one checklist (transcripts) or overlapping relations (relations); with the faults of the customer that results; and
// like create for a used key.
func (s *Service) MergeCustomers(
	ctx context.Context, by *Principal, keepID, dropID string, key Optional[string],
) (kept *Customer, merged *CustomerMerge, err error) {
	if err := cmp.Or(requireDelete(by, CustomersWrite), require(by, PrivacyRead), CheckPurpose(ctx)); err != nil {
		return nil, nil, err
	}
	var check checker
	checkKey(key, &check)
	check.reference(keepID, "keepId")
	check.reference(dropID, "dropId")
	if keepID == dropID && len(check.found) == 0 {
		check.add(CodeNotAllowed, "a customer cannot be merged with itself", "dropId")
	}
	if err := check.refusal(); err != nil {
		return nil, nil, err
	}
	use, err := s.keyUse(by, NounCustomer, key, map[string]any{"keepId": keepID, "dropId": dropID}, "a merge")
	if err != nil {
		return nil, nil, err
	}
	var compared []PrivacyField // numbers that the caller learns to be equal or not
	err = s.write(ctx, func(ctx context.Context, tx Tx) (raced bool, err error) {
		m := &merging{Service: s, by: by, tx: tx, at: InstantOf(s.now()), keepID: keepID, dropID: dropID}
		var earlier string
		var found map[string]*Customer
		err = tx.Together(ctx, func(ctx context.Context) (err error) {
			earlier, err = s.useKey(ctx, tx, use)
			return err
		}, m.read, func(ctx context.Context) (err error) { // after both are locked
			found, err = ReadByID(ctx, tx.Customers(), []string{keepID, dropID}, 0)
			return err
		}, versionsFrom(tx, &m.from))
		if err != nil {
			return false, err
		}
		if earlier != "" {
			kept, merged, err = replayMerge(found[keepID], earlier)
			return false, cmp.Or(err, errUndone) // of what read has moved
		}
		var missing checker
		for _, of := range [][2]string{{keepID, "keepId"}, {dropID, "dropId"}} {
			if found[of[0]] == nil {
				missing.add(CodeNotFound, "no customer has this identifier", of[1])
			}
		}
		if err := missing.refusal(); err != nil {
			return false, err
		}
		m.keep, m.drop = found[keepID], found[dropID]
		m.move()
		err = m.fill(ctx)
		if compared = m.compared; err != nil {
			return false, err
		}
		if kept, merged = &m.after, &m.done; !by.Has(MinfinRead) {
			m.done.MinfinDocuments = 0
		}
		return m.write(ctx, use)
	})
	err = cmp.Or(s.Keys.Confirmed(ctx, compared, keepID, dropID), err) // also when the write failed later
	if err != nil {
		return nil, nil, err
	}
	return kept, merged, nil
}

func replayMerge(kept *Customer, text string) (*Customer, *CustomerMerge, error) {
	if kept == nil {
		return nil, nil, Refuse(goneSince(NounCustomer))
	}
	merged := &CustomerMerge{}
	if err := json.Unmarshal([]byte(text), merged); err != nil {
		return nil, nil, Fault(err, "reading the result of a call")
	}
	return kept, merged, nil
}

// merging is one attempt to merge two customers.
type merging struct {
	*Service
	by         *Principal
	tx         Tx
	at         Instant
	from       int // see Tx.VersionsFrom
	keepID     string
	dropID     string
	keep, drop *Customer
	had        owned    // by drop
	have       owned    // by keep: relations and transcripts
	after      Customer // keep, with what it lacked
	relations  []*CustomerRelation
	stay       int // relations that are deleted with drop
	records    []func(context.Context) error
	wrong      checker
	compared   []PrivacyField // that both had
	log        []*Change
	done       CustomerMerge
}

func (m *merging) note(noun Noun, id string, fields ...string) {
	m.log = append(m.log, changeBy(m.by, m.at, "mergeCustomers", noun, id, fields...))
}

// owned are the records of a customer.
type owned struct {
	relations    []*CustomerRelation
	transcripts  []*Transcript
	calculations int
	documents    []*CustomerDocument
	minfin       []*MinfinDocument
	differences  []*Discrepancy
}

func (m *merging) read(ctx context.Context) error {
	return m.tx.Together(ctx,
		func(ctx context.Context) error { return m.tx.LockRecordsOf(ctx, m.dropID, m.keepID) },
		func(ctx context.Context) error { return m.tx.MoveImported(ctx, m.dropID, m.keepID) },
		recordsOf(m.tx.Relations(), m.keepID, &m.have.relations),
		recordsOf(m.tx.Relations(), m.dropID, &m.had.relations),
		recordsOf(m.tx.Transcripts(), m.keepID, &m.have.transcripts),
		recordsOf(m.tx.Transcripts(), m.dropID, &m.had.transcripts),
		recordsOf(m.tx.Documents(), m.dropID, &m.had.documents),
		recordsOf(m.tx.MinfinDocuments(), m.dropID, &m.had.minfin),
		unrestricted(recordsOf(m.tx.Discrepancies(), m.dropID, &m.had.differences)),
		func(ctx context.Context) error {
			of := []string{m.dropID}
			n, err := ReadCounts(ctx, m.tx.Calculations(), OfCustomer, CalculationCriteria{}, of)
			m.had.calculations = n[m.dropID]
			return err
		})
}

// move prepares what moves.
func (m *merging) move() {
	had := &m.had
	for _, t := range had.transcripts {
		same := func(other *Transcript) bool { return other.ChecklistID == t.ChecklistID }
		if slices.ContainsFunc(m.have.transcripts, same) {
			m.wrong.add(CodeNotAllowed, "both customers have a transcript of the same checklist", "transcripts")
			break
		}
	}
	m.moveRelations()
	moveRecords(m, TranscriptTable, had.transcripts, func(t *Transcript) *string { return &t.CustomerID })
	moveRecords(m, DocumentTable, had.documents, func(d *CustomerDocument) *string { return &d.CustomerID })
	moveRecords(m, MinfinTable, had.minfin, func(d *MinfinDocument) *string { return &d.CustomerID })
	m.moveDiscrepancies()
	m.done = CustomerMerge{
		Relations: len(m.relations), DeletedRelations: m.stay, Transcripts: len(had.transcripts),
		Calculations: had.calculations, Documents: len(had.documents), MinfinDocuments: len(had.minfin),
	}
}

// recordsOf reads all of a customer's records of a noun, for Tx.Together.
func recordsOf[T any, C comparable](rows Reader[T, C], customer string, into *[]T) func(context.Context) error {
	return func(ctx context.Context) (err error) {
		*into, err = ReadAll(ctx, rows, ListQuery[C]{Parent: OfCustomer}, customer)
		return err
	}
}

func moveRecords[T any, C comparable](m *merging, of *Table[T, C], rows []*T, customer func(*T) *string) {
	for _, row := range rows {
		*customer(row) = m.keep.ID
		m.note(of.Noun, *of.ID(row), "customerId")
	}
	m.records = append(m.records, func(ctx context.Context) error { return of.Writer(m.tx).Update(ctx, rows...) })
}

// moveDiscrepancies moves also those that the caller does not see.
func (m *merging) moveDiscrepancies() {
	var moving []*Discrepancy
	for _, d := range m.had.differences {
		end, field := &d.CustomerID, "customerId"
		if *end != m.drop.ID {
			end, field = &d.PersonID, "personId"
		}
		*end = m.keep.ID
		if d.CustomerID == d.PersonID {
			continue // the recorder closes what is left of it
		}
		d.Version = NextVersion(d.Version, m.from)
		moving = append(moving, d)
		m.note(NounDiscrepancy, d.ID, field)
	}
	m.records = append(m.records, unrestricted(func(ctx context.Context) error {
		return m.tx.Discrepancies().Update(ctx, moving...)
	}))
}

// unrestricted reads or writes whatever the caller sees.
func unrestricted(do func(context.Context) error) func(context.Context) error {
	return func(ctx context.Context) error { return do(WithRestriction(ctx, Restriction{})) }
}

// moveRelations leaves those that would be with itself, or that the kept customer has on all their days.
func (m *merging) moveRelations() {
	has := Map(m.have.relations, RelationTable.UniqueValue)
	for _, r := range m.had.relations {
		end, field := &r.CustomerID, "customerId"
		if *end != m.drop.ID {
			end, field = &r.RelatedCustomerID, "relatedCustomerId"
		}
		*end = m.keep.ID
		moved := RelationTable.UniqueValue(r)
		at := slices.IndexFunc(has, moved.Conflicts)
		if at >= 0 && (!has[at].Covers(moved.Period) || adds(r, m.have.relations[at])) {
			m.wrong.add(CodeNotAllowed,
				"they have the same relation in overlapping periods, or with other shares, votes or notes", "relations")
			return
		}
		if r.CustomerID == r.RelatedCustomerID || at >= 0 {
			m.stay++
			continue
		}
		r.Version = NextVersion(r.Version, m.from)
		m.relations = append(m.relations, r)
		m.note(NounRelation, r.ID, field)
	}
	m.records = append(m.records, func(ctx context.Context) error {
		return m.tx.Relations().Update(ctx, m.relations...)
	})
}

// adds reports whether a relation has shares, votes or a note, or that it is a nominee's, which the kept one has not.
func adds(r, kept *CustomerRelation) bool {
	return r.SharePercent != "" && r.SharePercent != kept.SharePercent ||
		r.VotePercent != "" && r.VotePercent != kept.VotePercent || r.Note != "" && r.Note != kept.Note ||
		r.Nominee && !kept.Nominee
}

// write moves the records, deletes the one customer and updates the other. It lost a race if the deletion takes along
// what was added meanwhile.
func (m *merging) write(ctx context.Context, use *keyUse) (raced bool, err error) {
	if err := m.tx.Together(ctx, m.records...); err != nil {
		return KindOf(err) == Refused, err // what was read has changed
	}
	m.keepDeleted(m.tx, m.by, m.at, m.keep.ID)
	deleted, err := m.tx.Customers().Delete(ctx, m.drop.ID) // before the other gets its code
	if refusedBy(err, CodeNotAllowed) {
		err = OutOfView("dropId")
	}
	if err != nil {
		return false, err
	}
	n := m.tx.DeletedRows()
	if len(deleted) == 0 || n[NounRelation] != m.stay ||
		n[NounTranscript]+n[NounDocument]+n[NounMinfin]+n[NounCalculation] > 0 {
		return true, Errorf(Unavailable, "the customer was changed meanwhile; try again")
	}
	m.note(NounCustomer, m.drop.ID)
	err = m.tx.Together(ctx, m.update, func(ctx context.Context) error {
		if use == nil {
			return nil
		}
		return completeKey(ctx, m.tx, use, m.done)
	})
	if err != nil {
		return lost(err), err
	}
	return false, m.tx.LogChanges(ctx, m.log...)
}

// update stores the kept customer, if it got a field.
func (m *merging) update(ctx context.Context) error {
	if len(m.done.FilledFields) == 0 {
		return nil
	}
	m.note(NounCustomer, m.keep.ID, m.done.FilledFields...)
	if m.dry { // the other customer still has its code
		if err := m.tx.Customers().Release(ctx, []string{m.drop.ID}); err != nil {
			return err
		}
	}
	return m.tx.Customers().Update(ctx, &m.after)
}
