package backoffice

import (
	"regexp"
	"strconv"
	"strings"
)

// decimalPercent is 0 to 100 with at most four places.
var decimalPercent = regexp.MustCompile(`^(100(\.0{1,4})?|\d{1,2}(\.\d{1,4})?)$`)

// ParsePercent accepts a decimal such as 33.3333 and returns it without superfluous zeros.
func ParsePercent(text string) (string, error) {
	if !decimalPercent.MatchString(text) {
		return "", Errorf(BadInput, "a percentage must be 0 to 100, with at most four decimal places")
	}
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	if text = strings.TrimLeft(text, "0"); text == "" || text[0] == '.' {
		text = "0" + text
	}
	return text, nil
}

// number is a stored percentage, nil for none.
func number(percent Text) *float64 {
	if n, err := strconv.ParseFloat(string(percent), 64); err == nil {
		return &n
	}
	return nil
}
