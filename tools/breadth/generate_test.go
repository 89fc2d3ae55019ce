package main

import (
	"bytes"
	"io"
	"log"
	"os"
	"path/filepath"
	"testing"
)

// TestGraphIsWhatTheSchemaGives generates package graph anew, in a copy of what the generator reads.
func TestGraphIsWhatTheSchemaGives(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	module := t.TempDir()
	for _, name := range []string{"go.mod", "go.sum", "gqlgen.yml", "schema.graphqls"} {
		if err := os.WriteFile(filepath.Join(module, name), read(t, root, name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, room := range []string{"backoffice", "rest/mapping", "graphql/inputs", "graphql/execute"} {
		if err := os.CopyFS(filepath.Join(module, room), os.DirFS(filepath.Join(root, room))); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(module)
	log.SetOutput(io.Discard) // gqlgen tells of each resolver
	t.Cleanup(func() { log.SetOutput(os.Stderr) })
	if err := generate(); err != nil {
		t.Fatal(err)
	}

	names := map[string]bool{} // of either, so that neither has a file which the other lacks
	for _, folder := range []string{root, module} {
		files, err := os.ReadDir(filepath.Join(folder, "graph"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			names[filepath.Join("graph", file.Name())] = true
		}
	}
	for name := range names {
		if !bytes.Equal(read(t, root, name), read(t, module, name)) {
			t.Errorf("%s is not what schema.graphqls and gqlgen.yml give: run make generate", name)
		}
	}
}

// read gives the content of a file, nothing when it is not there.
func read(t *testing.T, folder, name string) []byte {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(folder, name))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return content
}
