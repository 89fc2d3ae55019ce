package postgres

import (
	"net"
	"time"
)

// A peer that does not acknowledge what was sent for lostAfter, or a keep-alive, is gone. That is well before a
// statement would be too slow, so a read can still be sent elsewhere.
const (
	lostAfter = 3 * time.Second
	askAfter  = 5 * time.Second // of silence
	askAgain  = 2 * time.Second
	askAtMost = 3
)

// dialer makes connections that end soon when their peer disappears silently; its timeout also applies to cancelling.
func dialer(timeout time.Duration) *net.Dialer {
	return &net.Dialer{
		Timeout:         timeout,
		KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: askAfter, Interval: askAgain, Count: askAtMost},
		Control:         loseSoon,
	}
}
