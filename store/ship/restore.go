package ship

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"time"

	"github.com/superfly/ltx"
	"github.com/tink-crypto/tink-go/v2/tink"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/store/sqlite"
)

// Target is a state of the store: the last that was shipped, or that before a change, or that at a time.
type Target struct {
	Before int64     // the number of an entry of the change log; 0 for none
	At     time.Time // zero for none
}

// passed reports whether a store whose change log ends with an entry is after the target.
func (g Target) passed(last int64, at time.Time) bool {
	return g.Before > 0 && last >= g.Before || !g.At.IsZero() && at.After(g.At)
}

// Place is where a store was shipped to.
type Place struct {
	From  backoffice.ObjectStore
	Key   tink.StreamingAEAD
	KeyID string
}

// Restored is what a restored database holds.
type Restored struct {
	Last       int64     // the number of the last entry of its change log
	At         time.Time // when that became visible
	Generation string    // which it is of
}

// Restore writes the database as it was at a target to a file, which must be empty.
func (p Place) Restore(ctx context.Context, target Target, path string) (r Restored, err error) {
	for range 3 {
		r, err = p.restore(ctx, target, path)
		if backoffice.KindOf(err) != backoffice.NotFound { // what was listed has been bundled or deleted meanwhile
			break
		}
	}
	return r, err
}

func (p Place) restore(ctx context.Context, target Target, path string) (Restored, error) {
	c, err := p.choose(ctx, target)
	if err != nil {
		return Restored{}, err
	}
	// Only the database itself shows in which of several transactions the target was passed. If it was, everything
	// before is applied again.
	last, err := p.apply(ctx, c, target, math.MaxUint64, path)
	if err == nil && last > 0 {
		_, err = p.apply(ctx, c, Target{}, last, path)
	}
	if err != nil {
		return Restored{}, err
	}
	r := Restored{Generation: c[0].generation}
	r.Last, r.At, err = sqlite.LastEntryOf(ctx, path)
	if err == nil {
		err = sqlite.Detach(ctx, path)
	}
	return r, err
}

// Check fails unless a server has shipped there, and the key opens it.
func (p Place) Check(ctx context.Context) error {
	mark, err := readOwner(ctx, p.From)
	switch {
	case backoffice.KindOf(err) == backoffice.NotFound:
		return errors.New("no server has shipped to this place, or its disk is not mounted")
	case err == nil && mark.key != p.KeyID:
		return errWrongKey
	}
	return err
}

// choose returns the generation from which a target is restored.
func (p Place) choose(ctx context.Context, target Target) (chain, error) {
	if err := p.Check(ctx); err != nil {
		return nil, err
	}
	all, _, err := list(ctx, p.From)
	if err != nil {
		return nil, err
	}
	return choose(all, target)
}

// choose returns the newest generation that begins before the target. A store that was restored has a newer one, whose
// numbers continue those of the state that was restored.
func choose(all []chain, target Target) (chain, error) {
	if len(all) == 0 {
		return nil, errors.New("there is no snapshot at this place yet")
	}
	for _, c := range slices.Backward(all) {
		if !target.passed(c[0].to, c[0].at) {
			return c, nil
		}
	}
	oldest := all[0][0]
	return nil, fmt.Errorf("the oldest state there is that after change %d, of %s", oldest.to,
		oldest.at.UTC().Format(time.RFC3339))
}

// apply applies a generation up to a transaction, the last one that it may apply, or to the first one that passes the
// target; it returns the one before that, or 0.
func (p Place) apply(ctx context.Context, c chain, target Target, last uint64, path string) (before uint64, err error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return 0, err
	}
	a := &applying{place: p, target: target, to: file, path: path, pages: newPages(), last: last}
	defer func() { err = errors.Join(err, file.Close()) }()
	for i, o := range c {
		if o.first > 1 && target.passed(o.to, o.at) && target.Before > 0 &&
			i+1 < len(c) && c[i+1].first == o.first+1 { // one transaction, which passes it
			break
		}
		passed, err := a.object(ctx, o, a.each(ctx, o))
		if passed || err != nil {
			return a.done - 1, err
		}
		if a.done >= a.last {
			break
		}
	}
	return 0, file.Sync()
}

// pageWriter is a file, or the database of a stand-by.
type pageWriter interface {
	io.WriterAt
	Truncate(size int64) error
}

type applying struct {
	place  Place
	target Target
	to     pageWriter
	path   string // of the database
	pages  *pages
	done   uint64 // the last applied transaction
	last   uint64
}

// each reports whether the database has passed the target; nil for an object that does not.
func (a *applying) each(ctx context.Context, o object) func() (bool, error) {
	if o.first == 1 || !a.target.passed(o.to, o.at) {
		return nil
	}
	return func() (bool, error) {
		end, at, err := sqlite.LastEntryOf(ctx, a.path)
		return a.target.passed(end, at), err
	}
}

// object applies an object. After each transaction it asks each, if given, whether to stop. Of a bundle it applies what
// was not applied yet.
func (a *applying) object(ctx context.Context, o object, each func() (bool, error)) (stopped bool, err error) {
	if o.first > a.done+1 {
		return false, fmt.Errorf("what was shipped has a hole after change %d, of %s: restore an earlier state with "+
			"--before or --at", o.from, o.at.UTC().Format(time.RFC3339))
	}
	if o.after > 0 {
		return eachPacked(ctx, a.place.From, o, func(o object, sealed io.Reader) (bool, error) {
			if o.first <= a.done || a.done >= a.last {
				return false, ctx.Err()
			}
			return a.sealed(ctx, o, sealed, a.each(ctx, o))
		})
	}
	reader, err := a.place.From.Get(ctx, o.String())
	if err != nil {
		return false, err
	}
	defer func() { _ = reader.Close() }()
	return a.sealed(ctx, o, reader, each)
}

func (a *applying) sealed(ctx context.Context, o object, from io.Reader, each func() (bool, error)) (bool, error) {
	opened, err := a.place.Key.NewDecryptingReader(from, []byte(o.String()))
	if err != nil {
		return false, damaged(o, err)
	}
	in := bufio.NewReaderSize(opened, frameSize)
	for {
		if _, err := in.Peek(1); errors.Is(err, io.EOF) {
			return false, nil
		} else if err != nil {
			return false, damaged(o, err)
		}
		if err := a.transaction(&frameReader{from: in}); err != nil {
			return false, damaged(o, err)
		}
		if a.done >= a.last {
			return false, ctx.Err()
		}
		if each != nil {
			if stopped, err := each(); stopped || err != nil {
				return stopped, err
			}
		}
	}
}

func damaged(o object, err error) error {
	return fmt.Errorf("what was shipped after change %d is damaged, or was put there by another program: restore an "+
		"earlier state with --before or --at: %w", o.from, err)
}

func (a *applying) transaction(from io.Reader) error {
	file := ltx.NewDecoder(from)
	file.SetRetainPageIndex(false)
	if err := file.DecodeHeader(); err != nil {
		return err
	}
	header := file.Header()
	if uint64(header.MinTXID) != a.done+1 || header.MaxTXID != header.MinTXID ||
		!header.IsSnapshot() && header.PreApplyChecksum != a.pages.total {
		return errors.New("it does not follow what is before it")
	}
	if !a.target.At.IsZero() && header.Timestamp > a.target.At.UnixMilli() {
		a.last = a.done // it was committed later, even if it logs no change
		return nil
	}
	var page ltx.PageHeader
	data := make([]byte, header.PageSize)
	for {
		err := file.DecodePage(&page, data)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		if _, err := a.to.WriteAt(data, int64(page.Pgno-1)*int64(header.PageSize)); err != nil {
			return err
		}
		a.pages.put(page.Pgno, data)
	}
	a.pages.resize(header.Commit)
	if err := file.Close(); err != nil {
		return err
	}
	if file.Trailer().PostApplyChecksum != a.pages.total {
		return errors.New("its pages are not those that were shipped")
	}
	a.done++
	return a.to.Truncate(int64(header.Commit) * int64(header.PageSize))
}
