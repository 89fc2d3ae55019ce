package backoffice

import "context"

// Noun names a kind of record.
type Noun string

const (
	NounFinancialYear Noun = "financial year"
	NounChecklist     Noun = "checklist"
	NounTranscript    Noun = "transcript"
	NounCalculation   Noun = "calculation"
	NounCustomer      Noun = "customer"
	NounRelation      Noun = "relation"
	NounDocument      Noun = "document"
	NounMinfin        Noun = "minfin document"
	NounUser          Noun = "user"
	NounLabel         Noun = "label"
	NounConsultation  Noun = "consultation"
)

// Done is what became of an object.
type Done string

const (
	Created Done = "created"
	Updated Done = "updated"
	Deleted Done = "deleted"

	// Unknown is an entry after which nobody knows what was done: whoever keeps what it has read forgets all of it.
	Unknown Done = "unknown"
)

// ForgetWhatWasRead has every server forget all that it keeps in memory, before it answers another request: for when
// something else than this program has changed the records, so that no entry tells of it.
func ForgetWhatWasRead(ctx context.Context, store Store, now Instant) error {
	return store.Write(ctx, func(ctx context.Context, tx Tx) error {
		return tx.LogChanges(ctx, &Change{At: now, Action: "cache drop", Done: Unknown})
	})
}

// Change is one entry of the change log: what was done to which object by whom. It never holds a value. What goes or changes
// with another object, as a customer's transcripts do, has entries of its own behind that one's.
type Change struct {
	Sequence int64 // from 1, without gaps; in the order in which the transactions became visible
	At       Instant
	ClientID string // the pair, or "" for a command of the operator
	Action   string // the mutation or command: createCustomer, import
	Noun     Noun
	ObjectID string
	Fields   []string // the fields that changed, sorted, in GraphQL's names; nil for a deletion

	// Done is what became of the object, and Parents are the identifiers of all on which it hung before or hangs now, so that
	// the lists are known that changed with it. The store sets both. Done is "" in entries of programs that did not tell.
	Done    Done
	Parents []string

	// VisibleAt is when the transaction became visible, by the store's clock: never before that of a smaller number, and what
	// updatedSince goes by. Zero in entries of stores that did not keep it yet.
	VisibleAt Instant
}

// ChangeStore reads the change log.
type ChangeStore interface {
	// Changes returns up to limit entries after a sequence number, in order. An entry that was returned is followed
	// for good by the ones that come after it: no smaller number appears later.
	Changes(ctx context.Context, after int64, limit int) ([]*Change, error)
}
