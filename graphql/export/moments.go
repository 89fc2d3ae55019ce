package export

import "time"

// layouts are those of scalars that a spreadsheet shows as a moment or a day.
var layouts = map[string]string{"DateTime": time.RFC3339, "Date": time.DateOnly}

// formats show them in the same way in every language of a spreadsheet. By UTC in one, import knows the zone.
var formats = map[string]string{time.RFC3339: `yyyy-mm-dd hh:mm:ss.000 "UTC"`, time.DateOnly: "yyyy-mm-dd"}

// firstDay is when spreadsheets begin to agree on days: Excel has a 29 February 1900.
var firstDay = time.Date(1900, 3, 1, 0, 0, 0, 0, time.UTC)

const dayOfFirst = 61

// daysOf is a moment or a day as a spreadsheet counts: in days, to the millisecond, in UTC. False before firstDay.
func daysOf(layout, text string) (float64, bool) {
	at, err := time.Parse(layout, text)
	if err != nil || at.Before(firstDay) {
		return 0, false
	}
	day := (24 * time.Hour).Milliseconds()
	since := at.UnixMilli() - firstDay.UnixMilli()
	return float64(dayOfFirst+since/day) + float64(since%day)/float64(day), true
}
