package backoffice

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// To how many customers a checklist can be assigned at once.
const (
	MaxAssignedByID     = 500
	MaxAssignedByFilter = 10_000
	// maxAssignedBytes bounds the customVariables of all customers together, in bytes.
	maxAssignedBytes = 16 << 20
)

// Assignments is the input to assign a checklist to many customers, by identifier or by a filter.
type Assignments struct {
	ChecklistID     string
	CustomerIDs     []string        // nil: by Filter
	Filter          *CustomerFilter // nil: by CustomerIDs
	CustomVariables []byte          // a JSON object, nil for none
	// Index is for CustomerFilter.Criteria, when the filter has a registration number. Found is told whom a filter
	// found, also when the call is refused.
	Index func(PrivacyField, string) (string, error)
	Found func(customerIDs ...string)

	skipDeleted bool // customers deleted since the list was read
}

type Assigned struct {
	Transcripts []*Transcript // the new ones, by identifier; in a replay those that still exist
	Count       int           // number of new ones
	Already     int           // customers that had the checklist before
}

// AssignChecklists makes transcripts of a checklist of the current year for many customers, except those that have one;
// it needs pti.write. Refused, as a whole, like AssignChecklist, unless one of customerIds and filter is set, and with
// INVALID (customerIds, filter) for too many and NOT_FOUND (the index in customerIds).
func (s *Service) AssignChecklists(
	ctx context.Context, by *Principal, draft Assignments, key Optional[string],
) (*Assigned, error) {
	if err := require(by, PtiWrite); err != nil {
		return nil, err
	}
	now := InstantOf(s.now())
	a := &assignment{by: by, draft: &draft, at: now, looks: s.looks(ctx)}
	checkKey(key, &a.wrong)
	if err := a.prepare(); err != nil {
		return nil, err
	}
	content, err := a.content()
	if err != nil {
		return nil, err
	}
	use, err := s.keyUse(by, NounTranscript, key, content, "a batch")
	if err != nil {
		return nil, err
	}
	var assigned *Assigned
	err = s.write(ctx, func(ctx context.Context, tx Tx) (bool, error) {
		check := &checker{found: slices.Clone(a.wrong.found)}
		var year *FinancialYear
		var earlier string
		err := tx.Together(ctx, func(ctx context.Context) (err error) {
			if len(check.found) == 0 {
				earlier, err = s.useKey(ctx, tx, use)
			}
			return err
		}, func(ctx context.Context) (err error) {
			year, err = tx.LockToAssign(ctx, draft.ChecklistID)
			return err
		})
		if err != nil {
			return false, err
		}
		if earlier != "" {
			assigned, err = replayAssigned(ctx, tx, earlier)
			if err == nil {
				draft.Found(Map(assigned.Transcripts, func(t *Transcript) string { return t.CustomerID })...)
			}
			return false, err
		}
		if CheckID(draft.ChecklistID) == nil {
			checkOpen(ctx, year, check)
		}
		if len(a.wrong.found) == 0 {
			assigned, err = a.plan(ctx, tx, year, check)
		}
		if err == nil {
			err = check.refusal()
		}
		if err != nil {
			return false, err
		}
		return a.write(ctx, tx, assigned, use)
	})
	if err != nil {
		return nil, err
	}
	return assigned, nil
}

type assignment struct {
	by        *Principal
	draft     *Assignments
	at        Instant
	looks     bool
	wrong     checker
	variables JSON
	criteria  CustomerCriteria
}

// prepare checks what needs no store.
func (a *assignment) prepare() (err error) {
	a.wrong.reference(a.draft.ChecklistID, "checklistId")
	switch {
	case a.draft.CustomerIDs == nil && a.draft.Filter == nil:
		a.wrong.add(CodeRequired, "give customerIds or a filter", "customerIds")
	case a.draft.CustomerIDs != nil && a.draft.Filter != nil:
		a.wrong.add(CodeNotAllowed, "give customerIds or a filter, not both", "filter")
	case len(a.draft.CustomerIDs) > MaxAssignedByID:
		a.wrong.add(CodeInvalid, "a checklist can be assigned to at most "+strconv.Itoa(MaxAssignedByID)+
			" customers by their identifiers", "customerIds")
	case a.draft.Filter != nil:
		if a.criteria, err = a.draft.Filter.Criteria(a.draft.Index); KindOf(err) == BadInput && err != nil {
			a.wrong.add(CodeInvalid, err.Error(), "filter")
			err = nil
		}
	}
	if err == nil && a.draft.CustomVariables != nil {
		var unread error
		if a.variables, unread = ParseJSON(a.draft.CustomVariables); unread != nil {
			a.wrong.add(CodeInvalid, unread.Error(), "customVariables")
		}
	}
	return err
}

// content returns what an idempotency key covers. It omits unset fields of the filter: later versions may add some.
func (a *assignment) content() (any, error) {
	text, err := json.Marshal(a.draft.Filter)
	if err != nil {
		return nil, Fault(err, "encoding the content of a call")
	}
	var filter any
	if err := json.Unmarshal(text, &filter); err != nil {
		return nil, Fault(err, "encoding the content of a call")
	}
	return map[string]any{
		"checklistId": a.draft.ChecklistID, "customerIds": a.draft.CustomerIDs, "filter": withoutNulls(filter),
		"customVariables": a.variables.Canonical(), "batch": true,
	}, nil
}

func withoutNulls(value any) any {
	switch value := value.(type) {
	case map[string]any:
		for name, part := range value {
			if part == nil {
				delete(value, name)
			} else {
				value[name] = withoutNulls(part)
			}
		}
	case []any:
		for i := range value {
			value[i] = withoutNulls(value[i])
		}
	}
	return value
}

// plan makes the transcripts of customers without one of the checklist.
func (a *assignment) plan(ctx context.Context, tx Tx, year *FinancialYear, check *checker) (*Assigned, error) {
	var ids []string
	var have map[string]int
	var err error
	switch {
	case a.draft.Filter == nil: // also of a checklist that cannot be assigned: each fault is reported
		ids, have, err = a.named(ctx, tx, check)
	case len(check.found) == 0:
		ids, have, err = a.picked(ctx, tx, check)
	}
	if err != nil || len(check.found) > 0 {
		return nil, err
	}
	assigned := &Assigned{}
	for _, id := range ids {
		if have[id] > 0 {
			assigned.Already++
			continue
		}
		t := &Transcript{
			ID: NewID(), CustomerID: id, ChecklistID: a.draft.ChecklistID, FinancialYearID: year.ID,
			OwnStatus: ToProcess, OwnUpdatedAt: a.at, CreatedAt: a.at, CustomVariables: a.variables,
		}
		t.EffectiveStatus(nil)
		assigned.Transcripts = append(assigned.Transcripts, t)
	}
	assigned.Count = len(assigned.Transcripts)
	if assigned.Count*len(a.variables) > maxAssignedBytes {
		check.add(CodeInvalid, "the variables of all transcripts together have at most "+
			strconv.Itoa(maxAssignedBytes)+" bytes", "customVariables")
	}
	return assigned, nil
}

// named returns the customers by identifier, each once, and how many transcripts of the checklist each has.
func (a *assignment) named(ctx context.Context, tx Tx, check *checker) (ids []string, have map[string]int, err error) {
	if ids = sound(a.draft.CustomerIDs...); len(ids) > 0 {
		var found map[string]*Customer
		err = tx.Together(ctx, func(ctx context.Context) (err error) {
			found, err = ReadByID(ctx, tx.Customers(), ids, tx.Customers().Columns([]string{"id"}))
			return err
		}, func(ctx context.Context) (err error) {
			have, err = a.assignedTo(ctx, tx, ids)
			return err
		})
		if err != nil {
			return nil, nil, err
		}
		if a.draft.skipDeleted {
			return slices.DeleteFunc(ids, func(id string) bool { return found[id] == nil }), have, nil
		}
		for i, id := range a.draft.CustomerIDs {
			if found[id] == nil {
				check.add(CodeNotFound, "no customer has this identifier", "customerIds", strconv.Itoa(i))
			}
		}
		return ids, have, nil
	}
	for i := range a.draft.CustomerIDs {
		check.add(CodeNotFound, "no customer has this identifier", "customerIds", strconv.Itoa(i))
	}
	return nil, nil, nil
}

// picked is named for the customers of the filter.
func (a *assignment) picked(ctx context.Context, tx Tx, check *checker) (ids []string, have map[string]int, err error) {
	rows := ByName{tx}.CustomersWithoutNumbers() // a filter must reveal no more than a list
	if a.by.Has(PrivacyRead) {
		rows = tx.Customers()
	}
	// One page: with some criteria each further one costs as much as all of them.
	ask := ListQuery[CustomerCriteria]{Criteria: a.criteria}
	ask.Window.Limit = MaxAssignedByFilter
	pages, err := ReadPages(ctx, rows, ask, []string{NoParent}, rows.Columns([]string{"id"}))
	if err != nil {
		return nil, nil, err
	}
	page := pages[NoParent]
	ids = Map(page.Items, (*Customer).Identity)
	a.draft.Found(ids...)
	if page.More {
		check.add(CodeInvalid, "a checklist can be assigned to at most "+strconv.Itoa(MaxAssignedByFilter)+
			" customers by a filter", "filter")
		return nil, nil, nil
	}
	have = map[string]int{}
	for these := range slices.Chunk(ids, MaxPageSize) {
		of, err := a.assignedTo(ctx, tx, these)
		if err != nil {
			return nil, nil, err
		}
		maps.Copy(have, of)
	}
	return ids, have, nil
}

// assignedTo returns how many transcripts of the checklist each customer has.
func (a *assignment) assignedTo(ctx context.Context, tx Tx, customers []string) (map[string]int, error) {
	criteria := TranscriptCriteria{ChecklistID: a.draft.ChecklistID}
	return ReadCounts(ctx, tx.Transcripts(), OfCustomer, criteria, customers)
}

// completedAssignment is stored with the idempotency key of an assignment.
type completedAssignment struct {
	IDs     []string `json:"ids"`
	Already int      `json:"already"`
}

func (a *assignment) write(ctx context.Context, tx Tx, assigned *Assigned, use *keyUse) (raced bool, err error) {
	made := assigned.Transcripts
	changes := make([]*Change, len(made))
	fields := []string{"checklistId", "customerId"}
	if a.variables.Canonical() != "{}" {
		fields = append(fields, "customVariables")
	}
	kept := completedAssignment{IDs: []string{}, Already: assigned.Already}
	for i, t := range made {
		kept.IDs = append(kept.IDs, t.ID)
		changes[i] = changeBy(a.by, a.at, "assignChecklists", NounTranscript, t.ID, fields...)
	}
	if a.looks {
		made, changes = made[:min(len(made), 1)], changes[:min(len(made), 1)]
	}
	err = tx.Together(ctx, func(ctx context.Context) error {
		return tx.Transcripts().Insert(ctx, made...)
	}, func(ctx context.Context) error {
		if use == nil {
			return nil
		}
		return completeKey(ctx, tx, use, kept)
	})
	if err != nil {
		return KindOf(err) == Refused, err // a customer was deleted meanwhile
	}
	return false, tx.LogChanges(ctx, changes...)
}

func replayAssigned(ctx context.Context, tx Tx, text string) (*Assigned, error) {
	var kept completedAssignment
	if err := json.Unmarshal([]byte(text), &kept); err != nil {
		return nil, Fault(err, "reading the result of a call")
	}
	assigned := &Assigned{Count: len(kept.IDs), Already: kept.Already}
	for chunk := range slices.Chunk(kept.IDs, MaxAssignedByID) {
		found, err := ReadByID(ctx, tx.Transcripts(), chunk, 0)
		if err != nil {
			return nil, err
		}
		for _, t := range found {
			assigned.Transcripts = append(assigned.Transcripts, t)
		}
	}
	slices.SortFunc(assigned.Transcripts, func(a, b *Transcript) int { return strings.Compare(a.ID, b.ID) })
	return assigned, nil
}
