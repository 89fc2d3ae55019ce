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
		i := backoffice.InstantAt(rapid.OneOf(rapid.Just[int64](0), rapid.Int64Range(first, last)).Draw(t, "milliseconds"))
		if i.IsZero() || i.Milliseconds() < 0 != (i < backoffice.InstantAt(0)) {
			t.Fatalf("%v is none, or is out of order", i)
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

func TestAnInstantIsRFC3339AndNothingBeside(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int64{
		"1970-01-01T00:00:00Z": 0, "1970-01-01T01:00:00.001+01:00": 1, "1970-01-01t00:00:00.0019z": 1, "1969-12-31T23:59:59.999Z": -1,
		"0001-01-01T00:00:00Z": -62_135_596_800_000,
	} {
		if at, err := backoffice.ParseInstant(text); err != nil || at.Milliseconds() != want || at.IsZero() {
			t.Errorf("%s is %d: %v", text, at.Milliseconds(), err)
		}
	}
	for _, text := range []string{
		"2026-11-23T00:00:00,5Z", "2026-11-23T00:00:00+24:00", "2026-11-23T00:00:00+01:60", "2026-11-23T24:00:00Z", "2026-11-23T1:00:00Z", "2026-11-23",
		"2026-11-23 00:00:00Z", "0000-12-31T23:59:59.999Z", "9999-12-31T23:59:59-01:00", "2026-11-23T00:00:00", "",
	} {
		if at, err := backoffice.ParseInstant(text); err == nil {
			t.Errorf("%q is %v", text, at)
		}
	}
	if (backoffice.Instant(0)).Milliseconds() != -62_135_596_800_001 || string(backoffice.Instant(0).AppendJSON(nil)) != "null" {
		t.Error("no moment is one")
	}
}
