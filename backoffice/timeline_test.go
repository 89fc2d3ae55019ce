package backoffice_test

import (
	"context"
	"testing"
	"time"

	"example.org/backoffice/backoffice"
)

func TestATimelineKeepsStatementsByLevelAndName(t *testing.T) {
	t.Parallel()
	ctx, timeline := backoffice.WithTimeline(t.Context())
	if backoffice.TimelineOf(ctx) != timeline {
		t.Fatal("a context has another timeline")
	}
	began := time.Now()
	timed := func(name string, rows int) backoffice.TimedStatement {
		began = began.Add(time.Millisecond)
		return backoffice.TimedStatement{Name: name, Rows: rows, Began: began, Ended: began.Add(time.Millisecond)}
	}
	end := timeline.BeginLevel(2)
	timeline.Waited(time.Second)
	timeline.Note(timed("customers.page", 50), timed("relations.page", 7))
	timeline.Note(timed("customers.page", 3))
	end()
	timeline.Note(timed("consultations.insert", 1)) // beside the levels
	timeline.Note(timed("consultations.insert", 2))
	timeline.BeginLevel(1)()
	levels := timeline.Levels()
	if len(levels) != 3 || levels[0].Fields != 2 || levels[1].Fields != 0 || levels[2].Fields != 1 || levels[0].Rows() != 60 || levels[1].Rows() != 3 || levels[2].Rows() != 0 {
		t.Fatalf("%+v", levels)
	}
	if first := levels[0].Statements; len(first) != 2 || first[0].Times != 2 || first[0].Rows != 53 || first[0].Waited != time.Second || !first[0].Ended.After(first[0].Began) {
		t.Errorf("%+v", first)
	}
	if beside := levels[1]; len(beside.Statements) != 1 || beside.Statements[0].Times != 2 || beside.Statements[0].Waited != 0 || beside.Ended.Before(beside.Began) {
		t.Errorf("%+v", beside)
	}
	levels[0].Statements[0].Rows = 0
	if again := timeline.Levels(); again[0].Rows() != 60 {
		t.Error("what is handed out is what is kept")
	}
}

func TestWhereNobodyAsksNothingIsNotedNorAllocated(t *testing.T) {
	ctx := context.Background()
	if made := testing.AllocsPerRun(100, func() {
		none := backoffice.TimelineOf(ctx)
		end := none.BeginLevel(1)
		none.Waited(1)
		end()
		if none.Levels() != nil {
			t.Error("something is noted")
		}
	}); made != 0 {
		t.Errorf("%f allocations", made)
	}
}
