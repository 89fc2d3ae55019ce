package backoffice_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"example.org/backoffice/backoffice"
)

func TestNamesThatPeopleTakeForOneAreSimilar(t *testing.T) {
	t.Parallel()
	for _, alike := range [][]string{
		{"Bakkerij Smet BV", "BAKKERIJ SMET", "Smet, bakkerij b.v.b.a.", "Bakkery Smet", "Bakerij-Smet (BVBA)"},
		{"Jan Pieters", "Pieters Jan", "PITERS, Jan"},
		{"Boulangerie Lefèvre S.A.", "SA boulangerie lefevre"},
		{"Café De Kroon", "Kafe De Croon"},
		{"BV", "…", ""},
	} {
		for _, name := range alike {
			if got := backoffice.SimilarNameOf(name); got != backoffice.SimilarNameOf(alike[0]) {
				t.Errorf("%q is %q", name, got)
			}
		}
	}
	for _, pair := range [][2]string{{"Bakkerij Smet", "Slagerij Smet"}, {"Jan Peeters", "Jan Pieters"}, {"Optiek 1", "Optiek 2"}} {
		if backoffice.SimilarNameOf(pair[0]) == backoffice.SimilarNameOf(pair[1]) {
			t.Errorf("%q are similar", pair)
		}
	}
	rapid.Check(t, func(r *rapid.T) {
		words := strings.Fields(rapid.String().Draw(r, "name"))
		want := backoffice.SimilarNameOf(strings.Join(words, " "))
		slices.Reverse(words)
		if got := backoffice.SimilarNameOf(strings.ToUpper(backoffice.Fold(strings.Join(words, " ")))); got != want {
			r.Fatalf("%q, not %q", got, want)
		}
	})
}
