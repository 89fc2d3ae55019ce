package backoffice

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// BatchMode decides what happens to a batch of writes in which some inputs are refused.
type BatchMode string

const (
	Atomic BatchMode = "ATOMIC" // nothing is written
	Each   BatchMode = "EACH"   // the others are written
)

var BatchModes = []BatchMode{Atomic, Each}

const MaxInputs = 100

type BatchInput[I any] struct {
	Input I
	Key   Optional[string] // of this input alone: refused, since a batch has one key for all
}

// BatchResult is the result of one input: the object, or the faults of the input with paths that begin with "inputs"
// and its index. Both are nil when nothing of the batch was written because of another input.
type BatchResult[T any] struct {
	Object     *T
	UserErrors []*UserError
}

// BatchOutcome has the result of each input of a batch, in their order, and how many inputs changed something.
type BatchOutcome[T any] struct {
	Results []BatchResult[T]
	Written int
}

func checkInputs(n int, check *checker) {
	if n > MaxInputs {
		check.add(CodeInvalid, "a batch has at most "+strconv.Itoa(MaxInputs)+" inputs", "inputs")
	}
}

func (in *BatchInput[I]) checkOwnKey(check *checker) {
	if in.Key.IsSent() && !in.Key.IsNull() {
		check.add(CodeNotAllowed, "a batch takes one idempotency key, outside its inputs", "idempotencyKey")
	}
}

func (o *BatchOutcome[T]) refuse(i int, found []*UserError) {
	at := []string{"inputs", strconv.Itoa(i)}
	o.Results[i] = BatchResult[T]{UserErrors: make([]*UserError, len(found))}
	for j, one := range found {
		told := *one
		told.Field = slices.Concat(at, one.Field)
		o.Results[i].UserErrors[j] = &told
	}
}

func (o *BatchOutcome[T]) stands(mode BatchMode) bool {
	refused := 0
	for i := range o.Results {
		if o.Results[i].UserErrors != nil {
			refused++
		}
	}
	return refused == 0 || mode == Each && refused < len(o.Results)
}

// withdraw drops all results but the faults.
func (o *BatchOutcome[T]) withdraw() {
	o.Written = 0
	for i := range o.Results {
		o.Results[i].Object = nil
	}
}

// draft is the object of one input of a batch.
type draft[T any] struct {
	made    *T
	content values  // all that was asked for, in canonical form
	wrong   checker // faults that were found without the store
	there   *T      // an existing object that is the answer instead
}

// creations is a call that makes an object of each input.
type creations[T any, C comparable] struct {
	by     *Principal
	action string
	table  *Table[T, C]
	mode   BatchMode
	at     Instant
	key    Optional[string]
	drafts []*draft[T]
	look   func(ctx context.Context, tx Tx) error // reads what the objects are checked against
	check  func(d *draft[T], check *checker)      // checks one against that, and against earlier ones of the batch
}

// createAll is create for a batch: in one transaction, and once per idempotency key. The key is stored when something
// was written. Refused as a whole with INVALID (inputs, idempotencyKey) and IDEMPOTENCY_KEY_REUSED.
func createAll[T any, C comparable](ctx context.Context, s *Service, c creations[T, C]) (*BatchOutcome[T], error) {
	var wrong checker
	checkKey(c.key, &wrong)
	checkInputs(len(c.drafts), &wrong)
	if err := wrong.refusal(); err != nil {
		return nil, err
	}
	content := struct {
		Mode   BatchMode
		Inputs []values
		Faults map[int][]string `json:",omitempty"` // an empty text is different content than none
	}{Mode: c.mode, Faults: map[int][]string{}}
	for i, d := range c.drafts {
		content.Inputs = append(content.Inputs, d.content)
		for _, fault := range d.wrong.found {
			content.Faults[i] = append(content.Faults[i], string(fault.Code)+strings.Join(fault.Field, "."))
		}
	}
	use, err := s.keyUse(c.by, c.table.Noun, c.key, content, "a batch")
	if err != nil {
		return nil, err
	}
	var outcome *BatchOutcome[T]
	err = s.write(ctx, func(ctx context.Context, tx Tx) (raced bool, err error) {
		var earlier string
		err = tx.Together(ctx, func(ctx context.Context) (err error) {
			earlier, err = s.useKey(ctx, tx, use)
			return err
		}, func(ctx context.Context) error {
			if earlier != "" {
				return nil
			}
			return c.look(ctx, tx)
		})
		if err != nil {
			return false, err
		}
		if earlier != "" {
			outcome, err = replay(ctx, tx, &c, earlier)
			return false, err
		}
		var made []*T
		if outcome, made = c.sort(); !outcome.stands(c.mode) {
			outcome.withdraw()
			return false, errUndone
		}
		err = tx.Together(ctx,
			func(ctx context.Context) error { return c.table.Writer(tx).Insert(ctx, made...) },
			func(ctx context.Context) error { return complete(ctx, tx, use, c.table, outcome) })
		if err != nil {
			return KindOf(err) == Refused, err // the next attempt sees what was in the way
		}
		return false, tx.LogChanges(ctx, c.changes(made)...)
	})
	if err != nil {
		return nil, err
	}
	return outcome, nil
}

// sort checks each draft, and returns those to write as made.
func (c *creations[T, C]) sort() (outcome *BatchOutcome[T], made []*T) {
	outcome = &BatchOutcome[T]{Results: make([]BatchResult[T], len(c.drafts))}
	for i, d := range c.drafts {
		check := &checker{found: slices.Clone(d.wrong.found)}
		d.there = nil
		c.check(d, check)
		switch {
		case len(check.found) > 0:
			outcome.refuse(i, check.found)
		case d.there != nil:
			outcome.Results[i].Object = d.there
		default:
			outcome.Results[i].Object = d.made
			outcome.Written++
			made = append(made, d.made)
		}
	}
	return outcome, made
}

func (c *creations[T, C]) changes(made []*T) []*Change {
	fields := map[*T][]string{}
	for _, d := range c.drafts {
		fields[d.made] = d.content.names()
	}
	return Map(made, func(one *T) *Change {
		return changeBy(c.by, c.at, c.action, c.table.Noun, *c.table.ID(one), fields[one]...)
	})
}

// completed is what is stored of a batch with an idempotency key. It has no value of an input.
type completed struct {
	IDs     []string             `json:"ids"` // of the objects, "" for an input that was refused
	Errors  map[int][]*UserError `json:"errors,omitempty"`
	Written int                  `json:"written"`
}

func complete[T any, C comparable](
	ctx context.Context, tx Tx, use *keyUse, table *Table[T, C], o *BatchOutcome[T],
) error {
	if use == nil {
		return nil
	}
	kept := completed{IDs: make([]string, len(o.Results)), Errors: map[int][]*UserError{}, Written: o.Written}
	for i, result := range o.Results {
		if result.Object != nil {
			kept.IDs[i] = *table.ID(result.Object)
		} else {
			kept.Errors[i] = result.UserErrors
		}
	}
	return completeKey(ctx, tx, use, kept)
}

// completeKey stores the outcome of a call with its idempotency key.
func completeKey(ctx context.Context, tx Tx, use *keyUse, outcome any) error {
	text, err := json.Marshal(outcome)
	if err != nil {
		return Fault(err, "encoding the result of a call")
	}
	entry := *use.entry
	entry.ObjectID = string(text)
	return tx.CompleteKey(ctx, &entry)
}

// replay answers a repeated batch with the objects that the first one made, as they are now.
func replay[T any, C comparable](
	ctx context.Context, tx Tx, c *creations[T, C], text string,
) (*BatchOutcome[T], error) {
	var kept completed
	if err := json.Unmarshal([]byte(text), &kept); err != nil {
		return nil, Fault(err, "reading the result of a call")
	}
	found, err := ReadByID(ctx, c.table.Writer(tx), NewIDs(kept.IDs).List(), 0)
	if err != nil {
		return nil, err
	}
	outcome := &BatchOutcome[T]{Results: make([]BatchResult[T], len(kept.IDs)), Written: kept.Written}
	for i, id := range kept.IDs {
		switch object := found[id]; {
		case id == "":
			outcome.Results[i].UserErrors = kept.Errors[i]
		case object == nil:
			outcome.Results[i].UserErrors = []*UserError{goneSince(c.table.Noun)}
		default:
			outcome.Results[i].Object = object
		}
	}
	return outcome, nil
}
