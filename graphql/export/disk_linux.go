package export

import (
	"fmt"
	"math"

	"golang.org/x/sys/unix"
)

// FreeBytes returns how much may be written to a folder's disk; math.MaxInt64 on systems that do not report it.
func FreeBytes(folder string) (int64, error) {
	var about unix.Statfs_t
	if err := unix.Statfs(folder, &about); err != nil {
		return 0, fmt.Errorf("checking the free space in %s: %w", folder, err)
	}
	return int64(min(about.Bavail*uint64(about.Bsize), math.MaxInt64)), nil
}
