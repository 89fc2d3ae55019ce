package backoffice_test

import (
	"fmt"
	"testing"
	"time"

	"example.org/backoffice/backoffice"
	"pgregory.net/rapid"
)

var today = time.Date(2026, time.June, 1, 12, 0, 0, 0, time.UTC)

func TestANationalNumberIsRead(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"85073003328":       "85073003328",
		"85.07.30-033.28":   "85073003328",
		"85/07/30 033 28":   "85073003328",
		"17073003384":       "17073003384", // born 2017
		"00012556777":       "00012556777", // born 2000
		"98472899765":       "98472899765", // BIS, the sex known
		"60000099769":       "60000099769", // month and day unknown
		"00000199868":       "00000199868", // month unknown, a day counted on
		numberOf("850700"):  numberOf("850700"),
		numberOf("852730"):  numberOf("852730"),
		numberOf("854730"):  numberOf("854730"),
		numberOf("852000"):  numberOf("852000"),
		numberOf("854099"):  numberOf("854099"),
		numberOf("1000229"): numberOf("1000229"), // 29 February 2000
	} {
		if got, err := backoffice.ParseNationalNumber(text, today); err != nil || got != want {
			t.Errorf("%q: got %q, %v; want %q", text, got, err, want)
		}
	}
}

func TestAnUnsoundNationalNumberIsRefused(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "12345678901",
		"85130199773", // month 13
		"85023099796", // 30 February
		"99010199721", // born 2099
		"85673099568", // month 67
		"8507300332", "850730033280", "85O73003328", "85073003328 x", "85_07_30_033_28",
		numberOf("850732"), numberOf("851301"), numberOf("853301"), numberOf("855301"),
		numberOf("000229"), // 1900 had no 29 February
		"85073000065", "85073099913",
	} {
		got, err := backoffice.ParseNationalNumber(text, today)
		refused(t, text, got, err)
	}
}

func TestTheSequenceGoesFrom001To998(t *testing.T) {
	t.Parallel()
	for sequence := range 1000 {
		body := 850730_000 + sequence
		_, err := backoffice.ParseNationalNumber(fmt.Sprintf("%09d%02d", body, 97-body%97), today)
		if good := sequence >= 1 && sequence <= 998; good != (err == nil) {
			t.Errorf("sequence %03d: %v", sequence, err)
		}
	}
}

func TestABirthTodayIsGoodAndOneTomorrowIsNot(t *testing.T) {
	t.Parallel()
	if _, err := backoffice.ParseNationalNumber(backoffice.NationalNumber(today, 1), today); err != nil {
		t.Error(err)
	}
	text := backoffice.NationalNumber(today.AddDate(0, 0, 1), 1)
	if _, err := backoffice.ParseNationalNumber(text, time.Date(today.Year(), today.Month(), today.Day(), 23, 30, 0, 0, time.UTC)); err != nil {
		t.Error("after midnight in Belgium:", err)
	}
	got, err := backoffice.ParseNationalNumber(text, today)
	refused(t, text, got, err)
}

func TestABuiltNationalNumberIsSound(t *testing.T) {
	t.Parallel()
	days := int(today.Sub(time.Date(1900, 1, 1, 0, 0, 0, 0, time.UTC)).Hours() / 24)
	rapid.Check(t, func(t *rapid.T) {
		birth := today.AddDate(0, 0, -rapid.IntRange(0, days).Draw(t, "days"))
		number := backoffice.NationalNumber(birth, rapid.IntRange(-5000, 5000).Draw(t, "sequence"))
		if got, err := backoffice.ParseNationalNumber(number, today); err != nil || got != number {
			t.Fatalf("%q: got %q, %v", number, got, err)
		}
		if want := birth.Format("060102"); number[:6] != want {
			t.Fatalf("%q does not start with %q", number, want)
		}
	})
}

func TestOnlyTheChecksOfTheTwoCenturiesPass(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		birth := time.Date(rapid.IntRange(1900, 2025).Draw(t, "year"), 1, rapid.IntRange(1, 365).Draw(t, "day"), 0, 0, 0, 0, time.UTC)
		number := backoffice.NationalNumber(birth, rapid.IntRange(1, 998).Draw(t, "sequence"))
		passed := 0
		for check := range 100 {
			if _, err := backoffice.ParseNationalNumber(fmt.Sprintf("%s%02d", number[:9], check), today); err == nil {
				passed++
			}
		}
		if passed < 1 || passed > 2 {
			t.Fatalf("%d checks pass for %s", passed, number[:9])
		}
	})
}

func FuzzParseNationalNumber(f *testing.F) {
	for _, seed := range []string{"85.07.30-033.28", "00000199868", "98472899765", "99010199721"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		number, err := backoffice.ParseNationalNumber(text, today)
		if err != nil {
			refused(t, text, number, err)
			return
		}
		if again, err := backoffice.ParseNationalNumber(number, today); err != nil || again != number || len(number) != 11 {
			t.Fatalf("%q gives %q, which gives %q, %v", text, number, again, err)
		}
	})
}

// numberOf completes six digits, or seven with a 1 before them for births from 2000, with the sequence 033 and a check.
func numberOf(digits string) string {
	var body int
	_, _ = fmt.Sscanf(digits[len(digits)-6:]+"033", "%d", &body)
	checked := body
	if len(digits) == 7 {
		checked += 2_000_000_000
	}
	return fmt.Sprintf("%09d%02d", body, 97-checked%97)
}
