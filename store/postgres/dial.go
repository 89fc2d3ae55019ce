package postgres

import (
	"net"
	"time"
)

// What is sent and not acknowledged for lostAfter was sent to nobody, and neither is there somebody who does not
// acknowledge that he is: well before a statement would be too slow, so that a read can still be asked elsewhere.
const (
	lostAfter = 3 * time.Second
	askAfter  = 5 * time.Second // of silence
	askAgain  = 2 * time.Second
	askAtMost = 3
)

// dialer makes connections that end soon when their other end is gone without a word. Connecting takes at most so long,
// also when it is only to cancel a statement.
func dialer(timeout time.Duration) *net.Dialer {
	return &net.Dialer{
		Timeout:         timeout,
		KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: askAfter, Interval: askAgain, Count: askAtMost},
		Control:         loseSoon,
	}
}
