package backoffice

import (
	"strconv"
	"time"
)

// WholeSeconds is a time as headers have it, rounded up: whoever comes back then is not too early.
func WholeSeconds(d time.Duration) string {
	return strconv.FormatInt(int64((d+time.Second-1)/time.Second), 10)
}
