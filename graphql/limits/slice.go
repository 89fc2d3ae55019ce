package limits

import (
	"slices"
	"time"
)

// sliceTime is how long a time slice is. The running cost bounds memory; slices share the processors. As many large
// requests execute as there are processors. One that waits for the database, or has used its slice, lets others begin.
const sliceTime = 25 * time.Millisecond

// smallSlices is how many small requests may execute for one large one.
const smallSlices = 4

// timeSlices are the time slices of requests that execute, in the order in which they began.
type timeSlices struct {
	most  [large + 1]int // at one time, by size; 0 is any number
	taken [large + 1]int
	by    []*timeSlice
	armed bool // a timer runs until the first one ends
}

type timeSlice struct {
	size size
	ends time.Time
}

// free reports whether one more request of a size may execute now. It ends slices that are over.
func (t *timeSlices) free(s size, now time.Time) bool {
	for len(t.by) > 0 && !now.Before(t.by[0].ends) {
		t.end(t.by[0])
	}
	return t.most[s] == 0 || t.taken[s] < t.most[s]
}

// take gives a request a slice, even if none is free: one that resumes may hold what others wait for.
func (t *timeSlices) take(s size, now time.Time) *timeSlice {
	if t.most[s] == 0 {
		return nil
	}
	one := &timeSlice{s, now.Add(sliceTime)}
	t.taken[s]++
	t.by = append(t.by, one)
	return one
}

// end takes a slice back. It may be called twice.
func (t *timeSlices) end(one *timeSlice) {
	if at := slices.Index(t.by, one); at >= 0 {
		t.by = slices.Delete(t.by, at, at+1)
		t.taken[one.size]--
	}
}

// watch calls dispatch when the first slice is over, for requests that wait for nothing else.
func (a *Admission) watch() {
	if a.slices.armed || a.waiting == 0 || len(a.slices.by) == 0 {
		return
	}
	a.slices.armed = true
	time.AfterFunc(time.Until(a.slices.by[0].ends), func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.slices.armed = false
		a.dispatch()
	})
}

// Wait records that the request waits, such as for the database, until resume is called.
func (s *Grant) Wait() (resume func()) {
	a := s.of
	a.mu.Lock()
	defer a.mu.Unlock()
	if s.waits++; s.waits == 1 {
		s.took += time.Since(s.since)
		if s.slice != nil {
			s.endSlice()
		}
	}
	return s.resume
}

func (s *Grant) resume() {
	a := s.of
	a.mu.Lock()
	defer a.mu.Unlock()
	if s.waits--; s.waits == 0 && !s.executed {
		s.since = time.Now()
		s.slice = a.slices.take(s.size, time.Now())
	}
}

// forgets is by how much earlier requests still count after one more has executed.
const forgets = 0.99

// charge charges a credential for its request's time, without waits, at the recent average cost per second.
func (s *Grant) charge() {
	if s.executed {
		return
	}
	s.executed = true
	if s.waits == 0 {
		s.took += time.Since(s.since)
	}
	a := s.of
	a.costs, a.seconds = a.costs*forgets+float64(s.weight), a.seconds*forgets+s.took.Seconds()
	if a.waiting == 0 || a.seconds == 0 {
		return
	}
	if s.charged == 0 { // it did not wait
		s.credential.served = max(s.credential.served, a.clock)
	}
	s.credential.served += s.took.Seconds()*a.costs/a.seconds - s.charged
}

func (s *Grant) endSlice() {
	s.of.slices.end(s.slice)
	s.slice = nil
	s.of.dispatch()
}
