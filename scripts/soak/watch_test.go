package main

import (
	"slices"
	"testing"
)

// A run of 50 s at 20 requests a second, with a live heap of 30 MB.
func TestALeakOf24KiBARequestIsFoundInAShortRun(t *testing.T) {
	t.Parallel()
	for leak, flat := range map[float64]bool{0: true, 24: false} {
		var took []sample
		for second := range 50 {
			took = append(took, sample{live: 30 + float64(second%5)/5 + float64(second)*20*leak/1024})
		}
		at := slices.IndexFunc(measures, func(m flatness) bool { return m.name == "live heap MB" })
		if before, after, got := growth(took, measures[at]); got != flat {
			t.Errorf("with %.0f KiB a request: %.1f, then %.1f; flat %v", leak, before, after, got)
		}
	}
}

func TestWhatGrowsIsNotFlat(t *testing.T) {
	t.Parallel()
	samples := func(memory func(i int) float64) (took []sample) {
		for i := range 360 {
			took = append(took, sample{memory: memory(i)})
		}
		return took
	}
	for name, c := range map[string]struct {
		memory func(i int) float64
		flat   bool
	}{
		"steady":               {func(int) float64 { return 100 }, true},
		"a warm beginning":     {func(i int) float64 { return min(100, 50+float64(i)) }, true},
		"a peak now and then":  {func(i int) float64 { return 100 + 50*float64(i%20/19) }, true},
		"a leak of 40 MB":      {func(i int) float64 { return 100 + 40*float64(i)/360 }, false},
		"a step in the middle": {func(i int) float64 { return 100 + 30*float64(i/180) }, false},
	} {
		if before, after, flat := growth(samples(c.memory), measures[0]); flat != c.flat {
			t.Errorf("%s: %.0f, then %.0f; flat %v", name, before, after, flat)
		}
	}
}
