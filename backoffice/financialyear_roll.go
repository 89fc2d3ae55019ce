package backoffice

import (
	"context"
	"slices"
	"strings"
)

// RolledForward is a portion of what RollForward assigns.
type RolledForward struct {
	From        *Checklist // of the year before
	To          *Checklist // of the new year; nil if none, or more than one, matches From
	CustomerIDs []string   // that had From and now have To; up to MaxAssignedByID
	Already     int        // customers that had To before
}

// RollForward starts a year with the checklists of the current one, unless that was done before, and assigns each to
// the customers that had it in the year before, without their answers. Each portion is a transaction of its own. A
// second run assigns what is missing, so it continues one that was interrupted. A dry run visits the same portions.
//
// A checklist matches the one of the same name and language; the name may have the new year for the old one. Only the
// operator calls it. Refused like StartYear and AssignChecklists.
func (s *Service) RollForward(
	ctx context.Context, by *Principal, start YearStart, visit func(*RolledForward) error,
) (*FinancialYear, error) {
	years, err := Years(ctx, s.Store)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(years, func(y *FinancialYear) bool { return y.IsCurrentYear && y.StartDate == start.Year })
	var to *FinancialYear
	var lists []*Checklist
	if at >= 0 {
		to, years = years[at], years[:at]
		lists, err = s.checklistsOf(ctx, to)
	} else {
		start.WithChecklists = true
		var started *YearStarted
		if started, err = s.StartYear(ctx, start); err == nil {
			to, lists = started.Year, started.Checklists
		}
		if current := slices.IndexFunc(years, func(y *FinancialYear) bool { return y.IsCurrentYear }); current >= 0 {
			years = years[:current+1] // without later ones, which an import made
		}
	}
	if err != nil || len(years) == 0 {
		return to, err
	}
	from := years[len(years)-1]
	earlier, err := s.checklistsOf(ctx, from)
	if err != nil {
		return to, err
	}
	stored := at >= 0 || !s.dry
	for i, match := range matchChecklists(earlier, lists, from.StartDate, to.StartDate) {
		if err = s.rollChecklist(ctx, by, RolledForward{From: earlier[i], To: match}, stored, visit); err != nil {
			break
		}
	}
	return to, err
}

func (s *Service) checklistsOf(ctx context.Context, year *FinancialYear) ([]*Checklist, error) {
	return ReadAll(ctx, s.Store.Checklists(), ListQuery[ChecklistCriteria]{Parent: OfFinancialYear}, year.ID)
}

// matchChecklists returns the match of each earlier checklist, nil for none. Two that match the same one have none.
func matchChecklists(earlier, later []*Checklist, from, to string) []*Checklist {
	matches := make([]*Checklist, len(earlier))
	matched := map[*Checklist]int{}
	for i, old := range earlier {
		names := []string{Fold(old.Name), Fold(strings.ReplaceAll(old.Name, from, to))}
		same := func(l *Checklist) bool {
			return l.Language == old.Language && slices.Contains(names, Fold(l.Name))
		}
		first := slices.IndexFunc(later, same)
		if first >= 0 && !slices.ContainsFunc(later[first+1:], same) {
			matches[i] = later[first]
			matched[later[first]]++
		}
	}
	for i, match := range matches {
		if matched[match] > 1 {
			matches[i] = nil
		}
	}
	return matches
}

// rollChecklist assigns a checklist. One that is not stored is only proposed.
func (s *Service) rollChecklist(
	ctx context.Context, by *Principal, r RolledForward, stored bool, visit func(*RolledForward) error,
) error {
	if r.To == nil {
		return visit(&r)
	}
	customers, err := s.customersWith(ctx, r.From)
	if err != nil {
		return err
	}
	for ids := range slices.Chunk(customers, MaxAssignedByID) {
		part := r
		part.CustomerIDs = ids
		if stored {
			draft := Assignments{ChecklistID: r.To.ID, CustomerIDs: ids, skipDeleted: true}
			assigned, err := s.AssignChecklists(ctx, by, draft, Optional[string]{})
			if err != nil {
				return err
			}
			part.CustomerIDs = Map(assigned.Transcripts, func(t *Transcript) string { return t.CustomerID })
			part.Already = assigned.Already
		}
		if err := visit(&part); err != nil {
			return err
		}
	}
	return nil
}

// customersWith returns the customers with transcripts of a checklist, each once.
func (s *Service) customersWith(ctx context.Context, list *Checklist) (ids []string, err error) {
	rows := s.Store.Transcripts()
	all := ListQuery[TranscriptCriteria]{Parent: OfChecklist}
	err = EachPage(ctx, rows, all, list.ID, rows.Columns([]string{"customer"}), func(page []*Transcript) error {
		ids = append(ids, Map(page, func(t *Transcript) string { return t.CustomerID })...)
		return nil
	})
	return Unique(ids), err
}
