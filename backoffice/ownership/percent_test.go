package ownership_test

import (
	"fmt"
	"strings"
	"testing"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/backoffice/ownership"
	"pgregory.net/rapid"
)

func TestEveryPercentageIsReadAndWrittenExactly(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		units := rapid.IntRange(0, 1_000_000).Draw(t, "units")
		text := fmt.Sprintf("%d.%04d", units/10_000, units%10_000)
		text = strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
		if p, err := ownership.ParsePercent(text); err != nil || p.String() != text || !p.Known() {
			t.Fatalf("%q is read as %q: %v", text, p, err)
		}
	})
}

func TestOnlyPercentagesAreRead(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"100.0001", "101", "-1", "+1", "1,5", "1.", ".5", "1.00001", "1e1", "x", " 1", "99999999999999999999",
	} {
		if _, err := ownership.ParsePercent(text); backoffice.KindOf(err) != backoffice.BadInput {
			t.Errorf("%q: %v", text, err)
		}
	}
	if p, err := ownership.ParsePercent(""); err != nil || p.Known() || p.String() != "" {
		t.Error(p, err)
	}
}
