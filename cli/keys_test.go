package cli

import (
	"encoding/json"
	"os/exec"
	"strings"
	"testing"
)

// keysStatus are the rows of keys status.
func (s *shell) keysStatus(t *testing.T) (rows []map[string]any) {
	t.Helper()
	for line := range strings.Lines(s.must(t, "keys", "status", "--format", "jsonl")) {
		var row map[string]any
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		rows = append(rows, row)
	}
	return rows
}

func TestKeysTurnByCommandsWhileAServerRuns(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	s.must(t, "import", "../testdata/office")
	s.start(t, exec.Command("env"))
	before := s.export(t)
	first := s.keysStatus(t)
	if len(first) != 1 || first[0]["state"] != "primary" || first[0]["numbers"].(float64) == 0 {
		t.Fatalf("at first: %v", first)
	}
	old := first[0]["key"].(string)
	if code, _, err := s.run(t, "keys", "retire", old); code != exitFailure || !strings.Contains(err, "keys rotate") {
		t.Errorf("retiring the only key ends with %d: %s", code, err)
	}
	if out := s.must(t, "keys", "reseal"); !strings.Contains(out, "0 customers") {
		t.Errorf("with one key there is something to do: %s", out)
	}
	if out := s.must(t, "keys", "rotate"); !strings.Contains(out, "keys reseal") || !strings.Contains(out, old) {
		t.Errorf("rotate: %s", out)
	}
	_, found, _ := s.run(t, "doctor")
	if code, _, err := s.run(t, "keys", "retire", old); code != exitFailure || !strings.Contains(err, "keys reseal") {
		t.Errorf("retiring a key that is needed ends with %d: %s, doctor: %s", code, err, found)
	}
	s.must(t, "keys", "reseal")
	rows := s.keysStatus(t)
	if len(rows) != 2 || rows[0]["key"] != old || rows[0]["state"] != "closed" || rows[0]["numbers"] != 0.0 || rows[1]["state"] != "primary" || rows[1]["numbers"] != first[0]["numbers"] {
		t.Errorf("sealed anew: %v", rows)
	}
	if code, _, err := s.run(t, "keys", "retire", old, "--drop-cursors"); code != exitFailure || !strings.Contains(err, "use it for a minute") || strings.Contains(err, "cursors and") {
		t.Errorf("retiring it at once ends with %d: %s", code, err)
	}
	if s.export(t) != before {
		t.Error("the records are not what they were")
	}
	s.must(t, "check")
	if code, _, err := s.run(t, "keys", "rotate", "--wait", "-1s"); code != exitUsage || !strings.Contains(err, "--wait") {
		t.Errorf("a wait below zero ends with %d: %s", code, err)
	}
}
