package limits

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"
)

// withSlices is an admission with a bound on how many large requests are executed at one time.
func withSlices(most int, wait time.Duration) *Admission {
	a := bounded(12_000, 300_000, wait)
	a.slices.most[large] = most
	return a
}

func TestAsManyLargeRequestsAreExecutedAtOneTimeAsThereAreTurns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := withSlices(1, time.Minute)
		first := enter(t, a, "a", 2_000)
		second := waits(t, a, "b", 2_000)
		enter(t, a, "c", 1).Leave()
		if synctest.Wait(); len(second) > 0 {
			t.Fatal("two are executed at one time")
		}
		first.Executed(1)
		(<-second).Leave()
		first.Leave()
	})
}

func TestWhoWaitsForTheDatabaseLetsOthersHaveItsTimeSlice(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := withSlices(1, time.Minute)
		first := enter(t, a, "a", 2_000)
		second := waits(t, a, "b", 2_000)
		resume, also := first.Wait(), first.Wait() // for two things
		synctest.Wait()
		other := <-second
		also()
		third := waits(t, a, "c", 2_000)
		resume()
		other.Leave()
		if synctest.Wait(); len(third) > 0 {
			t.Error("a third one began beside the one that goes on")
		}
		first.Leave()
		(<-third).Leave()
		if len(a.slices.by) != 0 || a.slices.taken != [large + 1]int{} {
			t.Error("slices are left")
		}
	})
}

func TestWhoWaitsIsNotRefusedBecauseNothingHasLeftYet(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := withSlices(1, 3*time.Second)
		first := enter(t, a, "a", 7_000)
		second := waits(t, a, "b", 7_000)
		enter(t, a, "c", 1).Leave() // all that is known is that next to nothing has left
		time.Sleep(time.Second)
		third := waits(t, a, "c", 7_000)
		first.Leave()
		(<-second).Leave()
		if grant := <-third; grant == nil {
			t.Error("it was refused")
		} else {
			grant.Leave()
		}
	})
}

func TestWhoTakesLongDoesNotKeepOthersFromBeginning(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := withSlices(1, time.Minute)
		began := time.Now()
		long := enter(t, a, "a", 2_000)
		(<-waits(t, a, "b", 2_000)).Leave()
		if waited := time.Since(began); waited != sliceTime {
			t.Errorf("it waited for %v", waited)
		}
		long.Leave()
	})
}

func TestAnEndedSliceIsLookedAtOnceWhileItsCredentialMayHaveNoMore(t *testing.T) {
	t.Parallel()
	a := withSlices(1, time.Minute)
	first := enter(t, a, "a", 6_000)
	second := waits(t, a, "a", 6_000) // its credential has its part
	for begun := time.Now(); ; time.Sleep(sliceTime) {
		a.mu.Lock()
		armed, left, waiting := a.slices.armed, len(a.slices.by), a.waiting
		a.mu.Unlock()
		if waiting > 0 && !armed && left == 0 {
			break
		}
		if time.Since(begun) > 10*time.Second {
			t.Fatalf("a timer is set: %v, for %d slices that have ended", armed, left)
		}
	}
	first.Leave()
	(<-second).Leave()
}

func TestWhoWouldWaitTooLongAtTheMeasuredThroughputIsRefusedAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := withSlices(1, 100*time.Millisecond)
		var all sync.WaitGroup
		refused, late := 0, 0
		var mu sync.Mutex
		for n := range 600 { // twice what can be done: one each 10 ms
			all.Go(func() {
				began := time.Now()
				grant, err := a.Enter(t.Context(), "a", 2_000)
				if err != nil {
					mu.Lock()
					defer mu.Unlock()
					if refused++; time.Since(began) > 0 && n > 300 { // by then the throughput is known
						late++
					}
					return
				}
				time.Sleep(10 * time.Millisecond)
				grant.Leave()
			})
			time.Sleep(5 * time.Millisecond)
		}
		all.Wait()
		if refused < 250 || refused > 310 {
			t.Errorf("%d of 600 were refused, of which some 290 had to be", refused)
		}
		if late > refused/10 { // whose guess was wrong by little
			t.Errorf("%d of %d were refused late", late, refused)
		}
	})
}

// flood is a simulation, in a time of its own: credentials send much more than can be done, whether they get answers or not.
type flood struct {
	credentials []time.Duration // between two requests of each
	cost        int
	service     time.Duration
	wait        time.Duration
	lasts       time.Duration

	enter func(ctx context.Context, a *Admission, credential string, cost int) (*Grant, error)
	leave func(a *Admission, s *Grant)
}

// wrong is what is not as promised.
func (f flood) wrong(t testing.TB) (found []string) {
	a := withSlices(1, f.wait)
	mostWaiting := a.mostWaiting()
	if f.enter == nil {
		f.enter = func(ctx context.Context, a *Admission, credential string, cost int) (*Grant, error) {
			return a.Enter(ctx, credential, cost)
		}
	}
	if f.leave == nil {
		f.leave = func(_ *Admission, s *Grant) { s.Leave() }
	}
	var mu sync.Mutex
	note := func(format string, values ...any) { found = append(found, fmt.Sprintf(format, values...)) }
	served, end := make([]int, len(f.credentials)), time.Now().Add(f.lasts)
	late, refused, lightRefused, most := 0, 0, 0, int64(0)
	var all sync.WaitGroup
	one := func(credential string, cost int, done func()) {
		began := time.Now()
		grant, err := f.enter(t.Context(), a, credential, cost)
		waited := time.Since(began)
		if err == nil {
			if cost > 1 {
				time.Sleep(f.service)
			}
			f.leave(a, grant)
		}
		_, waiting := a.Stats()
		mu.Lock()
		defer mu.Unlock()
		most = max(most, waiting)
		switch {
		case err == nil && waited > f.wait:
			note("one waited for %v", waited)
		case err == nil && time.Now().After(end): // those that wait when the others have stopped
		case err == nil:
			done()
		case cost == 1:
			lightRefused++
		default:
			if refused++; waited > youngest && waited != f.wait {
				late++
			}
		}
	}
	for i, every := range f.credentials {
		all.Go(func() {
			for ; time.Now().Before(end); time.Sleep(every) {
				all.Go(func() { one(fmt.Sprint("credential-", i), f.cost, func() { served[i]++ }) })
			}
		})
	}
	all.Go(func() {
		for ; time.Now().Before(end); time.Sleep(7 * time.Millisecond) {
			began := time.Now()
			one("light", 1, func() {
				if time.Since(began) > 0 {
					note("a light one waited")
				}
			})
		}
	})
	all.Wait()
	least, highest, sum := served[0], served[0], 0
	for _, n := range served {
		least, highest, sum = min(least, n), max(highest, n), sum+n
	}
	if highest > least+3+highest/8 {
		note("one credential got %d, another %d", highest, least)
	}
	if could := int(f.lasts / f.service); sum < could*9/10 {
		note("%d were served of %d that could be", sum, could)
	}
	if late > 0 {
		note("%d of %d refusals came neither at once nor at the end of the wait", late, refused)
	}
	if lightRefused > 0 {
		note("%d light ones were refused", lightRefused)
	}
	if most > mostWaiting {
		note("%d waited", most)
	}
	if a.running != 0 || a.waiting != 0 || len(a.credentials) != 0 {
		note("%d run and %d wait at the end", a.running, a.waiting)
	}
	return found
}

func TestUnderAFloodCredentialsAreServedEquallyNobodyIsForgottenAndRefusalsComeAtOnce(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		service := rapid.SampledFrom([]time.Duration{2 * time.Millisecond, 5 * time.Millisecond, 10 * time.Millisecond, 20 * time.Millisecond}).Draw(rt, "service")
		f := flood{
			cost: rapid.IntRange(200, 9_000).Draw(rt, "cost"), service: service, lasts: 100 * service,
			wait: rapid.SampledFrom([]time.Duration{100 * time.Millisecond, time.Second, 3 * time.Second}).Draw(rt, "wait"),
		}
		for range rapid.IntRange(1, 4).Draw(rt, "credentials") {
			f.credentials = append(f.credentials, service/time.Duration(rapid.IntRange(2, 8).Draw(rt, "times")))
		}
		var wrong []string
		synctest.Test(t, func(t *testing.T) { wrong = f.wrong(t) })
		if len(wrong) > 0 {
			rt.Fatal(wrong)
		}
	})
}

// The simulation would notice.
func TestAFloodShowsWhatABrokenAdmissionDoes(t *testing.T) {
	t.Parallel()
	for name, broken := range map[string]flood{
		"who leaves wakes nobody": {leave: func(a *Admission, s *Grant) {
			a.mu.Lock()
			defer a.mu.Unlock()
			s.resize(0)
			s.left = true
			a.slices.end(s.slice)
			a.release(s.credential)
		}},
		"all are one credential": {enter: func(ctx context.Context, a *Admission, credential string, cost int) (*Grant, error) {
			if cost > 1 {
				credential = "one"
			}
			return a.Enter(ctx, credential, cost)
		}},
		"slices are never given back": {leave: func(_ *Admission, s *Grant) { s.slice = nil; s.Leave() }},
		"the queue has no end": {enter: func(ctx context.Context, a *Admission, credential string, cost int) (*Grant, error) {
			a.mu.Lock()
			a.waitMost = 1 << 40
			a.mu.Unlock()
			return a.Enter(ctx, credential, cost)
		}, wait: 3 * time.Second},
		"light ones wait like others": {enter: func(ctx context.Context, a *Admission, credential string, cost int) (*Grant, error) {
			return a.Enter(ctx, credential, cost+2_000)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				broken.credentials, broken.cost, broken.service, broken.lasts = []time.Duration{time.Millisecond, 2 * time.Millisecond, 4 * time.Millisecond}, 2_650, 5*time.Millisecond, 2*time.Second
				broken.wait = max(broken.wait, time.Second)
				if wrong := broken.wrong(t); len(wrong) == 0 {
					t.Error("nothing was noticed")
				}
			})
		})
	}
}

// timeOf is how long two credentials were served whose operations cost the same, of which one's take five times as long.
func timeOf(t *testing.T, leave func(*Grant)) (long, short time.Duration) {
	a := withSlices(1, time.Hour)
	var all sync.WaitGroup
	end := time.Now().Add(3 * time.Second)
	for _, of := range []struct {
		credential string
		each       time.Duration
		had        *time.Duration
	}{{"long", 20 * time.Millisecond, &long}, {"short", 4 * time.Millisecond, &short}} {
		var mu sync.Mutex
		for range 10 { // there is always one that waits
			all.Go(func() {
				for time.Now().Before(end) {
					grant := enter(t, a, of.credential, 2_000)
					time.Sleep(of.each)
					mu.Lock()
					*of.had += of.each
					mu.Unlock()
					leave(grant)
				}
			})
		}
	}
	all.Wait()
	if len(a.credentials) != 0 {
		t.Errorf("%d credentials are remembered when nobody waits", len(a.credentials))
	}
	return long, short
}

func TestACredentialIsChargedWithWhatItsOperationsTookWhateverTheyCost(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		if long, short := timeOf(t, (*Grant).Leave); long > short*3/2 || short > long*3/2 {
			t.Errorf("the long ones had %v, the short ones %v", long, short)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		byCost := func(s *Grant) { s.executed = true; s.Leave() } // a broken copy
		if long, short := timeOf(t, byCost); long < short*3 {
			t.Errorf("by their cost the long ones had %v, the short ones %v: nothing would be noticed", long, short)
		}
	})
}
