package backoffice

import (
	"context"
	"time"
)

// Trashed is a deletion that can be undone: the record that was deleted, and all that went with it, as it was. It is no
// record: nobody reads it but who looks into the trash, and nothing that it had is taken any more.
type Trashed struct {
	ID              string // of the record that was deleted
	Noun            Noun   // a customer or a relation
	ClientID        string // who deleted it
	At              Instant
	Until           Instant // by the store's clock, when it is erased for good
	WaitsFor        string  // the customer that a relation comes back with; "" for one deleted by itself
	Customers       []*Customer
	Relations       []*CustomerRelation
	Transcripts     []*Transcript
	Calculations    []*Calculation
	Documents       []*CustomerDocument
	MinfinDocuments []*MinfinDocument
}

func (t *Trashed) Name() string {
	if t.Noun == NounCustomer && len(t.Customers) > 0 {
		return t.Customers[0].DisplayName
	}
	return ""
}

func (t *Trashed) Rows() int {
	return len(t.Customers) + len(t.Relations) + len(t.Transcripts) +
		len(t.Calculations) + len(t.Documents) + len(t.MinfinDocuments)
}

func (t *Trashed) Files() (files []*File) {
	add := func(file *File) {
		if file != nil {
			files = append(files, file)
		}
	}
	for _, r := range t.Transcripts {
		add(r.Document)
	}
	for _, n := range t.Calculations {
		add(n.Proposal)
	}
	for _, d := range t.Documents {
		add(d.File)
	}
	for _, d := range t.MinfinDocuments {
		add(d.File)
	}
	return files
}

func (t *Trashed) FileKeys() (keys []string) {
	for _, file := range t.Files() {
		keys = append(keys, file.Key)
	}
	return keys
}

type Keeping struct {
	At       Instant
	ClientID string
	Period   time.Duration // more than 0
}

// TrashStore keeps what was deleted for as long as it can be brought back, apart from the records.
type TrashStore interface {
	// EachTrashed visits what is in the trash, what was deleted last first.
	EachTrashed(ctx context.Context, visit func(*Trashed) error) error
	// EmptyTrash erases for good what is in the trash under these identifiers, and tells which were there. Their files
	// are noted as those of ForgetFiles.
	EmptyTrash(ctx context.Context, ids ...string) (erased, fileKeys []string, err error)
	// EmptyDueTrash does so with all whose time is over.
	EmptyDueTrash(ctx context.Context) (erased, fileKeys []string, err error)
}

type TrashTx interface {
	// KeepDeleted has Delete of customers and relations put what it takes, and what goes with that, into the trash:
	// from now on, in this transaction. Their files are known files as long as they are there. What was there of the
	// same identifier is erased for good.
	KeepDeleted(how Keeping)
	// PutTrashed puts something into the trash, for the time that is left of its Until, as KeepDeleted says.
	PutTrashed(ctx context.Context, trashed *Trashed) error
	// TakeTrashed takes things out of the trash, to be written again; unknown identifiers are passed over.
	TakeTrashed(ctx context.Context, ids ...string) ([]*Trashed, error)
	// TakeWaiting takes the relations out of the trash that wait for one of these customers.
	TakeWaiting(ctx context.Context, customerIDs ...string) ([]*Trashed, error)
}
