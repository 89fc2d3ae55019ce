package backoffice

import (
	"context"
	"errors"
	"fmt"
)

// PrivacyOperation is how registration numbers were consulted.
type PrivacyOperation string

const (
	ConsultedByRead   PrivacyOperation = "READ"
	ConsultedBySearch PrivacyOperation = "SEARCH"
	ConsultedByExport PrivacyOperation = "EXPORT"
	// RegisterRestored is not a consultation: the store was restored, and Lost returns what is missing since.
	RegisterRestored PrivacyOperation = "RESTORE"
)

var AllPrivacyOperations = []PrivacyOperation{ConsultedByRead, ConsultedBySearch, ConsultedByExport, RegisterRestored}

// Consultation is one entry of the register of consultations: who read, searched by or exported registration numbers.
// It never has a number. Entries are only ever added; they outlive the customer they name.
type Consultation struct {
	ID         string
	At         Instant
	ClientID   string
	ClientName string  // the credential's, or the person's, name at that moment
	Issuer     *string // of the person; nil for a credential
	Subject    *string // the issuer's identifier of them
	Purpose    *string // from x-access-purpose; nil for none
	Operation  PrivacyOperation
	CustomerID *string // nil for a search that found nobody; the export of a folder once had one entry for all
	Fields     []PrivacyField
	// The position in the register: Number counts from 1 within Chain. MAC is keyed and covers all of the above, both
	// numbers and the MAC of the previous entry.
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

// Lost returns the two instants between which a restore lost entries.
func (a *Consultation) Lost() (from, to Instant) {
	var texts [2]string
	_, _ = fmt.Sscanf(*a.Purpose, lostEntries, &texts[0], &texts[1])
	from, _ = ParseInstant(texts[0])
	to, _ = ParseInstant(texts[1])
	return from, to
}

// ConsultationHead has the length of a chain of the register, so that a missing tail is noticed. Each chain has one.
// Chain 0 is the register itself: it has no entries, and the Count of its head is the number of chains.
type ConsultationHead struct {
	Chain int64
	Count int64
	Last  []byte // the MAC of the last entry; nil while Count is 0 and for chain 0
	MAC   []byte // keyed, over the three above
}

// ConsultationPosition is a position in the register, ordered by Chain and then Number. The zero value is the start.
type ConsultationPosition struct{ Chain, Number int64 }

// ErrRegisterChanged is the cause of a failure when another program has written to a server's part of the register: the
// head is not as the server left it, or the entry's number is taken.
var ErrRegisterChanged = errors.New("the register of consultations was tampered with")

// ConsultationStore keeps the register of consultations. It never changes or removes an entry. It reads from and writes
// to the primary, never a replica. Every failure is an *Error of kind Unavailable, Timeout or Internal, with the cause
// ErrRegisterChanged when the register is not as its writer left it.
type ConsultationStore interface {
	// OpenConsultationChain adds an empty chain, in one transaction that no other opening overlaps: its number is
	// one above the Count of chain 0's head (1 without a head). It calls seal once per attempt with that number,
	// inserts the head that seal returns for the chain, and inserts or replaces the head of chain 0 by the other one.
	// Durable on return. A chain number that is stored already is an error: the register was tampered with.
	OpenConsultationChain(ctx context.Context, seal func(chain int64) (chainHead, registerHead ConsultationHead)) error
	// AppendConsultations inserts the entries (at least one, consecutive numbers of one chain) and replaces the
	// chain's head from by to, in one transaction, durable on return. Errors when the stored head's Count and MAC are
	// not those of from; nothing is written then.
	AppendConsultations(ctx context.Context, from, to ConsultationHead, entries []*Consultation) error
	// ListConsultations returns up to limit whole entries after a position, ordered by chain and number, and none at
	// the end. It sees every entry that was durable when it was called.
	ListConsultations(ctx context.Context, after ConsultationPosition, limit int) ([]*Consultation, error)
	// ConsultationHeads returns up to limit heads from a chain onwards, ordered by chain, and none at the end.
	ConsultationHeads(ctx context.Context, from int64, limit int) ([]ConsultationHead, error)
}

// ReceiptStore keeps the receipts of the register of consultations outside the database: small files by name, written
// once and never changed. Names have a folder and a last part.
type ReceiptStore interface {
	// Write adds a file, durable on return; it fails when the name is taken.
	Write(ctx context.Context, name string, content []byte) error
	// Names returns all names, sorted.
	Names(ctx context.Context) ([]string, error)
	Read(ctx context.Context, name string) ([]byte, error)
}
