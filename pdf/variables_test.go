package pdf

import (
	"fmt"
	"strings"
	"testing"

	"example.org/backoffice/backoffice"
)

func TestNamesAreNotRepeatedWithoutEnd(t *testing.T) {
	t.Parallel()
	members := func(until int) string {
		var b strings.Builder
		for i := 0; b.Len() < until; i++ {
			fmt.Fprintf(&b, `,"%d":1`, i)
		}
		return "{" + b.String()[1:] + "}"
	}
	for name, object := range map[string]string{
		"over members":       `{"` + strings.Repeat("a", 10_000) + `":` + members(50_000) + `}`,
		"over half of it":    `{"` + strings.Repeat("a", 30_000) + `":` + members(30_000) + `}`,
		"over a list":        `{"` + strings.Repeat("a", 10_000) + `":[{"a":1},` + strings.Repeat("1,", 25_000) + `1]}`,
		"over lists":         `{"` + strings.Repeat("a", 10_000) + `":[` + strings.Repeat(`[{"a":1}],`, 5_000) + `1]}`,
		"on many levels":     strings.Repeat(`{"`+strings.Repeat("a", 500)+`":`, 30) + members(45_000) + strings.Repeat("}", 30),
		"over plain members": `{"` + strings.Repeat("a", 10_000) + `":[` + strings.Repeat("1,", 25_000) + `1]}`,
	} {
		if len(object) > backoffice.MaxJSON {
			t.Fatalf("%s: an object of %d bytes", name, len(object))
		}
		rows, err := flatten(backoffice.JSON(object), labelsFor("english"))
		if err != nil {
			t.Fatal(err)
		}
		printed := 0
		for _, r := range rows {
			printed += len(r.cells[0]) + len(r.cells[1])
		}
		if printed > 6*backoffice.MaxJSON {
			t.Errorf("a name %s: %d bytes of an object come to %d in print", name, len(object), printed)
		}
	}
}

func TestALabelThatIsLeftOutIsShownByAnEllipsis(t *testing.T) {
	t.Parallel()
	long := "A" + strings.Repeat("a", 40_000)
	rows, err := flatten(backoffice.JSON(`{"`+long+`":{"b":1,"c":2,"d":[{"e":3},4]}}`), labelsFor("english"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, r := range rows {
		names = append(names, strings.Replace(r.cells[0], long, "…long…", 1))
	}
	if got := strings.Join(names, "|"); got != "…long… – B|… – C|… – E|… 2" {
		t.Errorf("the rows are named %s", got)
	}
}
