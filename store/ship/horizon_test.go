package ship

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// Clocks may be wrong at any time: a restore to a time within the horizon begins with the generation as before.
func TestARestoreWithinTheHorizonBeginsWithTheSameGeneration(t *testing.T) {
	t.Parallel()
	begin := time.UnixMilli(1_790_000_000_000)
	rapid.Check(t, func(r *rapid.T) {
		var objects []object
		at := begin
		for i := range rapid.IntRange(1, 12).Draw(r, "generations") {
			for first := range rapid.IntRange(1, 4).Draw(r, "objects") {
				at = at.Add(time.Duration(rapid.IntRange(0, 36).Draw(r, "hours")) * time.Hour)
				o := object{generation: fmt.Sprintf("%08d-00000000", i+1), first: uint64(first + 1), at: at}
				if rapid.IntRange(0, 9).Draw(r, "wrong") == 0 {
					o.at = at.Add(time.Duration(rapid.IntRange(-900, 900).Draw(r, "wrong hours")) * time.Hour)
				}
				objects = append(objects, o)
			}
		}
		now := at.Add(time.Duration(rapid.IntRange(0, 36).Draw(r, "hours later")) * time.Hour)
		horizon := now.Add(-time.Duration(rapid.IntRange(0, 30*24).Draw(r, "keep")) * time.Hour)
		oldest, _ := oldestNeeded(objects, now, horizon)
		chains := func(from string) (all []chain) {
			for _, o := range objects {
				switch {
				case o.generation < from:
				case o.first == 1:
					all = append(all, chain{o})
				default:
					all[len(all)-1] = append(all[len(all)-1], o)
				}
			}
			return all
		}
		for target := horizon; !target.After(now); target = target.Add(time.Hour) {
			want, wrong := choose(chains(""), Target{At: target})
			got, err := choose(chains(oldest), Target{At: target})
			if wrong == nil && (err != nil || got[0] != want[0]) {
				r.Fatalf("at %s it begins with %v, not %v (%v)", target, got, want, err)
			}
		}
	})
}

func TestWhatIsErasedIsGoneOnTheDayThatIsTold(t *testing.T) {
	t.Parallel()
	const keep = 30 * day
	begin := time.UnixMilli(1_790_000_000_000)
	var all []object
	for i := range 40 { // a snapshot takes a minute, and what is old is looked for once an hour
		at := begin.Add(time.Duration(i) * (day + time.Minute))
		all = append(all, object{generation: fmt.Sprintf("%02d", i), first: 1, at: at})
	}
	for erased := begin.Add(day); erased.Before(begin.Add(3 * day)); erased = erased.Add(7 * time.Minute) {
		told := LastCopyDeleted(erased, keep).UTC().Truncate(day)
		oldest, _ := oldestNeeded(all, told, told.Add(-time.Hour-keep))
		compacted := slices.IndexFunc(all, func(o object) bool { return o.at.After(erased.Add(time.Hour)) })
		unnamed := slices.IndexFunc(all, func(o object) bool { return o.at.After(erased) })
		if oldest < all[compacted].generation {
			t.Fatalf("of what is erased at %s a copy is there on %s", erased, told)
		}
		if all[unnamed].generation >= oldest {
			t.Fatalf("a file that is erased at %s is there on %s", erased, told)
		}
	}
}

func TestTheHorizonOfASteadyClock(t *testing.T) {
	t.Parallel()
	now := time.UnixMilli(1_790_000_000_000)
	for name, c := range map[string]struct {
		days   []float64 // before now, at which generations begin
		oldest int       // of them, counted from 1
		steady bool
	}{
		"daily":                       {[]float64{33, 32, 31, 30.5, 29.5, 28.5, 27.5, 26, 25, 23, 21.5, 20, 18.5, 17, 15.5, 14, 12.5, 11, 9.5, 8, 6.5, 5, 3.5, 2, 0.5}, 4, true},
		"exactly then":                {[]float64{31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1}, 2, true},
		"nothing is old":              {[]float64{29, 28, 1}, 0, true},
		"stopped for weeks":           {[]float64{70, 69, 0.5}, 2, false},
		"stopped for weeks, and then": {[]float64{70, 69, 1.5, 0.5}, 2, true},
		"now is far ahead":            {[]float64{70, 69, 68}, 3, false},
		"one was made ahead":          {[]float64{33, 32, -700, 30.5, 29}, 4, false},
		"one was made behind":         {[]float64{33, 32, 31, 29, 900, 28.5, 1.5, 0.5}, 3, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var all []object
			for i, days := range c.days {
				all = append(all, object{generation: fmt.Sprint(i + 1), first: 1, at: now.Add(-time.Duration(days * float64(day)))})
			}
			oldest, steady := oldestNeeded(all, now, now.Add(-30*day))
			if want := fmt.Sprint(c.oldest); oldest != want && (oldest != "" || c.oldest != 0) || steady != c.steady {
				t.Errorf("the oldest is %q, steady %v", oldest, steady)
			}
		})
	}
}

func TestAClockThatIsPutForwardWhileAGenerationIsShippedIsNotBelievedForADay(t *testing.T) {
	t.Parallel()
	now := time.UnixMilli(1_790_000_000_000)
	var all []object
	for i := range 9 {
		all = append(all, object{generation: fmt.Sprint(i), first: 1, at: now.Add(time.Duration(i-9) * day)})
	}
	forward := now.Add(40 * day)
	all = append(all, object{generation: "8", first: 2, at: forward})
	for after, want := range map[time.Duration]bool{time.Minute: false, day - time.Minute: false, day: true} {
		if _, steady := oldestNeeded(all, forward.Add(after), forward.Add(after-30*day)); steady != want {
			t.Errorf("after %s it is believed: %v", after, steady)
		}
	}
}
