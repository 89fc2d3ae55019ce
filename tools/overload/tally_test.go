package main

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"net/http"
	"slices"
	"testing"
	"time"

	"example.org/backoffice/tools/rig"
)

// isSpread reports whether a spread is that of times: each of its three is one of them, and what it says of the others
// is so.
func isSpread(s spread, took []time.Duration) bool {
	if len(took) == 0 {
		return s == spread{}
	}
	atMost := func(d time.Duration) (n, below int) {
		for _, one := range took {
			if one <= d {
				n++
			}
			if one < d {
				below++
			}
		}
		return n, below
	}
	holds := func(d time.Duration, percent int) bool {
		n, below := atMost(d)
		return slices.Contains(took, d) && n*100 >= percent*len(took) && below*100 <= percent*len(took) // no less, and no more than has to be
	}
	return holds(s.P50, 50) && holds(s.P99, 99) && s.Most == slices.Max(took)
}

// samples are times of many forms: few, many, all the same, sorted, with a long tail.
func samples() (all [][]time.Duration) {
	random := rand.New(rand.NewPCG(19, 2026))
	all = [][]time.Duration{nil, {5}, {5, 5, 5}, {1, 2}, {2, 1}}
	for n := range 300 {
		var took []time.Duration
		for range n + 1 {
			d := time.Duration(random.IntN(100))
			if random.IntN(50) == 0 {
				d *= 1000
			}
			took = append(took, d)
		}
		all = append(all, took)
	}
	return all
}

func TestPercentilesAreThoseOfTheTimes(t *testing.T) {
	t.Parallel()
	for _, took := range samples() {
		if s := spreadOf(slices.Clone(took)); !isSpread(s, took) {
			t.Fatalf("%v of %v", s, took)
		}
	}
	for name, broken := range map[string]func(took []time.Duration) spread{
		"that does not sort": func(took []time.Duration) spread {
			if len(took) == 0 {
				return spread{}
			}
			return spread{took[len(took)/2], took[len(took)*99/100], took[len(took)-1]}
		},
		"that takes the 90th for the 99th": func(took []time.Duration) spread {
			s := spreadOf(took)
			if len(took) > 0 {
				s.P99 = took[len(took)*9/10]
			}
			return s
		},
		"that takes the mean for the median": func(took []time.Duration) spread {
			s := spreadOf(took)
			var sum time.Duration
			for _, d := range took {
				sum += d
			}
			s.P50 = sum / time.Duration(max(len(took), 1))
			return s
		},
		"that takes the slowest for the 99th": func(took []time.Duration) spread {
			s := spreadOf(took)
			s.P99 = s.Most
			return s
		},
		"that leaves the slowest out": func(took []time.Duration) spread {
			slices.Sort(took)
			return spreadOf(took[:max(len(took)-1, 0)])
		},
	} {
		if !slices.ContainsFunc(samples(), func(took []time.Duration) bool { return !isSpread(broken(slices.Clone(took)), took) }) {
			t.Errorf("a copy %s is not found", name)
		}
	}
}

// asked is a made-up request: of whom, when it was due, how late it was sent and when it was answered, and with what.
// Times are from when counting begins, and go on for a second.
type asked struct {
	number         int
	at, late, took time.Duration
	status         int
	retryAfter     string
	err            error
}

// tallied is what is counted of requests of the credentials a, a, b, in turn.
func tallied(t *testing.T, requests []asked, change func(*crowd)) came {
	t.Helper()
	c := &crowd{asking: asking{Warm: time.Second, Duration: time.Second}}
	for _, id := range []string{"a", "a", "b"} {
		c.Requests = append(c.Requests, sent{Credential: rig.Credential{ClientID: id}})
	}
	began := time.Now()
	c.begin(began)
	change(c)
	for _, r := range requests {
		c.count(due{r.number, began.Add(c.Warm + r.at)}, r.late, r.took, r.status, http.Header{"Retry-After": {r.retryAfter}}, r.err)
	}
	c.end()
	return c.came
}

func TestWhatIsCountedIsWhatWasDueOrAnsweredInItsTime(t *testing.T) {
	t.Parallel()
	cut := errors.New("the connection was cut")
	requests := []asked{
		{number: 0, at: -900 * ms, late: 1 * ms, took: 10 * ms, status: 200},                // in the warm time: not counted
		{number: 1, at: -100 * ms, late: 2 * ms, took: 150 * ms, status: 200},               // answered in the time, due before it: goodput alone
		{number: 0, at: -100 * ms, late: 2 * ms, took: 150 * ms, status: 503},               // not counted
		{number: 2, at: -100 * ms, took: 150 * ms, err: cut},                                // not counted
		{number: 0, at: 0, took: 20 * ms, status: 200},                                      // the first one
		{number: 4, at: 100 * ms, late: 30 * ms, took: 40 * ms, status: 200},                // of a again
		{number: 2, at: 200 * ms, late: 1 * ms, took: 60 * ms, status: 200},                 // of b
		{number: 0, at: 900 * ms, late: 3 * ms, took: 200 * ms, status: 200},                // answered behind the time: slow, and no goodput
		{number: 0, at: 300 * ms, late: 2 * ms, took: 5 * ms, status: 503, retryAfter: "1"}, // refused
		{number: 0, at: 400 * ms, late: 2 * ms, took: 7 * ms, status: 503},                  // without Retry-After
		{number: 0, at: 500 * ms, late: 2 * ms, took: 8 * ms, status: 500},                  // wrong
		{number: 0, at: 600 * ms, late: 2 * ms, took: 9 * ms, status: 429, retryAfter: "1"}, // wrong too: nobody has a budget
		{number: 0, at: 700 * ms, late: 2 * ms, took: 9 * ms, status: 200, err: cut},        // whose body broke off
	}
	want := came{
		Answered: 4, Refused: 2, Wrong: 3, ByPair: map[string]int{"a": 3, "b": 1}, WithoutRetryAfter: 1, Example: cut.Error(),
		Served: spread{60 * ms, 200 * ms, 200 * ms}, RefusedIn: spread{7 * ms, 7 * ms, 7 * ms}, SentLate: spread{2 * ms, 30 * ms, 30 * ms},
	}
	text := func(c came) string {
		b, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	if got := tallied(t, requests, func(*crowd) {}); text(got) != text(want) {
		t.Errorf("%s, and not %s", text(got), text(want))
	}
	for name, broken := range map[string]func(*crowd){
		"counts the warm time too":                 func(c *crowd) { c.from = c.from.Add(-c.Warm) },
		"counts what is answered too late":         func(c *crowd) { c.until = c.until.Add(time.Minute) },
		"takes all for requests of one credential": func(c *crowd) { c.Requests = c.Requests[:1] },
	} {
		if got := tallied(t, requests, broken); text(got) == text(want) {
			t.Errorf("a copy that %s is not found", name)
		}
	}
}

func TestACredentialThatNobodyAnswersIsCountedWithNone(t *testing.T) {
	t.Parallel()
	got := tallied(t, []asked{{number: 0, took: ms, status: 200}, {number: 2, took: ms, status: 503}}, func(*crowd) {})
	if len(got.ByPair) != 2 || got.ByPair["a"] != 1 || got.ByPair["b"] != 0 {
		t.Errorf("%v", got.ByPair)
	}
}
