package backoffice

import (
	"context"
	"time"
)

// Trashed is a deletion that can be undone: the deleted record and its cascade, as they were. Only the trash shows
// them. Their identifiers and unique values are free for others.
type Trashed struct {
	ID         string // of the deleted record
	Noun       Noun   // a customer or a relation
	ClientID   string // who deleted it
	At         Instant
	Until      Instant        // by the store's clock, when it is erased for good
	WaitsFor   string         // the customer whose restore brings back this relation; "" for none
	MergedInto string         // the customer that got what this one had, and with whom it is erased; "" for none
	Records    map[Noun][]any // those of customers; what an import keeps is of any noun
}

// In returns the noun's records in an entry of the trash.
func (t *Table[T, C]) In(entry *Trashed) []*T {
	return Map(entry.Records[t.Noun], func(record any) *T { return record.(*T) })
}

// Add adds records of a noun.
func (t *Trashed) Add(noun Noun, records ...any) {
	if t.Records == nil {
		t.Records = map[Noun][]any{}
	}
	t.Records[noun] = append(t.Records[noun], records...)
}

func (t *Trashed) Name() string {
	if customers := CustomerTable.In(t); t.Noun == NounCustomer && len(customers) > 0 {
		return customers[0].DisplayName
	}
	return ""
}

func (t *Trashed) Rows() (n int) {
	for _, records := range t.Records {
		n += len(records)
	}
	return n
}

func (t *Trashed) Files() (files []*File) {
	for _, noun := range Nouns {
		for _, record := range t.Records[noun.Name()] {
			if file := noun.file(record); file != nil {
				files = append(files, file)
			}
		}
	}
	return files
}

func (t *Trashed) FileKeys() []string {
	return Map(t.Files(), func(file *File) string { return file.Key })
}

type Keeping struct {
	At         Instant
	ClientID   string
	Period     time.Duration // more than 0
	MergedInto string        // see Trashed

	// KeepEarlier: an existing entry wins, and what is deleted now is not kept.
	KeepEarlier bool
}

// TrashStore keeps deleted records, apart from the others, while they can be restored.
type TrashStore interface {
	// EachTrashed visits the entries, the latest deletion first.
	EachTrashed(ctx context.Context, visit func(*Trashed) error) error
	// EmptyTrash erases entries for good and returns those that existed. It records their files like ForgetFiles. With
	// a customer who is not there again go its relations in other entries and in what imports keep, and who was merged
	// into it.
	EmptyTrash(ctx context.Context, ids ...string) (erased, fileKeys []string, err error)
	// EmptyDueTrash does so with all entries whose time is over.
	EmptyDueTrash(ctx context.Context) (erased, fileKeys []string, err error)
}

type TrashTx interface {
	// KeepDeleted makes later Deletes of customers and relations in this transaction put them into the trash, with
	// their cascade. Their files stay known files while there. An earlier entry of the same identifier is erased,
	// unless KeepEarlier.
	KeepDeleted(how Keeping)
	// PutTrashed puts an entry into the trash until its Until, as KeepDeleted does.
	PutTrashed(ctx context.Context, trashed *Trashed) error
	// TakeTrashed removes entries from the trash, to be written again; unknown identifiers are ignored.
	TakeTrashed(ctx context.Context, ids ...string) ([]*Trashed, error)
	// TakeWaiting removes the relations from the trash that wait for one of these customers.
	TakeWaiting(ctx context.Context, customerIDs ...string) ([]*Trashed, error)
}
