package backoffice

import (
	"context"
	"slices"
	"time"
)

// DiscrepancyFields is the input of NoteDiscrepancy: absent keeps, null clears.
type DiscrepancyFields struct {
	ReportedAt Optional[Instant]
	Note       Optional[string]
}

var discrepancyChange = inputOf[DiscrepancyFields](DiscrepancyTable)

// NoteDiscrepancy notes when a discrepancy was reported, and a remark; it needs customers.write. An update without any
// change leaves the version alone and is not logged. Refused with NOT_FOUND (id), STALE_VERSION, INVALID (reportedAt).
func (s *Service) NoteDiscrepancy(
	ctx context.Context, by *Principal, id string, in DiscrepancyFields, expected Versions,
) (*Discrepancy, error) {
	if err := require(by, CustomersWrite); err != nil {
		return nil, err
	}
	return update(ctx, s, updating[Discrepancy, DiscrepancyFields, DiscrepancyCriteria]{
		by: by, action: "noteDiscrepancy", input: discrepancyChange, id: id, in: &in, expected: expected,
		check: func(before, after *Discrepancy, check *checker) {
			latest := InstantOf(s.now().Add(time.Minute)) // the caller's clock may be ahead
			if after.ReportedAt != before.ReportedAt && after.ReportedAt > latest {
				check.add(CodeInvalid, "a report cannot be in the future", "reportedAt")
			}
		},
	})
}

// FindDiscrepancies computes in what companies differ now, without identifiers: what should be open of them, and what
// stays open if it is.
type FindDiscrepancies func(ctx context.Context, from NounReader, companies []string) (certain, doubtful []*Discrepancy,
	err error)

// mostOpen is more discrepancies than a company can have.
const mostOpen = 10_000

// RecordDiscrepancies opens, in one transaction, what is found and is not open, closes what is open of the companies
// and is not found, and updates the percentages of the others. What has become doubtful stays as it is: between the two
// updates of a sale the shares do not add up to 100 %. Such transactions wait for each other, so each transition is
// logged once. It first looks without one, and other writers wait only for companies that differ from their records. A
// change during that look may hide another: call it again after each. A mirror has its origin's, so it records none.
func (s *Service) RecordDiscrepancies(ctx context.Context, companies []string, find FindDiscrepancies) error {
	mirror, err := s.Store.Mirror(ctx)
	if err != nil || mirror.Of(NounDiscrepancy) != nil {
		return err
	}
	if of := mirror.Of(NounRelation); of != nil && of.At.IsZero() { // the first pull may still come to the origin's
		return nil
	}
	var seen transitions
	if err := seen.read(ctx, s.Store, companies, find); err != nil || len(seen.companies()) == 0 {
		return err
	}
	return s.write(ctx, func(ctx context.Context, tx Tx) (bool, error) {
		t := transitions{now: InstantOf(s.now())}
		if err := tx.Together(ctx, tx.LockDiscrepancies, versionsFrom(tx, &t.from)); err != nil {
			return false, err
		}
		if err := t.read(ctx, tx, seen.companies(), find); err != nil || len(t.log) == 0 {
			return false, err
		}
		err := tx.Together(ctx,
			func(ctx context.Context) error { return tx.Discrepancies().Insert(ctx, t.opened...) },
			func(ctx context.Context) error { return tx.Discrepancies().Update(ctx, t.changed...) })
		if err != nil {
			return lost(err), err
		}
		return false, tx.LogChanges(ctx, t.log...)
	})
}

// transitions are the changes that make what is open what was found.
type transitions struct {
	now     Instant
	from    int // see Tx.VersionsFrom
	open    []*Discrepancy
	opened  []*Discrepancy
	changed []*Discrepancy
	log     []*Change
}

// openOf are the open discrepancies of companies.
var openOf = ListQuery[DiscrepancyCriteria]{Parent: OfCustomer, Criteria: DiscrepancyCriteria{Open: Yes},
	Window: Window{Limit: mostOpen}}

// read compares what is open of companies with what is found.
func (t *transitions) read(ctx context.Context, from NounReader, companies []string, find FindDiscrepancies) error {
	found, doubtful, err := find(ctx, from, companies)
	if err != nil {
		return err
	}
	pages, err := ReadPages(ctx, DiscrepancyTable.Reader(from), openOf, companies, 0)
	if err != nil {
		return err
	}
	for _, company := range companies {
		for _, d := range pages[company].Items {
			if d.CustomerID == company { // not those of which it is the person
				t.open = append(t.open, d)
			}
		}
	}
	t.compare(found, doubtful)
	return nil
}

// companies are those of the changes.
func (t *transitions) companies() []string {
	return Unique(Map(slices.Concat(t.opened, t.changed), func(d *Discrepancy) string { return d.CustomerID }))
}

type difference struct {
	kind             DiscrepancyKind
	customer, person string
}

func (d *Discrepancy) difference() difference { return difference{d.Kind, d.CustomerID, d.PersonID} }

func (t *transitions) compare(found, doubtful []*Discrepancy) {
	now, stay := map[difference]*Discrepancy{}, map[difference]bool{}
	for _, d := range doubtful {
		stay[d.difference()] = true
	}
	for _, d := range found {
		now[d.difference()] = d
	}
	for _, d := range t.open {
		switch is := now[d.difference()]; {
		case is == nil && stay[d.difference()]:
			stay[d.difference()] = false // and closes another of the same
		case is == nil:
			d.ClosedAt = t.now
			t.change(d, "closedAt")
		default:
			var fields []string
			if d.ComputedPercent != is.ComputedPercent {
				d.ComputedPercent, fields = is.ComputedPercent, append(fields, "computedPercent")
			}
			if d.DeclaredPercent != is.DeclaredPercent {
				d.DeclaredPercent, fields = is.DeclaredPercent, append(fields, "declaredPercent")
			}
			if fields != nil {
				t.change(d, fields...)
			}
		}
		delete(now, d.difference()) // and closes another of the same
	}
	for _, d := range found {
		if now[d.difference()] != d {
			continue
		}
		d.ID, d.SeenAt, d.Version = NewID(), t.now, 1
		t.opened = append(t.opened, d)
		t.note(d)
	}
}

func (t *transitions) change(d *Discrepancy, fields ...string) {
	d.Version = NextVersion(d.Version, t.from)
	t.changed = append(t.changed, d)
	t.note(d, fields...)
}

func (t *transitions) note(d *Discrepancy, fields ...string) {
	t.log = append(t.log, &Change{At: t.now, Action: "recordDiscrepancies", Noun: NounDiscrepancy, ObjectID: d.ID,
		Fields: fields})
}
