package mirror

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/importexport"
	"example.org/backoffice/privacy"
)

// Pull keeps a store in step with an origin.
type Pull struct {
	Store            backoffice.Store
	Files            backoffice.FileStore
	Keys             *privacy.Keyset
	From             string // the origin's address
	ClientID, Secret string // a credential of the origin
	// Purpose, if set, pulls registration numbers too, and the origin logs it.
	Purpose *string
	// Repair are fields to leave out of a record when they are invalid.
	Repair []string
	// AllowDeletions is how many records of a noun a pull may delete: see importexport.MostDeletions.
	AllowDeletions int
	// Rejects, if set, gets the files of records that cannot be loaded. The caller writes their lines, from the Report.
	Rejects *importexport.Rejects
	PerHour int // most requests in an hour; 0 for no limit
	// Progress, if set, gets the number of records read so far, and of all.
	Progress func(noun backoffice.Noun, done, total int)
	// Waiting, if set, is called once with an import that this one waits for.
	Waiting  func(importexport.Running)
	throttle *throttle     // of all runs
	mirrored bool          // a run has made the store a mirror, or found that it is one
	pageSize int           // 0 for mostAPage
	pause    time.Duration // between the first two attempts; 0 for the default
	later    time.Duration // added to the current time, for tests
}

// Pulled is the result for one noun.
type Pulled struct {
	Noun backoffice.Noun
	// Told reports whether the origin has the noun and lets the client see it. Otherwise the records here stay.
	Told bool
	// Incomplete is why some records may be missing here, in a sentence; "" when all are here.
	Incomplete string
	Pages      int
	// Loaded counts as an import does. Of the records that could not be loaded, Bad has only the reasons.
	Loaded importexport.Loaded
	// LeftOut names the first things that the origin answers wrongly, with the reason. The rest of the noun was read.
	LeftOut []string
	// Rejected are the records that could not be loaded.
	Rejected []Rejected
	Missing  int                 // no longer at the origin, and not deleted here yet
	sample   string              // a record that the origin has
	twice    []string            // records that two sweeps of the customers have missed
	seen     map[uint64]struct{} // in the walk, keyed by sumOf
	unloaded []string            // identifiers of records that could not be loaded
	sweep    *sweep              // nil for nouns that have a list
	history  string              // of the feed
	after    int64               // position in it before the walk, -1 when unknown
}

type Report struct {
	Nouns    []Pulled // in the order of an import
	Requests int64
}

func (r *Report) Incomplete() bool {
	return slices.ContainsFunc(r.Nouns, func(n Pulled) bool { return n.Incomplete != "" })
}

// Rejected counts the records that could not be loaded.
func (r *Report) Rejected() (n int) {
	for i := range r.Nouns {
		n += r.Nouns[i].Loaded.Rejected
	}
	return n
}

// pulling is one run of a Pull.
type pulling struct {
	*Pull
	origin   *origin
	stream   *importexport.Stream
	inHand   *inHand
	began    backoffice.Instant
	mirror   *backoffice.Mirror
	done     map[backoffice.Noun]*Pulled
	place    *place // in the origin's feed; nil when it has none
	onlyYear string // the only financial year that the origin has an address for; "" when it lists all
}

// Once reads everything once, and continues where an earlier run was interrupted. After an error, loaded records stay:
// errors are those of the store, and of an origin that cannot be read. The report is never nil.
func (p *Pull) Once(ctx context.Context) (*Report, error) {
	run, err := p.begin(ctx)
	if err != nil {
		return &Report{}, err
	}
	defer run.end()
	err = run.everything(ctx)
	if err == nil {
		err = run.note(ctx)
	}
	return run.report(), err
}

func (p *Pull) now() time.Time { return time.Now().Add(p.later) }

func (p *Pull) begin(ctx context.Context) (_ *pulling, err error) {
	run := &pulling{Pull: p, began: backoffice.InstantOf(p.now()), done: map[backoffice.Noun]*Pulled{}}
	if run.origin, err = p.newOrigin(); err != nil {
		return nil, err
	}
	if p.throttle == nil {
		p.throttle = run.origin.throttle
	}
	if run.origin.throttle = p.throttle; p.PerHour > 0 {
		p.throttle.every = time.Hour / time.Duration(p.PerHour)
	}
	if run.inHand, err = newInHand(); err != nil {
		return nil, err
	}
	if run.stream, err = p.importer().Stream(ctx, run.inHand.folder); err != nil {
		run.inHand.close()
		return nil, err
	}
	if err := run.readMirror(ctx); err != nil { // after other pulls have ended
		run.end()
		return nil, err
	}
	return run, nil
}

func (p *pulling) readMirror(ctx context.Context) (err error) {
	p.mirror, err = p.mine(ctx, p.origin.base.String())
	switch {
	case err != nil:
		return err
	case p.mirror.Stored:
		p.mirrored = true
		return nil
	case p.mirrored:
		return backoffice.ErrReleased
	}
	left, err := p.Store.MirrorNotes(ctx, "") // by a pull that noticed its release late
	for name := range left {
		err = errors.Join(err, p.Store.NoteMirror(ctx, name, nil))
	}
	return err
}

// stillMirrors returns ErrReleased when another process has released the store a moment ago.
func (p *pulling) stillMirrors(ctx context.Context) error {
	m, err := p.Store.Mirror(ctx)
	if err == nil && p.mirror.Stored && (m == nil || m.Since != p.mirror.Since) {
		err = backoffice.ErrReleased
	}
	return err
}

func (p *Pull) importer() *importexport.Importer {
	return &importexport.Importer{
		Repair: append(slices.Clone(p.Repair), "responsible"),
		Store:  p.Store, Files: p.Files, Keys: p.Keys, Action: "pull", Waiting: p.Waiting,
	}
}

func (p *pulling) end() {
	p.stream.Close()
	p.inHand.close()
	p.origin.http.CloseIdleConnections()
}

var errOther = backoffice.Errorf(backoffice.BadInput,
	"the store mirrors another URL; end that with backoffice pull --release")

// mine is the state of the store as a mirror of the origin. BadInput when it is the mirror of another one.
func (p *Pull) mine(ctx context.Context, from string) (*backoffice.Mirror, error) {
	m, err := p.Store.Mirror(ctx)
	switch {
	case err != nil:
		return nil, err
	case m == nil:
		return &backoffice.Mirror{Origin: from, ClientID: p.ClientID, Since: backoffice.InstantOf(time.Now())}, nil
	case m.Origin != from:
		return nil, errOther
	}
	copied := *m
	copied.Nouns = slices.Clone(m.Nouns)
	copied.ClientID = p.ClientID
	return &copied, nil
}

// Release ends mirroring: the records become the store's own. It returns the mirror as it was, nil for none.
func Release(ctx context.Context, store backoffice.Store) (*backoffice.Mirror, error) {
	m, err := store.Mirror(ctx)
	if err != nil || m == nil {
		return nil, err
	}
	return m, store.PutMirror(ctx, nil)
}

// everything follows the origin's changes, or walks through all nouns.
func (p *pulling) everything(ctx context.Context) error {
	if err := p.forgetSuperseded(ctx); err != nil {
		return err
	}
	if done, err := p.follow(ctx); err != nil {
		err = p.cut(nounOf(backoffice.NounCustomer), err)
		for _, of := range p.done { // changes of each may be missing
			of.Incomplete = p.of(nounOf(backoffice.NounCustomer)).Incomplete
		}
		return err
	} else if done {
		return nil
	}
	if err := p.beginFeed(ctx); err != nil {
		return err
	}
	passed := false
	for _, n := range nouns {
		err := p.walk(ctx, n)
		if err == nil && !p.of(n).Told {
			err = p.otherwise(ctx, n)
		}
		passed = passed || err != nil
		if err = p.passOver(n, err); err != nil {
			return p.cut(n, err)
		}
	}
	if passed { // dependents of a record here may belong to another one there
		return nil
	}
	for _, n := range deletions() {
		if err := p.passOver(n, p.delete(ctx, n)); err != nil {
			return p.cut(n, err)
		}
	}
	return p.endFeed(ctx)
}

// passOver notes an unreadable noun and lets the pull continue, unless it is customers, which everything depends on.
func (p *pulling) passOver(n *noun, err error) error {
	away := new(errAway)
	if !errors.As(err, &away) || !away.answered || n.of == backoffice.NounCustomer {
		return err
	}
	p.of(n).Incomplete = away.Error()
	p.of(n).Told = p.of(n).Told || p.mirror.Of(n.of) != nil
	return nil
}

// cut notes that the origin can no longer be read and the pull is cut short. That is an error when nothing was read.
func (p *pulling) cut(n *noun, err error) error {
	away := new(errAway)
	if !errors.As(err, &away) || len(p.done) == 0 {
		return err
	}
	p.of(n).Incomplete = away.Error()
	return nil
}

func (p *pulling) of(n *noun) *Pulled {
	if p.done[n.of] == nil {
		p.done[n.of] = &Pulled{Noun: n.of, Loaded: importexport.Loaded{File: string(n.of)}}
	}
	return p.done[n.of]
}

func (p *pulling) report() *Report {
	r := &Report{Requests: p.origin.requests.Load()}
	for _, n := range nouns {
		if done := p.done[n.of]; done != nil {
			r.Nouns = append(r.Nouns, *done)
		}
	}
	return r
}

// mirrors notes that the noun's records are the origin's from now on.
func (p *pulling) mirrors(ctx context.Context, n *noun) error {
	p.of(n).Told = true
	if p.mirror.Of(n.of) != nil {
		return p.stillMirrors(ctx)
	}
	p.mirror.Nouns = append(p.mirror.Nouns, backoffice.MirroredNoun{Noun: n.of})
	slices.SortFunc(p.mirror.Nouns, func(a, b backoffice.MirroredNoun) int { return cmp.Compare(a.Noun, b.Noun) })
	return p.putMirror(ctx)
}

func (p *pulling) putMirror(ctx context.Context) error {
	err := p.Store.PutMirror(ctx, p.mirror)
	if err == nil {
		p.mirror.Stored, p.mirrored = true, true
	}
	return err
}

// note stores the time at which each noun was complete, and counts incomplete walks.
func (p *pulling) note(ctx context.Context) error {
	for _, n := range nouns {
		done, of := p.done[n.of], p.mirror.Of(n.of)
		switch {
		case done == nil || of == nil:
		case !done.Told:
			done.Incomplete = cmp.Or(done.Incomplete, whyUnread)
			of.Incomplete++
		case done.Incomplete == "" && done.sweep != nil:
			of.At = done.sweep.Whole
		case done.Incomplete == "":
			of.At = p.began
		default:
			of.Incomplete++
		}
	}
	if len(p.mirror.Nouns) == 0 {
		return nil
	}
	return p.putMirror(ctx)
}

// WriteRejects replaces what the folder has by the records that could not be loaded.
func (r *Report) WriteRejects(into *importexport.Rejects) error {
	all := map[backoffice.Noun][]importexport.RejectedLine{}
	for i := range r.Nouns {
		for _, rejected := range r.Nouns[i].Rejected {
			all[r.Nouns[i].Noun] = append(all[r.Nouns[i].Noun], rejected.RejectedLine)
		}
	}
	return into.Write(all)
}

func (d *Pulled) add(loaded importexport.Loaded) {
	loaded.Bad = nil // Rejected has them
	d.Loaded.Add(loaded)
}

func (d *Pulled) String() string {
	if !d.Told {
		return fmt.Sprintf("%s: not reported by the origin; nothing changed here", d.Noun)
	}
	line := fmt.Sprintf("%s: %s", d.Noun, d.Loaded.Summary())
	if d.Missing > 0 {
		line += fmt.Sprintf(", %d missing at the origin", d.Missing)
	}
	return line
}
