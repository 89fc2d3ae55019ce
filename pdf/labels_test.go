package pdf

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"testing"
)

func TestEveryLanguageHasEveryLabelAndNoOther(t *testing.T) {
	t.Parallel()
	decoder := json.NewDecoder(bytes.NewReader(labelsFile))
	decoder.DisallowUnknownFields()
	var all map[string]*labels
	if err := decoder.Decode(&all); err != nil {
		t.Fatal(err)
	}
	english := all["english"]
	if got, want := slices.Sorted(maps.Keys(all)), slices.Sorted(maps.Keys(english.Languages)); !slices.Equal(got, want) {
		t.Errorf("there are labels in %v, and names of %v", got, want)
	}
	for language, l := range all {
		for field, value := range reflect.ValueOf(l).Elem().Fields() {
			if value.IsZero() && field.Name != "First" {
				t.Errorf("%s has no %s", language, field.Name)
			}
		}
		if slices.Contains(l.Months[:], "") {
			t.Errorf("%s lacks a month", language)
		}
		for name, words := range map[string][2]map[string]string{
			"scripts": {l.Scripts, english.Scripts}, "languages": {l.Languages, english.Languages},
			"categories": {l.OwnerCategories, english.OwnerCategories}, "discrepancies": {l.DiscrepancyKinds, english.DiscrepancyKinds},
		} {
			if !maps.EqualFunc(words[0], words[1], func(a, b string) bool { return a != "" && b != "" }) {
				t.Errorf("%s has other %s than English", language, name)
			}
		}
	}
	for _, script := range scripts {
		if english.Scripts[script.name] == "" {
			t.Errorf("%s has no name", script.name)
		}
	}
}
