package store

import (
	"bytes"
	"context"
	"sync"
	"time"
	"unicode/utf8"

	"golang.org/x/sync/singleflight"

	"example.org/backoffice/backoffice"
)

const (
	// mirrorPoll is how old an answer of Mirror may be: every write asks.
	mirrorPoll = 1500 * time.Millisecond
	// mirrorPatience is how long one read of it may take, and mirrorTrust how old the answer may be when the read
	// fails: if the store does not answer, the write itself fails with an error of its own.
	mirrorPatience = 200 * time.Millisecond
	mirrorTrust    = time.Minute
)

// knownMirror is the last known answer of Mirror.
type knownMirror struct {
	first   singleflight.Group
	polling sync.Mutex // held while the store is asked
	mu      sync.Mutex
	at      time.Time // zero for never
	last    *backoffice.Mirror
}

// within returns the last answer if it is not older.
func (k *knownMirror) within(age time.Duration) (last *backoffice.Mirror, known bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.last, !k.at.IsZero() && time.Since(k.at) < age
}

// Mirror asks the store; meanwhile other callers use the last answer, or share the first one.
func (s *Store) Mirror(ctx context.Context) (*backoffice.Mirror, error) {
	k := &s.mirror
	if last, known := k.within(mirrorTrust); known {
		if !k.polling.TryLock() {
			return last, nil
		}
		defer k.polling.Unlock()
		if found, err := s.pollMirror(ctx, mirrorPatience); err == nil {
			return found, nil
		}
		return last, nil
	}
	answer := k.first.DoChan("", func() (_ any, err error) {
		defer func() {
			if fault := recover(); fault != nil {
				err = backoffice.Fault(backoffice.Recovered(fault), "reading whether the store is a mirror")
			}
		}()
		k.polling.Lock()
		defer k.polling.Unlock()
		return s.pollMirror(backoffice.WithBudget(context.WithoutCancel(ctx), nil), pingTime)
	})
	select {
	case shared := <-answer:
		found, _ := shared.Val.(*backoffice.Mirror)
		return found, shared.Err
	case <-ctx.Done():
		return nil, backoffice.Fault(ctx.Err(), "reading whether the store is a mirror")
	}
}

// pollMirror asks the store, unless another caller just has.
func (s *Store) pollMirror(ctx context.Context, patience time.Duration) (*backoffice.Mirror, error) {
	k := &s.mirror
	if last, fresh := k.within(mirrorPoll); fresh {
		return last, nil
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	found, err := s.readMirror(ctx)
	if err == nil {
		k.mu.Lock()
		k.at, k.last = time.Now(), found
		k.mu.Unlock()
	}
	return found, err
}

func (s *Store) readMirror(ctx context.Context) (found *backoffice.Mirror, err error) {
	text := "SELECT /*backoffice:mirrors.list*/ noun, origin, client_id, since, at, incomplete" +
		" FROM mirrors ORDER BY noun"
	err = Conn{s.engine.Primary()}.Query(ctx, text, nil, func(row *Row) error {
		if found == nil {
			found = &backoffice.Mirror{Origin: row.Text(1), ClientID: row.Text(2), Since: row.Instant(3),
				Stored: true}
		}
		found.Nouns = append(found.Nouns, backoffice.MirroredNoun{Noun: backoffice.Noun(row.Text(0)), At: row.Noted(4),
			Incomplete: row.Int(5)})
		return nil
	})
	return found, err
}

func (s *Store) PutMirror(ctx context.Context, m *backoffice.Mirror) error {
	err := s.write(ctx, func(ctx context.Context, tx *tx) error {
		if err := tx.lock(ctx, lockMirror); err != nil {
			return err
		}
		was, err := tx.conn.Exec(ctx, "DELETE /*backoffice:mirrors.delete*/ FROM mirrors", nil)
		if err != nil {
			return err
		}
		if m != nil && m.Stored && was == 0 {
			return backoffice.ErrReleased
		}
		tx.acts = (m == nil) == (was > 0) // it begins or ends; progress is no act
		if m == nil {
			_, err = tx.conn.Exec(ctx, "DELETE /*backoffice:mirror_notes.clear*/ FROM mirror_notes", nil)
			return err
		}
		for _, n := range m.Nouns {
			args := []any{string(n.Noun), storable(m.Origin), storable(m.ClientID), m.Since.Milliseconds(), noted(n.At),
				n.Incomplete}
			if _, err := tx.conn.Exec(ctx, "INSERT /*backoffice:mirrors.insert*/ INTO mirrors"+
				" (noun, origin, client_id, since, at, incomplete) VALUES ($1, $2, $3, $4, $5, $6)", args); err != nil {
				return err
			}
		}
		return nil
	})
	s.mirror.polling.Lock() // until a poll that began before has kept its answer
	defer s.mirror.polling.Unlock()
	s.mirror.mu.Lock()
	s.mirror.at = time.Time{}
	s.mirror.mu.Unlock()
	s.mirror.first.Forget("")
	return err
}

func (s *Store) MirrorNotes(ctx context.Context, prefix string) (map[string][]byte, error) {
	notes := map[string][]byte{}
	text := "SELECT /*backoffice:mirror_notes.list*/ name, value FROM mirror_notes WHERE substr(name, 1, $2) = $1"
	err := s.primary().Query(ctx, text, []any{prefix, int64(utf8.RuneCountInString(prefix))},
		func(row *Row) error { notes[row.Text(0)] = bytes.Clone(row.Bytes(1)); return nil })
	return notes, err
}

func (s *Store) NoteMirror(ctx context.Context, drop string, notes map[string][]byte) error {
	return s.write(ctx, func(ctx context.Context, tx *tx) error {
		if drop != "" {
			if _, err := tx.conn.Exec(ctx, "DELETE /*backoffice:mirror_notes.delete*/ FROM mirror_notes"+
				" WHERE substr(name, 1, $2) = $1", []any{drop, int64(utf8.RuneCountInString(drop))}); err != nil {
				return err
			}
		}
		for name, value := range notes {
			if _, err := tx.conn.Exec(ctx, "INSERT /*backoffice:mirror_notes.upsert*/ INTO mirror_notes (name, value)"+
				" VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
				[]any{name, value}); err != nil {
				return err
			}
		}
		return nil
	})
}
