package graphqlhttp

import (
	"encoding/json"
	"maps"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"example.org/backoffice/graphql/limits"
	"example.org/backoffice/web/static/webtest"
)

// faulty are documents that are refused, each with nothing when its errors have the places that graphql-js gives, else
// with the place of its only error.
var faulty = map[string]string{
	`{users(filter:{"x"}){totalCount}}`: "", `{users(filter:{"""x"""}){totalCount}}`: "", "{\n  users(": "", `{`: "", `}`: "", `{viewer{name}`: "",
	`{users(zz:1){totalCount}}`: "", `{users(filter:{zz:1}){totalCount}}`: "", `{users(first:"x"){totalCount}}`: "",
	`{users(first:"""x"""){totalCount}}`: "", `{users(filter:{labelIds:["a",{}]}){totalCount}}`: "", `{users(first:1.5){totalCount}}`: "",
	`{viewer @skip {name}}`: "", `{viewer @include(zz: 1, if: true) {name}}`: "", `{viewer @nothing {name}}`: "", `query @skip(if: true) {viewer{name}}`: "",
	`{nothing}`: "", `{viewer}`: "", `{viewer{nothing}}`: "", `{viewer{...f}}`: "", `query($a: Int){viewer{name}}`: "",
	// graphql-js has them at the selection, of which the parser keeps no place.
	`{viewer{name{a b}}}`: "1:9", `{viewer{name{a{b} ...{c} ...f}}} fragment f on Viewer{name}`: "1:9", `{viewer{name{__typename}}}`: "1:9",
	`{viewer{scopes{x}}}`: "1:9",
}

func TestErrorsOfDocumentsHaveThePlacesThatGraphQLJSGives(t *testing.T) {
	t.Parallel()
	node := webtest.Tool(t, "node")
	webtest.Tool(t, "../../testdata/clients/node_modules/.bin/tsc") // all of the packages are there, or none
	texts := slices.Sorted(maps.Keys(faulty))
	asked, err := json.Marshal(texts)
	if err != nil {
		t.Fatal(err)
	}
	js := exec.Command(node, "../../testdata/clients/places.mjs", "../../schema.graphqls")
	js.Stdin = strings.NewReader(string(asked))
	said, err := js.Output()
	var want [][]string
	if err != nil || json.Unmarshal(said, &want) != nil {
		t.Fatalf("%v %s", err, said)
	}
	d := &documents{schema: contract(), limits: limits.Defaults()}
	for i, text := range texts {
		_, errs := d.prepare(text, limits.Defaults())
		if at := faulty[text]; at != "" && len(want[i]) == 1 {
			want[i] = []string{at}
		}
		if diff := cmp.Diff(want[i], placesOf(errs)); diff != "" || len(errs) == 0 {
			t.Errorf("%s (-graphql-js +server):\n%s%v", text, diff, errs)
		}
	}
}

func placesOf(errs gqlerror.List) (all []string) {
	for _, fault := range errs {
		var places []string
		for _, at := range fault.Locations {
			places = append(places, at.String())
		}
		all = append(all, strings.Join(places, " "))
	}
	slices.Sort(all)
	return all
}
