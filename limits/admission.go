package limits

import (
	"context"
	"runtime"

	"golang.org/x/sync/semaphore"
)

// Admission bounds what all requests together have in memory: operations run at the same time while the sum of their
// costs allows it, and the others wait, first come, first served. So a crowd is answered one after the other rather than
// all at once and late, and its memory does not grow with the number of those who wait.
type Admission struct {
	most  int64
	costs *semaphore.Weighted
}

// NewAdmission bounds the cost for each processor that the program may use.
func NewAdmission(perProcessor int) *Admission {
	most := int64(max(perProcessor, 1)) * int64(runtime.GOMAXPROCS(0))
	return &Admission{most, semaphore.NewWeighted(most)}
}

// Enter waits until an operation may run, and fails when its context ends before. leave is to be called once, when what
// was read for it is not needed any more. An operation over the whole bound runs alone; one below a hundredth of it does
// not wait.
func (a *Admission) Enter(ctx context.Context, cost int) (leave func(), err error) {
	weight := min(int64(cost), a.most)
	if weight < a.most/100 {
		return func() {}, nil
	}
	if err := a.costs.Acquire(ctx, weight); err != nil {
		return nil, err
	}
	return func() { a.costs.Release(weight) }, nil
}
