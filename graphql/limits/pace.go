package limits

import (
	"math"
	"time"
)

// pace measures throughput: the cost that leaves per second while requests wait, averaged with a half-life.
type pace struct {
	half  time.Duration // half-life
	left  float64       // cost that has left, decayed
	spent float64       // seconds in which it did, decayed
	at    time.Time
}

// leastPace is the shortest half-life; otherwise it is half of the longest wait.
const leastPace = time.Second

// The first estimate is high: as if all cost that may run had left firstTimes per second for firstSpent seconds.
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
