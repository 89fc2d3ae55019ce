package privacy

import (
	"bytes"
	"strings"
	"testing"

	"example.org/backoffice/backoffice"
	"pgregory.net/rapid"
)

func TestACursorGivesItsBytesBackAndNothingElseDoes(t *testing.T) {
	t.Parallel()
	keys, others := testKeys(t), testKeys(t)
	rapid.Check(t, func(t *rapid.T) {
		plain := rapid.SliceOfN(rapid.Byte(), 0, 300).Draw(t, "plain")
		cursor := keys.SealCursor(plain)
		if cursor != keys.SealCursor(plain) {
			t.Fatal("two cursors for the same bytes")
		}
		if strings.ContainsAny(cursor, "+/=") {
			t.Fatalf("not URL-safe: %s", cursor)
		}
		if back, err := keys.OpenCursor(cursor); err != nil || !bytes.Equal(back, plain) {
			t.Fatalf("%x %v", back, err)
		}
		if _, err := others.OpenCursor(cursor); backoffice.KindOf(err) != backoffice.BadInput {
			t.Fatalf("another keyset: %v", err)
		}
		at := rapid.IntRange(0, len(cursor)-1).Draw(t, "at")
		broken := cursor[:at] + rapid.SampledFrom([]string{"\n", "\r", "\r\n"}).Draw(t, "break") + cursor[at:]
		if _, err := keys.OpenCursor(broken); backoffice.KindOf(err) != backoffice.BadInput {
			t.Fatalf("with a line break at %d: %v", at, err)
		}
		changed := []byte(cursor)
		changed[at] = 'A'
		if string(changed) != cursor {
			if _, err := keys.OpenCursor(string(changed)); backoffice.KindOf(err) != backoffice.BadInput {
				t.Fatalf("changed at %d: %v", at, err)
			}
		}
	})
}

func TestCursorsOfNamesOfAboutTheSameLengthAreOfOneLength(t *testing.T) {
	t.Parallel()
	keys := testKeys(t)
	if a, b := keys.SealCursor(make([]byte, 33)), keys.SealCursor(make([]byte, 47)); len(a) != len(b) {
		t.Errorf("%d %d", len(a), len(b))
	}
}

func FuzzOpenCursor(f *testing.F) {
	keys := testKeys(f)
	f.Add("")
	f.Add("AAAA")
	f.Add(keys.SealCursor([]byte("here")))
	f.Add(strings.Repeat("A", maxCursorSize+1))
	f.Fuzz(func(t *testing.T, cursor string) {
		plain, err := keys.OpenCursor(cursor)
		if err != nil {
			if backoffice.KindOf(err) != backoffice.BadInput || len(cursor) > 3 && strings.Contains(err.Error(), cursor) {
				t.Fatalf("%v", err)
			}
			return
		}
		if keys.SealCursor(plain) != cursor {
			t.Fatal("a cursor that opens is not the one that is made")
		}
	})
}

func BenchmarkCursor(b *testing.B) {
	keys := testKeys(b)
	plain := []byte("0190c9a4-0000-7000-8000-000000000000 vandenbroucke & zonen")
	cursor := keys.SealCursor(plain)
	b.Run("seal", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			keys.SealCursor(plain)
		}
	})
	b.Run("open", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := keys.OpenCursor(cursor); err != nil {
				b.Fatal(err)
			}
		}
	})
}
