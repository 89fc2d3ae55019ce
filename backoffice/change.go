package backoffice

import "context"

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

type ChangeAction string

const (
	Created ChangeAction = "created"
	Updated ChangeAction = "updated"
	Deleted ChangeAction = "deleted"
	Reset   ChangeAction = "reset" // in a feed alone: all records of the noun are to be read again

	// Unknown is an entry after which nobody knows what was done: whoever keeps what it has read forgets all of it.
	Unknown ChangeAction = "unknown"
)

// ChangeParent is a record on which another hangs, or hung before a change.
type ChangeParent struct {
	Noun Noun // "" in entries of programs that did not tell
	ID   string
}

// ForgetWhatWasRead has every server forget all that it keeps in memory, before it answers another request: for when
// something else than this program has changed the records, so that no entry tells of it.
func ForgetWhatWasRead(ctx context.Context, store Store, now Instant) error {
	return store.Write(ctx, func(ctx context.Context, tx Tx) error {
		return tx.LogChanges(ctx, &Change{At: now, Action: "cache drop", Done: Unknown})
	})
}

// Change is one entry of the change log: what was done to which object by whom. It never holds a value. What goes or
// changes with another object, as a customer's transcripts do, has entries of its own behind that one's.
type Change struct {
	History  string // of the log, when the entry was read
	Sequence int64  // from 1, without gaps; in the order in which the transactions became visible
	At       Instant
	ClientID string // the pair, or "" for a command of the operator
	// Issuer and Subject are the person whose ClientID it is, "" for a pair. The store sets them, by the session.
	Issuer, Subject string
	Action          string // the mutation or command: createCustomer, import
	Noun            Noun
	ObjectID        string
	Fields          []string // the fields that changed, sorted, in GraphQL's names; nil for a deletion. Of an act, the flags
	Operator        string   // of an act: the user of the operating system and the host

	// Done is what became of the object, and Parents are all on which it hung before or hangs now, by their
	// identifiers, so that the lists are known that changed with it. The store sets both. Done is "" in entries of
	// programs that did not tell.
	Done    ChangeAction
	Parents []ChangeParent

	// VisibleAt is when the transaction became visible, by the store's clock: never before that of a smaller number,
	// and what updatedSince goes by. Zero in entries of stores that did not keep it yet.
	VisibleAt Instant
}

// Same reports whether two readings of one number are of the same entry, and so of the same history of the log: a
// restored backup, or another primary, has others behind the place where it was left.
func (c *Change) Same(other *Change) bool {
	return c.Sequence == other.Sequence && c.At == other.At && c.VisibleAt == other.VisibleAt &&
		c.ClientID == other.ClientID && c.Noun == other.Noun && c.ObjectID == other.ObjectID
}

type ChangeStore interface {
	// Changes returns up to limit entries after a sequence number, in order. An entry that was returned is followed
	// for good by the ones that come after it: no smaller number appears later.
	Changes(ctx context.Context, after int64, limit int) ([]*Change, error)
	// Administration returns up to limit entries of acts (see Act) after a sequence number, in order.
	Administration(ctx context.Context, after int64, limit int) ([]*Change, error)
	// ReadChanges queues the reading of a page of the feed, in one statement that costs the same however long the log
	// is, and of the moment of its batch. A page of a place that has expired holds what there is: see
	// ChangePage.Expired.
	ReadChanges(b *Batch, q ChangeQuery, into *ChangePage) Queued
	// RenewHistory begins another history of the log, unless it has another one than old by now; with old "" at once.
	// All cursors of the one before are expired, and every server forgets what it keeps in memory. The log gets an
	// entry of the act.
	RenewHistory(ctx context.Context, old, act string, now Instant) error
	// RemoveChanges removes entries of the log that became visible before an instant, the oldest first and at most
	// limit of them, and reports whether there may be more. Numbers go on behind those that are gone.
	RemoveChanges(ctx context.Context, before Instant, limit int) (more bool, err error)
}
