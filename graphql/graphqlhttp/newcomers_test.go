package graphqlhttp

import (
	"net/netip"
	"slices"
	"testing"
)

func TestTheAddressWithTheMostNewcomersLosesItsOldest(t *testing.T) {
	t.Parallel()
	var all newcomers
	closed := make(chan string, 10)
	enter := func(address, name string) func() {
		return all.enter(netip.MustParseAddr(address), func() { closed <- name })
	}
	leave := enter("198.51.100.1", "somebody")
	enter("2001:db8::1", "the first of many")
	for range mostNewcomers - 2 {
		enter("2001:db8::2", "another of many")
	}
	if all.n != mostNewcomers || len(closed) > 0 {
		t.Fatal(all.n, len(closed))
	}
	enter("198.51.100.1", "somebody else")
	if name := <-closed; name != "the first of many" || all.n != mostNewcomers {
		t.Errorf("%s was closed, and %d are left", name, all.n)
	}
	leave()
	leave()
	if all.n != mostNewcomers-1 || len(all.of) != 2 {
		t.Errorf("%d are left of %d addresses", all.n, len(all.of))
	}
	all = newcomers{}
	enter("198.51.100.1", "one")
	enter("2001:db8::1", "another")
	all.stop()
	if names := []string{<-closed, <-closed}; !slices.Contains(names, "one") || !slices.Contains(names, "another") {
		t.Errorf("a stop closes %q", names)
	}
}
