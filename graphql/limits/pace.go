package limits

import (
	"math"
	"time"
)

// pace is how much cost leaves in a second while others wait, what was last weighing most.
type pace struct {
	half  time.Duration // in which what has been loses half of its weight
	left  float64       // cost that has left
	spent float64       // seconds in which it did, likewise
	at    time.Time
}

// leastPace is the least time in which what has been loses half of its weight; half of the longest wait when more.
const leastPace = time.Second

// Before anything is known it is fast: as if all that may run had left firstTimes in each of firstSpent seconds.
const (
	firstSpent = 0.03
	firstTimes = 100
)

func newPace(most int64, wait time.Duration) pace {
	return pace{half: max(leastPace, wait/2), left: float64(most) * firstTimes * firstSpent, spent: firstSpent}
}

func (p *pace) begin(now time.Time) { p.at = now }

func (p *pace) count(cost int64, now time.Time) {
	p.pass(now)
	p.left += float64(cost)
}

func (p *pace) pass(now time.Time) {
	passed := now.Sub(p.at)
	if passed <= 0 {
		return
	}
	part := math.Exp2(-float64(passed) / float64(p.half))
	p.left *= part
	p.spent = p.spent*part + passed.Seconds()
	p.at = now
}

func (p *pace) rate(now time.Time) float64 {
	p.pass(now)
	return p.left / p.spent
}
