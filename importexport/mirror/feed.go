package mirror

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"example.org/backoffice/backoffice"
)

// An origin that is a Backoffice has a change log: after a first walk, a pull reads only changed records.

const (
	feedPage = 500
	// walkAgain is the age of the last full walk at which a pull does another one all the same.
	walkAgain = 24 * time.Hour
	// mostUnloaded is how many records that could not be loaded each pull reads again; with more it reads everything.
	mostUnloaded = 1000
	// mostPages is how many pages of the feed a pull reads at a time, mostShort how many that are not full; beyond that
	// a full walk is less work.
	mostPages, mostShort = 400, 200
	// mostRounds is how often a pull checks for changes made meanwhile.
	mostRounds = 20
)

// place is how far the origin's changes were read. The store has a note of it while everything up to it is here.
type place struct {
	History string             `json:"history"` // of the origin's change log
	After   int64              `json:"after"`
	Last    *change            `json:"last"`    // the change at After, nil if unknown; proves that the feed is the same
	Walked  backoffice.Instant `json:"walked"`  // when the last full walk began
	Numbers bool               `json:"numbers"` // registration numbers are pulled
	Client  string             `json:"client"`  // another credential may see more
	Proven  bool               `json:"proven"`  // the counts here and there were equal while nothing changed
	// Open are changes not applied yet: records that could not be loaded, and deletions that were not made.
	Open map[backoffice.Noun]map[string]touched `json:"open"`
	// Unread are nouns whose list the last full walk could not read; what changed in them before After is missing here.
	Unread []backoffice.Noun `json:"unread,omitempty"`
}

type change struct {
	Sequence int64    `json:"sequence"`
	At       string   `json:"at"`
	Noun     string   `json:"noun"`
	ID       string   `json:"id"`
	Action   string   `json:"action"`
	Parents  []parent `json:"parents,omitempty"`
}

// parent is an object that another one belongs to, or belonged to.
type parent struct {
	Noun string `json:"noun"`
	ID   string `json:"id"`
}

func (c *change) is(other *change) bool {
	return c.Sequence == other.Sequence && c.At == other.At &&
		c.Noun == other.Noun && c.ID == other.ID && c.Action == other.Action
}

// feed is an answer of the feed; read reports whether it really is one.
type feed struct {
	Changes []change `json:"changes"`
	Latest  string   `json:"latest"`
	history string   // of latest
	end     int64
	read    bool
}

const (
	placeNote  = "feed"
	noFeedNote = "no feed" // an origin had none; the pull asks again a day later
)

// noFeed names the origin that has no feed: the operator may correct the address, and the next one may have it.
type noFeed struct {
	Origin string             `json:"origin"`
	Asked  backoffice.Instant `json:"asked"`
}

// changes reads a page of the feed. An unreadable one counts as none: the origin may have something else there.
func (p *pulling) changes(ctx context.Context, history string, after int64, limit int) (*feed, int, error) {
	query := url.Values{"limit": {strconv.Itoa(limit)}}
	if history != "" {
		query.Set("after", backoffice.ChangeCursor(history, after))
	}
	var got feed
	status, err := p.origin.get(ctx, "/changes", query, answerTime, func(r *http.Response) error {
		got = feed{}
		err := decode(r, &got)
		if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, errMalformed) { // it broke off
			return err
		}
		var bad error
		got.history, got.end, bad = backoffice.ParseChangeCursor(got.Latest)
		got.read = err == nil && bad == nil && got.Changes != nil && (history == "" || history == got.history)
		return nil
	})
	return &got, status, err
}

// beginFeed finds, before a full walk, the position in the feed to follow from afterwards.
func (p *pulling) beginFeed(ctx context.Context) error {
	notes, err := p.Store.MirrorNotes(ctx, noFeedNote)
	if err != nil {
		return err
	}
	var none noFeed
	from := p.origin.base.String()
	if note := notes[noFeedNote]; note != nil && json.Unmarshal(note, &none) == nil && none.Origin == from &&
		p.began.Time().Sub(none.Asked.Time()) < walkAgain {
		return nil
	}
	got, status, err := p.changes(ctx, "", 0, 1)
	if err != nil {
		return err
	}
	if status != http.StatusOK || !got.read {
		return p.putNote(ctx, noFeedNote, noFeed{from, p.began})
	}
	latest := got.end
	p.place = &place{
		History: got.history, After: latest, Walked: p.began, Numbers: p.Purpose != nil, Client: p.ClientID,
		Open: map[backoffice.Noun]map[string]touched{},
	}
	if latest == 0 {
		return nil
	}
	got, status, err = p.changes(ctx, p.place.History, latest-1, 1)
	if status == http.StatusOK && len(got.Changes) > 0 && got.Changes[0].Sequence == latest { // else it is hidden
		p.place.Last = &got.Changes[0]
		p.place.Last.Parents = nil
	}
	return err
}

// endFeed notes, after a full walk, that the feed has everything from its position on.
func (p *pulling) endFeed(ctx context.Context) error {
	if p.place == nil {
		return nil
	}
	unloaded := 0
	for _, n := range nouns {
		done := p.done[n.of]
		switch {
		case done == nil || !done.Told:
			if p.mirror.Of(n.of) != nil {
				p.place.Unread = append(p.place.Unread, n.of)
			}
			continue
		case done.Incomplete != "" || done.Missing > 0 || done.after < 0 || done.history != p.place.History:
			return nil
		case done.after < p.place.After: // its walk began in an earlier run
			p.place.After, p.place.Last = done.after, nil
		}
		for _, id := range done.unloaded {
			p.place.open(n.of, id, touched{})
			unloaded++
		}
	}
	if unloaded > mostUnloaded {
		return nil
	}
	return p.prove(ctx)
}

// prove compares the number of records of each noun here and there. The walk has seen every record here, and the feed
// reports deletions since, so equal numbers mean equal records. Otherwise the walk missed records that moved across
// pages meanwhile, and the next pull does a full walk. While records change, it leaves the proof to the next pull.
func (p *pulling) prove(ctx context.Context) error {
	differ := map[*noun]string{}
	for _, n := range nouns {
		if done := p.done[n.of]; done == nil || !done.Told || slices.Contains(p.place.Unread, n.of) {
			continue
		}
		got, status, err := p.page(ctx, n, 1, 1)
		if err != nil {
			return p.cut(n, err)
		}
		here, err := n.count(ctx, p.Store)
		if err != nil {
			return err
		}
		open := slices.Collect(maps.Keys(p.place.Open[n.of]))
		found, err := n.find(ctx, p.Store, open)
		if err != nil {
			return err
		}
		for id, t := range p.place.Open[n.of] {
			switch _, is := found[id]; {
			case is && t.Deleted:
				here--
			case !is && !t.Deleted:
				here++
			}
		}
		switch {
		case status != http.StatusOK:
			differ[n] = fmt.Sprintf("its list returned %d", status)
		case here != *got.Total:
			differ[n] = fmt.Sprintf(
				"it has %d records, and %d are here; the next pull reads everything again", *got.Total, here)
		}
	}
	before := p.place.After
	known, err := p.gather(ctx)
	if err != nil {
		return p.cut(nounOf(backoffice.NounCustomer), err)
	}
	if !known || p.place.After == before && len(differ) > 0 {
		for n, why := range differ {
			p.of(n).Incomplete = why
		}
		return p.Store.NoteMirror(ctx, placeNote, nil)
	}
	p.place.Proven = p.place.After == before
	return p.notePlace(ctx)
}

func (p *pulling) notePlace(ctx context.Context) error { return p.putNote(ctx, placeNote, p.place) }

// putNote notes a value as JSON.
func (p *pulling) putNote(ctx context.Context, name string, value any) error {
	note, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return p.Store.NoteMirror(ctx, "", map[string][]byte{name: note})
}

// notedPlace returns the position to read changes from, nil when a full walk is needed.
func (p *pulling) notedPlace(ctx context.Context) (*place, error) {
	notes, err := p.Store.MirrorNotes(ctx, placeNote)
	note := notes[placeNote]
	if err != nil || note == nil {
		return nil, err
	}
	at := place{Open: map[backoffice.Noun]map[string]touched{}}
	if json.Unmarshal(note, &at) != nil || at.History == "" || at.Numbers != (p.Purpose != nil) ||
		at.Client != p.ClientID || p.began.Time().Sub(at.Walked.Time()) > walkAgain {
		return nil, p.Store.NoteMirror(ctx, placeNote, nil)
	}
	return &at, nil
}

// news reads a page of the changes since the position and moves it; end is the number of the last one that is visible.
// known is false when the feed does not continue from there. prove reads the change at the position again: if it is
// another one, the log is. Where a customer comes into the client's view, or leaves it, changes share a number.
func (p *pulling) news(ctx context.Context, prove bool) (found []change, end int64, known bool, err error) {
	after := p.place.After
	if prove = prove && p.place.Last != nil; prove {
		after--
	}
	got, status, err := p.changes(ctx, p.place.History, after, feedPage)
	if err != nil || status != http.StatusOK || !got.read {
		return nil, 0, false, err
	}
	found = got.Changes
	if prove {
		if len(found) == 0 || !found[0].is(p.place.Last) {
			return nil, 0, false, nil
		}
		found = slices.DeleteFunc(found, func(c change) bool { return c.Sequence == p.place.After })
	}
	before := p.place.After + 1
	for i := range found {
		if found[i].Sequence < before || found[i].ID == "" {
			return nil, 0, false, nil
		}
		before = found[i].Sequence
	}
	if len(found) > 0 {
		number := found[len(found)-1].Sequence
		last := found[slices.IndexFunc(found, func(c change) bool { return c.Sequence == number })] // the log's own
		last.Parents = nil
		p.place.After, p.place.Last = last.Sequence, &last
	}
	return found, got.end, true, nil
}
