package main

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/graphiql"
	"example.org/backoffice/limits"
	"example.org/backoffice/process"
)

func TestTheStartLineTellsVersionAndSettings(t *testing.T) {
	t.Parallel()
	s := start(t, "", "--log-level=debug", "--trusted-proxy=10.0.0.0/8", "--cors-origin=https://office.example")
	s.says(t, `"msg":"serving","version":"`, `"log-level":"debug"`, `"trusted-proxy":"10.0.0.0/8"`, `"cors-origin":"https://office.example"`, `"database":"sqlite:`, `"limit-depth":"20"`)
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

func TestFailedSignInsEntriesAndConnectionsAreMeasured(t *testing.T) {
	t.Parallel()
	o := openOffice(t)
	authenticator := o.authenticator()
	t.Cleanup(authenticator.Close)
	quiet := slog.New(slog.DiscardHandler)
	p := newProcess(o.house, process.Settings{}, limits.Defaults(), quiet)
	o.handler = gateway{o.house, p, limits.Defaults(), authenticator, nil, quiet, graphiql.Real}.handler()
	pair := o.pair(t, backoffice.PrivacyRead)
	o.send(t, pair, http.MethodGet, "/customers", "")
	o.send(t, [2]string{pair[0], "wrong"}, http.MethodGet, "/customers", "")
	w := httptest.NewRecorder()
	p.Metrics().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	text := w.Body.String()
	for _, line := range []string{
		"backoffice_sign_ins_failed_total 1", "backoffice_consultations_failed_total 0", "backoffice_admission_waiting 0",
		`backoffice_store_connections_in_use{pool="read"} 0`, `backoffice_store_connections_waited_for{pool="write"} 0`,
	} {
		if !strings.Contains(text, line+"\n") {
			t.Errorf("missing: %s", line)
		}
	}
	if strings.Contains(text, "backoffice_consultations_total 0\n") || !strings.Contains(text, "backoffice_consultations_total ") {
		t.Error("no entries are counted")
	}
}
