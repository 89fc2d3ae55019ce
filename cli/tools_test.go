package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/store/sqlite"
)

const (
	toolOpen   = "# Open work\n# What is not done yet.\nquery Open { transcripts { totalCount } }\n"
	toolOpen2  = "# Open work\nquery Open { transcripts(first: 1) { totalCount } }\n"
	toolNobody = "query Nobody { customers { totalCount } }\n"
	toolWrites = "# Writes.\nmutation Writes { createLabel(input: {name: \"a\", color: \"#112233\"}) { userErrors { code } } }\n"
)

func queriesIn(t *testing.T, texts ...string) string {
	t.Helper()
	folder := t.TempDir()
	for i, text := range texts {
		if err := os.WriteFile(filepath.Join(folder, string(rune('a'+i))+".graphql"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

func TestAToolIsMarkedListedAndRemoved(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	s.must(t, "migrate")
	folder := queriesIn(t, toolOpen, toolNobody, toolWrites)
	for _, wrong := range []struct{ said, args string }{
		{"the one whose operation has its name", "--tool Missing"}, {"a tool is a query", "--tool Writes"}, {"describe the operation", "--tool Nobody"},
		{"a letter and up to 63", "--tool 1x"}, {"are there already", "--tool query"}, {"need --tool", "--with-numbers"}, {"need --tool", "--description x"},
	} {
		code, _, err := s.run(t, append([]string{"documents", "trust", folder, "--set", "agents"}, strings.Fields(wrong.args)...)...)
		if code == exitDone || !strings.Contains(err, wrong.said) {
			t.Errorf("%s: %d %s", wrong.args, code, err)
		}
	}
	list := func() string { return s.must(t, "tools", "list", "--format=csv") }
	if out := list(); strings.Count(out, "\n") != 1 {
		t.Error(out)
	}
	s.must(t, "documents", "trust", folder, "--set", "agents", "--tool", "Open")
	s.must(t, "documents", "trust", folder, "--set", "agents", "--tool", "Nobody", "--description", "How many customers.", "--with-numbers")
	if out := list(); !strings.Contains(out, "Nobody,agents,sha256:") || !strings.Contains(out, "disclosed,How many customers.") || !strings.Contains(out, "withheld,\"Open work\nWhat is not done yet.\"") {
		t.Error(out)
	}
	s.must(t, "documents", "trust", folder, "--set", "agents") // as a client's build does
	if out := list(); !strings.Contains(out, "Open,agents") || !strings.Contains(out, "Nobody,agents") {
		t.Errorf("trusting the same again: %s", out)
	}
	if code, _, err := s.run(t, "documents", "trust", queriesIn(t, toolOpen2), "--set", "others", "--tool", "Open"); code != exitFailure || !strings.Contains(err, "another document") {
		t.Errorf("a name that is taken: %d %s", code, err)
	}
	s.must(t, "documents", "trust", queriesIn(t, toolOpen2, toolNobody), "--set", "agents")
	if out := list(); strings.Contains(out, "Open,") || !strings.Contains(out, "Nobody,") {
		t.Errorf("another text is no tool before somebody has read it: %s", out)
	}
	s.must(t, "documents", "trust", queriesIn(t, toolOpen2, toolNobody), "--set", "agents", "--tool", "Open")
	s.must(t, "tools", "remove", "Nobody")
	if out := list(); !strings.Contains(out, "Open,") || strings.Contains(out, "Nobody,") {
		t.Error(out)
	}
	if code, _, err := s.run(t, "tools", "remove", "Nobody"); code != exitFailure || !strings.Contains(err, "no tool has this name") {
		t.Error(code, err)
	}
}

func TestTheReportOfToolsCountsCallsAndTheCustomersInView(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	s.must(t, "migrate")
	s.must(t, "import", "../testdata/office")
	at := backoffice.InstantOf(time.Date(2026, 6, 1, 9, 30, 0, 0, time.UTC))
	month := time.Now().UTC().AddDate(0, 0, -time.Now().UTC().Day()).Format(backoffice.MonthLayout)
	restriction, err := backoffice.NewRestriction(backoffice.RestrictionFields{Customers: []string{"acme"}})
	if err != nil {
		t.Fatal(err)
	}
	store, err := sqlite.Open(t.Context(), "sqlite:"+s.path("backoffice.db"), sqlite.Options{})
	if err == nil {
		err = store.CountToolCalls(t.Context(), []backoffice.ToolCalls{
			{Month: month, ClientID: "a", ClientName: "Desktop", Tool: "work", Calls: 12, LastAt: at},
			{Month: month, ClientID: "b", ClientName: "Portal", Tool: "work", Restriction: restriction, Calls: 3, LastAt: at},
			{Month: "2020-01", ClientID: "c", ClientName: "Long ago", Tool: "work", Calls: 1, LastAt: at},
		})
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	out := s.must(t, "tools", "report", "--format=csv")
	if !strings.Contains(out, "a,Desktop,work,12,2026-06-01T09:30:00.000Z,7\n") || !strings.Contains(out, "b,Portal,work,3,2026-06-01T09:30:00.000Z,1\n") || strings.Contains(out, "Long ago") {
		t.Error(out)
	}
	if out := s.must(t, "tools", "report", "--format=csv", "--month=2020-01"); !strings.Contains(out, "Long ago") {
		t.Error(out)
	}
	if code, _, _ := s.run(t, "tools", "report", "--month=yesterday"); code != exitUsage {
		t.Error(code)
	}
}
