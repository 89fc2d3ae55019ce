package postgres

import (
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// loseSoon gives a connection TCP_USER_TIMEOUT: without it the system sends again for a quarter of an hour.
func loseSoon(network, _ string, raw syscall.RawConn) error {
	if !strings.HasPrefix(network, "tcp") {
		return nil
	}
	var failed error
	err := raw.Control(func(fd uintptr) {
		failed = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, int(lostAfter.Milliseconds()))
	})
	if err != nil {
		return err
	}
	return failed
}
