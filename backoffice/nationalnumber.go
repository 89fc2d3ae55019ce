package backoffice

import "time"

// ParseNationalNumber reads a Belgian national registration number, or a BIS number of someone outside the national
// register. It returns the eleven digits: birth date (YYMMDD), sequence (001 to 998) and check. Dots, dashes, slashes
// and spaces are accepted. Anything else is BadInput.
//
// A BIS number adds 20 or 40 to the month. An unknown month is 00 and permits any day, an unknown day is 00. The check
// is 97 − (first nine mod 97), with a 2 in front of the nine for births from 2000. Check and
// birth date must fit one of the two centuries: the date exists there and is not after now in Belgium.
func ParseNationalNumber(text string, now time.Time) (string, error) {
	now = now.In(Belgium)
	if len(text) > maxNumber {
		text = ""
	}
	digits, ok := digitsOf(text, ".-/"+spaces, 11)
	if !ok || len(digits) != 11 || !(bornIn(1900, digits, now) || bornIn(2000, digits, now)) {
		return "", Errorf(BadInput,
			"a national registration number must have eleven digits with a valid birth date and check digits")
	}
	return digits, nil
}

// bornIn reports whether the eleven digits are valid for a birth in the century that starts in this year.
func bornIn(century int, digits string, now time.Time) bool {
	year := century + int(decimal(digits[:2]))
	month, day, sequence := int(decimal(digits[2:4])), int(decimal(digits[4:6])), decimal(digits[6:9])
	body := decimal(digits[:9])
	if century == 2000 {
		body += 2_000_000_000
	}
	if checkOf(body) != decimal(digits[9:]) || sequence < 1 || sequence > 998 {
		return false
	}
	switch {
	case month > 52:
		return false
	case month >= 40:
		month -= 40
	case month >= 20:
		month -= 20
	}
	if month == 0 {
		return year <= now.Year()
	}
	if month > 12 {
		return false
	}
	first := time.Date(year, time.Month(month), max(day, 1), 0, 0, 0, 0, now.Location())
	return first.Month() == time.Month(month) && !first.After(now)
}

// NationalNumber makes a registration number for a birth from 1900 to 2099, for demo data and tests.
func NationalNumber(birth time.Time, sequence int) string {
	sequence = (sequence-1)%998 + 1
	if sequence < 1 {
		sequence += 998
	}
	year, month, day := birth.Date()
	body := uint64((year%100*100+int(month))*100+day)*1000 + uint64(sequence)
	checked := body
	if year >= 2000 {
		checked += 2_000_000_000
	}
	return padded(body, 9) + padded(checkOf(checked), 2)
}
