//go:build !linux

package postgres

import "syscall"

// loseSoon is left to keep-alive where there is no TCP_USER_TIMEOUT.
func loseSoon(string, string, syscall.RawConn) error { return nil }
