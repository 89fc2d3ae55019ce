package auth

import (
	"encoding/binary"
	"net/netip"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func testThrottle() (*Throttle, *clock) {
	throttle, c := NewThrottle(), newClock()
	throttle.now = c.now
	return throttle, c
}

func TestTheEleventhFailureInAMinuteHasToWait(t *testing.T) {
	t.Parallel()
	throttle, clock := testThrottle()
	client, other := netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("192.0.2.2")
	for range failuresAllowed {
		if wait := throttle.Failed(client); wait != 0 {
			t.Fatalf("waits %s", wait)
		}
		clock.pass(time.Second)
	}
	if wait := throttle.Failed(client); wait != 50*time.Second {
		t.Errorf("waits %s", wait)
	}
	if wait := throttle.Failed(other); wait != 0 {
		t.Errorf("another client waits %s", wait)
	}
	clock.pass(50 * time.Second)
	if wait := throttle.Failed(client); wait != 0 {
		t.Errorf("after the wait: %s", wait)
	}
	if wait := throttle.Failed(client); wait != time.Second {
		t.Errorf("the second counted within the minute still: %s", wait)
	}
}

func TestNoMinuteHasMoreThanTenFailures(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		throttle, clock := testThrottle()
		client := netip.MustParseAddr("192.0.2.1")
		var counted []time.Time
		for range rapid.IntRange(1, 60).Draw(t, "attempts") {
			clock.pass(time.Duration(rapid.IntRange(0, 20000).Draw(t, "pause")) * time.Millisecond)
			wait := throttle.Failed(client)
			recent := 0
			for _, at := range counted {
				if clock.now().Sub(at) < time.Minute {
					recent++
				}
			}
			if (wait > 0) != (recent >= failuresAllowed) || wait > time.Minute {
				t.Fatalf("%d recent failures, waits %s", recent, wait)
			}
			if wait == 0 {
				counted = append(counted, clock.now())
			}
		}
	})
}

func TestAnIPv6NetworkIsOneClient(t *testing.T) {
	t.Parallel()
	throttle, _ := testThrottle()
	for i := range failuresAllowed {
		throttle.Failed(netip.MustParseAddr("2001:db8::").Next().Next().WithZone([]string{"", "eth0"}[i%2]))
	}
	if throttle.Failed(netip.MustParseAddr("2001:db8::ffff:1")) == 0 {
		t.Error("an address of the same /64 does not wait")
	}
	if throttle.Failed(netip.MustParseAddr("2001:db8:0:1::1")) != 0 {
		t.Error("another /64 waits")
	}
}

func TestTheMemoryOfTheThrottleIsBounded(t *testing.T) {
	t.Parallel()
	throttle, clock := testThrottle()
	address := func(i int) netip.Addr {
		return netip.AddrFrom4([4]byte(binary.BigEndian.AppendUint32(nil, uint32(i))))
	}
	for i := range throttleSize {
		throttle.Failed(address(i))
	}
	waits := 0
	for i := range 100 {
		if throttle.Failed(address(throttleSize+i)) > 0 {
			waits++
		}
	}
	if len(throttle.clients) != throttleSize || waits != 100-failuresAllowed {
		t.Errorf("%d clients, %d of the crowd wait", len(throttle.clients), waits)
	}
	clock.pass(failuresWindow)
	throttle.Failed(address(0))
	throttle.Failed(address(1 << 30))
	if len(throttle.clients) != 2 {
		t.Errorf("%d clients after a quiet minute", len(throttle.clients))
	}
}

func TestTheThrottleIsUsedSideBySide(t *testing.T) {
	t.Parallel()
	throttle, _ := testThrottle()
	var mu sync.Mutex
	var all sync.WaitGroup
	passed := 0
	for range 100 {
		all.Go(func() {
			if throttle.Failed(netip.Addr{}) == 0 {
				mu.Lock()
				passed++
				mu.Unlock()
			}
		})
	}
	all.Wait()
	if passed != failuresAllowed {
		t.Errorf("%d passed", passed)
	}
}
