package ownership

import (
	"math"
	"strconv"
	"strings"

	"example.org/backoffice/backoffice"
)

// Percent is a recorded percentage, exact to four decimal places. The zero value is unknown.
type Percent struct {
	units int32
	known bool
}

// whole is 100 % in units: ten-thousandths of a percent.
const whole = 1_000_000

// ParsePercent reads a decimal text from 0 to 100 with at most four places; "" is unknown.
func ParsePercent(text string) (Percent, error) {
	if text == "" {
		return Percent{}, nil
	}
	before, after, point := strings.Cut(text, ".")
	units, err := strconv.ParseUint(before+(after + "0000")[:max(4, len(after))], 10, 32)
	if err != nil || units > whole || len(after) > 4 || before == "" || point && after == "" {
		return Percent{}, backoffice.Errorf(backoffice.BadInput,
			"a percentage must be a number from 0 to 100 with at most four decimal places")
	}
	return Percent{units: int32(units), known: true}, nil
}

// Known reports whether the percentage was recorded.
func (p Percent) Known() bool { return p.known }

// Float is the percentage, from 0 to 100; 0 if it is unknown.
func (p Percent) Float() float64 { return float64(p.units) / (whole / 100) }

// String is the canonical text, "" if the percentage is unknown.
func (p Percent) String() string {
	if !p.known {
		return ""
	}
	return Decimal(p.Float())
}

// Decimal is the canonical text of a computed percentage, rounded to four places.
func Decimal(percent float64) string {
	return strconv.FormatFloat(math.Round(percent*1e4)/1e4, 'f', -1, 64)
}
