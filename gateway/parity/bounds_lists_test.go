package parity

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/vektah/gqlparser/v2/ast"
)

// walks holds the pages of each order of the noun's list to the list as a whole.
func (f *faces) walks(t *testing.T, schema *ast.Schema) {
	t.Helper()
	if f.root == "" || schema.Query.Fields.ForName(f.root).Arguments.ForName("orderBy") == nil {
		return
	}
	input := schema.Types[schema.Query.Fields.ForName(f.root).Arguments.ForName("orderBy").Type.Name()]
	for _, by := range schema.Types[input.Fields.ForName("field").Type.Name()].EnumValues {
		if by.Name == "RELEVANCE" { // of a search
			continue
		}
		for _, direction := range []string{"ASC", "DESC"} {
			page := func(arguments string) (ids []string, after string) {
				_, body, _ := f.Ask(t, f.credential, `{ `+f.root+`(`+arguments+`, orderBy: {field: `+by.Name+`, direction: `+direction+`}) { nodes { id } pageInfo { endCursor } } }`, nil, nil)
				var answer struct {
					Data map[string]struct {
						Nodes    []struct{ ID string }
						PageInfo struct{ EndCursor string }
					}
				}
				if err := json.Unmarshal(body, &answer); err != nil || strings.Contains(string(body), `"errors"`) {
					t.Fatalf("%s %.300s", by.Name, body)
				}
				for _, node := range answer.Data[f.root].Nodes {
					ids = append(ids, node.ID)
				}
				return ids, answer.Data[f.root].PageInfo.EndCursor
			}
			whole, _ := page("first: 100")
			ids, after := page("first: 2")
			for more := ids; len(more) > 0 && len(ids) <= len(whole); ids = append(ids, more...) {
				more, after = page(`first: 2, after: "` + after + `"`)
			}
			if !slices.Equal(whole, ids) {
				t.Errorf("%s by %s %s: %q, and by pages %q", f.root, by.Name, direction, whole, ids)
			}
		}
	}
}

// groups holds the groups by each month to the months of the list.
func (f *faces) groups(t *testing.T, schema *ast.Schema) {
	t.Helper()
	of := schema.Query.Fields.ForName(f.root + "Aggregate")
	if of == nil {
		return
	}
	for _, by := range schema.Types[of.Arguments.ForName("groupBy").Type.Name()].EnumValues {
		moment, isMonth := strings.CutSuffix(strings.ToLower(by.Name), "_month")
		if !isMonth {
			continue
		}
		_, body, _ := f.Ask(t, f.credential, `{ list: `+f.root+`(first: 100) { nodes { moment: `+moment+`At } }
			all: `+of.Name+`(groupBy: [`+by.Name+`]) { groups { keys { value } count } } }`, nil, nil)
		var answer struct {
			Data struct {
				List struct{ Nodes []struct{ Moment string } }
				All  struct {
					Groups []struct {
						Keys  []struct{ Value string }
						Count int
					}
				}
			}
		}
		if err := json.Unmarshal(body, &answer); err != nil {
			t.Fatalf("%v: %.300s", err, body)
		}
		want, got := map[string]int{}, map[string]int{}
		for _, node := range answer.Data.List.Nodes {
			want[node.Moment[:len("2006-01")]]++
		}
		for _, group := range answer.Data.All.Groups {
			got[group.Keys[0].Value] = group.Count
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s by %s: %s", of.Name, by.Name, diff)
		}
	}
}
