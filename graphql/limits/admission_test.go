package limits

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"example.org/backoffice/backoffice"
)

// bounded is an admission of so much in all, however many processors there are.
func bounded(most, waiting int64, wait time.Duration) *Admission {
	a := Settings{Together: 1, Wait: wait}.NewAdmission()
	a.most, a.waitMost = most, waiting
	a.throughput = newThroughput(most, wait)
	a.slices.most = [large + 1]int{} // any number: slice_test.go is about those
	return a
}

func enter(t testing.TB, a *Admission, credential string, cost int) *Grant {
	t.Helper()
	grant, err := a.Enter(t.Context(), credential, cost)
	if err != nil {
		t.Fatalf("a request of cost %d of %s was kept out: %v", cost, credential, err)
	}
	return grant
}

// waits begins a request and returns when it waits or has entered.
func waits(t testing.TB, a *Admission, credential string, cost int) <-chan *Grant {
	t.Helper()
	a.mu.Lock()
	waiting, running := a.waiting, a.running
	a.mu.Unlock()
	entered := make(chan *Grant, 1)
	go func() {
		grant, _ := a.Enter(t.Context(), credential, cost)
		entered <- grant
	}()
	for {
		a.mu.Lock()
		seen := a.waiting != waiting || a.running != running
		a.mu.Unlock()
		if seen || len(entered) > 0 {
			return entered
		}
		runtime.Gosched()
	}
}

// A frontend with 32 connections may ask a wide query on each: 20 customers, their relations over two steps, and the
// transcripts of those, cost some 8,000. They wait for a moment, and none is refused.
func TestAsManyWideQueriesAsOneClientHasConnectionsWaitForEachOther(t *testing.T) {
	t.Parallel()
	settings := Defaults()
	settings.Wait = time.Minute // the machine may be busy
	a := settings.NewAdmission()
	first := enter(t, a, "frontend", 8_000)
	for range 31 {
		waits(t, a, "frontend", 8_000)
	}
	if running, waiting := a.Stats(); running+waiting != 32*8_000 {
		t.Errorf("of 32, a cost of %d runs and %d waits: others were refused", running, waiting)
	}
	first.Leave()
}

func TestRequestsRunTogetherOnlyWhileTheirCostAllowsIt(t *testing.T) {
	t.Parallel()
	const each, most = 300, 2000
	a := bounded(most, 1<<40, time.Minute)
	var running, highest atomic.Int64
	var all sync.WaitGroup
	for i := range 50 {
		all.Go(func() {
			grant, err := a.Enter(t.Context(), fmt.Sprint("credential-", i%3), each)
			if err != nil {
				t.Error(err)
				return
			}
			defer grant.Leave()
			now := running.Add(each)
			for seen := highest.Load(); now > seen && !highest.CompareAndSwap(seen, now); seen = highest.Load() {
			}
			runtime.Gosched()
			running.Add(-each)
		})
	}
	all.Wait()
	if highest.Load() > most*3/4 {
		t.Errorf("requests of cost %d ran together, the bound is %d", highest.Load(), most*3/4)
	}
	if a.running != 0 || a.waiting != 0 || len(a.credentials) != 0 {
		t.Errorf("something is left: %d running, %d waiting, %d credentials", a.running, a.waiting, len(a.credentials))
	}
}

func TestARequestOverTheWholeBoundRunsWithoutOtherLargeOnesAndTheSmallDoNotWaitForIt(t *testing.T) {
	t.Parallel()
	a := bounded(10_000, 1<<40, time.Minute)
	whole := enter(t, a, "a", 1_000_000)
	second := waits(t, a, "b", 5_000)
	for range 50 {
		enter(t, a, "a", 10).Leave()
		defer enter(t, a, "b", 10).Leave()
	}
	if len(second) > 0 {
		t.Error("a large one runs beside one that fills the bound")
	}
	whole.Leave()
	(<-second).Leave()
}

func TestACredentialThatFloodsWaitsForItselfAndNotTheOthersForIt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, aFlood)
}

func aFlood(t *testing.T) {
	a := bounded(10_000, 1<<40, time.Minute)
	var flood []<-chan *Grant
	for range 200 {
		flood = append(flood, waits(t, a, "flood", 500))
	}
	// Some of the room stays free for others.
	neighbour := enter(t, a, "neighbour", 500)
	// And when there is none, the neighbour is the next but for one, though 190 have waited longer.
	for a.running+400 <= a.largest() {
		enter(t, a, "filler", 300)
	}
	next := waits(t, a, "neighbour", 400)
	if len(next) > 0 {
		t.Fatal("there was room")
	}
	left := 0
	for ; len(next) == 0; left++ {
		(<-flood[left]).Leave()
		synctest.Wait()
	}
	(<-next).Leave()
	if left > 3 {
		t.Errorf("%d of the flood went before", left)
	}
	neighbour.Leave()
	for _, waiting := range flood[left:] {
		(<-waiting).Leave()
	}
}

func TestOfACredentialsRequestsTheDearComeLaterButTheyCome(t *testing.T) {
	t.Parallel()
	synctest.Test(t, theDearComeLater)
}

func theDearComeLater(t *testing.T) {
	a := bounded(10_000, 1<<40, time.Minute)
	first := enter(t, a, "a", 7_500)
	dear := waits(t, a, "a", 7_000)
	var cheap []<-chan *Grant
	for range 3 {
		cheap = append(cheap, waits(t, a, "a", 1_500))
	}
	first.Leave()
	var grants []*Grant
	for _, entered := range cheap {
		grants = append(grants, <-entered)
	}
	if len(dear) > 0 {
		t.Fatal("the dear one went before the cheap ones")
	}
	// Cheap ones keep coming, and each leaves when the next is there: the dear one is not kept out for ever.
	later := 0
	for range 20 {
		next := waits(t, a, "a", 1_500)
		if len(grants) > 0 {
			grants[0].Leave()
			grants = grants[1:]
		}
		a.mu.Lock()
		queue := a.credentials["a"].queue
		came := len(queue) == 0 || queue[0].weight == 7_000
		a.mu.Unlock()
		go func() { (<-next).Leave() }()
		synctest.Wait()
		if later++; came {
			break
		}
	}
	if later > 5 {
		t.Errorf("%d cheap ones that came later went before the dear one", later)
	}
	for _, grant := range grants {
		grant.Leave()
	}
	select {
	case grant := <-dear:
		grant.Leave()
	case <-time.After(20 * time.Second):
		t.Error("the dear one never came")
	}
}

func TestWhenTooMuchWaitsTheDearestThatJustCameOfACredentialThatHasItsPartIsRefusedAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, whenTooMuchWaits)
}

func whenTooMuchWaits(t *testing.T) {
	a := bounded(10_000, 7_000, time.Minute)
	running := []*Grant{enter(t, a, "flood", 5_000), enter(t, a, "other", 2_500)}
	dearest := waits(t, a, "flood", 5_000)
	waits(t, a, "flood", 1_500)
	if synctest.Wait(); len(dearest) > 0 {
		t.Fatal("refused too early")
	}
	for range 2 {
		waits(t, a, "flood", 1_500)
	}
	if grant := <-dearest; grant != nil {
		t.Error("the dearest was admitted")
	}
	quiet := waits(t, a, "quiet", 3_000)
	if synctest.Wait(); len(quiet) > 0 {
		t.Error("the credential with little waiting was refused")
	}
	_, err := a.Enter(t.Context(), "flood", 5_000)
	if backoffice.KindOf(err) != backoffice.Unavailable {
		t.Errorf("one more of the flood: %v", err)
	}
	for _, grant := range running {
		grant.Leave()
	}
	(<-quiet).Leave()
	synctest.Wait()
}

func TestNobodyWaitsLongerThanTheSettingOrItsOwnTime(t *testing.T) {
	t.Parallel()
	a := bounded(10_000, 1<<40, time.Millisecond)
	defer enter(t, a, "a", 7_500).Leave()
	if _, err := a.Enter(t.Context(), "b", 7_500); backoffice.KindOf(err) != backoffice.Unavailable {
		t.Errorf("after the longest wait: %v", err)
	}
	a.waitTime = time.Minute
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := a.Enter(gone, "b", 7_500); !errors.Is(err, context.Canceled) {
		t.Errorf("one whose caller is gone: %v", err)
	}
	if a.waiting != 0 || a.credentials["b"] != nil {
		t.Error("it is still there")
	}
}

func TestARequestThatTakesMoreThanItCostGetsItWhileThereIsRoomAndOneGetsItAllTheSame(t *testing.T) {
	t.Parallel()
	a := bounded(10_000, 1<<40, time.Minute)
	one, two, three := enter(t, a, "a", 1), enter(t, a, "b", 1), enter(t, a, "c", 1)
	if err := one.Grow(4_000 * bytesOfOne); err != nil || a.running != 4_002 {
		t.Errorf("with room: %v, %d running", err, a.running)
	}
	if err := two.Grow(8_000 * bytesOfOne); err != nil || a.running != 12_001 {
		t.Errorf("without room, the first: %v, %d running", err, a.running)
	}
	if err := two.Grow(9_000 * bytesOfOne); err != nil {
		t.Errorf("the same one again: %v", err)
	}
	if err := three.Grow(20 * bytesOfOne); backoffice.KindOf(err) != backoffice.Unavailable {
		t.Errorf("without room, another: %v", err)
	}
	two.Leave()
	if err := three.Grow(20 * bytesOfOne); err != nil {
		t.Errorf("when the first has left: %v", err)
	}
	one.Leave()
	three.Leave()
	if a.running != 0 || a.over != nil {
		t.Errorf("%d left running", a.running)
	}
}

func TestWhatIsNotSentYetCountsAsRunning(t *testing.T) {
	t.Parallel()
	a := bounded(1_000, 1<<40, time.Minute)
	slow := enter(t, a, "slow", 700)
	slow.Executed(600 * bytesOfOne)
	if a.running != 600 {
		t.Errorf("%d count as running while 600 are not sent", a.running)
	}
	waiting := waits(t, a, "other", 300)
	if len(waiting) > 0 {
		t.Error("a request runs in the room of an answer that is not sent")
	}
	slow.Leave()
	slow.Leave() // does nothing
	(<-waiting).Leave()
	if a.running != 0 {
		t.Errorf("%d left running", a.running)
	}
}

// Whatever comes and goes, the sums are right, the bounds hold, and nobody who waits is forgotten.
func TestAdmissionKeepsItsBooksWhateverComesAndGoes(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		a := bounded(1_000, 3_000, time.Minute)
		var running []*Grant
		var waiting []*waiter
		collect := func() {
			still := waiting[:0]
			for _, w := range waiting {
				switch {
				case w.grant != nil:
					running = append(running, w.grant)
				case w.failed == nil:
					still = append(still, w)
				}
			}
			waiting = still
		}
		for range rapid.IntRange(1, 60).Draw(rt, "steps") {
			switch rapid.IntRange(0, 3).Draw(rt, "what") {
			case 0, 1:
				// Enter, without a goroutine.
				name, cost := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(rt, "credential"), rapid.SampledFrom([]int64{1, 5, 10, 60, 200, 500, 750}).Draw(rt, "cost")
				p := a.credentials[name]
				if p == nil {
					p = &credential{id: name, served: a.clock}
				}
				a.hold(p)
				w := &waiter{of: p, weight: cost, finish: a.clock + float64(cost), done: make(chan struct{})}
				waiting = append(waiting, w)
				a.enqueue(w)
			case 2:
				if len(running) > 0 {
					i := rapid.IntRange(0, len(running)-1).Draw(rt, "who")
					running[i].Leave()
					running = append(running[:i], running[i+1:]...)
				}
			case 3:
				if len(running) > 0 {
					i := rapid.IntRange(0, len(running)-1).Draw(rt, "who")
					running[i].Executed(rapid.IntRange(0, 400).Draw(rt, "unsent") * bytesOfOne)
				}
			}
			collect()
			sum, sums, queued := int64(0), map[*credential][large + 1]int64{}, int64(0)
			for _, grant := range running {
				sum += grant.weight
				of := sums[grant.credential]
				of[grant.size] += grant.weight
				sums[grant.credential] = of
			}
			for _, w := range waiting {
				queued += w.counts()
			}
			if sum != a.running || queued != a.waiting || sum > a.most || a.waiting > a.mostWaiting() {
				rt.Fatalf("%d run of %d, %d wait of %d; it says %d and %d", sum, a.most, queued, a.mostWaiting(), a.running, a.waiting)
			}
			for _, p := range a.credentials {
				if p.running != sums[p] {
					rt.Fatalf("a credential has %d running, and says %d", sums[p], p.running)
				}
			}
			if len(running) == 0 && len(waiting) > 0 {
				rt.Fatalf("%d wait for nothing", len(waiting))
			}
		}
		for len(running) > 0 {
			running[0].Leave()
			running = running[1:]
			collect()
		}
		if len(waiting) > 0 || a.running != 0 || a.waiting != 0 || len(a.credentials) != 0 {
			rt.Fatalf("at the end %d are forgotten, %d running, %d credentials", len(waiting), a.running, len(a.credentials))
		}
	})
}

func BenchmarkEnteringWhenNothingWaits(b *testing.B) {
	a := Defaults().NewAdmission()
	b.ReportAllocs()
	for b.Loop() {
		grant, err := a.Enter(b.Context(), "credential", 1)
		if err != nil {
			b.Fatal(err)
		}
		grant.Leave()
	}
}

func TestACredentialsSmallRequestsAndWhatItHasToSendLeaveRoomForOthers(t *testing.T) {
	t.Parallel()
	a := bounded(24_000, 0, time.Second)
	for s, cost := range map[size]int{small: 240, tiny: 24} {
		for held := int64(cost); held <= a.part(s); held += int64(cost) {
			enter(t, a, "flood", cost)
		}
		if _, err := a.Enter(t.Context(), "flood", cost); backoffice.KindOf(err) != backoffice.Unavailable {
			t.Errorf("beyond its part: %v", err)
		}
		enter(t, a, "other", cost)
	}
	var full error
	for range 100 {
		if full = enter(t, a, "slow", 1).Grow(500 * bytesOfOne); full != nil {
			break
		}
	}
	if backoffice.KindOf(full) != backoffice.Unavailable {
		t.Errorf("unsent answers beyond its part: %v", full)
	}
	enter(t, a, "other", 500)
}
