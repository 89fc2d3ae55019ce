package feed

import (
	"encoding/json"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2/ast"

	"example.org/backoffice/gateway/gatewaytest"
)

// Whatever remembers a place is looked up where it comes from: the schema, the OpenAPI document, the command line, the
// columns of stores. So are the histories: by what renews the log's, in Go and in SQL.

// Why a place needs no cell of its own, or where its cells are.
const (
	inFeed   = "the rows of goOn"
	inLists  = "positions by values: TestNoPlaceOfALostHistoryIsTakenForOneOfThePresent for lists at the root, made by one function"
	byNumber = "the number of a log as it is now, for an administrator who looks at it: no follower goes on by it"
	byExport = "positions by values, as in lists"
)

var cellsOf = map[string]string{
	"Query.changes after": inFeed, "Subscription.changes after": inFeed, "query after": inFeed, "header Last-Event-ID": inFeed,
	"/graphql/export ?after": byExport, "/queries/{file} ?after": byExport, // Changes-After is a cursor of the feed
	"query --after":          byExport,
	"webhooks create --from": "webhooks create --from", "webhooks rewind --to": "webhooks rewind --to",
	"changes list --after": byNumber,
	"webhooks.history":     "webhooks.TestAWebhookOfALostHistoryStopsThoughTheLogHasGrownPastIt", "change_horizon.history": "the log's own",
	"change_histories.history": "postgres.TestPlacesOutliveEachServerOnWhichTheirEntryIs",
	"a mirror":                 "mirror.TestAnOriginWithALostHistoryIsWalkedThroughAgainThoughItsLogHasGrownPastThePlace",
	"memory":                   "wantListsOf, cache.TestAnAnswerOfAPrimaryThatLostItsLastWritesIsNotKept and cache.TestNothingOldIsAnsweredAfterABackupWasRestored",
	"header If-None-Match":     "a version of one record: another history may give it again",
	"header If-Match":          "a version of one record: another history may give it again",
	"header Idempotency-Key":   "kept in the store itself: a key of a lost history is a new one",
}

// placesOf are the places that there are, with those of lists.
func placesOf(t *testing.T, o *gatewaytest.Office) (found []string) {
	t.Helper()
	schema := gatewaytest.SchemaOf(t, o)
	for _, name := range slices.Sorted(maps.Keys(schema.Types)) {
		of := schema.Types[name]
		for _, field := range of.Fields {
			for _, argument := range field.Arguments {
				if argument.Name == "after" || argument.Name == "before" {
					found = append(found, placeOfArgument(of, field, argument.Name))
				}
			}
		}
	}
	var document struct {
		Paths map[string]map[string]json.RawMessage
	}
	if err := json.Unmarshal(o.Send(t, [2]string{}, http.MethodGet, "/openapi.json", "").Body.Bytes(), &document); err != nil {
		t.Fatal(err)
	}
	for _, methods := range document.Paths {
		for _, text := range methods {
			var of gatewaytest.DescribedOperation
			if json.Unmarshal(text, &of) != nil {
				continue
			}
			for _, p := range of.Parameters {
				if remembers.MatchString(p.In + " " + p.Name) {
					found = append(found, p.In+" "+p.Name)
				}
			}
		}
	}
	for _, words := range [][]string{{"webhooks", "create"}, {"webhooks", "rewind"}, {"webhooks", "list"}, {"changes", "list"}, {"pull"}, {"export"}, {"query"}} {
		for _, flag := range gatewaytest.WordsIn(gatewaytest.FlagLine, gatewaytest.Help(t, words...)) {
			if flag == "after" || flag == "from" && words[0] == "webhooks" || flag == "to" {
				found = append(found, strings.Join(words, " ")+" --"+flag)
			}
		}
	}
	found = append(found, slices.Collect(maps.Keys(inSources(t, ".sql", regexp.MustCompile(`(?m)(?:ALTER TABLE (\w+) ADD COLUMN|CREATE TABLE (\w+) \(\n\t)\s*(history) `))))...)
	slices.Sort(found)
	return slices.Compact(found)
}

var remembers = regexp.MustCompile(`(?i)\bafter|cursor|Last-Event-ID|If-(None-)?Match|Idempotency-Key`)

// placeOfArgument names a place by its field; those of lists by what they are made of.
func placeOfArgument(of *ast.Definition, field *ast.FieldDefinition, argument string) string {
	if strings.HasSuffix(field.Type.Name(), "Connection") && field.Name != "changes" && field.Arguments.ForName("first") != nil {
		return inLists
	}
	return of.Name + "." + field.Name + " " + argument
}

// inSources are what an expression finds in the sources, its groups with dots between.
func inSources(t *testing.T, ending string, expression *regexp.Regexp) map[string]bool {
	t.Helper()
	found := map[string]bool{}
	err := fs.WalkDir(os.DirFS("../.."), ".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ending) || strings.HasSuffix(path, "_test.go") || strings.Contains(path, "node_modules") {
			return err
		}
		text, err := os.ReadFile(filepath.Join("..", "..", path))
		for _, groups := range expression.FindAllStringSubmatch(string(text), -1) {
			found[strings.Join(slices.DeleteFunc(groups[1:], func(g string) bool { return g == "" }), ".")] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func withoutCell(found []string) (missing []string) {
	for _, place := range found {
		if cellsOf[place] == "" && place != inLists {
			missing = append(missing, place)
		}
	}
	return missing
}

func TestWhateverRemembersAPlaceIsInTheTable(t *testing.T) {
	t.Parallel()
	found := placesOf(t, gatewaytest.Open(t))
	if missing := withoutCell(found); missing != nil || len(found) < 12 {
		t.Errorf("no cell for %q of %q", missing, found)
	}
	if missing := withoutCell([]string{"Query.newFeed after", "header Last-Event-ID"}); !slices.Equal(missing, []string{"Query.newFeed after"}) {
		t.Errorf("a table that lacks a row: %q", missing)
	}
	for place := range cellsOf {
		if !slices.Contains(found, place) && !slices.Contains([]string{"a mirror", "memory", "/graphql/export ?after", "/queries/{file} ?after"}, place) {
			t.Errorf("%s is no place that there is", place)
		}
	}
}

func TestWhateverBeginsAHistoryIsAColumn(t *testing.T) {
	t.Parallel()
	acts := inSources(t, ".go", regexp.MustCompile(`RenewHistory\(\w+, [\w"]+, ("[^"]*"|\w+), backoffice`))
	maps.Copy(acts, inSources(t, ".sql", regexp.MustCompile(`CREATE TRIGGER changes_history .* EXECUTE FUNCTION (\w+)\(`)))
	if len(acts) < 4 {
		t.Errorf("%v", acts)
	}
	for act := range acts {
		if another[strings.Trim(act, `"`)] == nil {
			t.Errorf("%s begins a history, and is no column", act)
		}
	}
	for column := range another {
		if !acts[column] && !acts[`"`+column+`"`] && column != anotherStore {
			t.Errorf("nothing begins a history by %s", column)
		}
	}
}
