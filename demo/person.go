package demo

import (
	"math/rand/v2"
	"regexp"
	"time"

	"example.org/backoffice/backoffice"
)

type person struct{ first, last, number string }

func newPerson(r *rand.Rand, at *region) person {
	names, odd := at.Women, 0
	if r.IntN(2) == 0 {
		names, odd = at.Men, 1 // men have odd sequences
	}
	birth := time.Date(1938+r.IntN(67), time.January, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, r.IntN(365))
	p := person{first: pick(r, names), last: pick(r, at.Families)}
	p.number = backoffice.NationalNumber(birth, 2*r.IntN(498)+1+(1-odd))
	return p
}

// mailPart is a name for a mail address: folded, letters only.
func mailPart(name string) string { return notLetters.ReplaceAllString(backoffice.Fold(name), "") }

var notLetters = regexp.MustCompile(`[^a-z]+`)

// mobile is a Belgian mobile number, in the form of the store.
func mobile(r *rand.Rand) backoffice.Text {
	digits := []byte("+32 470 00 00 00")
	digits[5] = byte('7' + r.IntN(3)) // 47, 48 and 49
	for _, at := range []int{6, 8, 9, 11, 12, 14, 15} {
		digits[at] = byte('0' + r.IntN(10))
	}
	return backoffice.Text(digits)
}
