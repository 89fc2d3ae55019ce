package store

import (
	"strings"
	"time"

	"example.org/backoffice/backoffice"
)

// timed records in a timeline how long statements take. Call note when they have their answers.
func timed(timeline *backoffice.Timeline, statements []*Statement) (note func()) {
	taken := make([]backoffice.TimedStatement, len(statements))
	began := time.Now()
	for i, s := range statements {
		t := &taken[i]
		t.Name, t.Began = s.Name(), began
		_, shape, _ := strings.Cut(t.Name, ".")
		if each := s.Each; each != nil && !bookkeeping[shape] { // the caller must not see these rows
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
			if s.Each == nil {
				t.Rows = int(s.Changed)
			}
		}
		timeline.Note(taken...)
	}
}
