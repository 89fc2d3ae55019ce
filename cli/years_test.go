package cli

import (
	"encoding/csv"
	"slices"
	"strconv"
	"strings"
	"testing"

	"example.org/backoffice/backoffice"
)

func TestYearsAreListedAndOneMayBeSkippedWithItsChecklistsBroughtOver(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	s.must(t, "import", "../testdata/office")
	before, err := csv.NewReader(strings.NewReader(s.must(t, "years", "list", "--format", "csv"))).ReadAll()
	if err != nil || len(before) < 2 {
		t.Fatalf("the years are %v, %v", before, err)
	}
	current := before[len(before)-1]
	year, _ := strconv.Atoi(current[0])
	skipped := strconv.Itoa(year + 2)
	if code, _, why := s.run(t, "years", "start", skipped, "--yes"); code != exitFailure || !strings.Contains(why, current[0]+" is the current year, so the next is "+strconv.Itoa(year+1)+"; --force starts a later one") {
		t.Errorf("skipping a year ends with %d, %s", code, why)
	}
	s.must(t, "years", "start", skipped, "--yes", "--force", "--with-checklists")
	after, err := csv.NewReader(strings.NewReader(s.must(t, "years", "list", "--format", "csv"))).ReadAll()
	if err != nil || len(after) != len(before)+1 {
		t.Fatalf("the years are %v, %v", after, err)
	}
	old, started := after[len(after)-2], after[len(after)-1]
	if current[2] != "current" || old[2] != "archived" || started[0] != skipped || started[2] != "current" || started[3] != current[3] || started[4] != "0" || old[3] != current[3] {
		t.Errorf("the years were %v, and are %v", before, after)
	}
}

func TestAQuestionIsAnsweredWithYesOrNothingIsDone(t *testing.T) {
	t.Parallel()
	for answer, sure := range map[string]bool{"y\n": true, "Yes\n": true, "yes": true, "n\n": false, "\n": false, "": false, "yes, no\n": false} {
		var asked strings.Builder
		if err := confirm(strings.NewReader(answer), &asked, "Archive?"); (err == nil) != sure || asked.String() != "Archive? [y/N] " {
			t.Errorf("%q: %v after %q", answer, err, asked.String())
		}
	}
}

func TestAYearIsStartedOnce(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	s.must(t, "migrate")
	s.must(t, "years", "start", "2026")
	s.must(t, "years", "start", "2027")
	for _, year := range []string{"2027", "2020", "2029", "soon"} {
		if code, out, err := s.run(t, "years", "start", year); code != exitFailure || out != "" || strings.Count(err, "\n") != 1 {
			t.Errorf("starting %s ends with %d, %q and %q", year, code, out, err)
		}
	}
	rows, err := csv.NewReader(strings.NewReader(s.must(t, "changes", "list", "--format", "csv"))).ReadAll()
	years := slices.DeleteFunc(rows, func(row []string) bool { return row[4] != string(backoffice.NounFinancialYear) }) // others are what administrators did
	if err != nil || len(years) != 3 || years[0][3] != "years start" {
		t.Errorf("the log is %v, %v", rows, err)
	}
	if page := s.must(t, "changes", "list", "--format", "jsonl", "--after", "1", "--limit", "1"); !strings.HasPrefix(page, `{"sequence":2,`) || strings.Count(page, "\n") != 1 {
		t.Errorf("a page of the log is %q", page)
	}
}

func TestAYearIsRolledForwardOnceAfterALookAtIt(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	s.must(t, "import", "../testdata/office")
	proposal := func() [][]string {
		t.Helper()
		rows, err := csv.NewReader(strings.NewReader(s.must(t, "years", "start", "2027", "--roll-forward", "--dry-run", "--format", "csv"))).ReadAll()
		if err != nil || len(rows) == 0 {
			t.Fatalf("the proposal is %v, %v", rows, err)
		}
		return rows[1:]
	}
	want := [][]string{
		{"Impôt des sociétés 2026", "french", "Café Élan", "cafe"},
		{"Vennootschapsbelasting 2026", "dutch", "Acmé Boekhouding", "acme"},
		{"Vennootschapsbelasting 2026", "dutch", "Brouwerij De Zwaan", "brouwerij"},
		{"Vennootschapsbelasting 2026", "dutch", "Els Van Damme", "els"}, // had it twice
	}
	order := func(rows [][]string) [][]string {
		slices.SortFunc(rows, func(a, b []string) int { return slices.Compare([]string{a[0], a[3]}, []string{b[0], b[3]}) })
		return rows
	}
	if got := order(proposal()); !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("proposed are %q", got)
	}
	if years := s.must(t, "years", "list"); strings.Contains(years, "2027") {
		t.Errorf("a dry run started a year: %s", years)
	}
	if out := s.must(t, "years", "start", "2027", "--roll-forward"); !strings.Contains(out, "Assigned: 4\nAlready assigned: 0\n") {
		t.Errorf("the first run prints %q", out)
	}
	if got := proposal(); len(got) != 0 {
		t.Errorf("after it, %q are proposed", got)
	}
	if out := s.must(t, "years", "start", "2027", "--roll-forward"); !strings.Contains(out, "Assigned: 0\nAlready assigned: 4\n") {
		t.Errorf("the second run prints %q", out)
	}
	if code, _, why := s.run(t, "years", "start", "2029", "--roll-forward", "--dry-run"); code != exitFailure || !strings.Contains(why, "so the next is 2028") {
		t.Errorf("a dry run of a skipped year ends with %d, %s", code, why)
	}
	if code, _, _ := s.run(t, "years", "start", "2028", "--dry-run"); code != exitUsage {
		t.Errorf("a dry run without a list ends with %d", code)
	}
}
