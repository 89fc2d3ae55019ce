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
	NounDiscrepancy   Noun = "discrepancy"
	NounUser          Noun = "user"
	NounLabel         Noun = "label"
	NounConsultation  Noun = "consultation"
)

type ChangeAction string

const (
	Created ChangeAction = "created"
	Updated ChangeAction = "updated"
	Deleted ChangeAction = "deleted"
	Reset   ChangeAction = "reset"   // only in a feed: read all records of the noun again
	Unknown ChangeAction = "unknown" // the change is not known: caches drop everything
)

// ChangeParent is a record that another belongs to, or belonged to before a change.
type ChangeParent struct {
	Noun Noun // "" in entries of older programs
	ID   string
}

// ForgetWhatWasRead has every server drop its memory before it answers another request. It is for changes of records
// that another program made, which have no entries.
func ForgetWhatWasRead(ctx context.Context, store Store, now Instant) error {
	return store.Write(ctx, func(ctx context.Context, tx Tx) error {
		return tx.LogChanges(ctx, &Change{At: now, Action: "cache drop", Done: Unknown})
	})
}

// Change is one entry of the change log: what was done to which object by whom. It never has a value. Objects that are
// deleted or changed with another, such as a customer's transcripts, have entries of their own after that one's.
type Change struct {
	History  string // of the log, when the entry was read
	Sequence int64  // from 1, without gaps; in the order in which the transactions became visible
	At       Instant
	ClientID string // the credential, or "" for a command of the operator
	// Issuer and Subject are the person whose ClientID it is, "" for a credential. The store sets them, by the session.
	Issuer, Subject string
	Action          string // the mutation or command: createCustomer, import
	Noun            Noun
	ObjectID        string
	Fields          []string // changed fields, sorted, in GraphQL's names; nil for a deletion; the flags of an act
	Operator        string   // of an act: the user of the operating system and the host
	// Done is what happened to the object. Parents are all that it belonged to before or belongs to now: their lists
	// changed with it. The store sets both. Done is "" in entries of older programs.
	Done    ChangeAction
	Parents []ChangeParent
	// VisibleAt is when the transaction became visible, by the store's clock: never before that of a smaller number.
	// updatedSince compares with it. Zero in entries of older stores.
	VisibleAt Instant
}

// changeBy makes an entry of a caller's write.
func changeBy(by *Principal, at Instant, action string, noun Noun, id string, fields ...string) *Change {
	return &Change{At: at, ClientID: by.ClientID, Action: action, Noun: noun, ObjectID: id, Fields: fields}
}

// Same reports whether two readings of one number are of the same entry, and so of the same history of the log: a
// restored backup, or another primary, has other entries after the position where it was left.
func (c *Change) Same(other *Change) bool {
	return c.Sequence == other.Sequence && c.At == other.At && c.VisibleAt == other.VisibleAt &&
		c.ClientID == other.ClientID && c.Noun == other.Noun && c.ObjectID == other.ObjectID
}

type ChangeStore interface {
	// Changes returns up to limit entries after a sequence number, in order. No smaller number than one that was
	// returned appears later.
	Changes(ctx context.Context, after int64, limit int) ([]*Change, error)
	// Administration returns up to limit entries of acts (see Act) after a sequence number, in order.
	Administration(ctx context.Context, after int64, limit int) ([]*Change, error)
	// ReadChanges queues the reading of a page of the feed in the snapshot of its batch: one statement that costs the
	// same however long the log is. The page of an expired cursor has the entries that are left: see
	// ChangePage.Expired.
	ReadChanges(b *Batch, q ChangeQuery, into *ChangePage) Queued
	// ChangesBefore returns the number of the last entry that became visible before an instant; of an instant before
	// the retained ones, a number whose page is expired.
	ChangesBefore(ctx context.Context, at Instant) (int64, error)
	// RenewHistory begins a new history of the log, unless its history is no longer old; with old "" always. All
	// cursors of the previous history expire, and every server drops its memory. The log gets an entry of the act.
	RenewHistory(ctx context.Context, old, act string, now Instant) error
	// RemoveChanges removes up to limit entries that became visible before an instant, the oldest first, and reports
	// whether more may be left. Their numbers are not used again.
	RemoveChanges(ctx context.Context, before Instant, limit int) (more bool, err error)
}
