package backoffice_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"example.org/backoffice/backoffice"
)

func TestAnInstantIsWrittenInJSONAsItsTextAndReadAgain(t *testing.T) {
	t.Parallel()
	first, last := time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC).UnixMilli(), time.Date(9999, 12, 31, 23, 59, 59, 999_000_000, time.UTC).UnixMilli()
	rapid.Check(t, func(t *rapid.T) {
		i := backoffice.Instant(rapid.Int64Range(first, last).Draw(t, "milliseconds"))
		if i == 0 {
			t.Skip("no moment")
		}
		written := string(i.AppendJSON([]byte("before ")))
		if want := `before "` + i.String() + `"`; written != want {
			t.Fatalf("%s, want %s", written, want)
		}
		var read backoffice.Instant
		if err := read.UnmarshalJSON([]byte(written[len("before "):])); err != nil || read != i {
			t.Fatalf("%d is read as %d: %v", i, read, err)
		}
	})
}
