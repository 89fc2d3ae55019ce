package main

import (
	"context"
	"strconv"

	"example.org/backoffice/backoffice"
)

func (r *request) raw(text string)  { r.out = append(r.out, text...) }
func (r *request) text(text string) { r.out = backoffice.AppendJSONString(r.out, text) }

// plain writes a text that needs no escaping: an identifier or a constant.
func (r *request) plain(text string) { r.out = append(append(append(r.out, '"'), text...), '"') }

func (r *request) comma(i int) {
	if i > 0 {
		r.out = append(r.out, ',')
	}
}

// first reads the first customers.
func (r *request) first(ctx context.Context, n int) ([]customer, error) {
	customers := make([]customer, 0, n)
	l := r.level()
	l.queue(firstCustomers, func(row [][]byte) {
		customers = append(customers, customer{r.keep(row[0]), r.keep(row[1]), r.keep(row[2])})
	}, n)
	return customers, l.send(ctx)
}

func idsOf(customers []customer) []string {
	ids := make([]string, len(customers))
	for i := range customers {
		ids[i] = customers[i].id
	}
	return ids
}

// q1 is customers with what lies around them, in three trips.
func (r *request) q1(ctx context.Context, n int) error {
	customers, err := r.first(ctx, n)
	if err != nil {
		return err
	}
	ids := idsOf(customers)
	l := r.level()
	users := l.users(distinct(customers, func(c *customer) string { return c.responsible }))
	relationsAt, relations := l.relations(ids, 10)
	transcriptsAt, transcripts := l.transcripts(ids, 10)
	if err := l.send(ctx); err != nil {
		return err
	}
	l = r.level()
	related := l.texts(customerNames, distinct(*relations, func(o *relation) string { return o.related }))
	checklists := l.texts(checklistsByID, distinct(*transcripts, func(t *transcript) string { return t.checklist }))
	years := l.texts(yearsByID, distinct(*transcripts, func(t *transcript) string { return t.year }))
	if err := l.send(ctx); err != nil {
		return err
	}
	r.raw(`{"data":{"customers":{"nodes":[`)
	for i := range customers {
		c := &customers[i]
		r.comma(i)
		r.raw(`{"id":`)
		r.plain(c.id)
		r.raw(`,"name":`)
		r.text(c.name)
		r.raw(`,"responsible":`)
		if u, known := users[c.responsible]; known {
			r.raw(`{"firstName":`)
			r.text(u.first)
			r.raw(`,"lastName":`)
			r.text(u.last)
			r.raw(`}`)
		} else {
			r.raw(`null`)
		}
		r.raw(`,"relations":{"nodes":[`)
		for j, o := range (*relations)[relationsAt[i].from:relationsAt[i].to] {
			r.comma(j)
			r.raw(`{"kind":`)
			r.plain(o.kind)
			r.raw(`,"relatedCustomer":{"name":`)
			r.text(related[o.related])
			r.raw(`}}`)
		}
		r.raw(`]},"transcripts":{"nodes":[`)
		for j, t := range (*transcripts)[transcriptsAt[i].from:transcriptsAt[i].to] {
			r.comma(j)
			r.raw(`{"id":`)
			r.plain(t.id)
			r.raw(`,`)
			r.transcript(t.status, checklists[t.checklist])
			r.raw(`,"financialYear":{"startDate":`)
			r.plain(years[t.year])
			r.raw(`}}`)
		}
		r.raw(`]}}`)
	}
	r.raw(`]}}}`)
	return nil
}

// transcript writes the members that all queries show of a transcript.
func (r *request) transcript(status, checklist string) {
	r.raw(`"status":`)
	r.plain(status)
	r.raw(`,"checklist":{"name":`)
	r.text(checklist)
	r.raw(`}`)
}

// q2 is one customer with its transcripts, in two trips.
func (r *request) q2(ctx context.Context, id string) error {
	var name string
	found := false
	transcripts := make([]transcript, 0, 10)
	l := r.level()
	l.queue(customerByID, func(row [][]byte) { name, found = r.keep(row[0]), true }, id)
	l.queue(transcriptsOfOne, func(row [][]byte) {
		transcripts = append(transcripts, transcript{status: r.keep(row[0]), checklist: r.keep(row[1])})
	}, id, 10)
	if err := l.send(ctx); err != nil {
		return err
	}
	if !found {
		r.raw(`{"data":{"customer":null}}`)
		return nil
	}
	l = r.level()
	checklists := l.texts(checklistsByID, distinct(transcripts, func(t *transcript) string { return t.checklist }))
	if err := l.send(ctx); err != nil {
		return err
	}
	r.raw(`{"data":{"customer":{"name":`)
	r.text(name)
	r.raw(`,"transcripts":{"nodes":[`)
	for i, t := range transcripts {
		r.comma(i)
		r.raw(`{`)
		r.transcript(t.status, checklists[t.checklist])
		r.raw(`}`)
	}
	r.raw(`]}}}}`)
	return nil
}

// q3 is the first hundred customers, with or without the total, in one trip.
func (r *request) q3(ctx context.Context, total bool) error {
	count, n := 0, 0
	l := r.level()
	if total {
		l.queue(customersCount, func(row [][]byte) { count = whole(row[0]) })
	}
	r.raw(`{"data":{"customers":{"nodes":[`)
	l.queue(pageOfAll, func(row [][]byte) {
		r.comma(n)
		n++
		r.raw(`{"id":`)
		r.out = append(append(append(r.out, '"'), row[0]...), '"')
		r.raw(`,"name":`)
		r.nullable(row[1])
		r.raw(`,"email":`)
		r.nullable(row[2])
		r.raw(`,"updatedAt":`)
		r.out = backoffice.InstantAt(int64(whole(row[3]))).AppendJSON(r.out)
		r.raw(`}`)
	})
	if err := l.send(ctx); err != nil {
		return err
	}
	r.raw(`]`)
	if total {
		r.raw(`,"totalCount":`)
		r.out = strconv.AppendInt(r.out, int64(count), 10)
	}
	r.raw(`}}}`)
	return nil
}

func (r *request) nullable(b []byte) {
	if b == nil {
		r.raw(`null`)
		return
	}
	r.text(r.keep(b))
}

// circle is a level of customers with their relations.
type circle struct {
	names     map[string]string
	places    map[string]int // of a customer's relations
	spans     []span
	relations *[]relation
}

// q4 follows relations twice, in five trips: customers and their relations are asked together once their identifiers
// are known.
func (r *request) q4(ctx context.Context) error {
	customers, err := r.first(ctx, 20)
	if err != nil {
		return err
	}
	l := r.level()
	relationsAt, relations := l.relations(idsOf(customers), 5)
	if err := l.send(ctx); err != nil {
		return err
	}
	related := func(o *relation) string { return o.related }
	ids := distinct(*relations, related)
	l = r.level()
	near := circle{names: l.texts(customerNames, ids), places: placesOf(ids)}
	near.spans, near.relations = l.relations(ids, 5)
	if err := l.send(ctx); err != nil {
		return err
	}
	ids = distinct(*near.relations, related)
	places := placesOf(ids)
	l = r.level()
	names := l.texts(customerNames, ids)
	transcriptsAt, transcripts := l.transcripts(ids, 5)
	if err := l.send(ctx); err != nil {
		return err
	}
	l = r.level()
	checklists := l.texts(checklistsByID, distinct(*transcripts, func(t *transcript) string { return t.checklist }))
	if err := l.send(ctx); err != nil {
		return err
	}
	r.raw(`{"data":{"customers":{"nodes":[`)
	for i := range customers {
		r.comma(i)
		r.raw(`{"name":`)
		r.text(customers[i].name)
		r.raw(`,"relations":{"nodes":[`)
		for j, o := range (*relations)[relationsAt[i].from:relationsAt[i].to] {
			r.comma(j)
			r.raw(`{"relatedCustomer":{"name":`)
			r.text(near.names[o.related])
			r.raw(`,"relations":{"nodes":[`)
			at := near.spans[near.places[o.related]]
			for k, far := range (*near.relations)[at.from:at.to] {
				r.comma(k)
				r.raw(`{"relatedCustomer":{"name":`)
				r.text(names[far.related])
				r.raw(`,"transcripts":{"nodes":[`)
				at := transcriptsAt[places[far.related]]
				for m, t := range (*transcripts)[at.from:at.to] {
					r.comma(m)
					r.raw(`{`)
					r.transcript(t.status, checklists[t.checklist])
					r.raw(`}`)
				}
				r.raw(`]}}}`)
			}
			r.raw(`]}}}`)
		}
		r.raw(`]}}`)
	}
	r.raw(`]}}}`)
	return nil
}

func placesOf(ids []string) map[string]int {
	places := make(map[string]int, len(ids))
	for i, id := range ids {
		places[id] = i
	}
	return places
}
