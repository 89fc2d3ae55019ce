package gateway

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/backoffice/ownership"
	"example.org/backoffice/changes"
	"example.org/backoffice/importexport"
)

const (
	recordLease = 30 * time.Second       // of the server that records discrepancies
	recordIdle  = 10 * time.Second       // between renewals, and between attempts
	recordRest  = 200 * time.Millisecond // between polls whether an import still runs
	recordPoll  = 50 * time.Millisecond
	recordBatch = 20 // companies that are compared together
	recordShare = 4  // how many times as long as that took it rests: requests have most of the processors
)

// recorder keeps the records of discrepancies: of all companies when it begins and on each new day, and of those
// whose owners a change may concern. One server of a store does it at a time.
type recorder struct {
	service *backoffice.Service
	feed    *changes.Feed
	log     *slog.Logger
	holder  string    // of the lease
	renewAt time.Time // when half of it is over; zero without it
	now     func() time.Time
}

func (r *recorder) run(ctx context.Context) {
	for failed := false; ctx.Err() == nil; {
		err := r.serve(ctx)
		if errors.Is(err, errOtherRecords) {
			err = nil
		}
		if err != nil && !failed && ctx.Err() == nil {
			r.log.WarnContext(ctx, "discrepancies cannot be recorded now", "cause", backoffice.Cause(err))
		}
		failed = err != nil
		_ = backoffice.Sleep(ctx, recordIdle)
	}
}

const recordName = "discrepancies"

var errOtherRecords = errors.New("another server records discrepancies")

// own takes the lease, or extends it when half of it is over. Errors: errOtherRecords.
func (r *recorder) own(ctx context.Context) error {
	if r.now().Before(r.renewAt) {
		return nil
	}
	now, err := r.service.Store.Clock(ctx)
	if err != nil {
		return err
	}
	lease := backoffice.Lease{Name: recordName, Holder: r.holder, Since: now,
		Until: backoffice.InstantOf(now.Time().Add(recordLease))}
	taken, err := r.service.Store.TakeLease(ctx, lease, now, "")
	if err == nil && !taken {
		err = errOtherRecords
	}
	if err == nil {
		r.renewAt = r.now().Add(recordLease / 2)
	}
	return err
}

// serve records until another server has the lease. After an error it begins again, so nothing is missed.
func (r *recorder) serve(ctx context.Context) error {
	if err := r.own(ctx); err != nil {
		return err
	}
	defer func() {
		r.renewAt = time.Time{}
		_ = r.service.Store.EndLease(ctx, recordName, r.holder)
	}()
	nouns := []backoffice.Noun{backoffice.NounCustomer, backoffice.NounRelation, backoffice.NounDiscrepancy}
	reader, err := r.feed.Follow(ctx, "", backoffice.FromOldest, backoffice.ChangesVisibleTo(nil, nouns))
	if err != nil {
		return err
	}
	for swept := ""; ; {
		today := backoffice.Today(r.now())
		if today != swept {
			if err := r.sweep(ctx, reader, today); err != nil {
				return err
			}
			swept = today
		}
		if err := r.follow(ctx, reader, today, recordIdle); err != nil {
			return err
		}
	}
}

// rest waits for an import or a pull that runs, which has more to say of what it has written so far. It does not wait
// for the next one: a mirror may pull without a pause.
func (r *recorder) rest(ctx context.Context) error {
	for first := ""; ; {
		if err := r.own(ctx); err != nil {
			return err
		}
		lease, err := r.service.Store.Lease(ctx, importexport.LeaseName)
		if err != nil || lease == nil || lease.Expired(backoffice.InstantOf(r.now())) ||
			first != "" && first != lease.Holder {
			return err
		}
		first = lease.Holder
		if err := backoffice.Sleep(ctx, recordRest); err != nil {
			return err
		}
	}
}

// follow waits for changes for a while, and records what they concern.
func (r *recorder) follow(ctx context.Context, reader *changes.Reader, today string, wait time.Duration) error {
	changed, err := next(ctx, reader, wait)
	if err == nil {
		err = r.rest(ctx)
	}
	if err != nil {
		return err
	}
	held, err := ownership.WithHoldings(ctx, r.service.Store, concerned(changed), today)
	if err != nil {
		return err
	}
	return r.record(ctx, held, today)
}

// record compares companies, a few at a time.
func (r *recorder) record(ctx context.Context, companies []string, today string) error {
	for some := range slices.Chunk(companies, recordBatch) {
		if err := r.own(ctx); err != nil {
			return err
		}
		began := time.Now()
		if err := r.service.RecordDiscrepancies(ctx, some, ownership.FindDiscrepancies(today)); err != nil {
			return err
		}
		if err := backoffice.Sleep(ctx, min(recordShare*time.Since(began), recordIdle)); err != nil {
			return err
		}
	}
	return nil
}

// next returns no changes if none came.
func next(ctx context.Context, reader *changes.Reader, wait time.Duration) ([]*backoffice.VisibleChange, error) {
	idle, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	changed, err := reader.Next(idle, backoffice.MaxPageSize)
	if err != nil && idle.Err() != nil && ctx.Err() == nil {
		err = nil
	}
	return changed, err
}

// sweep records the discrepancies of all companies that have or had one, or a holder or declared owner: others have no
// certain ones. In between it follows changes.
func (r *recorder) sweep(ctx context.Context, reader *changes.Reader, today string) error {
	if err := r.rest(ctx); err != nil {
		return err
	}
	followed, swept := time.Now(), map[string]bool{}
	do := func(companies []string) error {
		companies = slices.DeleteFunc(backoffice.Unique(companies), func(id string) bool { return swept[id] })
		for _, id := range companies {
			swept[id] = true
		}
		err := r.record(ctx, companies, today)
		if err != nil || time.Since(followed) < recordIdle {
			return err
		}
		followed = time.Now()
		return r.follow(ctx, reader, today, recordPoll)
	}
	for _, kind := range []backoffice.RelationKind{backoffice.Shareholder, backoffice.UBO} {
		all := backoffice.ListQuery[backoffice.RelationCriteria]{Criteria: backoffice.RelationCriteria{Kind: kind}}
		err := backoffice.EachPage(ctx, r.service.Store.Relations(), all, backoffice.NoParent, 0,
			func(page []*backoffice.CustomerRelation) error {
				return do(backoffice.Map(page, func(r *backoffice.CustomerRelation) string { return r.CustomerID }))
			})
		if err != nil {
			return err
		}
	}
	open := backoffice.ListQuery[backoffice.DiscrepancyCriteria]{
		Criteria: backoffice.DiscrepancyCriteria{Open: backoffice.Yes}}
	return backoffice.EachPage(ctx, r.service.Store.Discrepancies(), open, backoffice.NoParent, 0,
		func(page []*backoffice.Discrepancy) error {
			return do(backoffice.Map(page, func(d *backoffice.Discrepancy) string { return d.CustomerID }))
		})
}

// concerned are the customers whose owners, or whose holdings' owners, changes may concern. What is recorded is looked
// at once more, in case that a restore or an import brought it back.
func concerned(changed []*backoffice.VisibleChange) (customers []string) {
	for _, c := range changed {
		switch {
		case c.Noun == backoffice.NounDiscrepancy && c.Action == backoffice.Updated && len(c.Fields) > 0 &&
			!slices.ContainsFunc(c.Fields, func(field string) bool { return field != "reportedAt" && field != "note" }):
			// only an officer's notes
		case c.Noun != backoffice.NounCustomer:
			for _, parent := range c.Parents {
				customers = append(customers, parent.ID)
			}
		case c.Action != backoffice.Updated || slices.Contains(c.Fields, "type"):
			customers = append(customers, c.ObjectID)
		}
	}
	return backoffice.Unique(customers)
}

func (s server) recorder(log *slog.Logger) *recorder {
	return &recorder{service: s.backend.Service(), feed: s.feed, log: log, holder: backoffice.NewID(), now: time.Now}
}
