package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"
)

// What can be carried is looked for from a part of what a few connections get by asking as fast as they are answered,
// step by step upwards.
const (
	firstStep = 0.7
	nextStep  = 1.1

	carriedPart = .98 // of what is sent has to be answered
	leastRate   = 1   // a second: who carries less carries nothing
)

var errNothingCarried = errors.New("it carries not even one Q1 a second")

// climb looks for what can be carried. try sends at a rate, and says how many were answered a second and what memory
// that took.
func (f *found) climb(closed float64, try func(rate float64) (answered float64, memory int64, err error)) error {
	carried := false
	for rate := closed * firstStep; f.capacity == 0 || carried; rate *= nextStep {
		if rate < leastRate {
			return errNothingCarried
		}
		answered, memory, err := try(rate)
		if err != nil {
			return err
		}
		f.best, f.calm = max(f.best, answered), max(f.calm, memory)
		if carried = answered >= rate*carriedPart; carried {
			f.capacity = rate
		} else if f.capacity == 0 {
			rate /= 2
		}
	}
	return nil
}

// row is one of the table. What nothing is wanted of is told, and neither reached nor missed.
type row struct {
	what, measured, wanted string
	reached                bool
}

// rows hold what was found against what is promised. What was not measured is not reached.
func (f found) rows(times float64) []row {
	answered := slices.Collect(maps.Values(f.crowd.ByPair))
	if len(answered) == 0 {
		answered = []int{0}
	}
	ratio := float64(f.beside.Served.P99) / float64(max(f.alone.P99, 1))
	wrong := f.crowd.Wrong + f.beside.Wrong
	silent, unsent := f.crowd.WithoutRetryAfter+f.beside.WithoutRetryAfter, f.crowd.Unsent+f.beside.Unsent
	return []row{
		{what: "carried: Q1 a second of which 98 % are answered", measured: fmt.Sprintf("%.0f", f.capacity)},
		{what: "most Q1 answered a second", measured: fmt.Sprintf("%.0f", f.best)},
		{what: fmt.Sprintf("sent: %.3g × the most", times), measured: fmt.Sprintf("%.0f", f.offered)},
		{"answered a second then", fmt.Sprintf("%.0f, %.0f %% of the most", f.goodput, 100*f.goodput/f.best), "80 %", f.best > 0 && f.goodput >= .8*f.best},
		{"refusals (503): p50, p99, slowest", f.crowd.RefusedIn.String(), "p99 in 50 ms", f.crowd.RefusedIn.P99 <= 50*time.Millisecond},
		{"refusals without Retry-After, wrong answers, not sent", fmt.Sprintf("%d, %d, %d of %d", silent, wrong, unsent, int((f.offered+lightRate)*f.seconds)), "0", silent+wrong+unsent == 0},
		{what: "sent too late by: p50, p99, slowest", measured: f.crowd.SentLate.String()},
		{what: "answers: p50, p99, slowest", measured: f.crowd.Served.String()},
		{what: "light requests alone: p50, p99, slowest", measured: f.alone.String()},
		{"light requests beside it", f.beside.Served.String() + fmt.Sprintf("; p99 %.1f ×", ratio), "p99 3 ×", f.beside.Served.P99 > 0 && f.alone.P99 > 0 && ratio <= 3},
		{"light requests refused", fmt.Sprintf("%d of %d", f.beside.Refused, int(lightRate*f.seconds)), "0", f.beside.Refused == 0},
		{what: "answered to four credentials; one sends 5/8", measured: fmt.Sprintf("%d to %d each", slices.Min(answered), slices.Max(answered))},
		{"memory (RSS)", fmt.Sprintf("%d MB, before %d MB", f.loaded>>10, f.calm>>10), "1.5 ×", f.loaded > 0 && float64(f.loaded) < 1.5*float64(f.calm)},
	}
}

// print writes the table, and reports whether all of it is as promised.
func (f found) print(out io.Writer, times float64) (reached bool) {
	fmt.Fprintf(out, "| | measured | to be reached | |\n|---|--:|--:|---|\n")
	reached = true
	for _, r := range f.rows(times) {
		word := ""
		switch {
		case r.wanted == "":
		case r.reached:
			word = "reached"
		default:
			word, reached = "**missed**", false
		}
		fmt.Fprintf(out, "| %s | %s | %s | %s |\n", r.what, r.measured, r.wanted, word)
	}
	return reached
}
