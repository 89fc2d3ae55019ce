package backoffice

import (
	"context"
	"fmt"
	"slices"
	"time"
)

type WebhookProgress struct {
	Stop        WebhookStop     // why nothing is sent, "" when something is
	History     string          // of the log, in which
	At          int64           // all up to this number was received, or is nothing that the webhook is told
	Message     *WebhookMessage // that is on its way, nil for none
	Attempts    int             // of it that have failed
	Due         Instant         // when the next attempt is; zero: at once
	Failure     string          // what came of the last attempt, "" when it was received
	TriedAt     Instant         // when that was, zero for never
	DeliveredAt Instant         // when a message was received last, zero for never
}

// WebhookMessage is what is sent, again and again if need be, until it is received.
type WebhookMessage struct {
	Through int64  // the number up to which it tells
	Nouns   []Noun // that it tells of
	MadeAt  Instant
	Body    []byte // nil when webhooks are listed
}

// MessageID is the identifier of the message that is on its way: the webhook, the number up to which it tells, and
// when it was made. For numbers may come again, after a rewind or the restore of a backup, and then tell something
// else.
func (w *Webhook) MessageID() string {
	return fmt.Sprintf("%s_%d_%d", w.ID, w.Message.Through, w.Message.MadeAt)
}

// May reports whether the message on its way tells only of what the webhook may be told.
func (w *Webhook) May(kinds ChangeKinds) bool {
	return !slices.ContainsFunc(w.Message.Nouns, func(noun Noun) bool { return kindOf(noun)&kinds == 0 })
}

// Withdraw forgets the message on its way, as if it had never been made: another one goes on from the same place.
func (w *Webhook) Withdraw()               { w.Begin(nil) }
func (w *Webhook) Begin(m *WebhookMessage) { w.Message, w.Attempts, w.Due = m, 0, 0 }

func (w *Webhook) Received(now Instant) {
	w.At = w.Message.Through
	w.Message, w.Attempts, w.Due = nil, 0, 0
	w.Failure, w.TriedAt, w.DeliveredAt = "", now, now
}

// webhookRetries are how long it is from each failed attempt to the next one, as Standard Webhooks has it.
var webhookRetries = []time.Duration{
	5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour,
	10 * time.Hour, 14 * time.Hour, 20 * time.Hour, 24 * time.Hour,
}

// maxRetryAfter is the longest wait that a receiver may ask for.
const maxRetryAfter = 24 * time.Hour

// Failed notes that an attempt failed, in a sentence, and when the next one is: not before the receiver wants it, and
// up to a tenth later than the schedule says, by jitter, which is from 0 to 1, so that not all come at once when a
// receiver is back. After the last attempt the webhook stops.
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

// Refused notes that the receiver wants no more.
func (w *Webhook) Refused(now Instant, failure string) {
	w.Failure, w.TriedAt, w.Stop = failure, now, WebhookGone
	w.Attempts++
}

// WebhookStore keeps the webhooks. It reads from and writes to the primary. What it returns belongs to the caller.
type WebhookStore interface {
	// CreateWebhook adds a webhook and notes in the change log that it was made.
	CreateWebhook(ctx context.Context, w *Webhook) error
	// Webhooks returns every webhook, ordered by identifier, in one statement. Their messages have no Body.
	Webhooks(ctx context.Context) ([]*Webhook, error)
	// Webhook returns one with its message. NotFound when it is unknown.
	Webhook(ctx context.Context, id string) (*Webhook, error)
	// UpdateWebhook reads a webhook, lets an operator's act alter it and stores all of it but ID, ClientID, CreatedAt
	// and Steps, with another Version, in one transaction that no other update of it overlaps; the act, such as
	// "webhooks rewind", is noted in the change log. change may run again. When it returns an error nothing is stored
	// and that error is returned. NotFound when it is unknown.
	UpdateWebhook(ctx context.Context, id, act string, now Instant, change func(*Webhook) error) error
	// StepWebhook stores the progress of a webhook, unless an operator or another sender has altered it since it was
	// read: then it is not done. Steps is the next one's when it was.
	StepWebhook(ctx context.Context, w *Webhook) (done bool, err error)
	// DeleteWebhook removes a webhook, which the change log notes. NotFound when it is unknown.
	DeleteWebhook(ctx context.Context, id string, now Instant) error
}

// NewWebhookMessage makes a message of changes, at least one; its body is to be set.
func NewWebhookMessage(changes []*VisibleChange, now Instant) *WebhookMessage {
	m := &WebhookMessage{Through: int64(changes[len(changes)-1].Sequence), MadeAt: now}
	for _, c := range changes {
		if !slices.Contains(m.Nouns, c.Noun) {
			m.Nouns = append(m.Nouns, c.Noun)
		}
	}
	return m
}
