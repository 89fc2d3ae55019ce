package rig

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// OnProcessor does something whose processes run on one of the machine's processors alone, with what they start in
// their turn.
func OnProcessor(number int, do func() error) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var before, only unix.CPUSet
	if err := unix.SchedGetaffinity(0, &before); err != nil {
		return err
	}
	only.Set(number)
	if err := unix.SchedSetaffinity(0, &only); err != nil {
		return err
	}
	defer func() { _ = unix.SchedSetaffinity(0, &before) }()
	return do()
}
