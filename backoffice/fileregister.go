package backoffice

import (
	"context"
	"time"
)

// FileRegister is what a store knows of the stored files: which of them records name, which are being written, and
// which are in quarantine. All times are of the store's own clock, never of the file store's or of another machine.
type FileRegister interface {
	// Fingerprint identifies the store: random, made at the first call, and the same in every copy of the store.
	Fingerprint(ctx context.Context) (string, error)
	// BeginUpload registers an upload, durably. Its lease runs out unless it is renewed.
	BeginUpload(ctx context.Context, upload string, lease time.Duration) error
	// BeginDocument is BeginUpload for the document of a completed transcript, and reads what it is drawn from: nil for
	// missing records. It registers nothing for a transcript that is not completed.
	BeginDocument(ctx context.Context, transcriptID, upload string, lease time.Duration) (TranscriptDocument, error)
	// RenewUpload restarts a registered upload's lease.
	RenewUpload(ctx context.Context, upload string, lease time.Duration) error
	// EndUpload ends a registration without records, also after ctx has ended, unless the store is busy for seconds;
	// held is false when it was committed or had ended before.
	EndUpload(ctx context.Context, upload string) (held bool, err error)
	// KnownFiles reports which of the storage keys a record refers to.
	KnownFiles(ctx context.Context, keys []string) (map[string]bool, error)
	NamesFiles(ctx context.Context) (bool, error)
	// OrphanFiles returns the keys that no record names and no upload under lease may have written, without those that
	// ReleaseFiles protects. It changes nothing.
	OrphanFiles(ctx context.Context, keys []string) ([]string, error)
	// QuarantineFiles puts the orphans among the keys into quarantine and returns them, in a transaction that ends the
	// uploads whose lease has run out: no record will ever name them.
	QuarantineFiles(ctx context.Context, keys []string) ([]string, error)
	// QuarantinedFiles returns since when each of the keys is in quarantine; others are absent.
	QuarantinedFiles(ctx context.Context, keys []string) (map[string]Instant, error)
	// DueFiles returns the keys that were in quarantine for longer than a period, and drops them from it. The other
	// keys that are not in quarantine enter it now.
	DueFiles(ctx context.Context, keys []string, period time.Duration) ([]string, error)
	// ReleaseFiles protects files that were brought back from being orphans again, for a QuarantinePeriod.
	ReleaseFiles(ctx context.Context, keys []string) error
	// ForgottenFiles returns up to limit storage keys of ForgetFiles whose files were not removed yet.
	ForgottenFiles(ctx context.Context, limit int) ([]string, error)
	// FilesRemoved drops keys of ForgetFiles whose files were removed.
	FilesRemoved(ctx context.Context, keys []string) error
}
