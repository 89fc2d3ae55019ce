package cli

import (
	"testing"
)

func TestTheStartLineTellsVersionAndSettings(t *testing.T) {
	t.Parallel()
	s := start(t, "", "--log-level=debug", "--trusted-proxy=10.0.0.0/8", "--cors-origin=https://office.example", "--limit-aliases=0")
	s.says(t, `"msg":"serving","version":"`, `"log-level":"debug"`, `"trusted-proxy":"10.0.0.0/8"`, `"cors-origin":"https://office.example"`, `"database":"sqlite:`, `"limit-depth":"20"`, `"limit-aliases":"0"`, `"limit-budget":"0"`)
}

func TestNoSecretOfAURLIsShown(t *testing.T) {
	t.Parallel()
	for url, want := range map[string]string{
		"postgres://office:secret@db.example:5432/backoffice?sslmode=require&password=secret": "postgres://db.example:5432/backoffice",
		"s3://bucket/prefix?accesskey=secret":                                                 "s3://bucket/prefix",
		"s3://secret:secret@bucket":                                                           "s3://bucket",
		"postgres://office:12/secret@db/x":                                                    "postgres://…",
		"postgres://office:se/cret@db/x":                                                      "postgres://…",
		"postgres://o:secret@a:1,b:2/x":                                                       "postgres://a:1,b:2/x",
		"postgres://office:sec#ret@db/x":                                                      "postgres://…",
		"postgres://db/x?password=secret@x":                                                   "postgres://…",
	} {
		if got := shownURL(url); got != want {
			t.Errorf("%s is shown as %s", url, got)
		}
	}
}
