package store

import (
	"time"

	"example.org/backoffice/backoffice"
)

// timed records in a timeline how long statements take, and with rows how many each read. A write's rows are not told:
// it also reads and changes what the caller must not see. Call note when they have their answers.
func timed(timeline *backoffice.Timeline, statements []*Statement, rows bool) (note func()) {
	taken := make([]backoffice.TimedStatement, len(statements))
	began := time.Now()
	for i, s := range statements {
		t := &taken[i]
		t.Name, t.Began = s.Name(), began
		if each := s.Each; each != nil && rows {
			s.Each = func(row *Row) error {
				t.Rows++
				t.Ended = time.Now()
				return each(row)
			}
		}
	}
	return func() {
		ended := time.Now()
		for i, s := range statements {
			t := &taken[i]
			if t.Replica = s.Replica; t.Ended.IsZero() {
				t.Ended = ended
			}
		}
		timeline.Note(taken...)
	}
}
