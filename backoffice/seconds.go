package backoffice

import (
	"strconv"
	"time"
)

// WholeSeconds formats a duration for headers. It rounds up, so that clients do not retry too early.
func WholeSeconds(d time.Duration) string {
	return strconv.FormatInt(int64((d+time.Second-1)/time.Second), 10)
}
