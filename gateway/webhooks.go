package gateway

import "example.org/backoffice/changes/webhooks"

type WebhookSettings struct {
	webhooks.Settings
	Off bool `name:"no-webhooks" env:"BACKOFFICE_NO_WEBHOOKS" help:"Send nothing to webhooks, for a copy of an installation."`
}

// sender posts to webhooks, with metrics; nil when nothing is to be sent.
func (s server) sender(settings WebhookSettings) *webhooks.Sender {
	if settings.Off {
		return nil
	}
	sender := webhooks.NewSender(webhooks.Options{Store: s.backend.Store, Feed: s.feed, Keys: s.backend.Keys,
		Settings: settings.Settings, Log: s.log})
	s.http.Count("backoffice_webhook_messages_total",
		"Webhook messages that this server delivered.", sender.Received)
	s.http.Count("backoffice_webhook_failures_total",
		"Failed attempts of this server to deliver a webhook message.", sender.Failed)
	for state, read := range map[string]func(webhooks.Standing) int64{
		"live":     func(of webhooks.Standing) int64 { return of.Live },
		"retrying": func(of webhooks.Standing) int64 { return of.Retrying },
		"stopped":  func(of webhooks.Standing) int64 { return of.Stopped },
	} {
		s.http.Gauge("backoffice_webhooks", "Webhooks, by state.",
			func() int64 { return read(sender.Standing()) }, "state", state)
	}
	s.http.Gauge("backoffice_webhook_waiting_seconds", "Age of the oldest undelivered webhook message.",
		func() int64 { return int64(sender.Standing().Waiting.Seconds()) })
	return sender
}
