package main

import (
	"slices"
	"testing"
)

// measured is the live heap of a healthy run of a minute at 20 requests a second, every 2 seconds.
var measured = []float64{
	18.72, 18.71, 18.79, 18.76, 18.78, 18.79, 18.81, 18.82, 18.96, 19.01, 18.95, 18.92, 19.16, 18.95, 18.97,
	19.09, 18.98, 19.04, 19.15, 19.17, 20.23, 19.31, 19.25, 19.16, 19.35, 19.24, 19.29, 19.33, 19.35, 19.32,
}

func live(t *testing.T) flatness {
	t.Helper()
	at := slices.IndexFunc(measures, func(m flatness) bool { return m.name == "live heap MB" })
	return measures[at]
}

func TestALeakOf24KiBARequestIsFoundInAShortRun(t *testing.T) {
	t.Parallel()
	for _, samples := range []int{8, 15, 30} { // 16 s, 30 s and a minute
		for _, rate := range []float64{5, 20, 100} {
			for leak, want := range map[float64]bool{0: true, 6: false, 24: false} {
				var took []sample
				for i, healthy := range measured[:samples] {
					requests := float64(i+1) * 2 * rate
					// What a request in flight has is not in it, and what caches take grows with requests.
					took = append(took, sample{requests: requests, live: 18.7 + (healthy-18.7)*rate/20 + requests*leak/1024})
				}
				if before, after, flat := growth(took, live(t)); flat != want {
					t.Errorf("%.0f KiB a request, %.0f a second, %d samples: %.1f, then %.1f, %.2f KiB a request; flat %v", leak, rate, samples,
						before, after, trend(took, live(t)), flat)
				}
			}
		}
	}
}

func TestOneSampleOutOfLineIsNoTrend(t *testing.T) {
	t.Parallel()
	var took []sample
	for i, healthy := range measured {
		took = append(took, sample{requests: float64(i) * 40, live: healthy})
	}
	took[len(took)-1].live += 40
	if _, _, flat := growth(took, live(t)); !flat {
		t.Errorf("%.2f KiB a request", trend(took, live(t)))
	}
}

func TestWhatGrowsIsNotFlat(t *testing.T) {
	t.Parallel()
	samples := func(memory func(i int) float64) (took []sample) {
		for i := range 360 {
			took = append(took, sample{live: memory(i), requests: float64(i) * 200})
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
		if before, after, flat := growth(samples(c.memory), live(t)); flat != c.flat {
			t.Errorf("%s: %.0f, then %.0f; flat %v", name, before, after, flat)
		}
	}
}
