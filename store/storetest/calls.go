package storetest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"example.org/backoffice/backoffice"
)

func testCalls(t *testing.T, newStore func(t testing.TB) backoffice.Store) {
	t.Run("however many rows and parents are asked for, it is one statement", func(t *testing.T) {
		t.Parallel()
		store := newStore(t)
		crowd().insert(t, store)
		o := crowd()
		parents := append(o.customerIDs(), "unknown")
		for name, do := range map[string]func(ctx context.Context) error{
			"rows": func(ctx context.Context) error {
				_, err := backoffice.ReadByID(ctx, store.Customers(), parents, 0)
				return err
			},
			"pages": func(ctx context.Context) error {
				_, err := backoffice.ReadPages(ctx, store.Relations(), backoffice.ListQuery[backoffice.RelationCriteria]{Parent: backoffice.OfCustomer, Window: backoffice.Window{Limit: 5}}, parents, 0)
				return err
			},
			"counts": func(ctx context.Context) error {
				_, err := backoffice.ReadCounts(ctx, store.Relations(), backoffice.OfCustomer, backoffice.RelationCriteria{}, parents)
				return err
			},
			"status counts": func(ctx context.Context) error {
				_, err := readStatusCounts(ctx, store.Transcripts(), backoffice.OfCustomer, backoffice.TranscriptCriteria{}, parents)
				return err
			},
			"total": func(ctx context.Context) error {
				_, err := backoffice.ReadCounts(ctx, store.Customers(), backoffice.Root, backoffice.CustomerCriteria{}, nil)
				return err
			},
		} {
			ctx, calls := backoffice.WithStatementCount(t.Context())
			if err := do(ctx); err != nil || calls.Count() != 1 {
				t.Errorf("%s: %d statements (%v)", name, calls.Count(), err)
			}
		}
	})

	t.Run("what can match nothing is answered without a statement", func(t *testing.T) {
		t.Parallel()
		store := newStore(t)
		ctx, calls := backoffice.WithStatementCount(t.Context())
		rows, err := backoffice.ReadByID(ctx, store.Customers(), []string{"", "no identifier", "\x00"}, 0)
		if err != nil || len(rows) != 0 {
			t.Error(rows, err)
		}
		pages, err := backoffice.ReadPages(ctx, store.Customers(), backoffice.ListQuery[backoffice.CustomerCriteria]{Criteria: backoffice.CustomerCriteria{Nothing: true}}, nil, 0)
		if err != nil || len(pages) != 1 || pages[""].More {
			t.Error(pages, err)
		}
		counts, err := backoffice.ReadCounts(ctx, store.Relations(), backoffice.OfCustomer, backoffice.RelationCriteria{}, []string{"no identifier"})
		if err != nil || fmt.Sprint(counts) != "map[no identifier:0]" {
			t.Error(counts, err)
		}
		if calls.Count() != 0 {
			t.Errorf("%d statements", calls.Count())
		}
	})

	t.Run("a deadline that has passed is a timeout, and a closed store is unavailable", func(t *testing.T) {
		t.Parallel()
		store := newStore(t)
		late, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
		defer cancel()
		_, err := backoffice.ReadByID(late, store.Customers(), []string{"x"}, 0)
		if backoffice.KindOf(err) != backoffice.Timeout {
			t.Errorf("%v (%v)", err, errorCause(err))
		}
		if err := store.Write(late, func(context.Context, backoffice.Tx) error { return nil }); backoffice.KindOf(err) != backoffice.Timeout {
			t.Errorf("%v (%v)", err, errorCause(err))
		}
		if err := store.Ping(t.Context()); err != nil {
			t.Error(err)
		}
		if at, err := store.Clock(t.Context()); err != nil || time.Since(at.Time()).Abs() > time.Hour {
			t.Errorf("its clock says %v: %v", at, err)
		}
		if err := store.Close(); err != nil {
			t.Error(err)
		}
		if err := store.Ping(t.Context()); backoffice.KindOf(err) != backoffice.Unavailable {
			t.Errorf("%v (%v)", err, errorCause(err))
		}
	})
}
