package main

import (
	"fmt"
	"net/http"
	"slices"
	"time"
)

// spread is how long answers of one kind took: so long at most did half of them, 99 of a hundred, and all.
type spread struct{ P50, P99, Most time.Duration }

func spreadOf(took []time.Duration) spread {
	if len(took) == 0 {
		return spread{}
	}
	slices.Sort(took)
	at := func(part float64) time.Duration { return took[min(int(part*float64(len(took))), len(took)-1)] }
	return spread{at(.5), at(.99), took[len(took)-1]}
}

// String is for the table.
func (s spread) String() string {
	ms := func(d time.Duration) string { return fmt.Sprintf("%.3g", float64(d)/float64(time.Millisecond)) }
	return ms(s.P50) + ", " + ms(s.P99) + ", " + ms(s.Most) + " ms"
}

// begin says from when it is counted. A credential that is never answered counts too, with none.
func (c *crowd) begin(at time.Time) {
	c.from, c.until = at.Add(c.Warm), at.Add(c.Warm+c.Duration)
	c.ByPair = map[string]int{}
	for _, s := range c.Requests {
		c.ByPair[s.Credential.ClientID] = 0
	}
}

// count counts what became of a request: as answered what came in the time that is counted, as slow, late, refused or
// wrong what was due in it.
func (c *crowd) count(d due, late, took time.Duration, status int, header http.Header, err error) {
	end := d.at.Add(took)
	if status == http.StatusOK && err == nil && !end.Before(c.from) && end.Before(c.until) {
		c.Answered++
		c.ByPair[c.Requests[d.number%len(c.Requests)].Credential.ClientID]++
	}
	if d.at.Before(c.from) {
		return
	}
	c.late = append(c.late, late)
	switch {
	case err != nil:
		c.Wrong++
		c.Example = err.Error()
	case status == http.StatusOK:
		c.served = append(c.served, took)
	case status == http.StatusServiceUnavailable:
		c.Refused++
		if header.Get("Retry-After") == "" {
			c.WithoutRetryAfter++
		}
		c.refused = append(c.refused, took)
	default:
		c.Wrong++
		c.Example = http.StatusText(status)
	}
}

// end reckons what was counted.
func (c *crowd) end() {
	c.Served, c.RefusedIn, c.SentLate = spreadOf(c.served), spreadOf(c.refused), spreadOf(c.late)
}
