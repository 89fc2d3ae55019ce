package store

import (
	"context"
	"regexp"
	"strings"

	"example.org/backoffice/backoffice"
)

type nouns struct {
	dialect      *Dialect
	made         []any  // a *noun for each of described
	ofIDs        string // the statement of NounsOf
	changesAside copyTexts
	changesAtEnd string
	setDocument  string

	views      views
	bound      []description // to customers
	customers  description
	boundNames *regexp.Regexp
}

func nounsOn(d *Dialect) *nouns {
	n := &nouns{dialect: d, ofIDs: nounsOfText(d), changesAside: changesAsideOf(d), changesAtEnd: changesAtEndOf(d),
		setDocument: setDocumentText(d)}
	for _, of := range described {
		n.made = append(n.made, of.on(n))
	}
	n.bound, n.customers, n.boundNames = boundTables()
	return n
}

func on[T any, C comparable](n *nouns, t *table[T, C]) *noun[T, C] {
	return n.made[t.place].(*noun[T, C])
}

func nounsOfText(d *Dialect) string {
	return named("nouns.of_ids", strings.Join(backoffice.Map(nounTables(), func(of description) string {
		return "SELECT t.id, '" + string(of.noun) + "' FROM " + of.table + " t WHERE " + d.among("t.id")
	}), " UNION ALL "))
}

type nounReader struct {
	nouns *nouns
	from  source
	made  []any // a reader for each of described
}

func (r *nounReader) Records(of backoffice.Noun) any { return r.made[placeOf(of)] }

func (r *nounReader) Send(ctx context.Context, b *backoffice.Batch) error {
	return send(ctx, r.nouns, r.from, b)
}

func (r *nounReader) Nouns(b *backoffice.Batch, ids []string, into []backoffice.Noun) backoffice.Queued {
	asked := backoffice.Unique(wellFormed(ids))
	if asked == nil {
		return b.Queue(failed(nil))
	}
	found := make(map[string]backoffice.Noun, len(asked))
	read := queryOf(r.nouns.ofIDs, []any{r.nouns.dialect.List(asked)},
		func(row *Row) error { found[row.Text(0)] = backoffice.Noun(row.Text(1)); return nil })
	read.done = func() {
		for i, id := range ids {
			into[i] = found[id]
		}
	}
	return b.Queue(read)
}

type readers struct {
	*nounReader
	backoffice.ByName
}

func (n *nouns) readers(from source) readers {
	r := &nounReader{nouns: n, from: from}
	for i, of := range described {
		r.made = append(r.made, of.reads(n.made[i], from))
	}
	return readers{r, backoffice.ByName{From: r}}
}
