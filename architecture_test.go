package main

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"strings"
	"testing"
)

const module = "example.org/backoffice/"

// mayImport is the law of the house: which rooms a room may know. What is not named may be imported by no other room.
// The root package wires all rooms together and is not bound by it.
var mayImport = map[string]string{
	"backoffice":       "",
	"privacy":          "backoffice",
	"auth":             "backoffice",
	"files":            "backoffice",
	"pdf":              "backoffice",
	"mutations":        "backoffice",
	"loaders":          "backoffice",
	"execute":          "",
	"execute/generate": "execute",
	"graph":            "backoffice mutations execute",
	"resolvers":        "backoffice auth graph loaders privacy mutations",
	"rest":             "backoffice auth privacy files",
	"rest/openapi":     "rest",
	"limits":           "backoffice",
	"transport":        "backoffice limits",
	"process":          "backoffice auth",
	"webpage":          "",
	"graphiql":         "webpage",
	"apidocs":          "webpage",
	"integration":      "",
	"transfer":         "backoffice privacy files",
	"demo":             "backoffice privacy files pdf transfer",
	"store":            "backoffice store/migrations",
	"store/sqlite":     "backoffice store store/migrations",
	"store/postgres":   "backoffice store store/migrations",
	"store/storetest":  "backoffice store",
}

func TestEveryRoomKeepsToTheImportLaw(t *testing.T) {
	t.Parallel()
	command := exec.Command("go", "list", "-json=ImportPath,Imports", "./...")
	out, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	decoder := json.NewDecoder(strings.NewReader(string(out)))
	for {
		var pkg struct {
			ImportPath string
			Imports    []string
		}
		if err := decoder.Decode(&pkg); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		room, inside := strings.CutPrefix(pkg.ImportPath, module)
		law, known := mayImport[room]
		if !inside || !known {
			continue
		}
		for _, imported := range pkg.Imports {
			other, ours := strings.CutPrefix(imported, module)
			if ours && !contains(strings.Fields(law), other) {
				t.Errorf("%s imports %s", room, other)
			}
			if strings.Contains(imported, "gqlgen") && (room == "backoffice" || room == "rest" || strings.HasPrefix(room, "store")) {
				t.Errorf("%s knows gqlgen", room)
			}
		}
	}
}

func contains(list []string, wanted string) bool {
	for _, item := range list {
		if item == wanted {
			return true
		}
	}
	return false
}
