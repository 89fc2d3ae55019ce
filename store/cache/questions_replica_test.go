package cache_test

import (
	"context"
	"errors"
	"flag"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/store/cache"
	"example.org/backoffice/store/postgres"
	"example.org/backoffice/store/postgres/pgtest"
	"example.org/backoffice/store/storetest"
)

var behindReads = flag.Int("behind-reads", 800, "reads behind writes of others that a gateway with a replica is asked")

// delayedPair is a primary and a replica that shows each write 250 ms later.
func delayedPair(t testing.TB) (open func() cache.Source) {
	t.Helper()
	pair := pgtest.NewPair(t)
	url := pair.Primary.URL("backoffice")
	if err := postgres.Migrate(t.Context(), url); err != nil {
		t.Fatal(err)
	}
	pair.Standby.Execute(t, "backoffice", "ALTER SYSTEM SET recovery_min_apply_delay = '250ms'")
	pair.Standby.Execute(t, "backoffice", "SELECT pg_reload_conf()")
	return func() cache.Source {
		s, err := postgres.Open(t.Context(), url, postgres.Options{MaxConns: 6, Replicas: []string{pair.Standby.URL("backoffice")}})
		return &replicas{Source: opened(t, s, err)}
	}
}

// oldAnswers has somebody write, and then asks a gateway what it has never been asked, and a store that reads from
// the primary: the questions that they answered differently, by their readers.
func oldAnswers(t *testing.T, gateway, truth backoffice.Store, reads int) map[string][]string {
	t.Helper()
	next := askAndChange(t, truth)
	old := map[string][]string{}
	for n := range reads {
		q, change := next(n)
		change()
		got, err := askedOnce(t.Context(), gateway, q, n)
		if err != nil {
			t.Fatalf("%s: %s: %v (%v)", q.reader, q.name, err, errors.Unwrap(err))
		}
		want, err := q.ask(t.Context(), truth, n)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			old[q.reader] = append(old[q.reader], q.name)
		}
	}
	return old
}

// askAndChange makes the first records, and returns for each number a question and a change, most often of what it
// asks for.
func askAndChange(t *testing.T, truth backoffice.Store) func(n int) (q question, change func()) {
	t.Helper()
	changes := allChanges(t)
	put := func(name string, n int) {
		err := truth.Write(t.Context(), func(ctx context.Context, tx backoffice.Tx) error { return changed[name](ctx, tx, n) })
		if err != nil && backoffice.KindOf(err) != backoffice.Refused { // what it refers to may be gone
			t.Fatalf("%s: %v (%v)", name, err, errors.Unwrap(err))
		}
	}
	for n := range 3 {
		for _, name := range changes {
			put(name, n)
		}
	}
	questions := allQuestions(t, truth)
	slices.SortFunc(questions, func(a, b question) int { return strings.Compare(a.reader+a.name, b.reader+b.name) })
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(questions), func(i, j int) { questions[i], questions[j] = questions[j], questions[i] })
	return func(n int) (question, func()) {
		q := questions[n%len(questions)]
		by := changes[n/len(questions)%len(changes)]
		if changed[q.reader] != nil && n%4 > 0 {
			by = q.reader
		}
		return q, func() { put(by, 3+n*7919%9973) }
	}
}

// askedOnce asks as a request does.
func askedOnce(ctx context.Context, s backoffice.Store, q question, n int) (any, error) {
	ctx = storetest.WithSessionOf(ctx, &backoffice.Principal{ClientID: "reader"}) // so that replicas may answer
	ask := func(ctx context.Context) (any, error) {
		ctx, end := backoffice.BeginSnapshot(ctx, s)
		defer end()
		return q.ask(ctx, s, n)
	}
	got, err := ask(ctx)
	if errors.Is(err, backoffice.ErrSnapshotChanged) {
		got, err = ask(backoffice.ForRetry(ctx))
	}
	return got, err
}

func TestAReplicaThatIsBehindAnswersNoQuestionThereIsWithWhatWasChanged(t *testing.T) {
	storetest.SkipUnderRace(t)
	t.Parallel()
	open := delayedPair(t)
	source := open()
	gateway := before(t, source, cache.Options{Bytes: 64 << 20})
	old := oldAnswers(t, gateway, open(), *behindReads)
	for reader, questions := range old {
		t.Fatalf("%s: %d answers were old, such as that to %s", reader, len(questions), questions[0])
	}
	answers, behind := source.(*replicas).answers.Load(), gauge(gateway, "cache_behind_total")
	if answers == 0 || behind == 0 || answers == behind {
		t.Errorf("the replica gave %d answers, of which %d were asked again, so this shows nothing", answers, behind)
	}
	t.Logf("%d reads, each behind a write, none answered with what was before it: the replica gave %d answers, of which %d were asked again", *behindReads, answers, behind)
}

func TestACopyThatTakesAReplicaForThePrimaryAnswersWithWhatWasChanged(t *testing.T) {
	storetest.SkipUnderRace(t)
	t.Parallel()
	open := delayedPair(t)
	source := open()
	source.(*replicas).hidden = true
	if old := oldAnswers(t, before(t, source, cache.Options{Bytes: 64 << 20}), open(), 100); len(old) < 5 {
		t.Errorf("old were only answers about %v", old)
	}
}

func TestWhatAQueryReadsInSeveralTripsIsOfOneSnapshotWhateverItAsks(t *testing.T) {
	storetest.SkipUnderRace(t)
	t.Parallel()
	for engine, openIn := range engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			open := openIn(t)
			truth, gateway := open(), before(t, open(), cache.Options{Bytes: 64 << 20})
			defer gateway.EndEarly()()
			next := askAndChange(t, truth)
			moved := 0
			for n := range *behindReads / 2 {
				q, change := next(n)
				pages := func(ctx context.Context, s backoffice.Store, between func()) (both [2]any, err error) {
					ctx, end := backoffice.BeginSnapshot(ctx, s)
					defer end()
					if both[0], err = q.ask(ctx, s, 2*n); err == nil {
						between()
						both[1], err = q.ask(ctx, s, 2*n+1)
					}
					return both, err
				}
				nothing := func() {}
				first, err1 := pages(t.Context(), truth, nothing)
				got, err := pages(t.Context(), gateway, change)
				later, err2 := pages(t.Context(), truth, nothing)
				switch {
				case err1 != nil || err2 != nil:
					t.Fatal(err1, err2)
				case errors.Is(err, backoffice.ErrSnapshotChanged):
					moved++
				case err != nil:
					t.Fatal(err)
				case !reflect.DeepEqual(got, first) && !reflect.DeepEqual(got, later):
					t.Errorf("%s: what is answered to %s is of two versions", q.reader, q.name)
				}
			}
			if moved == 0 || moved == *behindReads/2 {
				t.Errorf("%d queries of %d began anew, so this shows nothing", moved, *behindReads/2)
			}
		})
	}
}
