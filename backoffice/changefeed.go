package backoffice

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// The change feed is the change log as callers see it. Entries that it does not show leave gaps in the numbers.

// ChangeKinds is a set of kinds of entries: one for each noun that the feed shows, and one for changes of registration
// numbers alone. The zero value is none.
type ChangeKinds uint32

// RegistrationNumbers is the kind of customers of whom only registration numbers changed.
const RegistrationNumbers = "registration numbers"

// numberFields are the fields that need privacy.read.
var numberFields = []string{RegistrationNumber.Input(), SpouseRegistrationNumber.Input()}

// numbersKind is the last bit; the others are those of Nouns, in their order.
const numbersKind ChangeKinds = 1 << 31

func kindOf(noun Noun) ChangeKinds {
	if i := noun.Index(); i >= 0 {
		return 1 << i
	}
	return 0
}

// ChangesVisibleTo returns the kinds of entries of some nouns (nil: of all) that a caller may see: those that need no
// scope, or one that it has.
func ChangesVisibleTo(by *Principal, nouns []Noun) (kinds ChangeKinds) {
	for i, of := range Nouns {
		if (nouns == nil || slices.Contains(nouns, of.Name())) && of.VisibleTo(by) {
			kinds |= 1 << i
		}
	}
	if kinds&kindOf(NounCustomer) != 0 && by.Has(PrivacyRead) {
		kinds |= numbersKind
	}
	return kinds
}

// Names returns the kinds as the store names them: the noun, or RegistrationNumbers.
func (k ChangeKinds) Names() (names []string) {
	for i, of := range Nouns {
		if k&(1<<i) != 0 {
			names = append(names, string(of.Name()))
		}
	}
	if k&numbersKind != 0 {
		names = append(names, RegistrationNumbers)
	}
	return names
}

// VisibleChange is an entry of the change log as a caller sees it, without any value.
type VisibleChange struct {
	Cursor   string // of the entry in the feed
	Sequence int
	At       Instant
	Noun     Noun
	ObjectID string
	Action   ChangeAction   // Created, Updated or Deleted
	Fields   []string       // that changed; none of what was created or deleted
	ClientID *string        // nil for the operator
	Parents  []ChangeParent // that it belonged to before or belongs to now
}

// Named is the object's identifier, nil for Reset.
func (c *VisibleChange) Named() *string {
	if c.Action == Reset {
		return nil
	}
	return &c.ObjectID
}

// ChangeEvent is one event of a subscription to the feed.
type ChangeEvent struct{ Changes *VisibleChange }

// Show returns the entry as a caller who may see these kinds sees it, nil when it is of another kind.
func (k ChangeKinds) Show(c *Change) *VisibleChange {
	kind := kindOf(c.Noun)
	if kind&kindOf(NounCustomer) != 0 && len(c.Fields) > 0 && !slices.ContainsFunc(c.Fields, isNotNumber) {
		kind = numbersKind
	}
	if k&kind == 0 {
		return nil
	}
	shown := &VisibleChange{
		Cursor: ChangeCursor(c.History, c.Sequence), Sequence: int(c.Sequence), At: c.At, Noun: c.Noun,
		ObjectID: c.ObjectID, Action: c.Done, Fields: []string{}, Parents: []ChangeParent{},
	}
	if c.ClientID != "" {
		shown.ClientID = &c.ClientID
	}
	switch c.Done {
	case Created, Deleted, Reset:
	default: // also an entry of an older program
		shown.Action = Updated
		for _, field := range c.Fields {
			if k&numbersKind != 0 || isNotNumber(field) {
				shown.Fields = append(shown.Fields, field)
			}
		}
	}
	for _, parent := range c.Parents {
		// What belongs to a user is not part of a customer.
		if parent.Noun != "" && parent.Noun != NounUser {
			shown.Parents = append(shown.Parents, parent)
		}
	}
	return shown
}

func isNotNumber(field string) bool { return !slices.Contains(numberFields, field) }

// LatestOnly keeps the last entry of each object.
func LatestOnly(changes []*VisibleChange) []*VisibleChange {
	type object struct {
		noun Noun
		id   string
	}
	seen := map[object]bool{}
	kept := make([]*VisibleChange, 0, len(changes))
	for _, c := range slices.Backward(changes) {
		if o := (object{c.Noun, c.ObjectID}); !seen[o] {
			seen[o] = true
			kept = append(kept, c)
		}
	}
	slices.Reverse(kept)
	return kept
}

// FromOldest is the position before the oldest entry that is stored.
const FromOldest int64 = -1

type ChangeQuery struct {
	History string // that After belongs to; "" for the current one
	After   int64  // a number of the log, or FromOldest
	First   int    // the most entries
	Kinds   ChangeKinds
	Seeing  ChangeKinds // all that the caller may see, for ChangePage.Seen
}

// ChangePage is a page of the feed, and the state of the log in its snapshot.
type ChangePage struct {
	History   string    // of the log
	Continues bool      // the log has another history now, but the same entries from After on
	Changes   []*Change // of the kinds that were asked for, in order
	More      bool      // entries of these kinds follow the page
	Removed   int64     // entries up to this number are gone
	Latest    int64     // the number of the last entry
	Seen      int64     // that of the last entry that the caller may see, or After when none follows it
}

type ChangeReader interface {
	Sender
	ReadChanges(b *Batch, q ChangeQuery, into *ChangePage) Queued
}

// FollowOnPrimary sends the rest of a request's reads to the primary: a replica may not have the cursor's entry yet.
func FollowOnPrimary(ctx context.Context) { SessionOf(ctx).StayOnPrimary() }

// ReadChangePage reads a page of the feed. Errors: CursorExpired, and those of a Sender.
func ReadChangePage(ctx context.Context, store ChangeReader, q ChangeQuery) (*ChangePage, error) {
	FollowOnPrimary(ctx)
	var b Batch
	page := &ChangePage{}
	store.ReadChanges(&b, q, page)
	if err := store.Send(ctx, &b); err != nil {
		return nil, err
	}
	return page, page.Expired(q.History, q.After)
}

// Expired returns CursorExpired when entries after this position are missing. The end of the log is always valid.
func (p *ChangePage) Expired(history string, after int64) error {
	switch {
	case history != "" && history != p.History && !p.Continues, after > p.Latest:
		return Errorf(CursorExpired, "this cursor does not belong to the current change log, for example after a restore: "+
			"export the records again, and continue from the export's cursor")
	case after == FromOldest || p.Removed <= after:
		return nil
	}
	return Errorf(CursorExpired, "changes after this cursor are no longer retained: "+
		"export the records again, and continue from the export's cursor")
}

// End is the cursor of the last change that the caller may see, or of the log's end when all of those are removed.
func (p *ChangePage) End() string {
	if p.Seen < p.Removed {
		return ChangeCursor(p.History, p.Latest)
	}
	return ChangeCursor(p.History, p.Seen)
}

// Show returns the page's entries as a caller who may see these kinds sees them.
func (p *ChangePage) Show(kinds ChangeKinds) []*VisibleChange {
	shown := make([]*VisibleChange, 0, len(p.Changes))
	for _, c := range p.Changes {
		s := kinds.Show(c)
		if s == nil {
			continue
		}
		if n := len(shown); n > 0 && shown[n-1].Sequence == s.Sequence { // resuming there repeats all of this number
			shown[n-1].Cursor = ChangeCursor(c.History, c.Sequence-1)
		}
		shown = append(shown, s)
	}
	return shown
}

// ChangeCursor is the cursor of a number in a history of the change log: HISTORY.NUMBER.
func ChangeCursor(history string, sequence int64) string {
	return history + "." + strconv.FormatInt(sequence, 10)
}

var changeCursor = regexp.MustCompile(`^([a-z0-9]{8,16})\.(0|[1-9][0-9]{0,18})$`)

// ParseChangeCursor is the inverse of ChangeCursor. Errors: BadInput.
func ParseChangeCursor(cursor string) (history string, sequence int64, err error) {
	if found := changeCursor.FindStringSubmatch(cursor); found != nil {
		if sequence, err = strconv.ParseInt(found[2], 10, 64); err == nil {
			return found[1], sequence, nil
		}
	}
	return "", 0, Errorf(BadInput, "this is not a cursor of the change feed such as x7k2m9qa.42: "+
		"use a change's or an export's")
}

// NewHistory makes a random name for a history of the change log.
func NewHistory() string { return strings.ToLower(rand.Text()[:16]) }

// ParseChangeNoun parses a noun's name in the APIs (CUSTOMER). Errors: BadInput.
func ParseChangeNoun(name string) (Noun, error) {
	if i := slices.IndexFunc(Nouns[:], func(of AnyNoun) bool { return of.Name().APIName() == name }); i >= 0 {
		return Nouns[i].Name(), nil
	}
	return "", Errorf(BadInput, "unknown noun; the nouns are %s", strings.Join(ChangeNouns(), ", "))
}

func ChangeNouns() []string {
	return Map(Nouns[:], func(of AnyNoun) string { return of.Name().APIName() })
}

var apiNames = func() map[Noun]string {
	names := map[Noun]string{}
	for _, of := range Nouns {
		name := of.Name()
		if name == NounRelation || name == NounDocument {
			name = "customer " + name
		}
		names[of.Name()] = strings.ToUpper(strings.ReplaceAll(string(name), " ", "_"))
	}
	return names
}()

// APIName is the name of a noun of the feed in the APIs, "" for any other.
func (n Noun) APIName() string        { return apiNames[n] }
func (n Noun) MarshalGQL(w io.Writer) { _, _ = io.WriteString(w, strconv.Quote(n.APIName())) }

func (n *Noun) UnmarshalGQL(v any) (err error) {
	*n, err = readEnum(v, ParseChangeNoun)
	return err
}

func (a ChangeAction) MarshalGQL(w io.Writer) { _, _ = io.WriteString(w, strconv.Quote(a.APIName())) }

// UnmarshalGQL is only for gqlgen; actions are never read.
func (*ChangeAction) UnmarshalGQL(any) error { return errors.New("an action cannot be an input") }
func (a ChangeAction) APIName() string       { return strings.ToUpper(string(a)) }
