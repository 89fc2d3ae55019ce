package mirror

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"example.org/backoffice/backoffice"
)

// An origin that is a Backoffice tells its changes: after a first walk, a pull reads only changed records.

const (
	feedPage = 500
	// walkAgain is when everything is walked through again all the same.
	walkAgain = 24 * time.Hour
	// mostUnloaded is how many records that could not be loaded are read again by each pull; with more all are.
	mostUnloaded = 1000
	// mostPages of the feed are read at one time; with more, walking through everything is less.
	mostPages = 400
	// mostRounds is how often a pull looks for what was changed meanwhile.
	mostRounds = 20
)

// place is how far the origin's changes were read. It is noted in the store, as long as everything before it is here.
type place struct {
	History string             `json:"history"` // of the origin's change log
	After   int64              `json:"after"`
	Last    *change            `json:"last"`    // the change of that number, nil when it is not known: the proof that the feed is the one that was read
	Walked  backoffice.Instant `json:"walked"`  // when everything was walked through
	Numbers bool               `json:"numbers"` // registration numbers are pulled
	Client  string             `json:"client"`  // the pair: another one may see more
	Proven  bool               `json:"proven"`  // as many records were here as there, at a moment without changes
	// Open are changes that came to nothing yet: records that could not be loaded, and deletions that were not made.
	Open map[backoffice.Noun]map[string]touched `json:"open"`
}

// change is an entry of the feed.
type change struct {
	Sequence int64    `json:"sequence"`
	At       string   `json:"at"`
	Noun     string   `json:"noun"`
	ID       string   `json:"id"`
	Action   string   `json:"action"`
	Parents  []parent `json:"parents,omitempty"`
}

// parent is what an object hangs on, or hung on.
type parent struct {
	Noun string `json:"noun"`
	ID   string `json:"id"`
}

func (c *change) is(other *change) bool {
	return c.Sequence == other.Sequence && c.At == other.At && c.Noun == other.Noun && c.ID == other.ID && c.Action == other.Action
}

// feed is an answer of the feed; read is whether it is one.
type feed struct {
	Changes []change `json:"changes"`
	Latest  string   `json:"latest"`

	history string // of latest
	end     int64
	read    bool
}

const (
	placeNote  = "feed"
	noFeedNote = "no feed" // that an origin had none; it is asked again a day later
)

// noFeed is noted of an origin, and of no other: one address may be none, and the next the right one.
type noFeed struct {
	Origin string             `json:"origin"`
	Asked  backoffice.Instant `json:"asked"`
}

// changes reads a page of the feed. One that cannot be read is none: the origin may have something else there.
func (p *pulling) changes(ctx context.Context, history string, after int64, limit int) (*feed, int, error) {
	query := url.Values{"limit": {strconv.Itoa(limit)}}
	if history != "" {
		query.Set("after", backoffice.ChangeCursor(history, after))
	}
	var got feed
	status, err := p.origin.get(ctx, "/changes", query, answerTime, func(r *http.Response) error {
		got = feed{}
		err := json.NewDecoder(limited(r)).Decode(&got)
		var bad error
		got.history, got.end, bad = backoffice.ParseChangeCursor(got.Latest)
		got.read = err == nil && bad == nil && got.Changes != nil && (history == "" || history == got.history)
		return nil
	})
	return &got, status, err
}

// beginFeed finds out, before a walk through everything, where its changes are told from then on.
func (p *pulling) beginFeed(ctx context.Context) error {
	notes, err := p.Store.MirrorNotes(ctx, noFeedNote)
	if err != nil {
		return err
	}
	var none noFeed
	from := p.origin.base.String()
	if note := notes[noFeedNote]; note != nil && json.Unmarshal(note, &none) == nil && none.Origin == from && p.began.Time().Sub(none.Asked.Time()) < walkAgain {
		return nil
	}
	got, status, err := p.changes(ctx, "", 0, 1)
	if err != nil {
		return err
	}
	if status != http.StatusOK || !got.read {
		note, err := json.Marshal(noFeed{from, p.began})
		if err != nil {
			return err
		}
		return p.Store.NoteMirror(ctx, "", map[string][]byte{noFeedNote: note})
	}
	history, latest := got.history, got.end
	p.place = &place{
		History: history, After: latest, Walked: p.began, Numbers: p.Purpose != nil, Client: p.ClientID,
		Open: map[backoffice.Noun]map[string]touched{},
	}
	if latest == 0 {
		return nil
	}
	got, status, err = p.changes(ctx, history, latest-1, 1)
	if status == http.StatusOK && len(got.Changes) == 1 && got.Changes[0].Sequence == latest { // else it is not shown
		p.place.Last = &got.Changes[0]
		p.place.Last.Parents = nil
	}
	return err
}

// endFeed notes, after a walk through everything, that the changes say all from then on.
func (p *pulling) endFeed(ctx context.Context) error {
	if p.place == nil {
		return nil
	}
	unloaded := 0
	for _, n := range nouns {
		done := p.done[n.of]
		switch {
		case done == nil || !done.Told:
			continue
		case done.Incomplete != "" || done.Missing > 0 || done.after < 0 || done.history != p.place.History:
			return nil
		case done.after < p.place.After: // its walk began in a run before
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

// prove compares how many records of each noun there are here and there. Everything that is here is there, for the
// walk has seen it and deletions were told since; so where there are as many, they are the same, and else the walk has
// missed some: those that moved over a page's border while it went on. Then the place is given up, and everything
// walked through again. At a moment with changes nothing is proven, and the next pull tries.
func (p *pulling) prove(ctx context.Context) error {
	differ := map[*noun]string{}
	for _, n := range nouns {
		if done := p.done[n.of]; done == nil || !done.Told {
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
			differ[n] = fmt.Sprintf("its list is answered with %d", status)
		case here != *got.Total:
			differ[n] = fmt.Sprintf("it has %d records, and %d are here; everything is read again by the next pull", *got.Total, here)
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

func (p *pulling) notePlace(ctx context.Context) error {
	note, err := json.Marshal(p.place)
	if err != nil {
		return err
	}
	return p.Store.NoteMirror(ctx, "", map[string][]byte{placeNote: note})
}

// notedPlace is where the changes are to be read from, nil when everything has to be walked through.
func (p *pulling) notedPlace(ctx context.Context) (*place, error) {
	notes, err := p.Store.MirrorNotes(ctx, placeNote)
	note := notes[placeNote]
	if err != nil || note == nil {
		return nil, err
	}
	var at place
	if json.Unmarshal(note, &at) != nil || at.History == "" || at.Numbers != (p.Purpose != nil) || at.Client != p.ClientID ||
		p.began.Time().Sub(at.Walked.Time()) > walkAgain {
		return nil, p.Store.NoteMirror(ctx, placeNote, nil)
	}
	if at.Open == nil {
		at.Open = map[backoffice.Noun]map[string]touched{}
	}
	return &at, nil
}

// news reads the changes since the position and moves it. known is false when the feed does not go on from there.
func (p *pulling) news(ctx context.Context) (found []change, known bool, err error) {
	after := p.place.After
	if p.place.Last != nil {
		after-- // so that the last one is told again
	}
	got, status, err := p.changes(ctx, p.place.History, after, feedPage)
	if err != nil || status != http.StatusOK || !got.read {
		return nil, false, err
	}
	found = got.Changes
	if last := p.place.Last; last != nil {
		if len(found) == 0 || !found[0].is(last) {
			return nil, false, nil
		}
		found = found[1:]
	}
	before := p.place.After
	for i := range found {
		if found[i].Sequence <= before || found[i].ID == "" {
			return nil, false, nil
		}
		before = found[i].Sequence
	}
	if len(found) > 0 {
		last := found[len(found)-1]
		last.Parents = nil
		p.place.After, p.place.Last = last.Sequence, &last
	}
	return found, true, nil
}
