package backoffice_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"example.org/backoffice/backoffice"
)

// answers draws objects of few keys and values, so that two of them share some.
var answers = rapid.Custom(func(t *rapid.T) backoffice.JSON {
	var b strings.Builder
	keys := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b", "turnover", "é", "", "\x00"}), 0, 6, rapid.ID).Draw(t, "keys")
	for i, key := range keys {
		name, _ := json.Marshal(key)
		value := rapid.SampledFrom([]string{"1", "1.0", "1e0", "2", `"1"`, "true", "null", "[1,2]", "[2,1]", `{"x":1,"y":2}`,
			`{"y":2.0,"x":1}`, `"\u0000"`, "{}"}).Draw(t, "value")
		b.WriteString([]string{",", "{"}[max(0, 1-i)] + string(name) + ":" + value)
	}
	if len(keys) == 0 {
		b.WriteByte('{')
	}
	object, err := backoffice.ParseJSON([]byte(b.String() + "}"))
	if err != nil {
		t.Fatal(err)
	}
	return object
})

func parsed(t *rapid.T, object backoffice.JSON) (of map[string]any) {
	if err := json.Unmarshal([]byte(object.String()), &of); err != nil {
		t.Fatal(err)
	}
	return of
}

func diffOf(t *rapid.T, left, right backoffice.JSON) *backoffice.TranscriptDiff {
	diff, err := backoffice.DiffVariables(left, right)
	if err != nil {
		t.Fatal(err)
	}
	return diff
}

func valueOf(t *rapid.T, text backoffice.JSONValue) (value any) {
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		t.Fatal(err)
	}
	return value
}

func TestADiffTurnsTheLeftVariablesIntoTheRightOnes(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		left, right := answers.Draw(t, "left"), answers.Draw(t, "right")
		diff, got := diffOf(t, left, right), parsed(t, left)
		for _, v := range diff.Removed {
			if was, had := got[v.Key]; !had || !cmp.Equal(was, valueOf(t, v.Value)) {
				t.Fatalf("%q was %v, not %s", v.Key, was, v.Value)
			}
			delete(got, v.Key)
		}
		for _, v := range diff.Changed {
			if was, had := got[v.Key]; !had || !cmp.Equal(was, valueOf(t, v.Left)) || cmp.Equal(was, valueOf(t, v.Right)) {
				t.Fatalf("%q was %v, changed from %s to %s", v.Key, was, v.Left, v.Right)
			}
			got[v.Key] = valueOf(t, v.Right)
		}
		for _, v := range diff.Added {
			if _, had := got[v.Key]; had {
				t.Fatalf("%q was there", v.Key)
			}
			got[v.Key] = valueOf(t, v.Value)
		}
		if want := parsed(t, right); !maps.EqualFunc(got, want, func(a, b any) bool { return cmp.Equal(a, b) }) {
			t.Fatalf("%s and the difference give %v, not %v", left, got, want)
		}
		back := diffOf(t, right, left)
		if !cmp.Equal(back.Added, diff.Removed) || !cmp.Equal(back.Removed, diff.Added) || len(back.Changed) != len(diff.Changed) {
			t.Fatalf("the other way round it is %v, not %v", back, diff)
		}
	})
}

func TestATranscriptDoesNotDifferFromItself(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		object := answers.Draw(t, "object")
		for _, other := range []backoffice.JSON{object, backoffice.JSON(object.Canonical())} {
			if diff := diffOf(t, object, other); !cmp.Equal(diff, &backoffice.TranscriptDiff{}) {
				t.Fatalf("%s differs from itself: %v", object, diff)
			}
		}
	})
}

func TestADifferenceIsInTheOrderOfItsKeysAndAsItWasWritten(t *testing.T) {
	t.Parallel()
	diff, err := backoffice.DiffVariables(`{"z":1.50,"b":1,"a":1,"same":1.0}`, `{"same":1,"y":[ ],"x":null,"z":1e1,"a":"1"}`)
	if err != nil {
		t.Fatal(err)
	}
	keys := func(of []*backoffice.TranscriptVariable) []string {
		return backoffice.Map(of, func(v *backoffice.TranscriptVariable) string { return v.Key })
	}
	if got := keys(diff.Added); !slices.Equal(got, []string{"x", "y"}) || diff.Added[0].Value != "null" {
		t.Errorf("added: %v", got)
	}
	if got := keys(diff.Removed); !slices.Equal(got, []string{"b"}) {
		t.Errorf("removed: %v", got)
	}
	want := []*backoffice.ChangedVariable{{Key: "a", Left: "1", Right: `"1"`}, {Key: "z", Left: "1.50", Right: "1e1"}}
	if !cmp.Equal(diff.Changed, want) {
		t.Error(cmp.Diff(want, diff.Changed))
	}
}
