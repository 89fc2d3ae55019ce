package main

import "testing"

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
