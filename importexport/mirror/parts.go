package mirror

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"

	"example.org/backoffice/backoffice"
)

// An origin that has the specification's paths alone tells the current financial year, but no list of years, so that
// only what belongs to that one can be here: its checklists, and the transcripts of each of these. Relations and
// documents it tells customer by customer (sweep.go).

// part is a part of a noun's list, and what its records belong to by it.
type part struct {
	query url.Values
	fill  record // fields that the records need not tell
}

// inPart is the noun as it is told in a part.
func (n *noun) inPart(of part) *noun {
	told := *n
	told.part = &of
	return &told
}

// otherwise reads a noun of which the origin has no list as it is needed here.
func (p *pulling) otherwise(ctx context.Context, n *noun) error {
	switch n.of {
	case backoffice.NounFinancialYear:
		return p.currentYear(ctx, n)
	case backoffice.NounChecklist:
		years, err := p.years(ctx)
		if err != nil {
			return err
		}
		var parts []part
		for _, id := range years {
			parts = append(parts, part{url.Values{"financialYear": {id}}, record{"financialYear": textOf(id)}})
		}
		return p.walkParts(ctx, n, parts)
	case backoffice.NounTranscript:
		years, err := p.years(ctx)
		if err != nil {
			return err
		}
		var parts []part
		for _, year := range years {
			of := (&backoffice.ChecklistFilter{FinancialYearID: &year}).Criteria()
			list := backoffice.ListQuery[backoffice.ChecklistCriteria]{Criteria: of}
			err := backoffice.EachPage(ctx, p.Store.Checklists(), list, backoffice.NoParent, 0, func(page []*backoffice.Checklist) error {
				for _, c := range page {
					parts = append(parts, part{url.Values{"checklist": {c.ID}}, record{"checklist": textOf(c.ID)}})
				}
				return nil
			})
			if err != nil {
				return err
			}
		}
		return p.walkParts(ctx, n, parts)
	case backoffice.NounRelation, backoffice.NounDocument:
		return p.sweep(ctx, n)
	}
	return nil
}

func textOf(id string) json.RawMessage {
	text, _ := json.Marshal(id)
	return text
}

// needsParts reports whether a noun's list does not say where records belong, or has years that are not told.
func (p *pulling) needsParts(n *noun, first *page) bool {
	field := map[backoffice.Noun]string{backoffice.NounChecklist: "financialYear", backoffice.NounTranscript: "checklist"}[n.of]
	if field == "" || n.part != nil || len(first.Data) == 0 {
		return false
	}
	return p.onlyYear != "" || first.Data[0].text(field) == ""
}

// currentYear reads the one year that the specification tells.
func (p *pulling) currentYear(ctx context.Context, n *noun) error {
	year, err := p.readOne(ctx, "/financialyears/current")
	switch {
	case err != nil || year == nil:
		return err
	case backoffice.CheckID(year.id()) != nil:
		return &errAway{errMalformed.Error(), true}
	}
	if err := p.mirrors(ctx, n); err != nil {
		return err
	}
	years, err := backoffice.Years(ctx, p.Store)
	if err != nil {
		return err
	}
	p.onlyYear = year.id()
	var lines []byte
	for _, y := range years {
		if y.IsCurrentYear && y.ID != p.onlyYear { // it was, there
			lines = append(lines, record{"_id": textOf(y.ID), "isCurrentYear": json.RawMessage("false")}.line()...)
		}
	}
	loaded, err := p.stream.Load(ctx, n.of, append(lines, p.lineOf(n, year).line()...), false)
	if err != nil {
		return err
	}
	p.of(n).add(loaded)
	p.of(n).Pages++
	return nil
}

// years are those whose checklists can be here.
func (p *pulling) years(ctx context.Context) (ids []string, err error) {
	if p.onlyYear != "" {
		return []string{p.onlyYear}, nil
	}
	years, err := backoffice.Years(ctx, p.Store)
	for _, y := range years {
		ids = append(ids, y.ID)
	}
	return ids, err
}

// walkParts walks through a noun part by part. What all of them miss stays: it has no address to ask for.
func (p *pulling) walkParts(ctx context.Context, n *noun, parts []part) error {
	done, seen := p.of(n), map[uint64]struct{}{}
	done.Incomplete, done.after = "", -1
	for _, of := range parts {
		told := n.inPart(of)
		w, first, err := p.beginWalk(ctx, told)
		if err != nil {
			return err
		}
		if w == nil {
			done.Incomplete = fmt.Sprintf("a part of its list is not answered with %d", http.StatusOK)
			continue
		}
		if err := p.mirrors(ctx, n); err != nil {
			return err
		}
		if err := p.pages(ctx, told, w, first); err != nil {
			return err
		}
		if err := p.finish(ctx, told, w); err != nil {
			return err
		}
		for sum := range w.seen {
			seen[sum] = struct{}{}
		}
		done.Pages += w.Pages
		if w.Why != "" {
			done.Incomplete = w.Why
		}
	}
	done.seen = seen
	return nil
}
