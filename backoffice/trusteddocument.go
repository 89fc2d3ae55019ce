package backoffice

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"slices"
	"strings"
)

// NounTrustedDocuments names sets of trusted documents and saved queries in the change log. The feed never shows them.
const NounTrustedDocuments Noun = "trusted documents"

const (
	MaxTrustedDocuments = 20_000    // of a set
	MaxTrustedText      = 256 << 10 // bytes of a document
	MaxDocumentID       = 256       // bytes of an identifier from a manifest
)

// TrustedDocument is a query that an operator trusts or a credential saved. Requests name it by an identifier.
type TrustedDocument struct {
	ID        string // of its text: see DocumentID
	Text      string // "" unless asked for
	Size      int    // bytes of the text; set by reads
	Set       string // of its manifest; "" for a saved query
	Name      string // "" for none
	Kind      string // query, mutation or subscription
	Title     string
	About     string   // its description
	Cost      *int     // nil when it depends on a variable without a default
	Scopes    []Scope  // for the whole answer
	Aliases   []string // other identifiers, from manifests
	CreatedAt Instant
	ClientID  string  // the credential that saved it; "" for the operator
	RetiredAt Instant // when it left its set, zero while in it; still answered
	Tool      Tool    // as which agents may call it; the zero value for none
}

// DocumentID is the identifier of a document: "sha256:" and the digest of its text in hexadecimal.
func DocumentID(text string) string {
	sum := sha256.Sum256([]byte(text))
	return documentPrefix + hex.EncodeToString(sum[:])
}

const documentPrefix = "sha256:"

var bareDigest = regexp.MustCompile(`^[0-9a-f]{64}$`)

// ParseDocumentID normalizes an identifier: a digest alone gets the prefix "sha256:".
func ParseDocumentID(id string) string {
	if lower := strings.ToLower(id); len(id) == 64 && bareDigest.MatchString(lower) {
		return documentPrefix + lower
	}
	return id
}

// CheckDocumentID returns BadInput for an identifier of a manifest that is malformed or the digest of another text.
func CheckDocumentID(id, text string) error {
	switch {
	case id == "" || len(id) > MaxDocumentID ||
		strings.ContainsFunc(id, func(r rune) bool { return r <= ' ' || r >= 0x7f }):
		return Errorf(BadInput, "an identifier must have 1 to %d characters of ASCII, without spaces", MaxDocumentID)
	case strings.HasPrefix(ParseDocumentID(id), documentPrefix) && ParseDocumentID(id) != DocumentID(text):
		return Errorf(BadInput, "the identifier is not the SHA-256 of the text")
	}
	return nil
}

// CheckedDocument describes a document that passed the checks.
type CheckedDocument struct {
	Name        string // of its operation, "" for none
	Kind        string // query, mutation or subscription
	Variables   []string
	Description string // of its operation, or the comment above it; the first line is the title
	Cost        *int   // nil when it depends on a variable without a default
	Scopes      []Scope
}

// DocumentFault is why a document is rejected, and where. Its message quotes nothing of the document.
type DocumentFault struct {
	Message      string
	Line, Column int // from 1; 0 for the whole document
}

type DocumentChecker interface {
	// CheckDocument validates a document of one operation and computes its cost. A trusted one is exempt from the
	// limits on words, aliases, directives and root fields.
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
	Saved bool   // only queries with a name that are not retired
	Tools bool   // only those that agents may call
	Texts bool   // with their texts
}

type TrustedChanges struct {
	Put    []*TrustedDocument // added, or replacing the one of the same set, identifier and name
	Retire []*TrustedDocument // marked with their RetiredAt; they are tools no longer
	Mark   []*TrustedDocument // stored with their Tool
	Remove []*TrustedDocument
}

// TrustedDocumentStore reads from and writes to the primary. What it returns belongs to the caller.
type TrustedDocumentStore interface {
	// TrustedDocuments returns documents, ordered by set, name and identifier, in one statement.
	TrustedDocuments(ctx context.Context, q TrustedQuery) ([]*TrustedDocument, error)
	// ChangeTrustedDocuments calls change with all documents, without their texts, and applies the result, in one
	// transaction that no other such change overlaps. Unless it is empty, act is logged in the change log. change may
	// run again. Its error is returned, and nothing is written then.
	ChangeTrustedDocuments(ctx context.Context, act Change,
		change func(have []*TrustedDocument) (TrustedChanges, error)) error
}

var setName = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,100}$`)

// CheckSetName returns BadInput for an invalid name of a set.
func CheckSetName(set string) error {
	if !setName.MatchString(set) {
		return Errorf(BadInput, "a set's name must be 1 to 100 of A-Z a-z 0-9 _ . -")
	}
	return nil
}

// Trusting makes these documents the whole content of a set. It is an act of an operator.
type Trusting struct {
	Set       string
	Documents []*TrustedDocument // from CheckedDocument.Document, with the manifest's aliases
	// Removals allows the removal of up to so many documents that the manifest no longer has. When nil they stay,
	// retired, because older clients still ask for them.
	Removals *int
	Mark     *Tool // one of the documents becomes this tool; those that are tools stay so
	Now      Instant
}

type Trusted struct{ Added, Same, Retired, Removed int }

// Trust does it, all or nothing. Errors: BadInput for an invalid name of a set; Refused for no or too many documents,
// for more removals than allowed, and for an identifier that another document has.
func (t *Trusting) Trust(ctx context.Context, store TrustedDocumentStore) (done Trusted, err error) {
	if err := CheckSetName(t.Set); err != nil {
		return done, err
	}
	marked, err := t.marked()
	if err != nil {
		return done, err
	}
	switch n := len(t.Documents); {
	case n == 0:
		return done, refuseDocuments("there are no documents to trust; to empty a set, use documents remove --set")
	case n > MaxTrustedDocuments:
		return done, refuseDocuments("a set has at most %d documents", MaxTrustedDocuments)
	}
	act := Change{At: t.Now, Action: "documents trust", ObjectID: t.Set, Done: Updated}
	err = store.ChangeTrustedDocuments(ctx, act, func(have []*TrustedDocument) (changes TrustedChanges, err error) {
		done, changes, err = t.against(have, marked)
		return changes, err
	})
	return done, err
}

func refuseDocuments(format string, args ...any) error {
	return refused(CodeNotAllowed, Errorf(Refused, format, args...).Message)
}

// against computes the changes of the stored documents; marked becomes a tool.
func (t *Trusting) against(have []*TrustedDocument, marked *TrustedDocument) (
	done Trusted, changes TrustedChanges, err error) {
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
				return done, changes, refuseDocuments("the identifier %s belongs to another document of the set %q: identifiers are permanent; remove that one first", alias, other.Set)
			}
			owner[alias] = d
		}
		put := *d
		put.Set, put.CreatedAt = t.Set, t.Now
		if old := mine[key{d.ID, d.Name}]; old != nil {
			delete(mine, key{d.ID, d.Name})
			put.CreatedAt, put.Aliases, put.Tool = old.CreatedAt, merged(old.Aliases, d.Aliases), old.Tool
			if d == marked {
				put.Tool = *t.Mark
			}
			if done.Same++; old.tells(&put) {
				continue
			}
		} else if done.Added++; d == marked {
			put.Tool = *t.Mark
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
	if marked != nil {
		for _, d := range have {
			gone := slices.Contains(changes.Remove, d) || slices.Contains(changes.Retire, d)
			if d.Tool.Name == t.Mark.Name && !gone && (d.Set != t.Set || d.ID != marked.ID || d.Name != marked.Name) {
				return done, changes, refuseDocuments(
					"another document of the set %q is the tool of this name: remove that one first, by tools remove", d.Set)
			}
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
	return sameCost && d.RetiredAt == other.RetiredAt && d.Kind == other.Kind && d.Tool == other.Tool &&
		d.Title == other.Title && d.About == other.About &&
		slices.Equal(d.Scopes, other.Scopes) && slices.Equal(d.Aliases, other.Aliases)
}

func merged(a, b []string) []string {
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}

// RemoveTrusted removes a document, by identifier or alias, from every set, and returns how many. Errors: NotFound.
func RemoveTrusted(ctx context.Context, store TrustedDocumentStore, id string, now Instant) (int, error) {
	id = ParseDocumentID(id)
	act := Change{At: now, Action: "documents remove", ObjectID: id, Done: Deleted}
	return removeTrusted(ctx, store, act, func(d *TrustedDocument) bool {
		return d.ID == id || slices.Contains(d.Aliases, id)
	})
}

// RemoveTrustedSet removes a set and returns how many documents it had. Errors: BadInput for an invalid name, NotFound.
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
			return changes, Errorf(NotFound, "no trusted document has this identifier")
		}
		return changes, nil
	})
	return n, err
}
