package export

import "time"

// momentFormat shows a date with its time in the same way in every language of a spreadsheet.
const momentFormat = "yyyy-mm-dd hh:mm:ss"

// firstDay is when spreadsheets begin to agree on days: Excel has a 29 February 1900.
var firstDay = time.Date(1900, 3, 1, 0, 0, 0, 0, time.UTC)

const dayOfFirst = 61

// daysOf is a DateTime as a spreadsheet counts: in days, to the millisecond, in UTC. False before firstDay.
func daysOf(text string) (float64, bool) {
	at, err := time.Parse(time.RFC3339, text)
	if err != nil || at.Before(firstDay) {
		return 0, false
	}
	day := (24 * time.Hour).Milliseconds()
	since := at.UnixMilli() - firstDay.UnixMilli()
	return float64(dayOfFirst+since/day) + float64(since%day)/float64(day), true
}
