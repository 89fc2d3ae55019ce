package backoffice

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
)

// ParseKBONumber parses an enterprise number of the Belgian register (KBO) and returns its ten digits: the first is 0
// or 1, the last two are 97 − (first eight mod 97). Dots, spaces and the country prefix BE of a VAT number are
// accepted, as are the nine digits in use before 2005, which get a 0 before them. Anything else is BadInput.
func ParseKBONumber(text string) (string, error) {
	if len(text) > maxNumber {
		text = ""
	}
	number := strings.TrimLeft(text, spaces)
	if len(number) >= 2 && strings.EqualFold(number[:2], "BE") {
		number = number[2:]
	}
	digits, ok := digitsOf(number, "."+spaces, 10)
	if ok && len(digits) == 9 {
		digits = "0" + digits
	}
	if !ok || len(digits) != 10 || digits[0] > '1' || checkOf(decimal(digits[:8])) != decimal(digits[8:]) {
		return "", Errorf(BadInput,
			"a KBO number must have ten digits: the first is 0 or 1, and the last two are check digits")
	}
	return digits, nil
}

// RandomKBONumber makes a valid number from the ranges that the register has issued (0200… to 0999…, 1000… to
// 1020…), for demo data. A real enterprise may have it.
func RandomKBONumber(r *rand.Rand) string {
	const lowest, highest = 2_000_000, 10_209_999
	body := uint64(lowest + r.IntN(highest-lowest+1))
	return padded(body, 8) + padded(checkOf(body), 2)
}

// maxNumber is the most bytes of a number with its separators; longer texts are not parsed.
const maxNumber = 200

// spaces may separate groups of digits: the usual one and the two no-break ones.
const spaces = " \u00a0\u202f"

// digitsOf drops the separators from a number; ok is false for any other character, and for more than most digits.
func digitsOf(text, separators string, most int) (digits string, ok bool) {
	kept := make([]byte, 0, most)
	for _, r := range text {
		switch {
		case r >= '0' && r <= '9':
			if len(kept) == most {
				return "", false
			}
			kept = append(kept, byte(r))
		case !strings.ContainsRune(separators, r):
			return "", false
		}
	}
	return string(kept), true
}

// checkOf is the check digits of both Belgian numbers, 1 to 97.
func checkOf(body uint64) uint64 { return 97 - body%97 }

// decimal is the value of a text of digits.
func decimal(digits string) uint64 {
	value, _ := strconv.ParseUint(digits, 10, 64)
	return value
}

func padded(value uint64, width int) string { return fmt.Sprintf("%0*d", width, value) }
