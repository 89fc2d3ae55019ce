package store

import (
	"context"
	"strings"
	"testing"

	"example.org/backoffice/backoffice"
)

// A statement that a restricted credential causes names no table of customers, or of what hangs on them, but in view.
func TestWhatARestrictedContextReadsIsInView(t *testing.T) {
	t.Parallel()
	r, err := backoffice.NewRestriction(backoffice.RestrictionFields{Responsible: []string{"a"}, Labels: []string{"b", "c"}, Customers: []string{"d"}, Years: []string{"2025", "2026"}})
	if err != nil {
		t.Fatal(err)
	}
	ctx := backoffice.WithRestriction(t.Context(), r)
	for _, d := range []*Dialect{SQLite, Postgres} {
		n := nounsOn(d)
		for _, of := range nounTables() {
			s := &Statement{Text: "SELECT /*backoffice:" + of.table + ".page*/ t.id FROM " + of.table + " t WHERE t.id = $1", Args: []any{"x"}}
			plain := s.Text
			n.restrictAll(ctx, []*Statement{s})
			if of.seenBy.everybody {
				if s.Text != plain || len(s.Args) != 1 {
					t.Errorf("%s, %s: %s", d.Name, of.table, s.Text)
				}
				continue
			}
			if !strings.HasPrefix(s.Text, "WITH /*backoffice:"+of.table+".page*/ customers AS ") || !strings.Contains(s.Text, " "+of.table+" AS NOT MATERIALIZED (") || len(s.Args) != 5 || s.Name() != of.table+".page" {
				t.Errorf("%s, %s: %s with %d arguments", d.Name, of.table, s.Text, len(s.Args))
			}
			again := s.Text
			n.restrictAll(ctx, []*Statement{s})
			if s.Text != again {
				t.Errorf("%s, %s: it is restricted twice", d.Name, of.table)
			}
			for _, in := range []context.Context{t.Context(), whole(ctx)} {
				s := &Statement{Text: plain, Args: []any{"x"}}
				if n.restrictAll(in, []*Statement{s}); s.Text != plain {
					t.Errorf("%s, %s: %s", d.Name, of.table, s.Text)
				}
			}
		}
	}
}

func TestATableThatDoesNotSayHowItReachesItsCustomersIsNotTaken(t *testing.T) {
	t.Parallel()
	defer func() {
		if recover() == nil {
			t.Error("it is")
		}
	}()
	register(&table[backoffice.Label, backoffice.LabelCriteria]{name: "others"})
}

func TestALongTextIsRestrictedAndNotKept(t *testing.T) {
	t.Parallel()
	r, err := backoffice.NewRestriction(backoffice.RestrictionFields{Responsible: []string{"a"}})
	if err != nil {
		t.Fatal(err)
	}
	n := nounsOn(SQLite)
	for _, length := range []int{MaxKeptText / 2, MaxKeptText} {
		s := &Statement{Text: "SELECT /*backoffice:customers.page*/ t.id FROM customers t WHERE t.id <> '" + strings.Repeat("x", length) + "'"}
		n.restrictAll(backoffice.WithRestriction(t.Context(), r), []*Statement{s})
		if !strings.HasPrefix(s.Text, "WITH ") || len(n.views.texts.kept) != 1 {
			t.Errorf("%d texts are kept after %.80s", len(n.views.texts.kept), s.Text)
		}
	}
}
