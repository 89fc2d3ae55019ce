package limits_test

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.org/backoffice/limits"
)

func TestOperationsRunTogetherOnlyWhileTheirCostAllowsIt(t *testing.T) {
	t.Parallel()
	const each = 300
	admission := limits.NewAdmission(1000)
	most := int64(1000 * runtime.GOMAXPROCS(0))
	var running, highest atomic.Int64
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() {
			leave, err := admission.Enter(t.Context(), each)
			if err != nil {
				t.Error(err)
				return
			}
			defer leave()
			now := running.Add(each)
			for seen := highest.Load(); now > seen && !highest.CompareAndSwap(seen, now); seen = highest.Load() {
			}
			runtime.Gosched()
			running.Add(-each)
		})
	}
	all.Wait()
	if highest.Load() > most {
		t.Errorf("operations of cost %d ran together, the bound is %d", highest.Load(), most)
	}
}

func TestAnOperationOverTheWholeBoundRunsAloneAndSmallOnesDoNotWaitForIt(t *testing.T) {
	t.Parallel()
	admission := limits.NewAdmission(1000)
	leave, err := admission.Enter(t.Context(), 1_000_000)
	if err != nil {
		t.Fatal(err)
	}
	small, err := admission.Enter(t.Context(), 1)
	if err != nil {
		t.Fatalf("a small operation was kept out: %v", err)
	}
	small()
	late, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if _, err := admission.Enter(late, 500); err != context.DeadlineExceeded {
		t.Errorf("a second operation beside one that fills the bound: %v, want that its deadline ends the wait", err)
	}
	leave()
	again, err := admission.Enter(t.Context(), 500)
	if err != nil {
		t.Fatalf("after the large one has left: %v", err)
	}
	again()
}
