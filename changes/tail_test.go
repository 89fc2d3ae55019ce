package changes

import (
	"testing"

	"example.org/backoffice/backoffice"
)

func TestTheTailHasAllEntriesBehindEachNumberThatItSaysItHas(t *testing.T) {
	t.Parallel()
	tail := &tail{known: true, grown: make(chan struct{})}
	for end := int64(1); end <= 2*mostKept+3; end++ {
		tail.grow("", end-1, []*backoffice.Change{{Sequence: end}})
		if end < 2*mostKept-3 {
			continue
		}
		begins := int64(-1)
		for number := range end + 1 {
			entries, to, _, ok := tail.after(number)
			if !ok {
				continue
			}
			if begins < 0 {
				begins = number
			}
			if to != end || int64(len(entries)) != end-number {
				t.Fatalf("of %d entries it has %d behind number %d, up to %d", end, len(entries), number, to)
			}
		}
		if begins < 0 || end-begins < mostKept {
			t.Fatalf("of %d entries it has those behind %d", end, begins)
		}
	}
}

func TestEntriesReadBeforeTheTailBeganAnewAreDropped(t *testing.T) {
	t.Parallel()
	tail := &tail{known: true, history: "new", from: 50, to: 50, grown: make(chan struct{})}
	tail.grow("old", 100, []*backoffice.Change{{Sequence: 101}})
	tail.grow("new", 49, []*backoffice.Change{{Sequence: 51}})
	if entries, to, _, ok := tail.after(50); !ok || to != 50 || len(entries) > 0 {
		t.Errorf("%d entries up to %d", len(entries), to)
	}
	if tail.grow("new", 50, []*backoffice.Change{{Sequence: 51}}); tail.to != 51 {
		t.Errorf("up to %d", tail.to)
	}
}
