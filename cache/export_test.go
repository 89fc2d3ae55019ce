package cache

import (
	"sync"
	"time"
)

// EndEarly has the store's snapshot of each query end with the first trip, as where most queries need no other, until stop is called.
func (s *Store) EndEarly() (stop func()) {
	over := make(chan struct{})
	var work sync.WaitGroup
	work.Go(func() {
		for {
			s.further.Store(0)
			select {
			case <-over:
				return
			case <-time.After(100 * time.Microsecond):
			}
		}
	})
	return func() { close(over); work.Wait() }
}
