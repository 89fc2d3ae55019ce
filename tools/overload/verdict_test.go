package main

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

const ms = time.Millisecond

// good is a server that keeps every promise, each as closely as can be.
func good() found {
	return found{
		capacity: 900, best: 1000, goodput: 800, offered: 5000, seconds: 10, calm: 200 << 10, loaded: 300<<10 - 1,
		crowd:  came{Answered: 8000, Refused: 42_000, ByPair: map[string]int{"a": 2000, "b": 2000, "c": 2000, "d": 2000}, RefusedIn: spread{10 * ms, 50 * ms, 900 * ms}, Served: spread{100 * ms, 2 * time.Second, 3 * time.Second}},
		alone:  spread{1 * ms, 5 * ms, 60 * ms},
		beside: came{Answered: 1000, Served: spread{3 * ms, 15 * ms, 200 * ms}},
	}
}

const (
	goodputRow = "answered a second then"
	refusedRow = "refusals (503): p50, p99, slowest"
	wrongRow   = "refusals without Retry-After, wrong answers, not sent"
	besideRow  = "light requests beside it"
	lightRow   = "light requests refused"
	memoryRow  = "memory (RSS)"
)

// misses are what can be missed: what is found then, and in which row it has to be told.
var misses = map[string]struct {
	of  func(*found)
	row string
}{
	"goodput below 80 %":                  {func(f *found) { f.goodput = 799 }, goodputRow},
	"nothing was ever answered":           {func(f *found) { f.best, f.goodput = 0, 0 }, goodputRow},
	"refusals that are slow":              {func(f *found) { f.crowd.RefusedIn.P99 = 50*ms + 1 }, refusedRow},
	"refusals without Retry-After":        {func(f *found) { f.crowd.WithoutRetryAfter = 1 }, wrongRow},
	"a light one without Retry-After":     {func(f *found) { f.beside.WithoutRetryAfter = 1 }, wrongRow},
	"a wrong answer":                      {func(f *found) { f.crowd.Wrong = 1 }, wrongRow},
	"a wrong light answer":                {func(f *found) { f.beside.Wrong = 1 }, wrongRow},
	"a request that was not sent":         {func(f *found) { f.crowd.Unsent = 1 }, wrongRow},
	"a light one that was not sent":       {func(f *found) { f.beside.Unsent = 1 }, wrongRow},
	"light requests that wait":            {func(f *found) { f.beside.Served.P99 = 15*ms + 1 }, besideRow},
	"light requests that nobody answered": {func(f *found) { f.beside.Served = spread{} }, besideRow},
	"light requests never measured alone": {func(f *found) { f.alone = spread{} }, besideRow},
	"a light request refused":             {func(f *found) { f.beside.Refused = 1 }, lightRow},
	"memory that grows by half":           {func(f *found) { f.loaded++ }, memoryRow},
	"memory that was not read":            {func(f *found) { f.loaded = 0 }, memoryRow},
	"memory that was not read before":     {func(f *found) { f.calm = 0 }, memoryRow},
}

// verdict is a way of telling what was found.
type verdict func(f found) []row

func ours(f found) []row { return f.rows(5) }

// untold are the misses that a verdict does not tell in the row where they belong, or tells in others, "" being what
// is all as promised.
func (v verdict) untold() (names []string) {
	missed := func(f found) (whats []string) {
		for _, r := range v(f) {
			if r.wanted != "" && !r.reached {
				whats = append(whats, r.what)
			}
		}
		return whats
	}
	if missed(good()) != nil {
		names = append(names, "")
	}
	for name, miss := range misses {
		f := good()
		if miss.of(&f); !slices.Equal(missed(f), []string{miss.row}) {
			names = append(names, name)
		}
	}
	return names
}

func TestAMissIsToldAsAMissAndNothingElseIs(t *testing.T) {
	t.Parallel()
	if untold := verdict(ours).untold(); untold != nil {
		t.Errorf("not told as they are: %q", untold)
	}
	wanted := map[string]bool{}
	for _, r := range ours(good()) {
		if r.wanted != "" {
			wanted[r.what] = true
		}
	}
	for _, miss := range misses {
		delete(wanted, miss.row)
	}
	if len(wanted) > 0 {
		t.Errorf("no miss is made up for %v", slices.Collect(maps.Keys(wanted)))
	}
}

func TestTheTableSaysReachedOrMissedAndTheProgramEndsByIt(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	if !good().print(&out, 5) || strings.Contains(out.String(), "missed") || strings.Count(out.String(), "| reached |") != 6 {
		t.Errorf("%s", &out)
	}
	for name, miss := range misses {
		f := good()
		miss.of(&f)
		out.Reset()
		if f.print(&out, 5) || strings.Count(out.String(), "**missed**") != 1 || strings.Count(out.String(), "| reached |") != 5 {
			t.Errorf("%s: %s", name, &out)
		}
		for line := range strings.Lines(out.String()) {
			if strings.Contains(line, "**missed**") && !strings.HasPrefix(line, "| "+miss.row+" | ") {
				t.Errorf("%s: %s", name, line)
			}
		}
	}
}

func TestACredentialThatIsNeverAnsweredIsTheLeast(t *testing.T) {
	t.Parallel()
	for said, by := range map[string]map[string]int{
		"0 to 0 each":       nil,
		"0 to 4000 each":    {"a": 4000, "b": 0, "c": 2000, "d": 2000},
		"7 to 7 each":       {"a": 7},
		"1999 to 2001 each": {"a": 2001, "b": 1999, "c": 2000, "d": 2000},
	} {
		f := good()
		f.crowd.ByPair = by
		if i := slices.IndexFunc(ours(f), func(r row) bool { return r.measured == said }); i < 0 {
			t.Errorf("%v are not told as %s", by, said)
		}
	}
}

// Broken copies: each has to be found by what is made up above.
func TestCopiesThatTellAMissAsReachedAreFound(t *testing.T) {
	t.Parallel()
	changed := func(of func(*found)) verdict {
		return func(f found) []row { of(&f); return ours(f) }
	}
	copies := map[string]verdict{
		"holds the median of refusals to the bound":    changed(func(f *found) { f.crowd.RefusedIn.P99 = f.crowd.RefusedIn.P50 }),
		"holds the slowest refusal to the bound":       changed(func(f *found) { f.crowd.RefusedIn.P99 = f.crowd.RefusedIn.Most }),
		"compares medians of light requests":           changed(func(f *found) { f.beside.Served.P99, f.alone.P99 = f.beside.Served.P50, f.alone.P50 }),
		"compares light requests with the crowd's":     changed(func(f *found) { f.alone = f.crowd.Served }),
		"compares goodput with what was carried":       changed(func(f *found) { f.best = f.capacity }),
		"compares goodput with what was sent":          changed(func(f *found) { f.best = f.offered }),
		"does not look at what light requests came to": changed(func(f *found) { f.beside.Wrong, f.beside.Unsent, f.beside.WithoutRetryAfter = 0, 0, 0 }),
		"does not look at what was not sent":           changed(func(f *found) { f.crowd.Unsent, f.beside.Unsent = 0, 0 }),
		"takes the memory of before for that of then":  changed(func(f *found) { f.loaded = f.calm }),
	}
	for i, r := range ours(good()) {
		if r.wanted == "" {
			continue
		}
		for _, always := range []bool{true, false} {
			copies[fmt.Sprintf("tells always %v of %s", always, r.what)] = func(f found) []row {
				rows := ours(f)
				rows[i].reached = always
				return rows
			}
		}
	}
	for name, broken := range copies {
		if broken.untold() == nil {
			t.Errorf("a copy that %s is not found", name)
		}
	}
}

func TestWhatCanBeCarriedIsFoundStepByStep(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(19, 2026))
	for range 500 {
		carries := 2 + random.Float64()*10_000        // a second, of which no more are answered
		closed := carries * (.2 + random.Float64()*5) // what the connections got, which is only where it begins
		worse := random.Float64()                     // how much of that is left when more is sent
		var rates []float64
		var f found
		err := f.climb(closed, func(rate float64) (float64, int64, error) {
			rates = append(rates, rate)
			if rate <= carries {
				return rate, int64(len(rates)), nil
			}
			return carries * worse, int64(len(rates)), nil
		})
		if err != nil || f.capacity > carries/carriedPart || f.capacity*nextStep < carries*(1-1e-9) || f.best > carries || f.best < f.capacity*carriedPart {
			t.Fatalf("%.1f are carried, from %.1f on: %+v %v after %v", carries, closed, f, err, rates)
		}
		if rates[0] != closed*firstStep || slices.Max(rates)/nextStep > max(rates[0], carries/carriedPart) || f.calm == 0 || f.calm > int64(len(rates)) {
			t.Fatalf("%.1f are carried, from %.1f on: %v", carries, closed, rates)
		}
	}
}

func TestAServerThatCarriesNothingEndsTheSearch(t *testing.T) {
	t.Parallel()
	var f found
	if err := f.climb(1000, func(float64) (float64, int64, error) { return 0, 1, nil }); !errors.Is(err, errNothingCarried) || f.capacity != 0 {
		t.Errorf("%+v %v", f, err)
	}
	if err := f.climb(0, func(float64) (float64, int64, error) {
		t.Error("a rate of none is as fast as answers come")
		return 0, 0, nil
	}); !errors.Is(err, errNothingCarried) {
		t.Error(err)
	}
	gone := errors.New("the server is gone")
	if err := f.climb(1000, func(float64) (float64, int64, error) { return 0, 0, gone }); !errors.Is(err, gone) {
		t.Error(err)
	}
}
