package gateway

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/changes/webhooks"
	"example.org/backoffice/web/graphiql"
)

func TestWebhooksAreMeasuredAndACopyOfAnInstallationSendsNothing(t *testing.T) {
	t.Parallel()
	o := openOffice(t)
	s, end, err := newServer(o.Backend, quiet(unhurried()), graphiql.Real)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(end)
	if s.sender(WebhookSettings{Off: true}) != nil {
		t.Error("with --no-webhooks something is sent")
	}
	for range 2 { // to nobody: it is refused as private
		if _, _, err := webhooks.Create(t.Context(), o.Store, o.Keys, webhooks.Draft{URL: "https://127.0.0.1:1/"}); err != nil {
			t.Fatal(err)
		}
	}
	stopped, _, err := webhooks.Create(t.Context(), o.Store, o.Keys, webhooks.Draft{URL: "https://127.0.0.1:1/"})
	if err == nil {
		err = webhooks.Disable(t.Context(), o.Store, stopped.ID)
	}
	if err != nil {
		t.Fatal(err)
	}
	sender := s.sender(WebhookSettings{})
	running, stop := context.WithCancel(t.Context())
	defer stop()
	ended := make(chan struct{})
	go func() { sender.Run(running); close(ended) }()
	o.write(t, o.pair(t, backoffice.AllScopes...), `mutation { createLabel(input: {name: "told"}) { userErrors { code } } }`)
	want := []string{
		"backoffice_webhook_failures_total 2", "backoffice_webhook_messages_total 0", `backoffice_webhooks{state="live"} 0`,
		`backoffice_webhooks{state="retrying"} 2`, `backoffice_webhooks{state="stopped"} 1`,
	}
	for until := time.Now().Add(20 * time.Second); len(want) > 0; time.Sleep(50 * time.Millisecond) {
		w := httptest.NewRecorder()
		s.http.Metrics().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
		missing := want[:0:0]
		for _, line := range want {
			if !strings.Contains(w.Body.String(), line+"\n") {
				missing = append(missing, line)
			}
		}
		if want = missing; time.Now().After(until) {
			t.Fatalf("missing: %q", want)
		}
	}
	stop()
	<-ended
}
