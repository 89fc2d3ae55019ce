package privacy

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"time"

	"example.org/backoffice/backoffice"
)

const verifyPage = 500

// Problem is a sign that the register of consultations was tampered with.
type Problem struct {
	Chain  int64 // 0 for the register as a whole
	Number int64 // the entry at fault; 0 for the chain as a whole
	What   string
}

func (p Problem) String() string {
	switch {
	case p.Chain == 0:
		return p.What
	case p.Number == 0:
		return fmt.Sprintf("chain %d: %s", p.Chain, p.What)
	}
	return fmt.Sprintf("chain %d, entry %d: %s", p.Chain, p.Number, p.What)
}

type Verified struct {
	Chains   int64
	Entries  int64
	Problems int64
	Restored []*backoffice.Consultation // entries that record lost ones
	Newest   backoffice.Instant         // of all entries

	// Receipt covers all entries up to a minute ago. Kept away from the database, it lets a later Verify notice that
	// the whole register was put back to an older state.
	Receipt string
}

// Verify walks the whole register, in constant memory, and reports each problem: an entry that was changed, removed or
// inserted, a chain cut off or missing, and, with the receipt of an earlier run ("" for none), an entry of then that is
// gone. Servers may continue to write. BadInput for an invalid receipt; other errors are the store's.
func (k *Keyset) Verify(ctx context.Context, store backoffice.ConsultationStore, earlier string, report func(Problem),
) (Verified, error) {
	var then *receipt
	if earlier != "" {
		read, err := parseReceipt(earlier)
		if err != nil {
			return Verified{}, err
		}
		then = &read
	}
	now := gather(backoffice.InstantOf(time.Now().Add(-receiptMargin)))
	return k.verify(ctx, store, then, now, report)
}

func (k *Keyset) verify(ctx context.Context, store backoffice.ConsultationStore, then *receipt, now *gathering,
	report func(Problem)) (Verified, error) {
	v := &verifier{keys: k, store: store, report: report, now: now}
	if then != nil {
		v.then = gather(then.until)
	}
	if err := v.run(ctx); err != nil {
		return v.Verified, err
	}
	if v.then != nil {
		if what := then.compare(v.then.receipt()); what != "" {
			v.problemf(0, 0, "%s", what)
		}
	}
	v.Receipt = v.now.receipt().String()
	return v.Verified, nil
}

type verifier struct {
	Verified
	keys   *Keyset
	store  backoffice.ConsultationStore
	report func(Problem)

	now, then *gathering // for the receipts of this run and of the earlier, if any

	page []*backoffice.Consultation // entries read ahead
	at   backoffice.ConsultationPosition
	done bool
}

func (v *verifier) problemf(chain, number int64, format string, args ...any) {
	v.Problems++
	v.report(Problem{Chain: chain, Number: number, What: fmt.Sprintf(format, args...)})
}

// run merges two ordered walks, of heads and of entries. It always reads a head before its entries (heads drops what
// was read ahead), so all that it counts must be there. An entry beyond it was either appended since, which a second
// read of the head shows, or inserted. The register's head is to the chains what theirs are to the entries.
func (v *verifier) run(ctx context.Context) error {
	next := int64(1) // the first chain not walked yet
	for grown := true; grown; {
		all, found, err := v.head(ctx, 0)
		if err != nil {
			return err
		}
		if next, err = v.chainsFrom(ctx, next); err != nil {
			return err
		}
		if found && v.keys.headHolds(all) && all.Count >= next {
			v.missingChains(next, all.Count)
			next = all.Count + 1
		}
		if grown, err = v.strayEntries(ctx, math.MaxInt64, next); err != nil {
			return err
		}
	}
	all, found, err := v.head(ctx, 0)
	switch {
	case err != nil:
		return err
	case !found && next > 1:
		v.problemf(0, 0, "the register's head is missing")
	case found && !v.keys.headHolds(all):
		v.problemf(0, 0, "the register's head was changed")
	case found && all.Count < next-1:
		v.problemf(0, 0, "the register's head counts %d chains, but there are %d", all.Count, next-1)
	}
	return nil
}

// chainsFrom checks all chains from one onwards that have a head, and returns the one after the last.
func (v *verifier) chainsFrom(ctx context.Context, next int64) (int64, error) {
	for {
		heads, err := v.heads(ctx, next, verifyPage)
		if err != nil || len(heads) == 0 {
			return next, err
		}
		for _, head := range heads {
			v.missingChains(next, head.Chain-1)
			if _, err := v.strayEntries(ctx, head.Chain, head.Chain); err != nil {
				return next, err
			}
			if err := v.chain(ctx, head); err != nil {
				return next, err
			}
			next = head.Chain + 1
		}
	}
}

func (v *verifier) missingChains(first, last int64) {
	switch {
	case first == last:
		v.problemf(first, 0, "the chain is missing")
	case first < last:
		v.problemf(first, 0, "the chains %d to %d are missing", first, last)
	}
}

// chain checks the entries of one chain against its head.
func (v *verifier) chain(ctx context.Context, head backoffice.ConsultationHead) error {
	v.Chains++
	if !v.keys.headHolds(head) {
		v.problemf(head.Chain, 0, "the chain's head was changed")
	}
	count := int64(0)
	var before []byte
	for {
		entry, err := v.peek(ctx)
		if err != nil {
			return err
		}
		if entry == nil || entry.Chain != head.Chain {
			break
		}
		v.take()
		if entry.Number > head.Count {
			if head, err = v.again(ctx, head); err != nil {
				return err
			}
		}
		switch {
		case entry.Number > head.Count:
			v.problemf(entry.Chain, entry.Number, "the entry was added after the end of the chain")
			continue
		case entry.Number > count+1:
			v.missingEntries(head.Chain, count+1, entry.Number-1) // what follows a gap cannot be checked against it
		case !v.keys.entryHolds(entry, before):
			v.problemf(entry.Chain, entry.Number, "the entry was changed")
		}
		count, before = entry.Number, entry.MAC
	}
	switch {
	case count < head.Count:
		v.missingEntries(head.Chain, count+1, head.Count)
	case !bytes.Equal(before, head.Last):
		v.problemf(head.Chain, count, "the last entry is not the one in the chain's head")
	}
	v.at = backoffice.ConsultationPosition{Chain: head.Chain, Number: math.MaxInt64} // later entries are ignored
	return nil
}

func (v *verifier) missingEntries(chain, first, last int64) {
	if first == last {
		v.problemf(chain, first, "the entry is missing")
	} else {
		v.problemf(chain, first, "the entries %d to %d are missing", first, last)
	}
}

// again reads a head that may have advanced meanwhile.
func (v *verifier) again(ctx context.Context, old backoffice.ConsultationHead) (backoffice.ConsultationHead, error) {
	head, found, err := v.head(ctx, old.Chain)
	if err != nil || !found {
		return old, err
	}
	if !v.keys.headHolds(head) && v.keys.headHolds(old) {
		v.problemf(head.Chain, 0, "the chain's head was changed")
	}
	return head, nil
}

func (v *verifier) head(ctx context.Context, chain int64) (backoffice.ConsultationHead, bool, error) {
	heads, err := v.heads(ctx, chain, 1)
	if err != nil || len(heads) == 0 || heads[0].Chain != chain {
		return backoffice.ConsultationHead{}, false, err
	}
	return heads[0], true, nil
}

func (v *verifier) heads(ctx context.Context, from int64, limit int) ([]backoffice.ConsultationHead, error) {
	v.page, v.done = nil, false
	return v.store.ConsultationHeads(ctx, from, limit)
}

// strayEntries reports entries of headless chains below one. grown: a chain from next onwards has a head by now.
func (v *verifier) strayEntries(ctx context.Context, below, next int64) (grown bool, err error) {
	for reported := int64(math.MinInt64); ; v.take() {
		entry, err := v.peek(ctx)
		if err != nil || entry == nil || entry.Chain >= below {
			return false, err
		}
		if entry.Chain == reported {
			continue
		}
		if entry.Chain >= next {
			if _, found, err := v.head(ctx, entry.Chain); err != nil || found {
				return found, err
			}
			if entry, err = v.peek(ctx); err != nil || entry == nil { // head dropped what was read ahead
				return false, err
			}
		}
		v.problemf(entry.Chain, 0, "the chain's head is missing")
		reported = entry.Chain
	}
}

// peek returns the next entry, nil at the end; take advances past it.
func (v *verifier) peek(ctx context.Context) (*backoffice.Consultation, error) {
	if len(v.page) == 0 && !v.done {
		page, err := v.store.ListConsultations(ctx, v.at, verifyPage)
		if err != nil {
			return nil, err
		}
		v.page, v.done = page, len(page) == 0
	}
	if len(v.page) == 0 {
		return nil, nil
	}
	return v.page[0], nil
}

func (v *verifier) take() {
	v.at = backoffice.ConsultationPosition{Chain: v.page[0].Chain, Number: v.page[0].Number}
	if v.page[0].Operation == backoffice.RegisterRestored {
		v.Restored = append(v.Restored, v.page[0])
	}
	v.Newest = max(v.Newest, v.page[0].At)
	v.now.see(v.page[0])
	if v.then != nil {
		v.then.see(v.page[0])
	}
	v.page = v.page[1:]
	v.Entries++
}
