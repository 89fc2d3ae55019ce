package privacy

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"example.org/backoffice/backoffice"
)

// The store decides which key seals, so that all programs rotate together. Two rules keep every number findable: no key
// becomes the primary before every program that has the keyset open has noted that it knows it; and a program decides
// on what it read from the store at most staleAfter ago, while its note is valid.
const (
	pollPeriod  = time.Second
	staleAfter  = 4 * time.Second
	notePeriod  = 20 * time.Second
	noteLife    = time.Minute
	noteMargin  = 10 * time.Second // of its life in which it is not relied on
	pollTimeout = 2 * time.Second
	noteTimeout = 30 * time.Second // another program may be writing to an embedded store
)

type binding struct {
	store backoffice.KeyStore
	id    string

	applying sync.Mutex
	polled   chan struct{} // closed and replaced after each poll; under applying
	noted    time.Time     // the note is valid until then; under applying
	note     string        // what was noted; under applying

	reading sync.Mutex
	read    os.FileInfo   // of the keyset file when it was reread; under reading
	inFile  []*generation // its keys then; under reading
	failed  time.Time     // when it could not be reread; under reading

	change chan struct{} // wakes the writer of notes
	stop   context.CancelFunc
	done   sync.WaitGroup
}

// Bind ties the keyset to a store, which then decides which key seals. A store without keys gets the file's primary.
// BadInput, with a sentence for the operator, when another keyset sealed its values. Release before the store closes.
func (k *Keyset) Bind(ctx context.Context, store backoffice.Store) error {
	print, err := k.claim(ctx, store)
	if err == nil {
		err = store.ClaimKeyset(ctx, print)
	}
	if err != nil {
		return err
	}
	if g := k.use().byFingerprint(print); g != nil { // a store that has keys adds none
		if err := store.AddKey(ctx, g.key(backoffice.KeyPrimary)); err != nil {
			return err
		}
	}
	b := &binding{store: store, id: backoffice.NewID(), polled: make(chan struct{}), change: make(chan struct{}, 1)}
	k.bound = b
	if err = k.poll(ctx); err == nil {
		err = k.writeNote(ctx)
	}
	if err != nil {
		k.bound = nil
		return err
	}
	watching, stop := context.WithCancel(context.WithoutCancel(ctx))
	b.stop = stop
	b.done.Go(func() { k.keepPolling(watching) })
	b.done.Go(func() { k.keepNoting(watching) })
	return nil
}

// claim returns the fingerprint for the store: its own, if it is that of one of the keyset's keys.
func (k *Keyset) claim(ctx context.Context, store backoffice.KeyStore) (string, error) {
	listed, err := store.Keys(ctx)
	if err != nil {
		return "", err
	}
	in := k.use()
	primary := slices.IndexFunc(listed, func(key backoffice.Key) bool { return key.State == backoffice.KeyPrimary })
	if primary >= 0 && in.generation(listed[primary].ID) != nil {
		return store.ClaimedKeyset(ctx)
	}
	if len(listed) == 0 { // it may have been filled before stores knew keys
		if print, err := store.ClaimedKeyset(ctx); err != nil || in.byFingerprint(print) != nil {
			return print, err
		}
	}
	return in.primary.fingerprint, nil
}

// Release records that the program no longer needs the store's keys. Without the store its note expires.
func (k *Keyset) Release() {
	b := k.bound
	if b == nil || b.stop == nil {
		return
	}
	b.stop()
	b.done.Wait()
	ctx, cancel := context.WithTimeout(context.Background(), pollTimeout)
	defer cancel()
	_ = b.store.EndKeyUse(ctx, b.id)
}

func (in *keysInUse) byFingerprint(print string) *generation {
	return in.find(func(g *generation) bool { return g.fingerprint == print })
}

func (g *generation) key(state backoffice.KeyState) backoffice.Key {
	return backoffice.Key{ID: g.id, Fingerprint: g.fingerprint, Prefix: g.prefix(sealing), State: state}
}

func lackingKey(id string) error {
	return backoffice.Errorf(backoffice.BadInput, "the keyset file does not have this database's key %s: copy the file from where you ran backoffice keys rotate, or restore it from your copy", id)
}

// use returns the keyset as last read; enough to open and to verify.
func (k *Keyset) use() *keysInUse { return k.current.Load() }

// Replace replaces the keys of a keyset that is not bound by those of another, which was read later.
func (k *Keyset) Replace(by *Keyset) { k.current.Store(by.use()) }

// fresh returns the keyset as recently read from the store, for sealing. Unavailable when the store cannot be read.
func (k *Keyset) fresh() (*keysInUse, error) {
	in := k.use()
	b := k.bound
	if b == nil || b.stop == nil {
		return in, nil
	}
	until := time.Now().Add(pollTimeout + staleAfter)
	for {
		b.applying.Lock()
		in, polled, noted := k.use(), b.polled, b.noted
		b.applying.Unlock()
		now := time.Now()
		// While a transaction of this program is the only writer, no key rotates; and its note would wait for it.
		alone := b.store.OnlyWriterSince()
		if now.Sub(in.taken) < staleAfter && (now.Before(noted) || !alone.IsZero() && in.taken.After(alone)) {
			return in, nil
		}
		if !now.Before(until) {
			return nil, backoffice.Errorf(backoffice.Unavailable,
				"the store cannot report the primary key; try again later")
		}
		b.wake()
		select {
		case <-polled:
		case <-time.After(min(pollPeriod, time.Until(until))):
		}
	}
}

func (b *binding) wake() {
	select {
	case b.change <- struct{}{}:
	default:
	}
}

// verifies runs what opens or verifies, and polls once for a newer key when it fails.
func (k *Keyset) verifies(try func(*primitives) error) bool {
	_, err := k.opens(func(p *primitives) ([]byte, error) { return nil, try(p) })
	return err == nil
}

func (k *Keyset) opens(try func(*primitives) ([]byte, error)) ([]byte, error) {
	in := k.use()
	plain, err := try(in.primitives)
	if err == nil || k.bound == nil || time.Since(in.taken) < pollPeriod/4 {
		return plain, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), pollTimeout)
	defer cancel()
	if k.poll(ctx) != nil {
		return nil, err
	}
	if now := k.use(); len(now.all) != len(in.all) {
		return try(now.primitives)
	}
	return nil, err
}

// poll polls the store, and applies what it returns.
func (k *Keyset) poll(ctx context.Context) error {
	taken := time.Now()
	ctx, cancel := context.WithTimeout(ctx, pollTimeout)
	defer cancel()
	listed, err := k.bound.store.Keys(ctx)
	if err != nil {
		return err
	}
	return k.apply(listed, taken)
}

func (k *Keyset) apply(listed []backoffice.Key, taken time.Time) error {
	b, lacking := k.bound, func(key backoffice.Key) bool { return k.use().generation(key.ID) == nil }
	var all []*generation
	if slices.ContainsFunc(listed, lacking) && k.file.Path != "" && b.reading.TryLock() { // it may take long
		defer b.reading.Unlock()
		all = k.newer()
	}
	b.applying.Lock()
	defer b.applying.Unlock()
	before := k.use()
	if taken.Before(before.taken) && before.listed != nil {
		return nil // a later answer came first
	}
	if all == nil {
		all = before.all
	}
	now := &keysInUse{all: all, listed: listed, taken: taken}
	for _, key := range listed {
		g := now.generation(key.ID)
		switch {
		case g == nil && (key.State == backoffice.KeyNext || key.State == backoffice.KeyClosed):
		case g == nil:
			return lackingKey(key.ID)
		case key.State == backoffice.KeyPrimary:
			now.primary, now.primitives = g, g.made
		case key.Asked:
			now.alias = g
		}
	}
	if now.primary == nil {
		return errors.New("the store has no primary key")
	}
	k.current.Store(now)
	close(b.polled)
	b.polled = make(chan struct{})
	if b.note != now.note() {
		b.wake()
	}
	return nil
}

// newer rereads the file, unless it is as it was the last time, or could just not be read: a key management service may
// have to unwrap it. nil for no keys.
func (k *Keyset) newer() []*generation {
	info, err := os.Stat(k.file.Path)
	b := k.bound
	same := func(was os.FileInfo) bool { return os.SameFile(info, was) && info.ModTime().Equal(was.ModTime()) }
	if time.Since(b.failed) < notePeriod || err == nil && b.read != nil && same(b.read) {
		return b.inFile
	}
	newer, err := k.reread()
	if err != nil {
		slog.Error("cannot reload the keyset file", "cause", err)
		b.failed = time.Now()
		return nil
	}
	b.read, b.inFile = info, newer
	return newer
}

// knows returns the store's keys that are in the file.
func (in *keysInUse) knows() (ids []string) {
	for _, key := range in.listed {
		if in.generation(key.ID) != nil {
			ids = append(ids, key.ID)
		}
	}
	return ids
}

func (in *keysInUse) note() string { return strings.Join(in.knows(), " ") + " " + in.primary.id }

func (k *Keyset) keepPolling(ctx context.Context) {
	failing := false
	backoffice.Every(ctx, pollPeriod, func() {
		err := k.poll(ctx)
		if err != nil && ctx.Err() == nil && !failing {
			slog.Error("cannot read the store's keys", "cause", backoffice.Cause(err))
		}
		failing = err != nil
	})
}

func (k *Keyset) keepNoting(ctx context.Context) {
	period := time.NewTicker(notePeriod)
	defer period.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-period.C:
		case <-k.bound.change:
		}
		if err := k.writeNote(ctx); err != nil && ctx.Err() == nil && k.bound.store.OnlyWriterSince().IsZero() {
			slog.Warn("cannot record which keys this program has", "cause", backoffice.Cause(err))
		}
	}
}

// writeNote reports to the store what this program knows, until that matches the store's keys.
func (k *Keyset) writeNote(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, noteTimeout)
	defer cancel()
	b := k.bound
	host, _ := os.Hostname()
	for {
		in, began := k.use(), time.Now()
		user := backoffice.KeyUser{ID: b.id, Name: fmt.Sprintf("process %d on %s", os.Getpid(), host),
			Knows: in.knows(), Seals: in.primary.id}
		listed, err := b.store.UseKeys(ctx, user, noteLife.Milliseconds())
		if err != nil {
			return err
		}
		b.applying.Lock()
		b.note, b.noted = in.note(), began.Add(noteLife-noteMargin)
		b.applying.Unlock()
		if err := k.apply(listed, began); err != nil {
			return err
		}
		if k.use().note() == in.note() {
			return nil
		}
	}
}
