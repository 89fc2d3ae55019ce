package cache_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/store/cache"
	"example.org/backoffice/store/postgres"
	"example.org/backoffice/store/postgres/pgtest"
	"example.org/backoffice/store/sqlite"
	"example.org/backoffice/store/storetest"
)

// The tests are a gateway as well, one that writes until it is killed.
func TestMain(m *testing.M) {
	if url := os.Getenv(storetest.UntilKilled); url != "" {
		writeUntilKilled(url)
	}
	os.Exit(m.Run())
}

func openURL(ctx context.Context, url string) (cache.Source, error) {
	if strings.HasPrefix(url, "sqlite:") {
		return sqlite.Open(ctx, url, sqlite.Options{})
	}
	return postgres.Open(ctx, url, postgres.Options{MaxConns: 6})
}

// paint gives all labels one colour.
func paint(ctx context.Context, store backoffice.Store, text string) error {
	return store.Write(ctx, func(ctx context.Context, tx backoffice.Tx) error {
		for l := range historyLabels {
			if err := tx.Labels().Upsert(ctx, []*backoffice.Label{colour(l, text)}); err != nil {
				return err
			}
		}
		return nil
	})
}

// painted reads the labels of one version, and fails when they have several colours.
func painted(ctx context.Context, t *testing.T, store backoffice.Store) (string, error) {
	t.Helper()
	ids := make([]string, historyLabels)
	for l := range ids {
		ids[l] = fmt.Sprint("label-", l)
	}
	read := func(ctx context.Context) (string, error) {
		ctx, end := backoffice.BeginSnapshot(ctx, store)
		defer end()
		text := ""
		for i := range ids { // one after the other
			rows, err := backoffice.ReadByID(ctx, store.Labels(), ids[i:i+1], 0)
			if err != nil {
				return "", err
			}
			if row := rows[ids[i]]; i == 0 && row != nil {
				text = string(row.Color)
			} else if row == nil && text != "" || row != nil && string(row.Color) != text {
				t.Errorf("the first label is %q, and the label %d is %+v", text, i, row)
			}
		}
		return text, nil
	}
	text, err := read(ctx)
	if errors.Is(err, backoffice.ErrSnapshotChanged) {
		text, err = read(backoffice.ForRetry(ctx))
	}
	return text, err
}

// agree waits until a gateway answers what the store has, and fails when it answers anything else.
func agree(t *testing.T, gateway, truth backoffice.Store) (text string) {
	t.Helper()
	for until := time.Now().Add(time.Minute); ; {
		before, err1 := painted(t.Context(), t, truth)
		text, err2 := painted(t.Context(), t, gateway)
		after, err3 := painted(t.Context(), t, truth)
		switch {
		case err1 == nil && err2 == nil && err3 == nil && before == after: // nobody wrote meanwhile
			if text != before {
				t.Errorf("the gateway shows %q, and the store has %q", text, before)
			}
			return text
		case time.Now().After(until):
			t.Fatalf("it does not come to rest: %v %v %v", err1, err2, err3)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

func writeUntilKilled(url string) {
	source, err := openURL(context.Background(), url)
	if err != nil {
		panic(err)
	}
	s, err := cache.New(source, cache.Options{Bytes: 1 << 20})
	if err != nil {
		panic(err)
	}
	for i := 0; ; i++ {
		text := fmt.Sprintf("%d-%d", os.Getpid(), i)
		if err := paint(context.Background(), s, text); err != nil {
			panic(err)
		}
		fmt.Println(text)
	}
}

func TestAGatewayThatIsKilledWhileItCommitsLeavesNothingOldInOthers(t *testing.T) {
	storetest.SkipUnderRace(t)
	t.Parallel()
	for engine, url := range urls {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			url := url(t)
			truth, err := openURL(t.Context(), url)
			opened(t, truth, err)
			below, err := openURL(t.Context(), url)
			gateway := before(t, opened(t, below, err), cache.Options{Bytes: 1 << 20})
			for kill := range 5 {
				storetest.Kill(t, url, 10+7*kill, func(pid int, line string) {
					acknowledged := 0
					_, _ = fmt.Sscanf(line, fmt.Sprint(pid)+"-%d", &acknowledged)
					text, err := painted(t.Context(), t, gateway)
					var shown int
					if _, bad := fmt.Sscanf(text, fmt.Sprint(pid)+"-%d", &shown); err != nil || bad != nil || shown < acknowledged {
						t.Fatalf("after %q was acknowledged the gateway shows %q (%v)", line, text, err)
					}
				})
				agree(t, gateway, truth)
				if err := paint(t.Context(), truth, fmt.Sprint("after ", kill)); err != nil {
					t.Fatal(err)
				}
				if text := agree(t, gateway, truth); text != fmt.Sprint("after ", kill) {
					t.Errorf("it shows %q", text)
				}
			}
		})
	}
}

func TestNothingOldIsAnsweredAfterARestartOfPostgreSQLOrAPrimaryThatLacksTheLastWrites(t *testing.T) {
	storetest.SkipUnderRace(t)
	t.Parallel()
	for name, asked := range map[string]bool{"that was asked before it was written to": true, "that was written to first": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			failOver(t, asked)
		})
	}
}

// failOver restarts a primary and loses it; again reports whether the gateway is asked before the new one is written.
func failOver(t *testing.T, again bool) {
	pair := pgtest.NewPair(t)
	if err := postgres.Migrate(t.Context(), pair.Primary.URL("backoffice")); err != nil {
		t.Fatal(err)
	}
	url := "postgres://postgres@/backoffice?sslmode=disable&target_session_attrs=read-write&host=" + pair.Primary.Socket() + "," + pair.Standby.Socket() + "&port=5432,5432"
	truth, err := openURL(t.Context(), url)
	opened(t, truth, err)
	below, err := openURL(t.Context(), url)
	gateway := before(t, opened(t, below, err), cache.Options{Bytes: 1 << 20})
	paints := func(text string) {
		t.Helper()
		for until := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
			if err := paint(t.Context(), truth, text); err == nil {
				break
			} else if time.Now().After(until) {
				t.Fatal(err, errors.Unwrap(err))
			}
		}
		if shown := agree(t, gateway, truth); shown != text {
			t.Errorf("it shows %q after %q was written", shown, text)
		}
	}
	paints("first")
	for _, end := range []func(){pair.Primary.Stop, func() { pair.Primary.Crash(t) }} {
		end()
		if text, err := painted(t.Context(), t, gateway); err == nil {
			t.Errorf("without a primary it answers %q", text)
		}
		pair.Primary.Start(t)
		if shown := agree(t, gateway, truth); shown != "first" {
			t.Errorf("after a restart it shows %q", shown)
		}
	}

	pair.Standby.Stop() // which misses the next write
	paints("lost")
	pair.Primary.Crash(t)
	pair.Standby.Start(t)
	pair.Standby.Promote(t)
	if again {
		if shown := agree(t, gateway, truth); shown != "first" {
			t.Errorf("a primary that lacks the last write shows %q", shown)
		}
	}
	paints("instead") // whose numbers in the log are those of what was lost
}

func TestNothingOldIsAnsweredAfterABackupWasRestored(t *testing.T) {
	storetest.SkipUnderRace(t)
	t.Parallel()
	node := pgtest.NewNode(t)
	url := node.URL("backoffice")
	if err := postgres.Migrate(t.Context(), url); err != nil {
		t.Fatal(err)
	}
	first, err := openURL(t.Context(), url)
	opened(t, first, err)
	if err := paint(t.Context(), first, "backed up"); err != nil {
		t.Fatal(err)
	}
	_ = first.Close()
	node.Execute(t, "postgres", "CREATE DATABASE backup TEMPLATE backoffice")
	truth, err := openURL(t.Context(), url)
	opened(t, truth, err)
	below, err := openURL(t.Context(), url)
	gateway := before(t, opened(t, below, err), cache.Options{Bytes: 1 << 20})
	for _, text := range []string{"second", "third"} {
		if err := paint(t.Context(), truth, text); err != nil {
			t.Fatal(err)
		}
		if shown := agree(t, gateway, truth); shown != text {
			t.Errorf("it shows %q", shown)
		}
	}
	node.Execute(t, "postgres", "DROP DATABASE backoffice WITH (FORCE)")
	node.Execute(t, "postgres", "ALTER DATABASE backup RENAME TO backoffice")
	if shown := agree(t, gateway, truth); shown != "backed up" {
		t.Errorf("after the restore it shows %q", shown)
	}
	for _, text := range []string{"second once more", "third once more", "fourth"} { // numbers that are known
		if err := paint(t.Context(), truth, text); err != nil {
			t.Fatal(err)
		}
		if shown := agree(t, gateway, truth); shown != text {
			t.Errorf("it shows %q after %q was written", shown, text)
		}
	}
}
