package limits

import (
	"math"
	"time"
)

// pace is how much cost leaves in a second while others wait, the last second weighing most. What it was stays known when nobody
// waits any more.
type pace struct {
	left  float64 // cost that has left, less by the half for each paceTime that has passed
	spent float64 // seconds in which it did, likewise
	at    time.Time
}

const (
	paceTime = time.Second
	// leastSpent is how many seconds have to be known before anything is said.
	leastSpent = 0.05
)

// begin says that others wait from now on.
func (p *pace) begin(now time.Time) { p.at = now }

// count notes cost that leaves while others wait.
func (p *pace) count(cost int64, now time.Time) {
	p.pass(now)
	p.left += float64(cost)
}

// pass brings the times up to now.
func (p *pace) pass(now time.Time) {
	passed := now.Sub(p.at)
	if passed <= 0 {
		return
	}
	part := math.Exp2(-float64(passed) / float64(paceTime))
	p.left *= part
	p.spent = p.spent*part + passed.Seconds()
	p.at = now
}

// rate is how much leaves in a second; without end when that is not known.
func (p *pace) rate(now time.Time) float64 {
	p.pass(now)
	if p.spent < leastSpent {
		return math.Inf(1)
	}
	return p.left / p.spent
}
