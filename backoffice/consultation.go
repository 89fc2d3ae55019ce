package backoffice

import (
	"context"
	"errors"
	"fmt"
)

// PrivacyOperation says in what way registration numbers were consulted.
type PrivacyOperation string

const (
	ConsultedByRead   PrivacyOperation = "READ"
	ConsultedBySearch PrivacyOperation = "SEARCH"
	ConsultedByExport PrivacyOperation = "EXPORT"
	// RegisterRestored is no consultation: the store was restored, and Lost says what is missing since.
	RegisterRestored PrivacyOperation = "RESTORE"
)

var AllPrivacyOperations = []PrivacyOperation{ConsultedByRead, ConsultedBySearch, ConsultedByExport, RegisterRestored}

// Consultation is one entry of the register of consultations: who looked at, searched by or exported registration
// numbers, and never a number. Entries are only ever added; they outlive the customer they name.
type Consultation struct {
	ID         string
	At         Instant
	ClientID   string
	ClientName string  // the pair's, or the person's, name at that moment
	Issuer     *string // of the person; nil for a pair
	Subject    *string // as whom the issuer knows them
	Purpose    *string // as stated in x-access-purpose; nil when none was
	Operation  PrivacyOperation
	CustomerID *string // nil for a search that found nobody; the export of a folder once had one entry for all
	Fields     []PrivacyField

	// Where the entry stands in the register: Number counts from 1 within Chain; MAC is keyed and covers all of the
	// above, both numbers and the MAC of the entry before.
	Chain  int64
	Number int64
	MAC    []byte
}

const lostEntries = "entries from %s to %s are lost"

// NewRegisterRestored is the entry of a restore that lost those between two instants.
func NewRegisterRestored(from, to Instant) *Consultation {
	lost := fmt.Sprintf(lostEntries, from, to)
	return &Consultation{ClientID: "restore", ClientName: "restore", Operation: RegisterRestored, Purpose: &lost}
}

// Lost returns between which instants a restore lost entries.
func (a *Consultation) Lost() (from, to Instant) {
	var texts [2]string
	_, _ = fmt.Sscanf(*a.Purpose, lostEntries, &texts[0], &texts[1])
	from, _ = ParseInstant(texts[0])
	to, _ = ParseInstant(texts[1])
	return from, to
}

// ConsultationHead says how long a chain of the register is, so that a missing tail is noticed. Each chain has one.
// The head of chain 0 stands for the register itself: it has no entries, and its Count is the number of chains.
type ConsultationHead struct {
	Chain int64
	Count int64
	Last  []byte // the MAC of the last entry; nil while Count is 0 and for chain 0
	MAC   []byte // keyed, over the three above
}

// ConsultationPosition is a place in the register, ordered by Chain and then Number. The zero value is the start.
type ConsultationPosition struct{ Chain, Number int64 }

// ErrRegisterChanged is the cause of a failure which shows that somebody else has written to a server's part of the
// register: its head is not as the server left it, or its place is taken.
var ErrRegisterChanged = errors.New("the register of consultations was changed by another hand")

// ConsultationStore keeps the register of consultations. Nothing in it changes or removes an entry. It reads from and
// writes to the primary, never a replica. Every failure is an *Error of kind Unavailable, Timeout or Internal; where
// the register is not as its writer left it, with the cause ErrRegisterChanged.
type ConsultationStore interface {
	// OpenConsultationChain adds an empty chain, in one transaction that no other opening overlaps: its number is
	// one above the Count of chain 0's head (1 when there is none yet). It calls seal once per attempt with that
	// number, inserts the head that seal returns for the chain, and inserts or replaces the head of chain 0 by the
	// other one. Durable on return. A chain number that is stored already is an error: the register was tampered
	// with.
	OpenConsultationChain(ctx context.Context, seal func(chain int64) (chainHead, registerHead ConsultationHead)) error
	// AppendConsultations inserts the entries (at least one, consecutive numbers of one chain) and replaces the
	// chain's head from by to, in one transaction: all or nothing, durable on return. When the stored head's
	// Count and MAC are not those of from, nothing is written and the error says so.
	AppendConsultations(ctx context.Context, from, to ConsultationHead, entries []*Consultation) error
	// ListConsultations returns up to limit entries that stand after a position, ordered by chain and number, whole,
	// and none at the end. It sees every entry that was durable when it was called.
	ListConsultations(ctx context.Context, after ConsultationPosition, limit int) ([]*Consultation, error)
	// ConsultationHeads returns up to limit heads from a chain onwards, ordered by chain, and none at the end.
	ConsultationHeads(ctx context.Context, from int64, limit int) ([]ConsultationHead, error)
}

// ReceiptStore keeps small files by name apart from the database, which are written once and never changed: the
// receipts of the register of consultations. Names have a folder and a last part.
type ReceiptStore interface {
	// Write adds a file, durable on return; it fails when there is one of that name.
	Write(ctx context.Context, name string, content []byte) error
	// Names lists all names, in their order.
	Names(ctx context.Context) ([]string, error)
	Read(ctx context.Context, name string) ([]byte, error)
}
