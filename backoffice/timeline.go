package backoffice

import (
	"context"
	"slices"
	"sync"
	"time"
)

// Timeline records the statements of an operation by level: for the log of slow operations, traces, and clients that
// ask. It has names and numbers, never values. Methods of a nil Timeline do nothing.
type Timeline struct {
	mu     sync.Mutex
	levels []Level
	open   bool // the last level has not ended
	waited time.Duration
}

// Level is one level of an operation. Without Fields it has statements outside of levels, such as the register's.
type Level struct {
	Began, Ended time.Time
	Fields       int // how many were resolved
	Statements   []TimedStatement
}

func (l *Level) Rows() (rows int) {
	for i := range l.Statements {
		rows += l.Statements[i].Rows
	}
	return rows
}

// TimedStatement sums up the statements of one name in a level.
type TimedStatement struct {
	Name         string    // such as relations.page; "" when it has none
	Times        int       // how many statements
	Rows         int       // read, but by writes
	Began, Ended time.Time // of the first and the last, the wait for a connection included
	Waited       time.Duration
	Replica      bool // a replica answered
}

func WithTimeline(ctx context.Context) (context.Context, *Timeline) {
	t := &Timeline{}
	return WithRequest(ctx, func(r *Request) { r.Timeline = t }), t
}

// TimelineOf returns the timeline of a context, nil for none.
func TimelineOf(ctx context.Context) *Timeline { return RequestOf(ctx).Timeline }

// BeginLevel begins a level, which end ends.
func (t *Timeline) BeginLevel(fields int) (end func()) {
	if t == nil {
		return func() {}
	}
	now := time.Now()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.levels, t.open = append(t.levels, Level{Began: now, Ended: now, Fields: fields}), true
	return t.endLevel
}

func (t *Timeline) endLevel() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.levels[len(t.levels)-1].Ended, t.open = time.Now(), false
}

// Waited records how long the statements noted next waited for a connection.
func (t *Timeline) Waited(wait time.Duration) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.waited += wait
}

func (t *Timeline) Note(statements ...TimedStatement) {
	if t == nil || len(statements) == 0 {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.open && (len(t.levels) == 0 || t.levels[len(t.levels)-1].Fields > 0) {
		t.levels = append(t.levels, Level{Began: statements[0].Began})
	}
	level := &t.levels[len(t.levels)-1]
	for _, s := range statements {
		s.Waited, s.Times = t.waited, 1
		level.note(s)
	}
	t.waited = 0
}

func (l *Level) note(s TimedStatement) {
	if s.Ended.After(l.Ended) {
		l.Ended = s.Ended
	}
	same := func(known TimedStatement) bool { return known.Name == s.Name && known.Replica == s.Replica }
	i := slices.IndexFunc(l.Statements, same)
	if i < 0 {
		l.Statements = append(l.Statements, s)
		return
	}
	known := &l.Statements[i]
	known.Times++
	known.Rows += s.Rows
	known.Waited = max(known.Waited, s.Waited)
	known.Ended = s.Ended
}

func (t *Timeline) Levels() []Level {
	if t == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	levels := slices.Clone(t.levels)
	for i := range levels {
		levels[i].Statements = slices.Clone(levels[i].Statements)
	}
	return levels
}
