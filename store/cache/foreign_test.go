package cache_test

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/store/cache"
	"example.org/backoffice/store/postgres"
	"example.org/backoffice/store/postgres/pgtest"
)

func TestARestoredDatabaseIsNoticedAndWhatOthersWroteAfterACommandToForget(t *testing.T) {
	t.Parallel()
	url := pgtest.Migrated(t, postgres.Migrate)
	source, err := postgres.Open(t.Context(), url, postgres.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = source.Close() })
	s := before(t, source, cache.Options{Bytes: 1 << 20})
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.Background()) }()
	by := func(text string) {
		t.Helper()
		if _, err := conn.Exec(t.Context(), text); err != nil {
			t.Fatal(err)
		}
	}
	is := func(want string) {
		t.Helper()
		rows, err := backoffice.ReadByID(t.Context(), s.Labels(), []string{"label-0"}, 0)
		if err != nil || string(rows["label-0"].Color) != want {
			t.Errorf("the label is %+v, want %s (%v)", rows["label-0"], want, err)
		}
	}
	w := &watch{Context: t.Context(), found: t.Errorf}
	for _, text := range []string{"#000000", "#111111", "#222222"} {
		write(w, s, func(ctx context.Context, tx backoffice.Tx) error {
			return tx.Labels().Upsert(ctx, []*backoffice.Label{colour(0, text)})
		})
		is(text)
	}

	by("DELETE FROM changes WHERE sequence = 3; UPDATE labels SET color = '#111111'") // as it was before the last write
	is("#111111")
	for again := range 2 { // a list of all labels, the last of which had changed in what is lost
		misses := gauge(s, "cache_misses_total")
		list := backoffice.ListQuery[backoffice.LabelCriteria]{Order: backoffice.Order{Key: backoffice.KeyName}, Window: backoffice.Window{Limit: 10}}
		if _, err := backoffice.ReadPages(t.Context(), s.Labels(), list, []string{backoffice.NoParent}, 0); err != nil {
			t.Fatal(err)
		}
		if n := gauge(s, "cache_misses_total") - misses; again == 1 && n > 0 {
			t.Errorf("a list that nobody has changed is read again")
		}
	}

	write(w, source, func(ctx context.Context, tx backoffice.Tx) error { // the third entry is another one now
		return tx.Labels().Upsert(ctx, []*backoffice.Label{colour(0, "#333333")})
	})
	is("#333333")

	by("UPDATE labels SET color = '#444444'")
	if err := backoffice.ForgetWhatWasRead(t.Context(), source, 1); err != nil {
		t.Fatal(err)
	}
	is("#444444")
}
