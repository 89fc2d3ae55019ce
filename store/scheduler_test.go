package store

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"example.org/backoffice/backoffice"
)

func as(t testing.TB, who string) context.Context {
	if who == "" {
		return t.Context()
	}
	return backoffice.WithRequest(t.Context(), func(r *backoffice.Request) {
		r.Session = backoffice.NewSession(&backoffice.Principal{ClientID: who})
	})
}

func take(t testing.TB, scheduler *Scheduler, who string) *Slot {
	t.Helper()
	taken, err := scheduler.Acquire(as(t, who))
	if err != nil {
		t.Fatalf("%q gets nothing: %v", who, err)
	}
	return taken
}

// queue has somebody wait, and returns when they do; served tells who was served, in order.
func queue(t testing.TB, scheduler *Scheduler, who string, served chan<- *Slot) {
	t.Helper()
	before := waiting(scheduler)
	go func() {
		if taken, err := scheduler.Acquire(as(t, who)); err == nil {
			served <- taken
		}
	}()
	for waiting(scheduler) == before {
		time.Sleep(time.Millisecond)
	}
}

func waiting(scheduler *Scheduler) (n int) {
	scheduler.mu.Lock()
	defer scheduler.mu.Unlock()
	for _, c := range scheduler.callers {
		n += len(c.waiting)
	}
	return n
}

func TestNoCallerHasMoreThanHalfOfTheConnections(t *testing.T) {
	t.Parallel()
	for connections, most := range map[int]int{1: 1, 2: 1, 3: 1, 4: 2, 16: 8} {
		scheduler := NewScheduler(connections, time.Millisecond)
		for range most {
			take(t, scheduler, "greedy")
		}
		if _, err := scheduler.Acquire(as(t, "greedy")); !errors.Is(err, ErrBusy) {
			t.Errorf("of %d connections one caller gets more than %d: %v", connections, most, err)
		}
		for range connections - most { // the process itself has no bound
			take(t, scheduler, "")
		}
	}
}

// inTime runs a test on a clock of its own, on which time goes by only while everybody waits for it: who had a
// connection for how long is then what the test says, and not what the machine had time for.
func inTime(t *testing.T, do func(t *testing.T)) {
	t.Parallel()
	synctest.Test(t, do)
}

func TestCallersAreServedInTurnAndTheProcessItselfFirst(t *testing.T) {
	inTime(t, func(t *testing.T) {
		scheduler := NewScheduler(1, 0)
		last := take(t, scheduler, "first")
		served := make(chan *Slot, 10)
		for _, who := range []string{"greedy", "greedy", "greedy", "modest", "greedy", "", "late"} {
			queue(t, scheduler, who, served)
		}
		order := ""
		for range 7 {
			scheduler.Release(last)
			last = <-served
			order += last.of.name + " "
		}
		if want := " greedy modest late greedy greedy greedy "; order != want {
			t.Errorf("served were %q, want %q", order, want)
		}
	})
}

// firstAfter is who is served first when those who took much, more and less of it, and one who took nothing wait.
// change makes the scheduler another one before somebody is chosen.
func firstAfter(t *testing.T, change func(*Scheduler)) string {
	t.Helper()
	scheduler := NewScheduler(1, 0)
	served := make(chan *Slot, 10)
	for range 2 {
		for _, who := range []string{"a", "b", "c"} {
			taken := take(t, scheduler, who)
			time.Sleep(headStart)
			scheduler.Release(taken)
		}
	}
	a := take(t, scheduler, "a")
	for _, who := range []string{"b", "c", "modest"} {
		queue(t, scheduler, who, served)
	}
	change(scheduler)
	scheduler.Release(a)
	first := <-served
	scheduler.Release(first)
	for range 2 {
		scheduler.Release(<-served)
	}
	return first.of.name
}

func TestWhoTakesLittleIsServedBeforeThoseWhoTakeMuch(t *testing.T) {
	inTime(t, func(t *testing.T) {
		if first := firstAfter(t, func(*Scheduler) {}); first != "modest" {
			t.Errorf("%q was served first, who had the connection for long", first)
		}
	})
}

func TestASchedulerThatForgetsWhoTookMuchIsFound(t *testing.T) {
	inTime(t, func(t *testing.T) {
		for name, broken := range map[string]func(*caller){
			"counts no time":            func(c *caller) { c.used = 0 },
			"counts uses, not time":     func(c *caller) { c.used = leastCharge },
			"counts for the other side": func(c *caller) { c.used = -c.used },
		} {
			if first := firstAfter(t, func(scheduler *Scheduler) {
				for _, c := range scheduler.callers {
					broken(c)
				}
			}); first == "modest" {
				t.Errorf("a copy that %s is not found", name)
			}
		}
	})
}

func TestSomeConnectionsAreKeptForThoseWhoAreBrief(t *testing.T) {
	inTime(t, func(t *testing.T) {
		scheduler := NewScheduler(8, time.Millisecond)
		for range 10 {
			scheduler.Release(take(t, scheduler, "modest"))
		}
		for _, who := range []string{"a", "b", "c"} {
			taken := take(t, scheduler, who)
			time.Sleep(2 * brief)
			scheduler.Release(taken)
		}
		for _, who := range []string{"a", "b", "c", "a", "b", "c"} {
			take(t, scheduler, who)
		}
		if _, err := scheduler.Acquire(as(t, "a")); !errors.Is(err, ErrBusy) {
			t.Errorf("who has connections for long gets one that is kept: %v", err)
		}
		if _, err := scheduler.Acquire(as(t, "new")); !errors.Is(err, ErrBusy) {
			t.Errorf("who is new gets one that is kept: %v", err)
		}
		take(t, scheduler, "modest")
		take(t, scheduler, "modest")
	})
}

func TestWhoGoesAwayWhileWaitingTakesNothingAlong(t *testing.T) {
	t.Parallel()
	scheduler := NewScheduler(1, 0)
	a := take(t, scheduler, "a")
	gone, cancel := context.WithCancel(as(t, "b"))
	left := make(chan error)
	go func() { _, err := scheduler.Acquire(gone); left <- err }()
	for waiting(scheduler) == 0 {
		time.Sleep(time.Millisecond)
	}
	cancel()
	if err := <-left; !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	scheduler.Release(a)
	take(t, scheduler, "c")
}

// Whoever comes and goes, when all are gone everything is free, and never are there more than there are.
func TestSlotsAreNeitherLostNorMadeUp(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		connections := rapid.IntRange(1, 6).Draw(r, "connections")
		callers := rapid.SliceOfN(rapid.IntRange(0, 3), 1, 40).Draw(r, "callers")
		patience := rapid.IntRange(0, 300).Draw(r, "patience in µs")
		scheduler := NewScheduler(connections, 10*time.Second)
		var mu sync.Mutex
		has, all := map[string]int{}, 0
		var clients sync.WaitGroup
		for i, caller := range callers {
			clients.Go(func() {
				who := ""
				if caller > 0 {
					who = fmt.Sprint(caller)
				}
				ctx := as(t, who)
				if i%3 == 0 {
					impatient, cancel := context.WithTimeout(ctx, time.Duration(patience)*time.Microsecond)
					defer cancel()
					ctx = impatient
				}
				taken, err := scheduler.Acquire(ctx)
				if err != nil {
					return
				}
				mu.Lock()
				has[who]++
				all++
				if all > connections || who != "" && has[who] > max(1, connections/2) {
					t.Errorf("%d connections, %d of them %q's, of %d", all, has[who], who, connections)
				}
				mu.Unlock()
				time.Sleep(50 * time.Microsecond)
				mu.Lock()
				has[who]--
				all--
				mu.Unlock()
				scheduler.Release(taken)
			})
		}
		clients.Wait()
		used, waiting := scheduler.Stats()
		if scheduler.free != connections || used > 0 || waiting > 0 || len(scheduler.order) > 0 {
			t.Errorf("afterwards %d of %d are free: %+v", scheduler.free, connections, scheduler)
		}
	})
}
