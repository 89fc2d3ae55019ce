package main

import (
	"context"
	"encoding/binary"
	"unsafe"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// The statements. Lists come by parent, a lateral window for each; other rows by their identifiers.
const (
	firstCustomers = "SELECT id, own_name, responsible_id FROM customers ORDER BY id LIMIT $1"
	pageOfAll      = "SELECT id, own_name, email, updated_at FROM customers ORDER BY id LIMIT 100"
	customersCount = "SELECT COALESCE(sum(n), 0)::bigint FROM row_counts WHERE noun = 'customer'"
	customerByID   = "SELECT own_name FROM customers WHERE id = $1"
	customerNames  = "SELECT id, own_name FROM customers WHERE id = ANY($1::text[])"
	usersByID      = "SELECT id, first_name, last_name FROM users WHERE id = ANY($1::text[])"
	checklistsByID = "SELECT id, name FROM checklists WHERE id = ANY($1::text[])"
	yearsByID      = "SELECT id, start_date FROM financial_years WHERE id = ANY($1::text[])"
	relationsOf    = `SELECT p.n, r.kind, r.related_customer_id FROM unnest($1::text[]) WITH ORDINALITY p(id, n) CROSS JOIN LATERAL
		(SELECT kind, related_customer_id FROM relations WHERE customer_id = p.id ORDER BY id LIMIT $2) r`
	transcriptsOf = `SELECT p.n, t.id, t.status, t.checklist_id, t.financial_year_id FROM unnest($1::text[]) WITH ORDINALITY p(id, n) CROSS JOIN LATERAL
		(SELECT id, status, checklist_id, financial_year_id FROM transcripts WHERE customer_id = p.id ORDER BY id LIMIT $2) t`
	transcriptsOfOne = "SELECT status, checklist_id FROM transcripts WHERE customer_id = $1 ORDER BY id LIMIT $2"
)

type (
	customer   struct{ id, name, responsible string }
	user       struct{ first, last string }
	relation   struct{ kind, related string }
	transcript struct{ id, status, checklist, year string }
)

// span is where the children of a parent stand in their list.
type span struct{ from, to int }

// request is the memory of one request; it is used again for the next.
type request struct {
	pool  *pgxpool.Pool
	out   []byte
	arena []byte
}

func newRequest() *request {
	return &request{out: make([]byte, 0, 256<<10), arena: make([]byte, 0, 256<<10)}
}

func (r *request) reset(pool *pgxpool.Pool) { r.pool, r.out, r.arena = pool, r.out[:0], r.arena[:0] }

// keep copies a text out of the connection's buffer. It holds until the request ends.
func (r *request) keep(b []byte) string {
	if len(b) == 0 {
		return ""
	}
	if cap(r.arena)-len(r.arena) < len(b) {
		r.arena = make([]byte, 0, max(2*cap(r.arena), len(b)))
	}
	start := len(r.arena)
	r.arena = append(r.arena, b...)
	return unsafe.String(&r.arena[start], len(b))
}

func whole(b []byte) int { return int(binary.BigEndian.Uint64(b)) }

// level is the statements that travel together.
type level struct {
	*request
	batch pgx.Batch
}

func (r *request) level() *level { return &level{request: r} }

func (l *level) queue(text string, each func(row [][]byte), args ...any) {
	l.batch.Queue(text, args...).Query(func(rows pgx.Rows) error {
		for rows.Next() {
			each(rows.RawValues())
		}
		return rows.Err()
	})
}

func (l *level) send(ctx context.Context) error { return l.pool.SendBatch(ctx, &l.batch).Close() }

func (l *level) relations(ids []string, limit int) (spans []span, list *[]relation) {
	spans, list = make([]span, len(ids)), new([]relation)
	*list = make([]relation, 0, len(ids)*limit)
	l.queue(relationsOf, func(row [][]byte) {
		grow(spans, whole(row[0])-1, len(*list))
		*list = append(*list, relation{l.keep(row[1]), l.keep(row[2])})
	}, ids, limit)
	return spans, list
}

func (l *level) transcripts(ids []string, limit int) (spans []span, list *[]transcript) {
	spans, list = make([]span, len(ids)), new([]transcript)
	*list = make([]transcript, 0, len(ids)*limit)
	l.queue(transcriptsOf, func(row [][]byte) {
		grow(spans, whole(row[0])-1, len(*list))
		*list = append(*list, transcript{l.keep(row[1]), l.keep(row[2]), l.keep(row[3]), l.keep(row[4])})
	}, ids, limit)
	return spans, list
}

// grow adds the row at place to the span of a parent; a parent's rows come one after the other.
func grow(spans []span, parent, place int) {
	if spans[parent].to == 0 {
		spans[parent].from = place
	}
	spans[parent].to = place + 1
}

// texts asks for one text of each identifier.
func (l *level) texts(text string, ids []string) map[string]string {
	found := make(map[string]string, len(ids))
	l.queue(text, func(row [][]byte) { found[l.keep(row[0])] = l.keep(row[1]) }, ids)
	return found
}

func (l *level) users(ids []string) map[string]user {
	found := make(map[string]user, len(ids))
	l.queue(usersByID, func(row [][]byte) { found[l.keep(row[0])] = user{l.keep(row[1]), l.keep(row[2])} }, ids)
	return found
}

// distinct takes each text once, and none that is empty.
func distinct[T any](rows []T, of func(*T) string) []string {
	seen := make(map[string]struct{}, len(rows))
	list := make([]string, 0, len(rows))
	for i := range rows {
		text := of(&rows[i])
		if _, known := seen[text]; known || text == "" {
			continue
		}
		seen[text] = struct{}{}
		list = append(list, text)
	}
	return list
}
