package backoffice

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestAMessageShowsNoRunOfNineDigits(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                          "",
		"kboNumber":                 "kboNumber",
		"a12345678b":                "a12345678b",
		"a123456789b":               "a#b",
		"123456789":                 "#",
		"x123456789y1234567890123":  "x#y#",
		"85010112345 and 12345678 ": "# and 12345678 ",
	} {
		if got := MaskDigits(text); got != want {
			t.Errorf("MaskDigits(%q) = %q, want %q", text, got, want)
		}
	}
	long := regexp.MustCompile(`[0-9]{9}`)
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`([0-9]{1,12}|[a-zé]{1,3}){0,6}`).Draw(t, "text")
		masked := MaskDigits(text)
		if long.MatchString(masked) {
			t.Fatalf("%q became %q", text, masked)
		}
		if !long.MatchString(text) && masked != text {
			t.Fatalf("%q became %q though it has no long run", text, masked)
		}
	})
}

func TestAnIdentifierIsNotMasked(t *testing.T) {
	t.Parallel()
	const id = "01a20d60-5522-7335-9a43-de2f7611d0a5"
	for text, want := range map[string]string{
		id: id, "90.01.01-997.94 of " + id + " 900101 99794": "# of " + id + " #",
	} {
		if got := MaskDigits(text); got != want {
			t.Errorf("MaskDigits(%q) = %q, want %q", text, got, want)
		}
	}
	for range 10000 {
		if id := NewID(); MaskDigits("of "+id) != "of "+id {
			t.Fatal(id)
		}
	}
}

func TestARegistrationNumberIsMaskedInEveryUsualNotation(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"90.01.01-997.94":                 "#",
		"90 01 01 997 94":                 "#",
		"90/01/01/997/94":                 "#",
		"900101-997-94":                   "#",
		"900101997-94":                    "#",
		"90.01.01 - 997.94":               "#",
		"90\u00a001\u202f01 997 94":       "#",
		"90‑01‑01–997−94":                 "#",
		"90\u200b01\u00ad01\u200b99794":   "#",
		"of90_01_01_997_94x":              "of#x",
		"٩٠.٠١.٠١-٩٩٧.٩٤":                 "#",
		"case 2026, 90.01.01-997.94":      "case 2026, #",
		"90.01.01-997.94/85.01.01-123.45": "#/#",
		"90.01.01 nr 997.94":              "#",
		"900101:99794":                    "#",
		"90.01.01 nr 997.95":              "90.01.01 nr 997.95", // no check of one
		"12345678 12345678":               "12345678 12345678",
		"file 2026/000123":                "file 2026/000123",
		"2024, 2025 and 2026":             "2024, 2025 and 2026",
		"2026-06-01 09:30:00.000":         "2026-06-01 09:30:00.000",
	} {
		if got := MaskDigits(text); got != want {
			t.Errorf("MaskDigits(%q) = %q, want %q", text, got, want)
		}
	}
}

// Whatever the parser takes for a number, with up to three separators in a row, the masks know.
func TestWhatTheParserReadsTheMasksKnow(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC)
	rapid.Check(t, func(t *rapid.T) {
		number := NationalNumber(now.AddDate(0, 0, -rapid.IntRange(1, 40_000).Draw(t, "age")), rapid.IntRange(1, 998).Draw(t, "sequence"))
		var written strings.Builder
		for i, digit := range number {
			if i > 0 {
				written.WriteString(rapid.StringMatching(`[-./ \x{a0}\x{202f}]{0,3}`).Draw(t, "separators"))
			}
			written.WriteRune(digit)
		}
		if digits, err := ParseNationalNumber(written.String(), now); err != nil || digits != number {
			t.Fatalf("%q is read as %q: %v", written.String(), digits, err)
		}
		before, behind := rapid.SampledFrom([]string{"", "of ", "n", "("}).Draw(t, "before"), rapid.SampledFrom([]string{"", " only", "n", ")"}).Draw(t, "behind")
		text := before + written.String() + behind
		if got := MaskDigits(text); got != before+"#"+behind {
			t.Fatalf("%q became %q", text, got)
		}
		if got := MaskNationalNumbers(text, "#"); got != before+"#"+behind {
			t.Fatalf("%q became %q", text, got)
		}
	})
}

func TestOtherNumbersStayWhereOnlyRegistrationNumbersAreMasked(t *testing.T) {
	t.Parallel()
	number := NationalNumber(time.Date(1990, 1, 1, 0, 0, 0, 0, time.UTC), 997)
	divided := number[:6] + "-" + number[6:9] + "." + number[9:]
	for text, want := range map[string]string{
		number:                          "#",
		"85010112346":                   "85010112346",
		"1" + number:                    "1" + number,
		"BE68 5390 0754 7034":           "BE68 5390 0754 7034",
		"+32 470 12 34 56":              "+32 470 12 34 56",
		"12 " + divided + ", " + number: "12 #, #",
	} {
		if got := MaskNationalNumbers(text, "#"); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}
