package limits

import (
	"math"
	"time"
)

// throughput is the cost that leaves per second while requests wait, averaged with a half-life.
type throughput struct {
	half  time.Duration // half-life
	left  float64       // cost that has left, decayed
	spent float64       // seconds in which it did, decayed
	at    time.Time
}

// leastHalf is the shortest half-life; otherwise it is half of the longest wait.
const leastHalf = time.Second

// The first estimate is high: as if all cost that may run had left firstTimes per second for firstSpent seconds.
const (
	firstSpent = 0.03
	firstTimes = 100
)

func newThroughput(most int64, wait time.Duration) throughput {
	return throughput{half: max(leastHalf, wait/2), left: float64(most) * firstTimes * firstSpent, spent: firstSpent}
}

func (p *throughput) begin(now time.Time) { p.at = now }

func (p *throughput) count(cost int64, now time.Time) {
	p.decay(now)
	p.left += float64(cost)
}

func (p *throughput) decay(now time.Time) {
	passed := now.Sub(p.at)
	if passed <= 0 {
		return
	}
	part := math.Exp2(-float64(passed) / float64(p.half))
	p.left *= part
	p.spent = p.spent*part + passed.Seconds()
	p.at = now
}

func (p *throughput) rate(now time.Time) float64 {
	p.decay(now)
	return p.left / p.spent
}
