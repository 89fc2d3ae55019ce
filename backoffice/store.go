package backoffice

import "context"

// Reader queues reads of one noun; their answers are there when the batch was sent. What is not there is absent, and
// absence is no error.
type Reader[T any, C comparable] interface {
	Sender
	// Find hands over the rows with these identifiers (any number, no one twice), each once, in no order, in one
	// statement.
	Find(b *Batch, ids []string, want Columns, found func(T)) Queued
	// Lists answers one question for each of the parents, in their order, in one statement: into has a page for each,
	// or one when list.Under is Root. BadInput when there is no such list or order.
	Lists(b *Batch, list ListQuery[C], parents []string, want Columns, into []Page[T]) Queued
	// Counts tells how many rows each parent's list has under the criteria, in one statement: into has a count for
	// each, or one when under is Root. The unfiltered root count costs the same however many rows there are.
	Counts(b *Batch, under Parent, criteria C, parents []string, into []int) Queued
	// Groups counts the rows under the criteria by the values of dimensions, in one statement. BadInput for a
	// dimension that the noun does not have.
	Groups(b *Batch, q GroupQuery[C], into *Aggregate) Queued
	// Holders tells, for each of the rows whose unique value (customerCode, a label's name, a relation's triple, a
	// calculation's transcript) another stored row has, the identifier of that one, by the row's own. The rows
	// themselves need not be stored.
	Holders(ctx context.Context, rows []T) (map[string]string, error)
	// Columns tells which columns serve these fields of the GraphQL schema; fields it does not know add nothing.
	Columns(fields []string) Columns
}

// Columns is a set of a noun's columns, as its Reader numbers them. The zero value stands for all. The identifier and
// the value that the asked order goes by are always read. A row read with fewer columns has zero values in the others:
// it is for showing, never for writing back.
type Columns uint64

// With are these columns and others; none stands for all.
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
	// Insert adds rows. Refused with TAKEN when a unique value or an identifier exists, with NOT_FOUND when a row
	// refers to nothing.
	Insert(ctx context.Context, rows ...T) error
	// Update stores all columns of rows that exist. A row whose stored version is not one below the row's own makes it
	// Refused with STALE_VERSION (nouns with versions only); a row that does not exist, with NOT_FOUND.
	Update(ctx context.Context, rows ...T) error
	// Upsert inserts or replaces rows whatever their version, many at a time: the way of import. Of several rows with
	// one identifier the last counts. Refused like Insert, but for identifiers that the noun itself has.
	Upsert(ctx context.Context, rows []T) error
	// Release takes their unique values from rows that are written again by Upsert in the same transaction, so that
	// such values can pass from one to another. Until then the rows are not as they were, nor are they good for
	// reading.
	Release(ctx context.Context, ids []string) error
	// Delete removes rows; unknown identifiers are passed over. It returns the identifiers that were there. With a
	// customer go its relations at either end, transcripts, calculations, documents and minfin documents; with a
	// transcript its calculation; a label leaves the users that have it; customers lose a user who was responsible,
	// which is a change of theirs (Version and UpdatedAt grow). A financial year or checklist that is still referred to
	// is Refused with NOT_ALLOWED.
	Delete(ctx context.Context, ids ...string) ([]string, error)
}

type TranscriptReader interface {
	Reader[*Transcript, TranscriptCriteria]
	// StatusCounts counts each parent's list by status, in one statement: only statuses that occur, in the order of
	// TranscriptStatuses. into has a place for each parent, or one when under is Root.
	StatusCounts(
		b *Batch, under Parent, criteria TranscriptCriteria, parents []string, into [][]TranscriptStatusCount,
	) Queued
}

// Tx is a transaction: its reads see its writes, and nobody else does before Write returns. After a failure or a
// refusal it is good for nothing: what is asked next fails in the same way, and Write returns that failure.
type Tx interface {
	Writers
	IdempotencyStore
	TrashTx
	// Together runs functions that need nothing of each other, so that an engine which is far away is asked by all of
	// them in one trip. They run by turns, never at once, and what they ask first is run in their order. Of several
	// that fail the first one's error is returned; then the transaction is good for nothing.
	Together(ctx context.Context, do ...func(ctx context.Context) error) error
	// VersionsFrom is the least version that a change gives: see NextVersion. Changes that a restore or a failover has
	// lost may have given the next ones already, and who holds one of those must not overwrite what it never saw.
	VersionsFrom(ctx context.Context) (int, error)
	// HoldYearOf reads the financial year of a checklist, nil for an unknown checklist, and locks the year until the
	// transaction ends. It is for writes that only the current year takes.
	HoldYearOf(ctx context.Context, checklistID string) (*FinancialYear, error)
	// HoldToAssign is HoldYearOf for who assigns a checklist to many customers: others who do that wait, so that what
	// is read after it of who has the checklist stays so as far as they go.
	HoldToAssign(ctx context.Context, checklistID string) (*FinancialYear, error)
	// FileKeysOf returns the storage keys of everything that is stored for a customer: of its transcripts,
	// calculations, documents and minfin documents.
	FileKeysOf(ctx context.Context, customerIDs ...string) ([]string, error)
	// ForgetFiles notes storage keys whose files are to be removed once the transaction is durable.
	ForgetFiles(ctx context.Context, keys []string) error
	ForgetFilesOf(ctx context.Context, customerIDs ...string) ([]string, error)
	// StaysInView refuses, with NOT_ALLOWED, what was written so far when any of it is not in view of a restricted
	// context. Write does so when it ends; it is for those who undo what they have written.
	StaysInView(ctx context.Context) error
	// DryRun is for those too: from now on Delete reports what would go, and what goes with it, and leaves all of it,
	// unless the context is restricted.
	DryRun()
	// DeletedRows counts what was deleted since the changes were logged last, and what went with it, by noun.
	DeletedRows() map[Noun]int
	// SetDocument stores the document of a completed transcript, with what it says of that and OwnUpdatedAt should it
	// be later, and nothing else. It returns the transcript as it is then, nil when there is none, and notes the key
	// of the document before to be forgotten. One that is not completed is returned as it was.
	SetDocument(ctx context.Context, t *Transcript) (changed *Transcript, replaced []string, err error)
	// CommitUpload ends an upload's registration together with the transaction, whose records name its files.
	// Unavailable when the registration has ended before.
	CommitUpload(ctx context.Context, upload string) error
	// LogChanges appends to the change log, in order; the store sets the sequence numbers, what was done, and
	// VisibleAt by the time Write returns. Of objects that were written and that nobody logs the store makes the
	// entries itself. Rows that were written get the same instant for UpdatedSince, and what they show as the moment
	// of their latest change is brought down to it should it be later, in the records of the caller, too.
	LogChanges(ctx context.Context, changes ...*Change) error
}

// Store keeps everything. It may be used by any number of callers at once.
type Store interface {
	Readers
	ChangeStore
	CredentialStore
	WebhookStore
	TrustedDocumentStore
	ConsultationStore
	FileRegister
	LeaseStore
	MirrorStore
	TrashStore
	KeyStore
	// BeginSnapshot makes all that is read in a context with this snapshot be of one moment, that of the first read:
	// rows, lists and totals agree, whoever writes meanwhile. A Write in that context begins another moment, of which
	// it is a part. A snapshot holds a connection from its first read until its last batch was sent or it is closed,
	// so that has to be done, and before waiting for a client.
	BeginSnapshot(ctx context.Context) Snapshot
	// Write runs do in a transaction that is durable when Write returns nil; when do fails nothing was written. It may
	// run do again when the engine asks for it (a serialization failure), so do must have no effect but through tx.
	Write(ctx context.Context, do func(ctx context.Context, tx Tx) error) error
	// SealIdempotencyKeys replaces the idempotency keys that are kept as they were sent by what seal makes of them.
	SealIdempotencyKeys(ctx context.Context, seal func(clientID string, noun Noun, key string) (string, error)) error
	// ClaimKeyset notes, the first time, by which keyset the store's registration numbers are sealed. BadInput, with a
	// sentence for the operator, when it is another one than then.
	ClaimKeyset(ctx context.Context, fingerprint string) error
	// Rows are how many records of each noun there are, by counters.
	Rows(ctx context.Context) (map[Noun]int, error)
	// Ping fails with Unavailable when the store cannot answer now.
	Ping(ctx context.Context) error
	// Clock is what the store's clock says, by which it tells when changes became visible and leases end.
	Clock(ctx context.Context) (Instant, error)
	Close() error
}
