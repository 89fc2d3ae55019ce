package mirror

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"

	"example.org/backoffice/backoffice"
)

// An origin with only the specification's paths has the current financial year but no list of years, so a mirror has
// only that year's checklists and transcripts. The origin lists relations and documents by customer (sweep.go).

// part is a part of a noun's list.
type part struct {
	query url.Values
	fill  record // fields that the part implies, when a record lacks them
}

// otherwise reads a noun whose list the origin lacks, or has in a form that a pull cannot use.
func (p *pulling) otherwise(ctx context.Context, n *noun) error {
	switch n.of {
	case backoffice.NounFinancialYear:
		return p.currentYear(ctx, n)
	case backoffice.NounChecklist, backoffice.NounTranscript:
		years, err := p.years(ctx)
		if err != nil {
			return err
		}
		var parts []part
		for _, year := range years {
			if n.of == backoffice.NounChecklist {
				parts = append(parts, part{url.Values{"financialYear": {year}}, record{"financialYear": textOf(year)}})
				continue
			}
			of := (&backoffice.ChecklistFilter{FinancialYearID: &year}).Criteria()
			list := backoffice.ListQuery[backoffice.ChecklistCriteria]{Criteria: of}
			add := func(page []*backoffice.Checklist) error {
				for _, c := range page {
					parts = append(parts, part{url.Values{"checklist": {c.ID}}, record{"checklist": textOf(c.ID)}})
				}
				return nil
			}
			if err := backoffice.EachPage(ctx, p.Store.Checklists(), list, backoffice.NoParent, 0, add); err != nil {
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

// needsParts reports whether the records of a noun's list lack their parent, or may be of years without a list.
func (p *pulling) needsParts(n *noun, first *page) bool {
	field := map[backoffice.Noun]string{backoffice.NounChecklist: "financialYear",
		backoffice.NounTranscript: "checklist"}[n.of]
	if field == "" || n.part != nil || len(first.Data) == 0 {
		return false
	}
	return p.onlyYear != "" || first.Data[0].text(field) == ""
}

// currentYear reads the one year that the specification has.
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
	var batch []held
	for _, y := range years {
		if y.IsCurrentYear && y.ID != p.onlyYear { // no longer, at the origin
			former := record{"_id": textOf(y.ID), "isCurrentYear": json.RawMessage("false")}
			batch = append(batch, held{y.ID, y.ID, former.line()})
		}
	}
	batch = append(batch, held{p.onlyYear, p.onlyYear, p.lineOf(n, year).line()})
	loaded, err := p.stream.Load(ctx, n.of, linesOf(batch), false)
	if err != nil {
		return err
	}
	p.of(n).add(loaded)
	for _, bad := range loaded.Bad {
		p.of(n).Incomplete = whyLeftOut
		if err := p.reject(n, batch[bad.Line-1], bad.Faults); err != nil {
			return err
		}
	}
	p.of(n).Pages++
	return nil
}

// years are those whose checklists the mirror can have.
func (p *pulling) years(ctx context.Context) ([]string, error) {
	if p.onlyYear != "" {
		return []string{p.onlyYear}, nil
	}
	years, err := backoffice.Years(ctx, p.Store)
	return backoffice.Map(years, (*backoffice.FinancialYear).Identity), err
}

// walkParts walks through a noun part by part. A record that no part has is kept: it has no address to ask for.
func (p *pulling) walkParts(ctx context.Context, n *noun, parts []part) error {
	done, seen := p.of(n), map[uint64]struct{}{}
	done.Incomplete, done.after = "", -1
	done.Told = len(parts) == 0 && p.mirror.Of(n.of) != nil // as of a year without checklists
	for _, of := range parts {
		inPart := *n
		inPart.part = &of
		w, first, err := p.beginWalk(ctx, &inPart)
		if err != nil {
			return err
		}
		if w == nil {
			done.Incomplete = fmt.Sprintf("a part of its list did not return %d", http.StatusOK)
			continue
		}
		if err := p.mirrors(ctx, n); err != nil {
			return err
		}
		if err := p.pages(ctx, &inPart, w, first); err != nil {
			return err
		}
		if err := p.finish(ctx, &inPart, w); err != nil {
			return err
		}
		maps.Copy(seen, w.seen)
		done.Pages += w.Pages
		done.Incomplete = cmp.Or(w.Why, done.Incomplete)
	}
	done.seen = seen
	return nil
}
