package importexport

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"example.org/backoffice/backoffice"
)

// Keys are the values of Importer.Key. With each, lines without an _id are found by their noun's key, and references
// may be what people know: a user's e-mail address or name, the name of a checklist or label, a financial year, and a
// customer's key.
var Keys = append(slices.Clone(backoffice.CustomerKeys), "email")

// ownKey is how records are found that a line names without their identifier.
type ownKey[T any, C comparable] struct {
	fields []string        // all are required
	of     func(*T) string // the key's value, to compare
	// find returns the stored records with the keys of rows that have only these fields.
	find func(ctx context.Context, l *loading[T, C], rows map[string]*T) (ids map[string][]string, err error)
}

// checkKey checks Importer.Key.
func checkKey(key string) error {
	switch {
	case key == "", slices.Contains(Keys, key):
		return nil
	case strings.EqualFold(key, "registrationNumber"):
		return fmt.Errorf("registration numbers are no keys; the keys are %s", strings.Join(Keys, ", "))
	}
	return fmt.Errorf("the keys are %s", strings.Join(Keys, ", "))
}

// uniqueKey is the key of a noun with a unique value.
func uniqueKey[T any, C comparable](of *backoffice.Table[T, C], fields ...string) *ownKey[T, C] {
	value := func(row *T) string { v := of.UniqueValue(row); return v.Value + " " + v.First + " " + v.Last }
	return &ownKey[T, C]{fields, value, func(
		ctx context.Context, l *loading[T, C], rows map[string]*T,
	) (map[string][]string, error) {
		keys, asked := map[string]string{}, []*T{}
		for key, row := range rows {
			id := fmt.Sprint("#", len(asked)) // no record's identifier
			*l.ID(row), keys[id], asked = id, key, append(asked, row)
		}
		holders, err := l.rows.Holders(ctx, asked)
		found := map[string][]string{}
		for id, of := range holders {
			found[keys[id]] = of
		}
		return found, err
	}}
}

// fewKey is the key of a noun of which an office has few records. They are read once for a file.
func fewKey[T any, C comparable](of func(*T) string, fields ...string) *ownKey[T, C] {
	return &ownKey[T, C]{fields, of, func(
		ctx context.Context, l *loading[T, C], _ map[string]*T,
	) (map[string][]string, error) {
		if l.known.own == nil || l.tx != nil { // others may have added one since staging
			own := map[string][]string{}
			err := eachOf(ctx, l.in, l.Table, func(row *T) { own[of(row)] = append(own[of(row)], *l.ID(row)) })
			if err != nil {
				return nil, err
			}
			l.known.own = own
		}
		return l.known.own, nil
	}}
}

// identify puts identifiers in place of what people know: in references, and for lines without one. What staging found
// must still hold when lines are applied (errStale).
func (l *loading[T, C]) identify(ctx context.Context, all []*entry[T]) error {
	if l.im.Key == "" {
		return nil
	}
	if err := l.refer(ctx, all); err != nil {
		return err
	}
	key, rows := l.ownKey(), map[string]*T{}
	for _, e := range all {
		if !e.keyed || e.at.id != "" && l.tx == nil {
			continue
		}
		row := l.keyRow(e, key)
		for _, name := range key.fields {
			if slices.ContainsFunc(e.faults, func(f Fault) bool { return f.Field == name }) {
				continue
			}
			if f := &l.noun.fields[l.at[name]]; len(f.write(nil, row)) <= 2 || string(f.write(nil, row)) == "null" {
				e.fault(name, "this field is required in a line without _id")
			}
		}
		if !e.isBad() {
			e.known = key.of(row)
			rows[e.known] = row
		}
		e.id = cmp.Or(e.at.id, backoffice.NewID())
	}
	if len(rows) == 0 {
		return nil
	}
	found, err := key.find(ctx, l, rows)
	if err != nil {
		return err
	}
	for _, e := range all {
		switch ids := found[e.known]; {
		case e.known == "", len(ids) == 0 && (!e.at.found || l.parked[e.id] != nil):
		case l.tx != nil:
			if !slices.Contains(ids, e.id) {
				return errStale
			}
		case len(ids) > 1:
			e.fault(key.fields[0], fmt.Sprintf("%d records have this value; add the _id of one", len(ids)))
		default:
			e.id, e.at.found = ids[0], true
		}
	}
	return nil
}

// keyRow is a record with no fields but those of a line's key.
func (l *loading[T, C]) keyRow(e *entry[T], key *ownKey[T, C]) *T {
	row, r := new(T), reading{now: l.im.now, keys: l.im.Keys}
	for _, m := range e.members {
		f := &l.noun.fields[m.field]
		if slices.Contains(key.fields, f.name) || slices.Contains(l.Period, f.name) {
			_ = f.read(&r, row, m.value) // fill reports it
		}
	}
	return row
}

// ownKey is the key of the noun's lines without an identifier, nil for none.
func (l *loading[T, C]) ownKey() *ownKey[T, C] {
	if l.keys == nil {
		return nil
	}
	return l.keys(l.im.Key)
}

// always is a key for each Importer.Key.
func always[T any, C comparable](key *ownKey[T, C]) func(string) *ownKey[T, C] {
	return func(string) *ownKey[T, C] { return key }
}
