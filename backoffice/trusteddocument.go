package backoffice

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"slices"
	"strings"
)

// NounTrustedDocuments names the sets of trusted documents, and the queries that pairs save, in the change log. The
// feed shows nothing of them.
const NounTrustedDocuments Noun = "trusted documents"

const (
	MaxTrustedDocuments = 20_000    // of a set
	MaxTrustedText      = 256 << 10 // bytes of a document
	MaxDocumentID       = 256       // bytes of an identifier that a manifest gave
)

// TrustedDocument is a query that an operator trusts or a pair has saved: requests name it by an identifier.
type TrustedDocument struct {
	ID        string // of its text: see DocumentID
	Text      string // "" where it was not asked for
	Size      int    // bytes of the text; known of what was read
	Set       string // which manifest it came with; "" for one that a pair has saved
	Name      string // "" for none
	Kind      string // query, mutation or subscription
	Title     string
	About     string   // its description
	Cost      *int     // nil when a variable decides that has no default
	Scopes    []Scope  // that the whole answer needs
	Aliases   []string // other identifiers, as a manifest gave them
	CreatedAt Instant
	ClientID  string  // the pair that saved it; "" for the operator
	RetiredAt Instant // since when its set has it no more; zero while it has. It is still answered.
}

// DocumentID is the identifier of a document by its text: "sha256:" and the digest in hexadecimal digits.
func DocumentID(text string) string {
	sum := sha256.Sum256([]byte(text))
	return documentPrefix + hex.EncodeToString(sum[:])
}

const documentPrefix = "sha256:"

var bareDigest = regexp.MustCompile(`^[0-9a-f]{64}$`)

// ParseDocumentID gives the one form of an identifier; a digest alone is that of SHA-256.
func ParseDocumentID(id string) string {
	if lower := strings.ToLower(id); len(id) == 64 && bareDigest.MatchString(lower) {
		return documentPrefix + lower
	}
	return id
}

// CheckDocumentID refuses, as BadInput, an identifier of a manifest that lies about its text or cannot be one.
func CheckDocumentID(id, text string) error {
	switch {
	case id == "" || len(id) > MaxDocumentID || strings.ContainsFunc(id, func(r rune) bool { return r <= ' ' || r >= 0x7f }):
		return Errorf(BadInput, "an identifier has 1 to %d characters of ASCII, without spaces", MaxDocumentID)
	case strings.HasPrefix(ParseDocumentID(id), documentPrefix) && ParseDocumentID(id) != DocumentID(text):
		return Errorf(BadInput, "the identifier is not the SHA-256 of the text")
	}
	return nil
}

// CheckedDocument is what is known of a document that may be executed.
type CheckedDocument struct {
	Name        string // of its operation, "" for none
	Kind        string // query, mutation or subscription
	Variables   []string
	Description string // of its operation, or the comment before it; the first line is the title
	Cost        *int   // nil when a variable decides that has no default
	Scopes      []Scope
}

// DocumentFault is why a document is not trusted: in words that hold nothing of it, and where.
type DocumentFault struct {
	Message      string
	Line, Column int // from 1; 0 when it is the whole document
}

type DocumentChecker interface {
	// CheckDocument validates and prices a document of one operation. Of a trusted one the limits of form do not hold:
	// words, aliases, directives and root fields.
	CheckDocument(text string, trusted bool) (*CheckedDocument, []DocumentFault)
}

func (c *CheckedDocument) Document(text string) *TrustedDocument {
	d := &TrustedDocument{ID: DocumentID(text), Text: text, Name: c.Name, Kind: c.Kind, Cost: c.Cost, Scopes: c.Scopes}
	d.Title, d.About = titled(c.Description)
	return d
}

func titled(description string) (title, about string) {
	title, about, _ = strings.Cut(strings.TrimSpace(description), "\n")
	title, about = strings.TrimSpace(title), strings.TrimSpace(about)
	if runes := []rune(title); len(runes) > MaxText {
		title = string(runes[:MaxText-1]) + "…"
	}
	return title, about
}

type TrustedQuery struct {
	ID    string // only those with this identifier, or alias
	Name  string // only saved queries of this name
	Saved bool   // only what may be a saved query: queries with a name, that are not retired
	Texts bool   // with their texts
}

type TrustedChanges struct {
	Put    []*TrustedDocument // added, or written over those of the same set, identifier and name
	Retire []*TrustedDocument // marked with their RetiredAt
	Remove []*TrustedDocument
}

// TrustedDocumentStore reads from and writes to the primary. What it returns belongs to the caller.
type TrustedDocumentStore interface {
	// TrustedDocuments returns documents, ordered by set, name and identifier, in one statement.
	TrustedDocuments(ctx context.Context, q TrustedQuery) ([]*TrustedDocument, error)
	// ChangeTrustedDocuments reads all documents without their texts, lets change say what is to be done, and does
	// that, in one transaction that no other such change overlaps. What was done is noted in the change log, as act
	// tells, unless it was nothing. change may run again. When it returns an error nothing is done and that error is
	// returned.
	ChangeTrustedDocuments(ctx context.Context, act Change, change func(have []*TrustedDocument) (TrustedChanges, error)) error
}

var setName = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,100}$`)

// CheckSetName returns BadInput for an invalid name of a set.
func CheckSetName(set string) error {
	if !setName.MatchString(set) {
		return Errorf(BadInput, "a set's name is 1 to 100 of A-Z a-z 0-9 _ . -")
	}
	return nil
}

// Trusting is an operator's act: from now on the set consists of these documents.
type Trusting struct {
	Set       string
	Documents []*TrustedDocument // as CheckedDocument.Document makes them, with the aliases that the manifest gave
	// Removals is how many documents may be removed that the manifest has no more. Without it they stay, retired:
	// clients of yesterday still ask for them.
	Removals *int
	Now      Instant
}

type Trusted struct{ Added, Same, Retired, Removed int }

// Trust does it, all or nothing. Errors: BadInput for a name that is none; Refused when there is nothing to trust,
// when more would be removed than may be, and when an identifier is known for another document.
func (t *Trusting) Trust(ctx context.Context, store TrustedDocumentStore) (done Trusted, err error) {
	if err := CheckSetName(t.Set); err != nil {
		return done, err
	}
	switch n := len(t.Documents); {
	case n == 0:
		return done, refuseDocuments("there is nothing to trust: a set is emptied by documents remove --set")
	case n > MaxTrustedDocuments:
		return done, refuseDocuments("a set has at most %d documents", MaxTrustedDocuments)
	}
	act := Change{At: t.Now, Action: "documents trust", ObjectID: t.Set, Done: Updated}
	err = store.ChangeTrustedDocuments(ctx, act, func(have []*TrustedDocument) (changes TrustedChanges, err error) {
		done, changes, err = t.against(have)
		return changes, err
	})
	return done, err
}

func refuseDocuments(format string, args ...any) error {
	return refused(CodeNotAllowed, Errorf(Refused, format, args...).Message)
}

// against works out what is to be done where there are these documents.
func (t *Trusting) against(have []*TrustedDocument) (done Trusted, changes TrustedChanges, err error) {
	type key struct{ id, name string }
	mine, owner := map[key]*TrustedDocument{}, map[string]*TrustedDocument{}
	for _, d := range have {
		for _, alias := range d.Aliases {
			owner[alias] = d
		}
		if d.Set == t.Set {
			mine[key{d.ID, d.Name}] = d
		}
	}
	for _, d := range t.Documents {
		for _, alias := range d.Aliases {
			if other := owner[alias]; other != nil && other.ID != d.ID {
				return done, changes, refuseDocuments("the identifier %s is that of another document of the set %q: identifiers are for good; remove that one first", alias, other.Set)
			}
			owner[alias] = d
		}
		put := *d
		put.Set, put.CreatedAt = t.Set, t.Now
		if old := mine[key{d.ID, d.Name}]; old != nil {
			delete(mine, key{d.ID, d.Name})
			put.CreatedAt, put.Aliases = old.CreatedAt, merged(old.Aliases, d.Aliases)
			if done.Same++; old.tells(&put) {
				continue
			}
		} else {
			done.Added++
		}
		changes.Put = append(changes.Put, &put)
	}
	for _, d := range mine {
		switch {
		case t.Removals != nil:
			changes.Remove = append(changes.Remove, d)
		case d.RetiredAt.IsZero():
			d.RetiredAt = t.Now
			changes.Retire = append(changes.Retire, d)
		}
	}
	done.Removed, done.Retired = len(changes.Remove), len(changes.Retire)
	if t.Removals != nil && done.Removed > *t.Removals {
		return done, changes, refuseDocuments(
			"%d documents would be removed, and --allow-removals allows %d", done.Removed, *t.Removals)
	}
	return done, changes, nil
}

func (d *TrustedDocument) tells(other *TrustedDocument) bool {
	sameCost := d.Cost == nil && other.Cost == nil || d.Cost != nil && other.Cost != nil && *d.Cost == *other.Cost
	return sameCost && d.RetiredAt == other.RetiredAt && d.Kind == other.Kind &&
		d.Title == other.Title && d.About == other.About &&
		slices.Equal(d.Scopes, other.Scopes) && slices.Equal(d.Aliases, other.Aliases)
}

func merged(a, b []string) []string {
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}

// RemoveTrusted removes a document, by identifier or alias, from every set, and counts. NotFound when unknown.
func RemoveTrusted(ctx context.Context, store TrustedDocumentStore, id string, now Instant) (int, error) {
	id = ParseDocumentID(id)
	act := Change{At: now, Action: "documents remove", ObjectID: id, Done: Deleted}
	return removeTrusted(ctx, store, act, func(d *TrustedDocument) bool {
		return d.ID == id || slices.Contains(d.Aliases, id)
	})
}

// RemoveTrustedSet removes all documents of a set, and tells how many they were. NotFound for an unknown one.
func RemoveTrustedSet(ctx context.Context, store TrustedDocumentStore, set string, now Instant) (int, error) {
	if err := CheckSetName(set); err != nil {
		return 0, err
	}
	act := Change{At: now, Action: "documents remove", ObjectID: set, Done: Deleted}
	return removeTrusted(ctx, store, act, func(d *TrustedDocument) bool { return d.Set == set })
}

func removeTrusted(
	ctx context.Context, store TrustedDocumentStore, act Change, these func(*TrustedDocument) bool,
) (n int, err error) {
	err = store.ChangeTrustedDocuments(ctx, act, func(have []*TrustedDocument) (changes TrustedChanges, err error) {
		for _, d := range have {
			if these(d) {
				changes.Remove = append(changes.Remove, d)
			}
		}
		if n = len(changes.Remove); n == 0 {
			return changes, Errorf(NotFound, "there is no such trusted document")
		}
		return changes, nil
	})
	return n, err
}
