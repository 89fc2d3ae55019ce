package webhooks

import (
	"encoding/json"
	"time"

	"example.org/backoffice/backoffice"
)

// message is the body of a post, by Standard Webhooks. It is thin: the receiver reads the records by the APIs.
type message struct {
	Type      string             `json:"type"`
	Timestamp backoffice.Instant `json:"timestamp"` // of the message; that of an attempt is in a header
	Data      any                `json:"data"`
}

// toldChanges are all changes after one cursor, up to another, that the webhook gets.
type toldChanges struct {
	After   string       `json:"after"`
	Through string       `json:"through"`
	Changes []toldChange `json:"changes"`
}

type toldChange struct {
	Sequence int                `json:"sequence"`
	At       backoffice.Instant `json:"at"`
	Noun     string             `json:"noun"`
	ID       *string            `json:"id"`
	Action   string             `json:"action"`
}

// changesMessage makes the message of changes after a number of a history. Every attempt sends the same body.
func changesMessage(history string, after int64, changes []*backoffice.VisibleChange,
	now time.Time) (*backoffice.WebhookMessage, error) {
	m := backoffice.NewWebhookMessage(changes, backoffice.InstantOf(now))
	all := toldChanges{backoffice.ChangeCursor(history, after), backoffice.ChangeCursor(history, m.Through), nil}
	for _, c := range changes {
		all.Changes = append(all.Changes, toldChange{c.Sequence, c.At, c.Noun.APIName(), c.Named(), c.Action.APIName()})
	}
	body, err := json.Marshal(message{"changes", m.MadeAt, all})
	if err != nil {
		return nil, backoffice.Fault(err, "writing a webhook's message")
	}
	m.Body = body
	return m, nil
}

// pingMessage is the body of a message without changes. Its texts cannot fail to encode.
func pingMessage(hook *backoffice.Webhook, now time.Time) []byte {
	body, _ := json.Marshal(message{"ping", backoffice.InstantOf(now), map[string]string{"webhook": hook.ID}})
	return body
}
