package backoffice

import (
	"context"
	"fmt"
	"slices"
	"time"
)

type WebhookProgress struct {
	Stop        WebhookStop     // why nothing is sent, "" when it is sent
	History     string          // of the log, which At belongs to
	At          int64           // every change up to this number was received, or is not for the webhook
	Message     *WebhookMessage // the pending one, nil for none
	Attempts    int             // failed ones of Message
	Due         Instant         // of the next attempt; zero: at once
	Failure     string          // of the last attempt, a sentence; "" when it succeeded
	TriedAt     Instant         // the last attempt, zero for never
	DeliveredAt Instant         // the last success, zero for never
}

// WebhookMessage is sent until it is received.
type WebhookMessage struct {
	Through int64  // the number of its last change
	Nouns   []Noun // of its changes
	MadeAt  Instant
	Body    []byte // nil when webhooks are listed
}

// MessageID identifies the pending message by webhook, number and time. After a rewind or the restore of a backup a
// number can come again, with other changes.
func (w *Webhook) MessageID() string {
	return fmt.Sprintf("%s_%d_%d", w.ID, w.Message.Through, w.Message.MadeAt)
}

// May reports whether the pending message has only changes that the webhook may get.
func (w *Webhook) May(kinds ChangeKinds) bool {
	return !slices.ContainsFunc(w.Message.Nouns, func(noun Noun) bool { return kindOf(noun)&kinds == 0 })
}

// Withdraw drops the pending message. The next one starts at the same position.
func (w *Webhook) Withdraw()               { w.Begin(nil) }
func (w *Webhook) Begin(m *WebhookMessage) { w.Message, w.Attempts, w.Due = m, 0, 0 }

func (w *Webhook) Received(now Instant) {
	w.At = w.Message.Through
	w.Message, w.Attempts, w.Due = nil, 0, 0
	w.Failure, w.TriedAt, w.DeliveredAt = "", now, now
}

// webhookRetries are the delays after each failed attempt, as in Standard Webhooks.
var webhookRetries = []time.Duration{
	5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour,
	10 * time.Hour, 14 * time.Hour, 20 * time.Hour, 24 * time.Hour,
}

// maxRetryAfter is the longest delay that a receiver can ask for.
const maxRetryAfter = 24 * time.Hour

// Failed records a failed attempt and schedules the next one, not before the receiver wants it. jitter, from 0 to 1,
// adds up to a tenth to the delay, so that not all retry at once. After the last attempt the webhook stops.
func (w *Webhook) Failed(now Instant, failure string, retryAfter time.Duration, jitter float64) {
	w.Failure, w.TriedAt = failure, now
	if w.Attempts++; w.Attempts > len(webhookRetries) {
		w.Stop = WebhookFailing
		return
	}
	wait := webhookRetries[w.Attempts-1]
	wait = max(wait+time.Duration(float64(wait)*jitter/10), min(retryAfter, maxRetryAfter))
	w.Due = InstantOf(now.Time().Add(wait))
}

// IsDue reports whether the next attempt may be made: an attempt well in the future was scheduled by a clock that was
// ahead. Clocks differ a little, as each is estimated from the store's.
func (w *Webhook) IsDue(now Instant) bool { return w.Due <= now || w.TriedAt > now+clocksDiffer }

const clocksDiffer Instant = 60_000 // milliseconds

// Refused stops the webhook: the receiver wants no more.
func (w *Webhook) Refused(now Instant, failure string) {
	w.Failure, w.TriedAt, w.Stop = failure, now, WebhookGone
	w.Attempts++
}

// WebhookStore reads from and writes to the primary. What it returns belongs to the caller.
type WebhookStore interface {
	// CreateWebhook adds a webhook and logs that in the change log. NotFound when its credential is unknown.
	CreateWebhook(ctx context.Context, w *Webhook) error
	// Webhooks returns every webhook, ordered by identifier, in one statement. Their messages have no Body.
	Webhooks(ctx context.Context) ([]*Webhook, error)
	// Webhook returns one with its message. NotFound when it is unknown.
	Webhook(ctx context.Context, id string) (*Webhook, error)
	// UpdateWebhook lets change alter a webhook for an act of an operator, such as "webhooks rewind". It stores all but
	// ID, ClientID, CreatedAt and Steps, with a new Version, and logs the act, in one transaction that no other update
	// overlaps. change may run again. Its error is returned, and nothing is stored then. NotFound when it is unknown.
	UpdateWebhook(ctx context.Context, id, act string, now Instant, change func(*Webhook) error) error
	// StepWebhook stores the progress of a webhook and raises Steps, unless an operator or another sender has changed
	// the webhook since it was read: then done is false.
	StepWebhook(ctx context.Context, w *Webhook) (done bool, err error)
	// DeleteWebhook removes a webhook and logs that in the change log. NotFound when it is unknown.
	DeleteWebhook(ctx context.Context, id string, now Instant) error
}

// NewWebhookMessage makes a message of at least one change, without its body.
func NewWebhookMessage(changes []*VisibleChange, now Instant) *WebhookMessage {
	m := &WebhookMessage{Through: int64(changes[len(changes)-1].Sequence), MadeAt: now}
	for _, c := range changes {
		if !slices.Contains(m.Nouns, c.Noun) {
			m.Nouns = append(m.Nouns, c.Noun)
		}
	}
	return m
}
