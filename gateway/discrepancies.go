package gateway

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/backoffice/ownership"
	"example.org/backoffice/changes"
)

const (
	recordLease = 30 * time.Second // of the server that records discrepancies
	recordIdle  = 10 * time.Second // between renewals, and between attempts
	recordBatch = 100              // changes, or companies, of one transaction
)

// recorder keeps the records of discrepancies: of all companies when it begins and on each new day, and then of those
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
		if err != nil && !failed && ctx.Err() == nil {
			r.log.WarnContext(ctx, "discrepancies cannot be recorded now", "cause", backoffice.Why(err))
		}
		failed = err != nil
		_ = backoffice.Sleep(ctx, recordIdle)
	}
}

const recordName = "discrepancies"

// own takes the lease, or extends it when half of it is over.
func (r *recorder) own(ctx context.Context) (bool, error) {
	if r.now().Before(r.renewAt) {
		return true, nil
	}
	now, err := r.service.Store.Clock(ctx)
	if err != nil {
		return false, err
	}
	lease := backoffice.Lease{Name: recordName, Holder: r.holder, Since: now,
		Until: backoffice.InstantOf(now.Time().Add(recordLease))}
	taken, err := r.service.Store.TakeLease(ctx, lease, now, "")
	if taken {
		r.renewAt = r.now().Add(recordLease / 2)
	}
	return taken, err
}

// serve records until another server has the lease. After an error it begins again, so nothing is missed.
func (r *recorder) serve(ctx context.Context) error {
	if taken, err := r.own(ctx); err != nil || !taken {
		return err
	}
	defer func() {
		r.renewAt = time.Time{}
		_ = r.service.Store.EndLease(context.WithoutCancel(ctx), recordName, r.holder)
	}()
	nouns := []backoffice.Noun{backoffice.NounCustomer, backoffice.NounRelation, backoffice.NounDiscrepancy}
	reader, err := r.feed.Follow(ctx, "", backoffice.FromOldest, backoffice.ChangesVisibleTo(nil, nouns))
	if err != nil {
		return err
	}
	for swept := ""; ; {
		today := backoffice.Today(r.now())
		if today != swept {
			if err := r.sweep(ctx, today); err != nil {
				return err
			}
			swept = today
		}
		changed, err := r.next(ctx, reader)
		if err != nil {
			return err
		}
		if taken, err := r.own(ctx); err != nil || !taken {
			return err
		}
		if companies := concerned(changed); len(companies) > 0 {
			err := r.service.RecordDiscrepancies(ctx, ownership.Certain(companies, true, today))
			if err != nil {
				return err
			}
		}
	}
}

// next waits a while for changes, and returns none if none came.
func (r *recorder) next(ctx context.Context, reader *changes.Reader) ([]*backoffice.VisibleChange, error) {
	idle, cancel := context.WithTimeout(ctx, recordIdle)
	defer cancel()
	changed, err := reader.Next(idle, recordBatch)
	if err != nil && idle.Err() != nil && ctx.Err() == nil {
		err = nil
	}
	return changed, err
}

// sweep records the discrepancies of all companies.
func (r *recorder) sweep(ctx context.Context, today string) error {
	all := backoffice.ListQuery[backoffice.CustomerCriteria]{
		Criteria: backoffice.CustomerCriteria{Type: backoffice.Company},
		Window:   backoffice.Window{Limit: recordBatch},
	}
	rows := r.service.Store.CustomersWithoutNumbers()
	return backoffice.EachPage(ctx, rows, all, backoffice.NoParent, 0, func(page []*backoffice.Customer) error {
		companies := backoffice.Mapped(page, (*backoffice.Customer).Identity)
		if _, err := r.own(ctx); err != nil {
			return err
		}
		return r.service.RecordDiscrepancies(ctx, ownership.Certain(companies, false, today))
	})
}

// concerned are the customers whose owners, or whose holdings' owners, changes may concern. What is recorded is looked
// at once more, in case that a restore or an import brought it back.
func concerned(changed []*backoffice.VisibleChange) (customers []string) {
	for _, c := range changed {
		switch {
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
