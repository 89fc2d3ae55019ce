package loaders

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestKeyIndexNumbersTextsAsAMapWould(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var have keyIndex
		var keys []string
		numbers := map[string]int{}
		text := rapid.StringOfN(rapid.SampledFrom([]rune("abc-")), 0, 4, -1)
		t.Repeat(map[string]func(*rapid.T){
			"a text has the number that it got first": func(t *rapid.T) {
				key := text.Draw(t, "key")
				number := have.add(key)
				want, known := numbers[key]
				if !known {
					want = len(keys)
					numbers[key], keys = want, append(keys, key)
				}
				if number != want || !slices.Equal(have.since(0), keys) {
					t.Fatalf("%q is number %d of %q; want %d of %q", key, number, have.since(0), want, keys)
				}
			},
			"only what was added is known": func(t *rapid.T) {
				key := text.Draw(t, "key")
				want, known := numbers[key]
				if !known {
					want = -1
				}
				if got := have.find(key); got != want {
					t.Fatalf("%q has the place %d, want %d", key, got, want)
				}
			},
			"the last ones can be forgotten": func(t *rapid.T) {
				n := rapid.IntRange(0, len(keys)).Draw(t, "n")
				have.cut(n)
				for _, key := range keys[n:] {
					delete(numbers, key)
				}
				keys = keys[:n]
			},
		})
	})
}
