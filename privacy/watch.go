package privacy

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"example.org/backoffice/backoffice"
)

// ReceiptPeriod is how often a receipt of new entries is written.
const ReceiptPeriod = time.Minute

// alarms are signs that the register was tampered with, as noticed by this process. They stay until it ends.
type alarms struct {
	mu     sync.Mutex
	raised []string
}

const maxAlarms = 20 // the first are enough

// raise logs an alarm once, as an error, and keeps it for Vault.Alarms.
func (a *alarms) raise(what string) {
	a.mu.Lock()
	known := slices.Contains(a.raised, what)
	if !known && len(a.raised) < maxAlarms {
		a.raised = append(a.raised, what)
	}
	a.mu.Unlock()
	if !known {
		slog.Error("THE REGISTER OF CONSULTATIONS WAS TAMPERED WITH; keep the database, its backups and the receipts as they are, and run: backoffice consultations verify", "what", what)
	}
}

// Alarms returns the signs, noticed by this process, that the register was tampered with: a sentence each.
func (v *Vault) Alarms() []string { return v.register.alarms.all() }

func (a *alarms) all() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.raised)
}

// compare raises an alarm when a chain is not as this process left it. The store may be ahead of head, never behind.
func (r *register) compare(ctx context.Context, head backoffice.ConsultationHead) error {
	heads, err := r.store.ConsultationHeads(ctx, head.Chain, 1)
	if err != nil {
		return err
	}
	switch {
	case len(heads) == 0 || heads[0].Chain != head.Chain:
		r.alarms.raise(fmt.Sprintf("chain %d, to which this server wrote %d entries, is gone: the register was emptied or reset to an older state", head.Chain, head.Count))
	case heads[0].Count < head.Count:
		r.alarms.raise(fmt.Sprintf("chain %d counts %d entries, but this server wrote %d: the register was reset to an older state", head.Chain, heads[0].Count, head.Count))
	case heads[0].Count == head.Count && !bytes.Equal(heads[0].MAC, head.MAC):
		r.alarms.raise(fmt.Sprintf("the head of chain %d, at entry %d, was changed", head.Chain, head.Count))
	case !r.keys.headHolds(heads[0]):
		r.alarms.raise(fmt.Sprintf("the head of chain %d was not written by this program", head.Chain))
	}
	return nil
}

func (r *register) noteHead(head backoffice.ConsultationHead) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.unstated[head.Chain] = head
}

// takeHeads returns the heads of the chains that were written since the last receipt.
func (r *register) takeHeads() []backoffice.ConsultationHead {
	r.mu.Lock()
	defer r.mu.Unlock()
	heads := slices.SortedFunc(maps.Values(r.unstated),
		func(a, b backoffice.ConsultationHead) int { return int(a.Chain - b.Chain) })
	clear(r.unstated)
	return heads
}

// restore keeps a head whose receipt could not be written, unless its chain has grown since.
func (r *register) restore(head backoffice.ConsultationHead) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, later := r.unstated[head.Chain]; !later {
		r.unstated[head.Chain] = head
	}
}

// Watch writes a receipt of each period in which this process entered something, until ctx ends, and a last one then.
// It first checks the register against the receipts, and in each period its own chain against what it left; a
// difference raises an alarm. With nil receipts it only checks. Failed receipts are logged and retried, and so is that
// first check, because the first receipt names its predecessor. No disclosure waits.
func (v *Vault) Watch(ctx context.Context, receipts backoffice.ReceiptStore, period time.Duration) {
	w := &watch{register: v.register, receipts: receipts}
	w.round(ctx)
	backoffice.Every(ctx, period, func() { w.round(ctx) })
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), writeTimeout)
	defer cancel()
	w.round(last)
}

type watch struct {
	register *register
	receipts backoffice.ReceiptStore
	before   string // digest of the last receipt
	seen     backoffice.ConsultationHead
	compared bool
}

func (w *watch) round(ctx context.Context) {
	err := w.compareAll(ctx)
	if err != nil && ctx.Err() == nil {
		slog.Error("cannot compare the receipts with the register of consultations; will retry", "cause", err)
	}
	for _, head := range w.register.takeHeads() {
		w.seen = head
		if w.receipts == nil {
			continue
		}
		if err != nil && w.before == "" {
			w.register.restore(head)
			continue
		}
		if err := w.state(ctx, head); err != nil {
			w.register.restore(head)
			slog.Error("cannot write a receipt of the register of consultations; will retry", "cause", err)
		}
	}
	if w.seen.Chain != 0 {
		if err := w.register.compare(ctx, w.seen); err != nil {
			slog.Warn("cannot check the register of consultations", "cause", err)
		}
	}
}

func (w *watch) state(ctx context.Context, head backoffice.ConsultationHead) error {
	name, content, err := w.register.keys.state(head, backoffice.InstantOf(w.register.now()), w.before)
	if err == nil {
		err = w.receipts.Write(ctx, name, content)
	}
	if err == nil {
		w.before = digestOf(content)
	}
	return err
}

// compareAll checks once that the register holds the last entry of each chain that a receipt names.
func (w *watch) compareAll(ctx context.Context) error {
	if w.receipts == nil || w.compared {
		return nil
	}
	names, err := w.receipts.Names(ctx)
	if err != nil {
		return err
	}
	last, longest, newest := map[int64]string{}, map[int64]int64{}, ""
	for _, name := range names {
		at, ok := placeOf(name)
		if !ok {
			continue
		}
		newest = name
		if at.Number >= longest[at.Chain] {
			longest[at.Chain], last[at.Chain] = at.Number, name
		}
	}
	var failed error
	for _, name := range last {
		content, err := w.receipts.Read(ctx, name)
		if err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		s, what := w.register.keys.readStatement(content)
		if what == "" {
			if what, err = s.holds(ctx, w.register.store); err != nil {
				return err
			}
		}
		if what != "" {
			w.register.alarms.raise("receipt " + name + ": " + what)
		}
	}
	if newest != "" {
		content, err := w.receipts.Read(ctx, newest)
		if err != nil {
			return errors.Join(failed, err)
		}
		w.before = digestOf(content)
	}
	w.compared = failed == nil
	return failed
}

// WriteReceipts writes a receipt of what was entered since the last one, for a process that is about to end.
func (v *Vault) WriteReceipts(ctx context.Context, receipts backoffice.ReceiptStore) error {
	if receipts == nil {
		return nil
	}
	w := &watch{register: v.register, receipts: receipts}
	if err := w.compareAll(ctx); err != nil {
		return fmt.Errorf("comparing the receipts with the register of consultations: %w", err)
	}
	for _, head := range v.register.takeHeads() {
		if err := w.state(ctx, head); err != nil {
			v.register.restore(head)
			return fmt.Errorf("writing a receipt of the register of consultations: %w", err)
		}
	}
	return nil
}
