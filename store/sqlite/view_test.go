package sqlite_test

import (
	"context"
	"regexp"
	"strings"
	"testing"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/store"
	"example.org/backoffice/store/sqlite"
	"example.org/backoffice/store/sqlite/sqlitetest"
	"example.org/backoffice/store/storetest"
)

// trusting is an engine on which a customer who is named is taken for one who is known to be in view.
type trusting struct {
	store.Engine
	cut *int
}

var parentInView = regexp.MustCompile(`EXISTS \((SELECT 1 FROM [^()]*(?:p\.value|\$1)\b)`)

func (e trusting) Send(ctx context.Context, statements []*store.Statement, last bool) {
	for _, s := range statements {
		if strings.HasPrefix(s.Text, "WITH ") {
			text := parentInView.ReplaceAllString(s.Text, "EXISTS (SELECT 1 UNION ALL $1")
			if text != s.Text {
				*e.cut++
			}
			s.Text = text
		}
	}
	e.Engine.Send(ctx, statements, last)
}

// unforgetting is a store that takes what it knew of one snapshot for true of the next.
type unforgetting struct {
	*store.Store
	engine store.Engine
}

// Write lets the engine alone know that another snapshot begins.
func (s unforgetting) Write(ctx context.Context, do func(ctx context.Context, tx backoffice.Tx) error) error {
	err := s.Store.Write(context.Background(), do)
	s.engine.RenewSnapshot(ctx)
	return err
}

func TestTheLookBeneathCustomersFindsWhoTrustsAName(t *testing.T) {
	t.Parallel()
	open := func() *sqlite.Store {
		opened, err := sqlite.Open(t.Context(), sqlitetest.URL(t), sqlite.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = opened.Close() })
		return opened
	}
	cut := 0
	trusts := open().Through(func(e store.Engine) store.Engine { return trusting{e, &cut} })
	if differs := storetest.Beneath(t, trusts); differs == "" || cut == 0 {
		t.Errorf("a store that takes named customers for known ones, in %d statements, is not found", cut)
	}
	var engine store.Engine
	remembers := open().Through(func(e store.Engine) store.Engine { engine = e; return e })
	if differs := storetest.Beneath(t, unforgetting{remembers, engine}); !strings.Contains(differs, "left the view") {
		t.Error("a store that goes by another snapshot is not found: ", differs)
	}
}

var _ backoffice.Store = unforgetting{}
