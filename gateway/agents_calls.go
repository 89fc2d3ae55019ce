package gateway

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"example.org/backoffice/backoffice"
)

// toolCalls counts the calls of tools in memory, and adds them to the store once a minute: a call writes nothing.
type toolCalls struct {
	store backoffice.ToolCallStore
	now   func() time.Time

	mu      sync.Mutex
	waiting map[toolCall]*backoffice.ToolCalls
	failed  bool // the last write failed
}

type toolCall struct{ month, client, tool string }

const (
	keepCalls = time.Minute
	lastCalls = 2 * time.Second // when the server stops
)

func (t *toolCalls) note(by *backoffice.Principal, tool string) {
	now := t.now().UTC()
	of := toolCall{now.Format(backoffice.MonthLayout), by.ClientID, tool}
	t.mu.Lock()
	defer t.mu.Unlock()
	counted := t.waiting[of]
	if counted == nil {
		counted = &backoffice.ToolCalls{Month: of.month, ClientID: of.client, Tool: tool}
		t.waiting[of] = counted
	}
	counted.Calls++
	counted.ClientName, counted.Restriction, counted.LastAt = by.Name, by.Restriction, backoffice.InstantOf(now)
}

// watch stores the counts until ctx ends, and a last time then.
func (t *toolCalls) watch(ctx context.Context, log *slog.Logger) {
	backoffice.Every(ctx, keepCalls, func() { t.keep(ctx, log) })
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastCalls)
	defer cancel()
	t.keep(last, log)
}

func (t *toolCalls) keep(ctx context.Context, log *slog.Logger) {
	t.mu.Lock()
	waiting := t.waiting
	t.waiting = map[toolCall]*backoffice.ToolCalls{}
	t.mu.Unlock()
	if len(waiting) == 0 {
		return
	}
	all := backoffice.Map(slices.Collect(maps.Values(waiting)),
		func(c *backoffice.ToolCalls) backoffice.ToolCalls { return *c })
	err := t.store.CountToolCalls(ctx, all)
	if err != nil {
		t.again(waiting)
		if !t.failed && ctx.Err() == nil {
			log.WarnContext(ctx, "counts of tool calls could not be stored; retrying", "cause", err)
		}
	}
	t.failed = err != nil
}

// again keeps counts that could not be stored, with those since.
func (t *toolCalls) again(waiting map[toolCall]*backoffice.ToolCalls) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for of, before := range waiting {
		if since := t.waiting[of]; since != nil {
			since.Calls += before.Calls
			continue
		}
		t.waiting[of] = before
	}
}
