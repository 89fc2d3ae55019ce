//go:build !linux

package postgres

import "syscall"

// loseSoon leaves it to keep-alive where TCP_USER_TIMEOUT does not exist.
func loseSoon(string, string, syscall.RawConn) error { return nil }
