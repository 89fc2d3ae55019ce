package feed

import (
	"strings"
	"testing"
	"time"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/changes/webhooks"
	"example.org/backoffice/gateway/gatewaytest"
)

func TestWebhooksAreMeasuredAndACopyOfAnInstallationSendsNothing(t *testing.T) {
	t.Parallel()
	o := gatewaytest.OpenMeasured(t)
	if strings.Contains(o.Metrics(t), "backoffice_webhook") {
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
	c := gatewaytest.Measured(t, gatewaytest.Config(gatewaytest.Limits()))
	c.Webhooks.Off = false
	o = gatewaytest.ServeOpen(t, o.Backend, c)
	o.Write(t, o.Credential(t, backoffice.AllScopes...), `mutation { createLabel(input: {name: "told"}) { userErrors { code } } }`)
	want := []string{
		"backoffice_webhook_failures_total 2", "backoffice_webhook_messages_total 0", `backoffice_webhooks{state="live"} 0`,
		`backoffice_webhooks{state="retrying"} 2`, `backoffice_webhooks{state="stopped"} 1`,
	}
	for until := time.Now().Add(20 * time.Second); len(want) > 0; time.Sleep(50 * time.Millisecond) {
		text, missing := o.Metrics(t), want[:0:0]
		for _, line := range want {
			if !strings.Contains(text, line+"\n") {
				missing = append(missing, line)
			}
		}
		if want = missing; time.Now().After(until) {
			t.Fatalf("missing: %q", want)
		}
	}
}
