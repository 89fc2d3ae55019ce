package cli

import (
	"encoding/json"
	"strings"
	"testing"
)

// hook is what --json prints.
type hook struct{ ID, Secret string }

func hookOf(t *testing.T, out string) (h hook) {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(out))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&h); err != nil || h.ID == "" || !strings.HasPrefix(h.Secret, "whsec_") || strings.Count(out, "\n") != 1 {
		t.Fatalf("%q is not a webhook alone: %v", out, err)
	}
	return h
}

// hooks are the rows of webhooks list.
func (s *shell) hooks(t *testing.T) (rows []map[string]any) {
	t.Helper()
	for line := range strings.Lines(s.must(t, "webhooks", "list", "--format=jsonl")) {
		var row map[string]any
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatal(err)
		}
		rows = append(rows, row)
	}
	return rows
}

func TestWebhooksAreCreatedRotatedRewoundDisabledAndDeleted(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	s.must(t, "migrate")
	s.must(t, "import", s.folder(t, "labels.ndjson", `{"_id":"l-1","name":"VIP"}`+"\n"))
	p := pairOf(t, s.must(t, "credentials", "create", "--json", "--name", "warehouse"))
	created := hookOf(t, s.must(t, "webhooks", "create", "--json", "--url", "https://receiver.example/changes", "--noun", "LABEL", "--noun", "CUSTOMER", "--client", p.ClientID))
	row := s.hooks(t)[0]
	if row["id"] != created.ID || row["state"] != "live" || row["after"] != history(t, s)+".4" || row["behind"] != 0.0 ||
		row["clientId"] != p.ClientID || row["url"] != "https://receiver.example/changes" ||
		len(row["nouns"].([]any)) != 2 || row["reason"] != "" || row["attempts"] != 0.0 || row["deliveredAt"] != nil {
		t.Errorf("it is listed as %v", row)
	}
	if rotated := hookOf(t, s.must(t, "webhooks", "rotate", created.ID, "--json")); rotated.ID != created.ID || rotated.Secret == created.Secret {
		t.Error("the rotation gave another webhook, or the same secret")
	}
	s.must(t, "import", s.folder(t, "labels.ndjson", `{"_id":"l-1","name":"Very important"}`+"\n"+`{"_id":"l-2","name":"New"}`+"\n"))
	if row = s.hooks(t)[0]; row["behind"] != 2.0 {
		t.Errorf("with two changes and some acts of administrators it is %v behind", row["behind"])
	}
	s.must(t, "webhooks", "disable", created.ID)
	if row = s.hooks(t)[0]; row["state"] != "stopped" || !strings.Contains(row["reason"].(string), "disabled") {
		t.Errorf("disabled it is listed as %v", row)
	}
	s.must(t, "webhooks", "rewind", created.ID, "--to", history(t, s)+".0")
	if row = s.hooks(t)[0]; row["state"] != "live" || row["after"] != history(t, s)+".0" {
		t.Errorf("rewound it is listed as %v", row)
	}
	for cursor, why := range map[string]string{"0": "such as x7k2m9qa.42", "anotherhistory.0": "for example after a restore"} {
		if code, _, err := s.run(t, "webhooks", "rewind", created.ID, "--to", cursor); code != exitFailure || !strings.Contains(err, why) {
			t.Errorf("rewound to %s it ends with %d, %s", cursor, code, err)
		}
	}
	out := s.must(t, "webhooks", "create", "--url", "https://receiver.example/", "--from", history(t, s)+".1")
	if !strings.HasPrefix(out, "webhook: ") || !strings.Contains(out, "\nsecret:  whsec_") || len(s.hooks(t)) != 2 {
		t.Errorf("it says %q", out)
	}
	s.must(t, "webhooks", "delete", created.ID)
	if rows := s.hooks(t); len(rows) != 1 || rows[0]["clientId"] != "" {
		t.Errorf("left are %v", rows)
	}
	log := s.must(t, "changes", "list")
	for _, act := range []string{"webhooks create", "webhooks rotate", "webhooks disable", "webhooks rewind", "webhooks delete"} {
		if !strings.Contains(log, act) {
			t.Errorf("the change log does not tell of %s:\n%s", act, log)
		}
	}
	for _, shown := range []string{log, s.must(t, "webhooks", "list")} {
		if strings.Contains(shown, "whsec_") || strings.Contains(shown, strings.TrimPrefix(created.Secret, "whsec_")) {
			t.Error("the secret is shown again")
		}
	}
}

func TestAWebhookThatCannotBeIsRefusedInASentence(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	s.must(t, "migrate")
	p := pairOf(t, s.must(t, "credentials", "create", "--json", "--name", "warehouse"))
	ended := pairOf(t, s.must(t, "credentials", "create", "--json", "--name", "gone"))
	s.must(t, "credentials", "revoke", ended.ClientID)
	const good = "https://receiver.example"
	for why, args := range map[string][]string{
		"must start with https://":   {"create", "--url", "http://receiver.example"},
		"unknown noun; the nouns":    {"create", "--url", good, "--noun", "INVOICE"},
		"minfin.read":                {"create", "--url", good, "--noun", "MINFIN_DOCUMENT", "--client", p.ClientID},
		"credentials list":           {"create", "--url", good, "--client", "nobody"},
		"revoked or expired":         {"create", "--url", good, "--client", ended.ClientID},
		"not a cursor of the change": {"create", "--url", good, "--from=1"},
		"not belong to the current":  {"create", "--url", good, "--from", history(t, s) + ".99"},
		"webhooks list":              {"rewind", "nothing", "--to", history(t, s) + ".0"},
		"there is no such webhook":   {"ping", "nothing"},
		"no such webhook: run":       {"delete", "nothing"},
		"or look like 10.1.0.0/16":   {"ping", "nothing", "--webhook-network", "everywhere"},
	} {
		code, out, err := s.run(t, append([]string{"webhooks"}, args...)...)
		if code == exitDone || out != "" && code == exitFailure || !strings.Contains(err, why) {
			t.Errorf("%q ends with %d, %s", args, code, err)
		}
	}
	if rows := s.hooks(t); rows != nil {
		t.Errorf("made were %v", rows)
	}
}
