package parity

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/xuri/excelize/v2"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway/gatewaytest"
	"example.org/backoffice/importexport"
)

// inPath are a path's parameters.
var inPath = regexp.MustCompile(`\{[^}]*\}`)

// pathsOnREST are the paths that are read, for a record and its customer.
func pathsOnREST(t *testing.T, o *gatewaytest.Office, ids ...string) (paths []string) {
	t.Helper()
	document := exactly(t, o.Send(t, [2]string{}, http.MethodGet, "/openapi.json", "").Body.Bytes()).(map[string]any)
	for path, methods := range document["paths"].(map[string]any) {
		if methods.(map[string]any)["get"] == nil || strings.HasSuffix(path, "/download") {
			continue
		}
		for _, id := range ids {
			if at := inPath.ReplaceAllLiteralString(path, id); !slices.Contains(paths, at) {
				paths = append(paths, at)
			}
		}
	}
	return paths
}

// selected are the fields of a type that are values, and objects of values that the table has too.
func selected(schema *ast.Schema, of *ast.Definition, parts func(object string) bool) (text string) {
	for _, field := range of.Fields {
		is := schema.Types[field.Type.Name()]
		switch {
		case strings.HasPrefix(field.Name, "__") || len(field.Arguments) > 0 || field.Directives.ForName("hasScope") != nil:
		case is.IsLeafType():
			text += " " + field.Name
		case parts(field.Name):
			text += " " + field.Name + " {" + selected(schema, is, func(string) bool { return false }) + " }"
		}
	}
	return text
}

// faces are what shows a noun beside lines: objects as GraphQL has them, by the name of the face.
type faces struct {
	*gatewaytest.Office
	*bounded
	credential [2]string
	origin     string
	fields     string // selected
	root       string // the field of Query that lists the noun; "" for none
	saved      string // the name of the query of that list
	paths      []string
	id         string
}

func facesOf(t *testing.T, o *gatewaytest.Office, b *bounded, id, customer, origin string) *faces {
	t.Helper()
	schema := gatewaytest.SchemaOf(t, o)
	of := schema.Types[b.typ]
	f := &faces{Office: o, bounded: b, id: id, origin: origin, credential: o.Credential(t, backoffice.AllScopes...)}
	f.fields = selected(schema, of, func(object string) bool {
		return slices.ContainsFunc(b.fields, func(field string) bool { return strings.HasPrefix(field, object+".") })
	})
	for _, root := range gatewaytest.PagedFields(schema) {
		if nodes := schema.Types[schema.Query.Fields.ForName(root).Type.Name()].Fields.ForName("nodes"); nodes != nil && nodes.Type.Name() == b.typ {
			f.root = root
		}
	}
	if f.root != "" {
		f.saved = strings.ToUpper(f.root[:1]) + f.root[1:] + strings.ReplaceAll(id, "-", "_")
		document := "query " + f.saved + " { " + f.root + "(first: 100) { nodes {" + f.fields + " } } }"
		if wrong := o.Saves(t, f.credential, map[string]any{"document": document}); wrong != nil {
			t.Fatal(wrong)
		}
	}
	for _, path := range pathsOnREST(t, o, id, customer) {
		if w := o.Send(t, f.credential, http.MethodGet, path, ""); w.Code == http.StatusOK && strings.HasPrefix(w.Header().Get("Content-Type"), "application/json") &&
			len(found(exactly(t, w.Body.Bytes()), "_id", id)) > 0 {
			f.paths = append(f.paths, path)
		}
	}
	return f
}

func (f *faces) inGraphQL(t *testing.T, after string) map[string][]map[string]any {
	t.Helper()
	queries := map[string]string{
		"GraphQL": `{ node(id: "` + f.id + `") { ... on ` + f.typ + ` {` + f.fields + ` } } }`,
		"feed":    `{ changes(first: 500, after: "` + after + `") { nodes { object { ... on ` + f.typ + ` {` + f.fields + ` } } } } }`,
	}
	all := map[string][]map[string]any{}
	if f.root != "" {
		queries["list"] = `{ ` + f.root + `(first: 100) { nodes {` + f.fields + ` } } }`
		e := gatewaytest.SendExport(t, gatewaytest.NewExportRequest(t, f.origin, f.credential, "format=jsonl", queries["list"], nil, nil))
		if !e.Complete() {
			t.Fatalf("%s: %.300s", f.typ, e.Body)
		}
		saved := f.Send(t, f.credential, http.MethodGet, "/queries/"+f.saved+".jsonl", "").Body.String()
		for face, lines := range map[string][]string{"export": e.Lines(), "saved query": strings.Split(saved, "\n")} {
			for _, line := range lines {
				if line != "" {
					all[face] = append(all[face], found(exactly(t, []byte(line)), "id", f.id)...)
				}
			}
		}
	}
	for face, query := range queries {
		_, body, _ := f.Ask(t, f.credential, query, nil, nil)
		answer := exactly(t, body).(map[string]any)
		if answer["errors"] != nil {
			t.Errorf("%s of %s: %.300s", face, f.typ, body)
		}
		all[face] = found(answer["data"], "id", f.id)
	}
	return all
}

// inTables are the rows of the record in the exports that are tables.
func (f *faces) inTables(t *testing.T) map[string]map[string]string {
	t.Helper()
	all := map[string]map[string]string{}
	row := func(format string, records [][]string) {
		for _, row := range gatewaytest.Tabled(records) {
			if row["id"] == f.id {
				all[format] = row
			}
		}
	}
	export := func(format string) string {
		return gatewaytest.SendExport(t, gatewaytest.NewExportRequest(t, f.origin, f.credential, "format="+format, `{ `+f.root+`(first: 100) { nodes {`+f.fields+` } } }`, nil, nil)).Body
	}
	records, err := csv.NewReader(strings.NewReader(export("csv"))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	row("csv", records)
	book, err := excelize.OpenReader(strings.NewReader(export("xlsx")))
	if err != nil {
		t.Fatal(err)
	}
	defer book.Close()
	if records, err = book.GetRows(f.root, excelize.Options{RawCellValue: true}); err != nil {
		t.Fatal(err)
	}
	row("xlsx", records)
	return all
}

// oneIsCurrent cannot be moved by a line alone: one year is the current one.
const oneIsCurrent = "FinancialYear.isCurrentYear"

// workedOut are fields that a transcript with a calculation shows as they follow from that; export writes its own.
var workedOut = []string{"status", "updatedAt"}

var notOfEnum = regexp.MustCompile(`[^A-Z0-9]+`)

// sameValue compares a line's value with that of another face.
func (f *faces) sameValue(field string, line, shown any) bool {
	if f.words[field] && shown != nil && line != nil {
		enum := func(v any) string { return notOfEnum.ReplaceAllString(strings.ToUpper(fmt.Sprint(v)), "_") }
		return enum(line) == enum(shown)
	}
	if text, ok := line.(string); ok && strings.HasSuffix(field, "Percent") { // a number in GraphQL
		line = json.Number(text)
		if text, ok := shown.(string); ok {
			shown = json.Number(text)
		}
	}
	return cmp.Equal(line, shown, cmp.Comparer(func(a, b json.Number) bool {
		x, errX := a.Float64()
		y, errY := b.Float64()
		return a == b || errX == nil && errY == nil && x == y
	}))
}

// sameCell compares a cell's text with a value of JSON: booleans are 1 and 0 in a workbook, of whose numbers the reader
// gives fifteen digits; dates are days.
var sameCell = cmp.Comparer(func(a, b string) bool {
	for word, digit := range map[string]string{"true": "1", "false": "0"} {
		if a == word && b == digit || a == digit && b == word {
			return true
		}
	}
	x, errX := gatewaytest.Number(a)
	y, errY := gatewaytest.Number(b)
	return a == b || errX == nil && errY == nil && math.Abs(x-y) <= 1e-14*math.Abs(x)
})

// wants holds what a face shows of a field to the line that export writes.
func (f *faces) wants(t *testing.T, line map[string]any, face, field string, shown any, has bool) {
	t.Helper()
	if f.id == "tr-1" && slices.Contains(workedOut, field) {
		return
	}
	if want, _ := inLine(line, field); !has || !f.sameValue(field, want, shown) {
		t.Errorf("%s shows %s.%s as %.100q (%v), and export writes %.100q", face, f.typ, field, fmt.Sprint(shown), has, fmt.Sprint(want))
	}
}

// hold holds every face to the line that export writes.
func (f *faces) hold(t *testing.T, line map[string]any, after string) {
	t.Helper()
	for face, objects := range f.inGraphQL(t, after) {
		if len(objects) == 0 && face != "feed" { // it tells of what was written in this round
			t.Errorf("%s does not show %s", face, f.typ)
		}
		for _, object := range objects {
			for _, field := range f.bounded.fields {
				v, has := inObject(object, field)
				f.wants(t, line, face, field, v, has)
			}
			if face == "export" {
				for field := range f.free {
					object[field] = text(t, object[field])
				}
				want := gatewaytest.Flat(object, "")[0]
				for format, row := range f.inTables(t) {
					for field := range f.free {
						row[field] = text(t, exactly(t, []byte(row[field])))
					}
					if diff := cmp.Diff(want, row, sameCell); diff != "" {
						t.Errorf("%s of %s: %s", format, f.typ, diff)
					}
				}
			}
		}
	}
	for _, path := range f.paths {
		for _, object := range found(exactly(t, f.Send(t, f.credential, http.MethodGet, path, "").Body.Bytes()), "_id", f.id) {
			for _, field := range f.bounded.fields {
				if v, has := inLine(object, field); has {
					f.wants(t, line, path, field, v, has)
				}
			}
		}
	}
}

// What import takes at a bound of a field, every face shows, export writes, and the other engine's import takes again.
func TestEveryBoundOfEveryFieldIsTheSameOnEveryFace(t *testing.T) {
	t.Parallel()
	for engine, other := range map[string]string{"SQLite": "PostgreSQL", "PostgreSQL": "SQLite"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			o := gatewaytest.OpenOn(t, gatewaytest.Engines[engine](t))
			origin := o.ExportServer(t).URL
			first := dumpInto(t, o)
			var all []*faces
			for _, b := range allBounds(t) {
				known, lines := linesOf(t, first, b.file)
				for _, id := range []string{known[0], known[len(known)-1]} {
					customer, _ := lines[id]["customer"].(string)
					all = append(all, facesOf(t, o, b, id, customer, origin))
				}
			}
			mirror, pull := mirrorOf(t, origin, all[0].credential)
			seen, schema := map[string]map[string]bool{}, gatewaytest.SchemaOf(t, o)
			for round := range len(textBounds) + 4 {
				after := endOfLog(t, o)
				for n, f := range all { // the two records of a noun are at two bounds
					for _, field := range f.bounded.fields {
						f.import1(t, field, f.values[field][(round+n)%len(f.values[field])])
					}
				}
				exported := dumpInto(t, o)
				for n, f := range all {
					if n%2 == round%2 && round%3 == 0 {
						f.walks(t, schema)
						f.groups(t, schema)
					}
					_, lines := linesOf(t, exported, f.file)
					for _, field := range f.bounded.fields {
						v, _ := inLine(lines[f.id], field)
						name := f.typ + "." + field
						if seen[name] == nil {
							seen[name] = map[string]bool{}
						}
						seen[name][text(t, v)] = true
					}
					f.hold(t, lines[f.id], after)
				}
				again := taken(t, gatewaytest.Engines[other](t), exported)
				if report, err := pull.Once(t.Context()); err != nil || report.Incomplete() || report.Rejected() > 0 {
					t.Errorf("a mirror does not take all: %+v %v", report, err)
				}
				mirrored := dumpInto(t, mirror)
				for _, f := range all {
					_, want := linesOf(t, exported, f.file)
					_, pulled := linesOf(t, mirrored, f.file)
					for _, field := range f.bounded.fields {
						v, has := inLine(pulled[f.id], field)
						f.wants(t, want[f.id], "a mirror", field, v, has)
					}
					_, got := linesOf(t, again, f.file)
					if diff := cmp.Diff(want, got); diff != "" {
						t.Errorf("%s exports %s as (-%s +%s):\n%s", other, f.file, engine, other, diff)
					}
				}
				if t.Failed() {
					t.Fatalf("in round %d", round)
				}
			}
			for name, values := range seen {
				if len(values) < 2 && name != oneIsCurrent {
					t.Errorf("%s never moved from %v: it needs bounds that are taken", name, values)
				}
			}
		})
	}
}

// import1 imports a line with one field. It may be refused as a bad line; a text with a NUL has to be.
func (f *faces) import1(t *testing.T, field, value string) {
	t.Helper()
	folder := t.TempDir()
	line := `{"_id":"` + f.id + `",` + text(t, nested(importexport.LineName(field), json.RawMessage(value)))[1:]
	if err := os.WriteFile(filepath.Join(folder, f.file+".ndjson"), []byte(line+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var bad *importexport.BadFile
	if err := importFolder(t, f.Office, folder); err != nil && !errors.As(err, &bad) {
		t.Errorf("%s.%s as %.40s: %v", f.typ, field, value, err)
	} else if err == nil && strings.Contains(value, `\u0000`) {
		t.Errorf("%s.%s takes NUL", f.typ, field)
	}
}

// endOfLog is where the log ends.
func endOfLog(t *testing.T, o *gatewaytest.Office) string {
	t.Helper()
	answer := exactly(t, []byte(o.Answers(t, o.Credential(t, backoffice.AllScopes...), `{ changes(first: 0) { latestCursor } }`)))
	return answer.(map[string]any)["data"].(map[string]any)["changes"].(map[string]any)["latestCursor"].(string)
}
