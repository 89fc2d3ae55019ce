package backoffice

import (
	"context"
	"slices"
	"time"
)

// Mirror describes the nouns whose records are copies of another office's. That office owns them and takes the writes.
type Mirror struct {
	Origin   string // its address
	ClientID string // the pair with which it is read
	Since    Instant
	Nouns    []MirroredNoun // by name
}

// MirroredNoun is how far the copies of one noun have come.
type MirroredNoun struct {
	Noun       Noun
	At         Instant // as of when everything is there; zero for never
	Incomplete int64   // walks that did not see everything, since the store became a mirror
}

// Of is how a noun is mirrored, nil when it is not.
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

// At is as of when the copies of all nouns are complete; zero as long as those of one never were.
func (m *Mirror) At() (at Instant) {
	for i := range m.Nouns {
		if i == 0 || m.Nouns[i].At < at {
			at = m.Nouns[i].At
		}
	}
	return at
}

// Age is the time since all records of the noun were last known to be as at the origin.
func (m *Mirror) Age(noun *MirroredNoun, now time.Time) time.Duration {
	return now.Sub(max(noun.At, m.Since).Time())
}

// guarded is a transaction that writes no record of a mirrored noun: each write is logged, by its noun.
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

// LogChanges implements Tx. Refused with NOT_ALLOWED for what is the origin's to write.
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
	message := "every " + string(noun) + " here is a copy of one at " + m.Origin + ": write there"
	return &Error{Kind: Refused, Message: "the input was refused", Mirrored: true,
		UserErrors: []*UserError{{Code: CodeNotAllowed, Message: message}}}
}

type MirrorStore interface {
	// Mirror returns whose mirror the store is, nil when it is nobody's. The answer may be a second old.
	Mirror(ctx context.Context) (*Mirror, error)
	// PutMirror sets whose mirror the store is; nil makes it nobody's, and drops all notes.
	PutMirror(ctx context.Context, m *Mirror) error
	MirrorNotes(ctx context.Context, prefix string) (map[string][]byte, error)
	// NoteMirror drops the notes of a prefix, none for "", and adds or replaces others, in one transaction.
	NoteMirror(ctx context.Context, drop string, notes map[string][]byte) error
}
