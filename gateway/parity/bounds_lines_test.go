package parity

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.org/backoffice/gateway/gatewaytest"
	"example.org/backoffice/importexport"
	pulls "example.org/backoffice/importexport/mirror"
	"example.org/backoffice/privacy"
)

// inLine is the value of a field in a line, or in an object of REST: it has the same names.
func inLine(line map[string]any, field string) (v any, has bool) {
	return inObject(line, importexport.LineName(field))
}

func inObject(object map[string]any, path string) (v any, has bool) {
	first, rest, parts := strings.Cut(path, ".")
	if v, has = object[first]; !parts || !has {
		return v, has
	}
	inner, ok := v.(map[string]any)
	if !ok {
		return nil, v == nil
	}
	return inObject(inner, rest)
}

func importFolder(t *testing.T, o *gatewaytest.Office, folder string) error {
	t.Helper()
	_, err := (&importexport.Importer{Store: o.Store, Files: o.Files, Keys: o.Keys}).Import(t.Context(), folder)
	return err
}

// dumpInto exports the office into a folder.
func dumpInto(t *testing.T, o *gatewaytest.Office) string {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "export")
	exporter := &importexport.Exporter{Store: o.Store, Files: o.Files, Vault: privacy.NewVault(o.Keys, o.Store)}
	if _, err := exporter.Export(t.Context(), folder, nil); err != nil {
		t.Fatal(err)
	}
	return folder
}

func exactly(t *testing.T, text []byte) (v any) {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&v); err != nil {
		t.Fatalf("%v: %.300s", err, text)
	}
	return v
}

// linesOf are the lines of a folder's file by identifier.
func linesOf(t *testing.T, folder, file string) (ids []string, lines map[string]map[string]any) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, file+".ndjson"))
	if err != nil {
		t.Fatal(err)
	}
	lines = map[string]map[string]any{}
	for line := range bytes.Lines(text) {
		object := exactly(t, line).(map[string]any)
		id := object["_id"].(string)
		ids, lines[id] = append(ids, id), object
	}
	return ids, lines
}

// found are the objects in an answer with a value under a key.
func found(in any, key, id string) (all []map[string]any) {
	switch in := in.(type) {
	case map[string]any:
		if in[key] == id {
			all = append(all, in)
		}
		for _, v := range in {
			all = append(all, found(v, key, id)...)
		}
	case []any:
		for _, v := range in {
			all = append(all, found(v, key, id)...)
		}
	}
	return all
}

// taken is the export of an empty store that imports one.
func taken(t *testing.T, database, exported string) (again string) {
	t.Helper()
	settings := gatewaytest.Settings(t, database)
	b, err := settings.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	o := &gatewaytest.Office{Backend: b}
	if err := importFolder(t, o, exported); err != nil {
		t.Fatalf("an export is refused: %v", err)
	}
	return dumpInto(t, o)
}

// mirrorOf is an empty store that pulls from an office.
func mirrorOf(t *testing.T, origin string, credential [2]string) (*gatewaytest.Office, *pulls.Pull) {
	t.Helper()
	settings := gatewaytest.Settings(t, gatewaytest.Engines["SQLite"](t))
	b, err := settings.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	return &gatewaytest.Office{Backend: b}, &pulls.Pull{Store: b.Store, Files: b.Files, Keys: b.Keys, From: origin, ClientID: credential[0], Secret: credential[1]}
}
