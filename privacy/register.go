package privacy

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"example.org/backoffice/backoffice"
)

const (
	writeTimeout = 10 * time.Second // of a write: it serves several requests, so none of their deadlines applies
	maxGroup     = 1000             // entries per write, unless a single request has more
)

// register writes a process's part of the register of consultations: a chain of its own, opened with its first entry.
// Requests that arrive during a write share the next one. After a write that failed, or whose outcome is unknown, it
// opens a new chain, so that no position in a chain is ever signed twice.
type register struct {
	keys  *Keyset
	store backoffice.ConsultationStore
	now   func() time.Time

	mu      sync.Mutex
	waiting []*batch
	writing bool
	// The chains written since the last receipt.
	unstated map[int64]backoffice.ConsultationHead

	alarms alarms

	// Used only by the goroutine that writes.
	open bool
	head backoffice.ConsultationHead
	last backoffice.Instant
}

type batch struct {
	entries []*backoffice.Consultation
	written chan error // buffered: a request may be gone
}

func newRegister(keys *Keyset, store backoffice.ConsultationStore) *register {
	return &register{keys: keys, store: store, now: time.Now, unstated: map[int64]backoffice.ConsultationHead{}}
}

// append enters the entries, all or none, and returns when they are durable. It sets their identifiers, times and
// positions. When ctx ends first they may or may not have been entered.
func (r *register) append(ctx context.Context, entries []*backoffice.Consultation) error {
	b := &batch{entries: entries, written: make(chan error, 1)}
	r.mu.Lock()
	r.waiting = append(r.waiting, b)
	if !r.writing {
		r.writing = true
		go r.write()
	}
	r.mu.Unlock()

	select {
	case err := <-b.written:
		return err
	case <-ctx.Done():
		r.withdraw(b)
		return unwritten(context.Cause(ctx))
	}
}

// withdraw takes back a batch that is not being written yet.
func (r *register) withdraw(b *batch) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.waiting = slices.DeleteFunc(r.waiting, func(other *batch) bool { return other == b })
}

func (r *register) write() {
	for {
		group := r.nextGroup()
		if group == nil {
			return
		}
		err := r.writeGroup(group)
		for _, b := range group {
			b.written <- err
		}
	}
}

func (r *register) nextGroup() []*batch {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.waiting) == 0 {
		r.writing = false
		return nil
	}
	taken, size := 1, len(r.waiting[0].entries)
	for taken < len(r.waiting) && size+len(r.waiting[taken].entries) <= maxGroup {
		size += len(r.waiting[taken].entries)
		taken++
	}
	group := slices.Clone(r.waiting[:taken])
	r.waiting = slices.Delete(r.waiting, 0, taken)
	return group
}

func (r *register) writeGroup(group []*batch) (err error) {
	defer func() {
		if broken := recover(); broken != nil {
			err = backoffice.Recovered(broken)
		}
		if err != nil {
			r.open = false
			err = unwritten(err)
		}
	}()
	ctx, cancel := context.WithTimeout(context.Background(), writeTimeout)
	defer cancel()
	if err := r.ensureChain(ctx); err != nil {
		return err
	}
	head := r.head
	var entries []*backoffice.Consultation
	for _, b := range group {
		for _, entry := range b.entries {
			if err := r.place(entry, &head); err != nil {
				return err
			}
			entries = append(entries, entry)
		}
	}
	if head.MAC, err = r.keys.headMAC(head); err != nil {
		return err
	}
	if err := r.store.AppendConsultations(ctx, r.head, head, entries); err != nil {
		r.suspect(ctx, err)
		return err
	}
	r.head = head
	r.noteHead(head)
	return nil
}

// place sets an entry's identifier, time and position after the head, and advances the head.
func (r *register) place(entry *backoffice.Consultation, head *backoffice.ConsultationHead) (err error) {
	r.last = max(r.last, backoffice.InstantOf(r.now()))
	entry.ID, entry.At = backoffice.NewID(), r.last
	entry.Chain, entry.Number = head.Chain, head.Count+1
	if entry.MAC, err = r.keys.entryMAC(entry, head.Last); err != nil {
		return err
	}
	head.Count, head.Last = entry.Number, entry.MAC
	return nil
}

func (r *register) ensureChain(ctx context.Context) error {
	if r.open {
		return nil
	}
	var sealing error
	err := r.store.OpenConsultationChain(ctx, func(chain int64) (own, all backoffice.ConsultationHead) {
		own = backoffice.ConsultationHead{Chain: chain}
		all = backoffice.ConsultationHead{Chain: 0, Count: chain}
		if own.MAC, sealing = r.keys.headMAC(own); sealing == nil {
			all.MAC, sealing = r.keys.headMAC(all)
		}
		r.head = own
		return own, all
	})
	if errors.Is(err, backoffice.ErrRegisterChanged) {
		r.alarms.raise("the register counts fewer chains than it has: its head was reset to an older state")
	}
	if err == nil {
		err = sealing
	}
	r.open = err == nil
	return err
}

// suspect raises an alarm when a failure shows that the register is not as this process left it.
func (r *register) suspect(ctx context.Context, failure error) {
	if !errors.Is(failure, backoffice.ErrRegisterChanged) {
		return
	}
	before := len(r.alarms.all())
	if err := r.compare(ctx, r.head); err != nil || len(r.alarms.all()) == before {
		r.alarms.raise(fmt.Sprintf("cannot append after entry %d of chain %d: an entry of unknown origin is already there", r.head.Count, r.head.Chain))
	}
}

func unwritten(cause error) error {
	return &backoffice.Error{
		Kind:    backoffice.Unavailable,
		Message: "the register of consultations cannot be written now, so nothing is disclosed; try again later",
		Cause:   fmt.Errorf("appending to the register of consultations: %w", cause),
	}
}
