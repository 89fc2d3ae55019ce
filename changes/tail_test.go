package changes

import (
	"testing"

	"example.org/backoffice/backoffice"
)

func TestTheTailHasAllEntriesBehindEachNumberThatItSaysItHas(t *testing.T) {
	t.Parallel()
	tail := &tail{known: true, grown: make(chan struct{})}
	for end := int64(1); end <= 2*mostKept+3; end++ {
		tail.grow([]*backoffice.Change{{Sequence: end}})
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
