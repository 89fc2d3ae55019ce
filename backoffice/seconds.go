package backoffice

import (
	"strconv"
	"time"
)

// WholeSeconds is a duration for headers, rounded up so that a client does not retry too early.
func WholeSeconds(d time.Duration) string {
	return strconv.FormatInt(int64((d+time.Second-1)/time.Second), 10)
}
