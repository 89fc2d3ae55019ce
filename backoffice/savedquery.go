package backoffice

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Bounds of saved queries, because one answer holds them all.
const (
	MaxSavedQueries      = 1000      // of all credentials
	MaxSavedBytes        = 8 << 20   // of their text
	MaxSavedByCredential = 256 << 10 // bytes of text of one credential
)

// SavedQuery is a trusted query with a name, for people.
type SavedQuery struct {
	Name           string
	Title          Text
	Description    Text
	Document       string
	DocumentID     string
	RequiredScopes []Scope
	Cost           *int // nil: it depends on a variable without a default
}

func (d *TrustedDocument) Saved() *SavedQuery {
	return &SavedQuery{
		Name: d.Name, Title: Text(d.Title), Description: Text(d.About), Document: d.Text, DocumentID: d.ID,
		RequiredScopes: append([]Scope{}, d.Scopes...), Cost: d.Cost,
	}
}

// SavedQueries returns the saved queries among documents that a caller may run, sorted by name, one of each name: first
// the operator's, then one with a title, then that of the set whose name sorts first. A caller with TrustedOnly gets
// only the operator's.
func SavedQueries(by *Principal, documents []*TrustedDocument) []*TrustedDocument {
	saved := slices.DeleteFunc(slices.Clone(documents), func(d *TrustedDocument) bool {
		return d.Name == "" || d.Kind != "query" || !d.RetiredAt.IsZero() || d.Set == "" && by.TrustedOnly
	})
	slices.SortFunc(saved, func(a, b *TrustedDocument) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), first(a.Set != "", b.Set != ""),
			first(a.Title != "", b.Title != ""), cmp.Compare(a.Set, b.Set), cmp.Compare(a.ID, b.ID))
	})
	return slices.CompactFunc(saved, func(a, b *TrustedDocument) bool { return a.Name == b.Name })
}

// first sorts true before false.
func first(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// SavedQueryOf returns the saved query of a name. NotFound if it is unknown or the caller may not run it.
func SavedQueryOf(
	ctx context.Context, store TrustedDocumentStore, by *Principal, name string,
) (*TrustedDocument, error) {
	if name != "" {
		documents, err := store.TrustedDocuments(ctx, TrustedQuery{Name: name, Saved: true, Texts: true})
		if err != nil {
			return nil, err
		}
		if saved := SavedQueries(by, documents); len(saved) > 0 {
			return saved[0], nil
		}
	}
	return nil, Errorf(NotFound, "no saved query has this name")
}

// ReservedVariables are variables that no saved query may have: they mean something else in its address.
var ReservedVariables = []string{"format", "rows", "after", "cursor", "excel"}

type SavedQueryDraft struct {
	Name        *string // nil: its operation's
	Title       *string // nil: the first line of the operation's description, or of the comment before it
	Description *string // nil: the rest of that
	Document    string
}

const maxAbout = 4000 // characters of a description

var savedName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,100}$`)

// SaveQuery saves a query for everybody, or replaces the caller's own of that name. Forbidden if the caller may send
// only trusted documents. Refused with REQUIRED, INVALID (name, title, description, document), NOT_ALLOWED (document:
// no query, or too many are saved), and TAKEN when an operator or another credential has the name.
func (s *Service) SaveQuery(ctx context.Context, by *Principal, draft SavedQueryDraft) (*SavedQuery, error) {
	if err := maySave(by); err != nil {
		return nil, err
	}
	if s.Checker == nil {
		return nil, Errorf(Unavailable, "this server cannot save queries")
	}
	checked, faults := s.Checker.CheckDocument(draft.Document, false)
	if faults != nil {
		return nil, Refuse(documentErrors(faults)...)
	}
	d := checked.Document(draft.Document)
	d.ClientID, d.CreatedAt = by.ClientID, InstantOf(s.now())
	if wrong := draft.fill(d, checked); wrong != nil {
		return nil, Refuse(wrong...)
	}
	act := Change{At: d.CreatedAt, ClientID: by.ClientID, Action: "saveQuery", ObjectID: d.Name, Done: Created}
	err := s.changeTrusted(ctx, act, func(have []*TrustedDocument) (changes TrustedChanges, err error) {
		count, all, own := 0, len(d.Text), len(d.Text)
		for _, other := range have {
			switch {
			case other.Set == "" && other.Name == d.Name && other.ClientID == by.ClientID:
				changes.Remove = append(changes.Remove, other)
				continue
			case other.Set == "":
				count++
				all += other.Size
				if other.ClientID == by.ClientID {
					own += other.Size
				}
			}
			if other.Name == d.Name && other.Kind == "query" && other.RetiredAt.IsZero() {
				return changes, refused(CodeTaken, "another query has this name", "name")
			}
		}
		if count >= MaxSavedQueries {
			return changes, refused(CodeNotAllowed,
				fmt.Sprintf("there are already %d saved queries, the maximum", MaxSavedQueries), "document")
		}
		if all > MaxSavedBytes || own > MaxSavedByCredential {
			return changes, refused(CodeNotAllowed,
				"the saved queries of a credential have at most 256 KiB, and all together 8 MiB", "document")
		}
		changes.Put = []*TrustedDocument{d}
		return changes, nil
	})
	if err != nil {
		return nil, err
	}
	return d.Saved(), nil
}

// changeTrusted makes the changes that change returns; none in a dry run.
func (s *Service) changeTrusted(
	ctx context.Context, act Change, change func([]*TrustedDocument) (TrustedChanges, error),
) error {
	return s.Store.ChangeTrustedDocuments(ctx, act, func(have []*TrustedDocument) (TrustedChanges, error) {
		changes, err := change(have)
		if s.dry {
			changes = TrustedChanges{}
		}
		return changes, err
	})
}

// maySave returns Unauthenticated without a caller, and Forbidden for one that may send only trusted documents.
func maySave(by *Principal) error {
	switch {
	case by == nil:
		return Errorf(Unauthenticated, "no valid credentials")
	case by.TrustedOnly:
		return Errorf(Forbidden, "this credential may send trusted documents only and cannot save any")
	}
	return nil
}

func refused(code UserErrorCode, message string, field ...string) error {
	return Refuse(&UserError{Code: code, Message: message, Field: field})
}

func documentErrors(faults []DocumentFault) []*UserError {
	wrong := make([]*UserError, len(faults))
	for i, fault := range faults {
		wrong[i] = &UserError{Code: CodeInvalid, Message: fault.Message, Field: []string{"document"}}
		if fault.Line > 0 {
			wrong[i].Message = fmt.Sprintf("line %d, column %d: %s", fault.Line, fault.Column, fault.Message)
		}
	}
	return wrong
}

func (draft *SavedQueryDraft) fill(d *TrustedDocument, checked *CheckedDocument) (wrong []*UserError) {
	refuse := func(code UserErrorCode, message, field string) {
		wrong = append(wrong, &UserError{Code: code, Message: message, Field: []string{field}})
	}
	if d.Kind != "query" {
		refuse(CodeNotAllowed, "only queries can be saved", "document")
	}
	if slices.ContainsFunc(checked.Variables, func(v string) bool { return slices.Contains(ReservedVariables, v) }) {
		refuse(CodeInvalid, "the variables "+strings.Join(ReservedVariables, ", ")+
			" are reserved in a saved query's URL: rename them", "document")
	}
	if draft.Name != nil {
		d.Name = *draft.Name
	}
	switch {
	case d.Name == "":
		refuse(CodeRequired, "a saved query needs a name: its own or its operation's", "name")
	case !savedName.MatchString(d.Name):
		refuse(CodeInvalid, "a saved query's name must be 1 to 100 of A-Z a-z 0-9 _ -", "name")
	}
	if draft.Title != nil {
		if d.Title = strings.TrimSpace(*draft.Title); d.Title != "" {
			if err := CheckText(d.Title, MaxText); err != nil {
				refuse(CodeInvalid, err.Error(), "title")
			}
		}
	}
	if draft.Description != nil {
		d.About = strings.TrimSpace(*draft.Description)
	}
	if err := checkAbout(d.About); err != nil {
		refuse(CodeInvalid, err.Error(), "description")
	}
	return wrong
}

// checkAbout checks a description, of several lines.
func checkAbout(text string) error {
	if len([]rune(text)) > maxAbout {
		return Errorf(BadInput, "a description has at most %d characters", maxAbout)
	}
	for line := range strings.SplitSeq(text, "\n") {
		if line = strings.TrimSpace(line); line != "" {
			if err := CheckText(strings.ReplaceAll(line, "\t", " "), maxAbout); err != nil {
				return err
			}
		}
	}
	return nil
}

// RemoveSavedQuery removes a query that the caller has saved. Refused with NOT_FOUND for an unknown name, and with
// NOT_ALLOWED for a query of an operator or another credential.
func (s *Service) RemoveSavedQuery(ctx context.Context, by *Principal, name string) error {
	if err := cmp.Or(maySave(by), by.MayDelete()); err != nil {
		return err
	}
	now := InstantOf(s.now())
	act := Change{At: now, ClientID: by.ClientID, Action: "removeSavedQuery", ObjectID: name, Done: Deleted}
	return s.changeTrusted(ctx, act, func(have []*TrustedDocument) (changes TrustedChanges, err error) {
		known := slices.ContainsFunc(SavedQueries(by, have), func(d *TrustedDocument) bool { return d.Name == name })
		for _, d := range have {
			if d.Set == "" && d.Name == name && d.ClientID == by.ClientID {
				changes.Remove = append(changes.Remove, d)
			}
		}
		switch {
		case changes.Remove != nil:
			return changes, nil
		case known:
			return changes, refused(CodeNotAllowed, "only the credential that saved a query can remove it", "name")
		}
		return changes, refused(CodeNotFound, "no saved query has this name", "name")
	})
}
