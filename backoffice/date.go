package backoffice

import (
	"time"
	_ "time/tzdata" // the day is Belgium's, also on a machine without time zones
)

// parseDate accepts an existing day as 2026-03-31, of the years 1000 to 9999.
func parseDate(text string) (string, error) {
	if day, err := time.Parse(time.DateOnly, text); err != nil || day.Year() < 1000 {
		return "", Errorf(BadInput, "a date must be an existing day such as 2026-03-31")
	}
	return text, nil
}

// ParseDay reads an optional argument, "" for nil. Errors: BadInput for what is no date.
func ParseDay(sent *string) (string, error) {
	if sent == nil {
		return "", nil
	}
	return parseDate(*sent)
}

// Period is a number of days. It includes its first and last day, "" for no limit.
type Period struct{ First, Last string }

// Overlaps reports whether the periods share a day.
func (p Period) Overlaps(other Period) bool {
	return (p.First == "" || other.Last == "" || p.First <= other.Last) &&
		(other.First == "" || p.Last == "" || other.First <= p.Last)
}

// Covers reports whether each of the other's days is one of the period's.
func (p Period) Covers(other Period) bool {
	return p.First <= other.First && (p.Last == "" || other.Last != "" && other.Last <= p.Last)
}

// Belgium is where the firm is: its days are those of Belgium.
var Belgium = func() *time.Location {
	location, err := time.LoadLocation("Europe/Brussels")
	if err != nil {
		panic(err) // it is embedded
	}
	return location
}()

// Today is the day of an instant.
func Today(now time.Time) string { return now.In(Belgium).Format(time.DateOnly) }

// StartOfDay is the first instant of a day that ParseDay accepts, some days later.
func StartOfDay(day string, later int) Instant {
	at, _ := time.ParseInLocation(time.DateOnly, day, Belgium)
	return InstantOf(at.AddDate(0, 0, later))
}
