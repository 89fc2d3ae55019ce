package cli

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestACredentialIsRestrictedToWhatIsThere(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	s.must(t, "import", "../testdata/office")
	for _, wrong := range [][2]string{{"--only-responsible", "nobody"}, {"--only-label", "nothing"}, {"--only-customer", "nobody"}, {"--only-year", "26"}, {"--only-customer", "a b"}, {"--only-customer", ""}, {"--from-network", ""}} {
		if code, out, err := s.run(t, "credentials", "create", "--name", "north", wrong[0], wrong[1]); code == 0 || out != "" || !strings.Contains(err, wrong[0]+": ") {
			t.Errorf("%v: %d %q %q", wrong, code, out, err)
		}
	}
	for _, args := range [][]string{{"consultations", "list", "--customer", ""}, {"evidence", "verify", "pack.zip", "--key", ""}, {"webhooks", "create", "--url", "https://example.org", "--client", ""}, {"restore", "place", "--at", ""}} {
		if code, _, said := s.run(t, args...); code != exitUsage || !strings.Contains(said, args[len(args)-2]+": missing value") {
			t.Errorf("%q with an empty value ends with %d: %s", args, code, said)
		}
	}
	s.must(t, "credentials", "create", "--name", "north", "--only-year", "2026", "--only-responsible", "user-bruno", "--only-responsible", "user-an", "--only-label", "label-plain")
	var row map[string]any
	if err := json.Unmarshal([]byte(s.must(t, "credentials", "list", "--format=jsonl")), &row); err != nil {
		t.Fatal(err)
	}
	if sheet := s.must(t, "credentials", "list", "--format=csv"); !strings.Contains(sheet, ",--only-responsible user-an --only") {
		t.Errorf("as CSV it is %s", sheet)
	}
	if row["sees"] != "--only-responsible user-an --only-responsible user-bruno --only-label label-plain --only-year 2026" {
		t.Errorf("it is listed as %v", row)
	}
}
