package ownership

import (
	"math"
	"strconv"

	"example.org/backoffice/backoffice"
)

// Percent is a recorded percentage, exact to four decimal places. The zero value is unknown.
type Percent struct {
	units int32
	known bool
}

// whole is 100 % in units: ten-thousandths of a percent.
const whole = 1_000_000

// ParsePercent reads what backoffice.ParsePercent accepts; "" is unknown.
func ParsePercent(text string) (Percent, error) {
	if text == "" {
		return Percent{}, nil
	}
	if _, err := backoffice.ParsePercent(text); err != nil {
		return Percent{}, err
	}
	number, err := strconv.ParseFloat(text, 64)
	return Percent{units: int32(math.Round(number * (whole / 100))), known: true}, err
}

// Float is the percentage, from 0 to 100; 0 if it is unknown.
func (p Percent) Float() float64 { return float64(p.units) / (whole / 100) }

// number is the percentage, nil if it is unknown.
func (p Percent) number() *float64 {
	if !p.known {
		return nil
	}
	number := p.Float()
	return &number
}

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
