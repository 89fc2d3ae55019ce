package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestTheNoticesAreThoseOfWhatTheProgramContains(t *testing.T) {
	t.Parallel()
	want, err := generate("../..")
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../../web/notices/THIRD_PARTY_NOTICES.txt")
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Error("web/notices/THIRD_PARTY_NOTICES.txt is not what the program contains: run make generate and commit it")
	}
	for _, known := range []string{"modernc.org/sqlite", "github.com/jackc/pgx/v5", "Fira Code", "Open Sans", "swagger-ui", "graphiql - 5"} {
		if !strings.Contains(want, known) {
			t.Errorf("nothing is told of %s", known)
		}
	}
	if strings.Contains(want, "pgregory.net/rapid") {
		t.Error("a module that only tests use is told")
	}
}

// Where the packages are installed, the copies of what their builds leave out are theirs.
func TestTheCopiedNoticesAreThoseOfTheInstalledPackages(t *testing.T) {
	t.Parallel()
	for copied, original := range map[string]string{
		"fira-code.txt": "@fontsource/fira-code/LICENSE", "monaco-editor.txt": "monaco-editor/ThirdPartyNotices.txt",
	} {
		want, err := os.ReadFile(filepath.Join("../../web/graphiql/page/node_modules", original))
		if os.IsNotExist(err) && os.Getenv("CI") != "true" {
			t.Skip("the page's packages are not there: run make deps")
		}
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join("../../web/notices/npm", copied))
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("web/notices/npm/%s is not that of the package (%v)", copied, err)
		}
	}
}
