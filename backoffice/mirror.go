package backoffice

import (
	"context"
	"slices"
	"time"
)

// Mirror lists the nouns whose records are copies of another office's, the origin. The origin owns and writes them.
type Mirror struct {
	Origin   string // its address
	ClientID string // of the credential that reads it
	Since    Instant
	Stored   bool           // it was read from the store
	Nouns    []MirroredNoun // sorted by name
}

// MirroredNoun is how complete the copies of one noun are.
type MirroredNoun struct {
	Noun       Noun
	At         Instant // they are complete as of this time; zero: never yet
	Incomplete int64   // walks that missed something, since the store became a mirror
}

// Of returns how a noun is mirrored, nil if it is not.
func (m *Mirror) Of(noun Noun) *MirroredNoun {
	if m == nil {
		return nil
	}
	at := slices.IndexFunc(m.Nouns, func(n MirroredNoun) bool { return n.Noun == noun })
	if at < 0 {
		return nil
	}
	return &m.Nouns[at]
}

// At is the time as of which the copies of all nouns are complete; zero if those of one never were.
func (m *Mirror) At() (at Instant) {
	for i := range m.Nouns {
		if i == 0 || m.Nouns[i].At < at {
			at = m.Nouns[i].At
		}
	}
	return at
}

// Age is the time since all records of the noun were known to match the origin, at most the time since Since.
func (m *Mirror) Age(noun *MirroredNoun, now time.Time) time.Duration {
	return now.Sub(max(noun.At, m.Since).Time())
}

// guarded rejects writes of mirrored nouns when they are logged. Every write is logged with its noun.
func guarded(tx Tx, m *Mirror) Tx {
	if m == nil {
		return tx
	}
	return &guardedTx{tx, m}
}

type guardedTx struct {
	Tx
	mirror *Mirror
}

// LogChanges implements Tx. Refused with NOT_ALLOWED for what only the origin writes.
func (t *guardedTx) LogChanges(ctx context.Context, changes ...*Change) error {
	for _, c := range changes {
		if err := t.mirror.refuse(c.Noun); err != nil {
			return err
		}
	}
	return t.Tx.LogChanges(ctx, changes...)
}

func (m *Mirror) refuse(noun Noun) error {
	if m.Of(noun) == nil {
		return nil
	}
	message := "every " + string(noun) + " here is a copy of the one at " + m.Origin + ": write there"
	return &Error{Kind: Refused, Message: "the input was rejected", Mirrored: true,
		UserErrors: []*UserError{{Code: CodeNotAllowed, Message: message}}}
}

var ErrReleased = Errorf(BadInput, "the store was released meanwhile, and is independent now")

type MirrorStore interface {
	// Mirror returns what the store mirrors, nil for nothing. The answer may be a second old.
	Mirror(ctx context.Context) (*Mirror, error)
	// PutMirror sets what the store mirrors. nil stops mirroring and drops all notes. ErrReleased when that was done
	// since m was read.
	PutMirror(ctx context.Context, m *Mirror) error
	MirrorNotes(ctx context.Context, prefix string) (map[string][]byte, error)
	// NoteMirror drops the notes with a prefix ("" drops none) and adds or replaces others, in one transaction.
	NoteMirror(ctx context.Context, drop string, notes map[string][]byte) error
}
