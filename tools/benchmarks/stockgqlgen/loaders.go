package main

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/graph-gophers/dataloader/v7"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// page is the key of a list: whose it is and how long.
type page struct {
	parent string
	first  int
}

type loaders struct {
	customers   *dataloader.Loader[string, *Customer]
	users       *dataloader.Loader[string, *User]
	checklists  *dataloader.Loader[string, *Checklist]
	years       *dataloader.Loader[string, *FinancialYear]
	relations   *dataloader.Loader[page, []*Relation]
	transcripts *dataloader.Loader[page, []*Transcript]
}

type loadersKey struct{}

func from(ctx context.Context) *loaders { return ctx.Value(loadersKey{}).(*loaders) }

func withLoaders(pool *pgxpool.Pool, wait time.Duration, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		l := &loaders{
			customers: byID(pool, wait, "SELECT "+customerColumns+" FROM customers c WHERE id = ANY($1::text[])", scanCustomer, func(c *Customer) string { return c.ID }),
			users: byID(pool, wait, "SELECT id, first_name, last_name FROM users WHERE id = ANY($1::text[])", func(row pgx.CollectableRow) (*User, error) {
				var u User
				return &u, row.Scan(&u.ID, &u.FirstName, &u.LastName)
			}, func(u *User) string { return u.ID }),
			checklists: byID(pool, wait, "SELECT id, name FROM checklists WHERE id = ANY($1::text[])", func(row pgx.CollectableRow) (*Checklist, error) {
				var c Checklist
				return &c, row.Scan(&c.ID, &c.Name)
			}, func(c *Checklist) string { return c.ID }),
			years: byID(pool, wait, "SELECT id, start_date FROM financial_years WHERE id = ANY($1::text[])", func(row pgx.CollectableRow) (*FinancialYear, error) {
				var y FinancialYear
				return &y, row.Scan(&y.ID, &y.StartDate)
			}, func(y *FinancialYear) string { return y.ID }),
			relations: byParent(pool, wait, `SELECT p.id, r.* FROM unnest($1::text[]) p(id) CROSS JOIN LATERAL
				(SELECT id, kind, related_customer_id FROM relations WHERE customer_id = p.id ORDER BY id LIMIT $2) r`,
				func(row pgx.CollectableRow) (parent string, r *Relation, err error) {
					r = &Relation{}
					err = row.Scan(&parent, &r.ID, &r.Kind, &r.RelatedCustomerID)
					return parent, r, err
				}),
			transcripts: byParent(pool, wait, `SELECT p.id, t.* FROM unnest($1::text[]) p(id) CROSS JOIN LATERAL
				(SELECT id, status, checklist_id, financial_year_id FROM transcripts WHERE customer_id = p.id ORDER BY id LIMIT $2) t`,
				func(row pgx.CollectableRow) (parent string, t *Transcript, err error) {
					t = &Transcript{}
					err = row.Scan(&parent, &t.ID, &t.Status, &t.ChecklistID, &t.FinancialYearID)
					return parent, t, err
				}),
		}
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), loadersKey{}, l)))
	})
}

const customerColumns = "c.id, c.own_name, c.email, c.updated_at, c.responsible_id"

const instant = "2006-01-02T15:04:05.000Z"

func scanCustomer(row pgx.CollectableRow) (*Customer, error) {
	var c Customer
	var updated int64
	var responsible *string
	if err := row.Scan(&c.ID, &c.Name, &c.Email, &updated, &responsible); err != nil {
		return nil, err
	}
	c.UpdatedAt = time.UnixMilli(updated).UTC().Format(instant)
	if responsible != nil {
		c.ResponsibleID = *responsible
	}
	return &c, nil
}

// byID loads rows by their identifiers.
func byID[T any](pool *pgxpool.Pool, wait time.Duration, text string, scan pgx.RowToFunc[*T], id func(*T) string) *dataloader.Loader[string, *T] {
	return dataloader.NewBatchedLoader(func(ctx context.Context, ids []string) []*dataloader.Result[*T] {
		results := make([]*dataloader.Result[*T], len(ids))
		rows, err := pool.Query(ctx, text, ids)
		var list []*T
		if err == nil {
			list, err = pgx.CollectRows(rows, scan)
		}
		found := make(map[string]*T, len(list))
		for _, row := range list {
			found[id(row)] = row
		}
		for i := range ids {
			results[i] = &dataloader.Result[*T]{Data: found[ids[i]], Error: err}
		}
		return results
	}, dataloader.WithWait[string, *T](wait))
}

// byParent loads the first rows of each parent.
func byParent[T any](pool *pgxpool.Pool, wait time.Duration, text string, scan func(pgx.CollectableRow) (string, *T, error)) *dataloader.Loader[page, []*T] {
	return dataloader.NewBatchedLoader(func(ctx context.Context, pages []page) []*dataloader.Result[[]*T] {
		parents := map[int][]string{} // by length, nearly always one
		for _, p := range pages {
			parents[p.first] = append(parents[p.first], p.parent)
		}
		found := make(map[page][]*T, len(pages))
		var failure error
		for first, ids := range parents {
			rows, err := pool.Query(ctx, text, ids, first)
			if err == nil {
				_, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (struct{}, error) {
					parent, child, err := scan(row)
					found[page{parent, first}] = append(found[page{parent, first}], child)
					return struct{}{}, err
				})
			}
			failure = errors.Join(failure, err)
		}
		results := make([]*dataloader.Result[[]*T], len(pages))
		for i, p := range pages {
			results[i] = &dataloader.Result[[]*T]{Data: found[p], Error: failure}
		}
		return results
	}, dataloader.WithWait[page, []*T](wait))
}
