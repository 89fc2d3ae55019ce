package backoffice

import (
	"context"
	"time"
)

// FileRegister is what a store knows of the files beside it: which of them records name, which are being written, and
// which were set aside. All times are of the store's own clock, never of the files store's or of another machine.
type FileRegister interface {
	// Fingerprint names the store: random, made with the first call, and the same in every copy of it.
	Fingerprint(ctx context.Context) (string, error)
	// BeginUpload registers an upload, durably, whose lease runs out unless it is renewed.
	BeginUpload(ctx context.Context, upload string, lease time.Duration) error
	// BeginDocument registers an upload in the same way for the document of a completed transcript, and reads what it
	// is drawn from: nil for what is not there. Of a transcript that is not completed nothing is registered.
	BeginDocument(ctx context.Context, transcriptID, upload string, lease time.Duration) (TranscriptDocument, error)
	// RenewUpload lets a registered upload's lease run anew.
	RenewUpload(ctx context.Context, upload string, lease time.Duration) error
	// EndUpload ends a registration without any record; held is false when it was committed or given up before.
	EndUpload(ctx context.Context, upload string) (held bool, err error)
	// KnownFiles tells which of the storage keys some record refers to.
	KnownFiles(ctx context.Context, keys []string) (map[string]bool, error)
	NamesFiles(ctx context.Context) (bool, error)
	// OrphanFiles returns those of the keys that no record names and no upload under lease may have written, without
	// those that ReleaseFiles keeps from it. It changes nothing.
	OrphanFiles(ctx context.Context, keys []string) ([]string, error)
	// QuarantineFiles finds the orphans among the keys, in a transaction that ends the uploads whose lease has run out,
	// notes them as set aside from now on, and returns them: no record will ever name them.
	QuarantineFiles(ctx context.Context, keys []string) ([]string, error)
	// QuarantinedFiles tells since when each of the keys is set aside; those that are not noted are absent.
	QuarantinedFiles(ctx context.Context, keys []string) (map[string]Instant, error)
	// DueFiles drops the notes of those keys that were set aside for longer than a period, and returns them. What was
	// not noted is noted as of now.
	DueFiles(ctx context.Context, keys []string, period time.Duration) ([]string, error)
	// ReleaseFiles keeps files that were brought back from being orphans for a QuarantinePeriod.
	ReleaseFiles(ctx context.Context, keys []string) error
	// ForgottenFiles returns up to limit storage keys that ForgetFiles noted and that were not removed yet.
	ForgottenFiles(ctx context.Context, limit int) ([]string, error)
	// FilesRemoved drops the notes of keys whose files are gone.
	FilesRemoved(ctx context.Context, keys []string) error
}
