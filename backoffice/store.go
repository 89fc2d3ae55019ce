package backoffice

import "context"

// Reader queues reads of one noun. Their results are there once the batch was sent. A missing row is no error.
type Reader[T any, C comparable] interface {
	Sender
	// Find passes each row with one of these identifiers (any number, all different) to found, in one statement.
	Find(b *Batch, ids []string, want Columns, found func(T)) Queued
	// Lists reads a page for each of the parents in one statement; into has one page when list.Parent is Root. BadInput
	// for an unknown list or order.
	Lists(b *Batch, list ListQuery[C], parents []string, want Columns, into []Page[T]) Queued
	// Counts counts each parent's rows under the criteria in one statement; into has one count when under is Root. The
	// unfiltered root count costs the same however many rows there are.
	Counts(b *Batch, under Parent, criteria C, parents []string, into []int) Queued
	// Groups counts rows under the criteria by the values of dimensions, in one statement. BadInput for unknown ones.
	Groups(b *Batch, q GroupQuery[C], into *Aggregate) Queued
	// Holders returns, by a row's identifier, the identifiers of other stored rows with its unique value (customerCode,
	// a label's name, a relation's triple on the same days, a calculation's transcript). The rows need not be stored.
	Holders(ctx context.Context, rows []T) (map[string][]string, error)
	// Columns returns the columns for fields of the GraphQL schema; unknown fields add none.
	Columns(fields []string) Columns
}

// Columns is a set of a noun's columns, as its Reader numbers them. Zero is all. The identifier and the sort key are
// always read. Never write back a row that was read with fewer columns: the others are zero.
type Columns uint64

// With returns both sets together. Zero, which is all, stays all.
func (c Columns) With(others Columns) Columns {
	if c == 0 || others == 0 {
		return 0
	}
	return c | others
}

func (c Columns) Cover(want Columns) bool { return c == 0 || want != 0 && want&^c == 0 }

// Writer changes rows of one noun, inside a transaction.
type Writer[T any, C comparable] interface {
	Reader[T, C]
	// Insert adds rows. Refused with TAKEN for an existing unique value or identifier, NOT_FOUND for a bad reference.
	Insert(ctx context.Context, rows ...T) error
	// Update stores all columns of rows. Refused with STALE_VERSION unless a row's version is the NextVersion of the
	// stored one (nouns with versions only), with NOT_FOUND for a missing row.
	Update(ctx context.Context, rows ...T) error
	// Upsert inserts or replaces rows in bulk, whatever their version: for import. Of rows with the same identifier the
	// last counts. Refused like Insert, except for existing identifiers of the noun itself.
	Upsert(ctx context.Context, rows []T) error
	// Lock locks rows until the transaction ends, for Upsert to write what is read of them next.
	Lock(ctx context.Context, ids ...string) error
	// LockToDelete is Lock for Delete, so that nothing new refers to the rows either.
	LockToDelete(ctx context.Context, ids ...string) error
	// Release frees the unique values of rows that Upsert writes later in the same transaction, so that rows can swap
	// them. Do not read these rows until then.
	Release(ctx context.Context, ids []string) error
	// Delete removes rows and returns the identifiers that existed; unknown ones are ignored. A customer is deleted
	// with its relations at either end, transcripts, calculations, documents and minfin documents; a transcript with
	// its calculation. Users lose a deleted label. Customers lose a deleted responsible user, as a change (Version and
	// UpdatedAt grow). Refused with NOT_ALLOWED for a financial year or checklist that is still referenced.
	Delete(ctx context.Context, ids ...string) ([]string, error)
}

type TranscriptReader interface {
	Reader[*Transcript, TranscriptCriteria]
	// StatusCounts counts each parent's rows by status in one statement; into has one element when under is Root. The
	// order is that of TranscriptStatuses, without zeros.
	StatusCounts(
		b *Batch, under Parent, criteria TranscriptCriteria, parents []string, into [][]TranscriptStatusCount,
	) Queued
}

// Tx is a transaction. Only it sees its writes before Write returns. After any error, also Refused, each further call
// returns that error, and so does Write.
type Tx interface {
	Writers
	IdempotencyStore
	TrashTx
	ImportTx
	// Together runs independent functions and sends what they ask to a remote engine in one round trip. They take
	// turns, never run at the same time, and their first statements run in order. Of several errors it returns that of
	// the first function. The transaction cannot be used after one.
	Together(ctx context.Context, do ...func(ctx context.Context) error) error
	// VersionsFrom is the lowest version for a change: see NextVersion. Changes that a restore or failover lost may
	// have used the next ones, and clients that have those must not overwrite what they never saw.
	VersionsFrom(ctx context.Context) (int, error)
	// LockYearOf reads the financial year of a checklist and locks it until the transaction ends; nil for an unknown
	// checklist. It is for writes that need the current year.
	LockYearOf(ctx context.Context, checklistID string) (*FinancialYear, error)
	// LockToAssign is LockYearOf to assign a checklist to many customers. Such transactions wait for each other, so
	// that none changes which customers have the checklist after another has read it.
	LockToAssign(ctx context.Context, checklistID string) (*FinancialYear, error)
	// LockRecordsOf locks a customer, its transcripts, documents and minfin documents, and another customer, until the
	// transaction ends. Nothing new refers to the customers until then, and transactions of LockToAssign wait.
	LockRecordsOf(ctx context.Context, customerID, besides string) error
	// LockDiscrepancies makes a transaction that records discrepancies wait for the others that do.
	LockDiscrepancies(ctx context.Context) error
	// FileKeysOf returns the keys of the files of customers' transcripts, calculations, documents and minfin documents.
	FileKeysOf(ctx context.Context, customerIDs ...string) ([]string, error)
	// ForgetFiles records storage keys of files to remove once the transaction is durable.
	ForgetFiles(ctx context.Context, keys []string) error
	// ForgottenWith are the keys that deletions of customers for good have recorded so.
	ForgottenWith() []string
	// StaysInView is Refused with NOT_ALLOWED when a record written so far is not visible in a restricted context.
	// Write checks the same at its end: this is for writes that are rolled back.
	StaysInView(ctx context.Context) error
	// DryRun makes Delete report rows and their cascade without deleting any, unless the context is restricted.
	DryRun()
	// DeletedRows counts the deleted rows with their cascade, by noun. Call it before LogChanges, which may reset it.
	DeletedRows() map[Noun]int
	// SetDocument stores Document, DocumentGenerated and DocumentGeneratedAt of a completed transcript, and
	// OwnUpdatedAt if it is later. It returns the stored transcript, nil for none, and the key of the replaced file,
	// which it notes like ForgetFiles. A transcript that is not completed stays as it was.
	SetDocument(ctx context.Context, t *Transcript) (changed *Transcript, replaced []string, err error)
	// CommitUpload ends an upload's registration with the transaction that names its files. Unavailable if it has
	// ended.
	CommitUpload(ctx context.Context, upload string) error
	// LogChanges appends to the change log, in order. The store sets Sequence, Done, Parents and VisibleAt by the time
	// Write returns, and adds entries for written objects without one. Written rows get the same instant for
	// UpdatedSince. A later time of change that they show becomes that instant, in the caller's records too.
	LogChanges(ctx context.Context, changes ...*Change) error
}

// Store keeps everything. It is safe for concurrent use.
type Store interface {
	Readers
	ChangeStore
	CredentialStore
	WebhookStore
	TrustedDocumentStore
	ToolCallStore
	ConsultationStore
	FileRegister
	LeaseStore
	MirrorStore
	TrashStore
	ImportStore
	KeyStore
	// BeginSnapshot makes all reads in a context with this snapshot see the state at the first one: rows, lists and
	// totals agree despite concurrent writes. A Write in that context begins a new state, with its changes. A snapshot
	// has a connection from its first read until its last batch or Close: end it before you wait for a client.
	BeginSnapshot(ctx context.Context) Snapshot
	// Write runs do in a transaction that is durable when Write returns nil; nothing is written when do fails. It may
	// run do again after a serialization failure, so do must have no effect except through tx.
	Write(ctx context.Context, do func(ctx context.Context, tx Tx) error) error
	// SealIdempotencyKeys replaces the idempotency keys that are stored as they were sent by the results of seal.
	SealIdempotencyKeys(ctx context.Context, seal func(clientID string, noun Noun, key string) (string, error)) error
	// ClaimKeyset records, the first time, which keyset seals the store's registration numbers. BadInput, with a
	// sentence for the operator, for another one later.
	ClaimKeyset(ctx context.Context, fingerprint string) error
	// Rows returns the number of records of each noun, from counters.
	Rows(ctx context.Context) (map[Noun]int, error)
	// Ping fails with Unavailable when the store cannot answer.
	Ping(ctx context.Context) error
	// Clock is the store's clock, which decides when changes became visible and when leases end.
	Clock(ctx context.Context) (Instant, error)
	Close() error
}
