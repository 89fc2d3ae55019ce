package backoffice

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// NounWebhook names webhooks in the change log. The feed never shows them.
const NounWebhook Noun = "webhook"

const MaxWebhooks = 100

// Webhook posts changes to an address as they come. It has a position in the change log and a pending message. It gets
// what its credential, or the operator, may see, without changes of registration numbers.
type Webhook struct {
	ID          string
	ClientID    string // the credential's, "" for the operator
	URL         string // https
	Nouns       []Noun // nil: all but minfin documents
	CreatedAt   Instant
	Secret      []byte // sealed; signs
	OldSecret   []byte // the previous one, sealed; signs too, until OldSecretTo; nil for none
	OldSecretTo Instant
	Version     int64 // grows with each act of an operator
	Steps       int64 // grows with each step of a sender
	WebhookProgress
}

// WebhookStop is why nothing is sent to a webhook.
type WebhookStop string

// Only an operator can resume a stopped webhook, with a rewind.
const (
	WebhookDisabled        WebhookStop = "disabled"
	WebhookGone            WebhookStop = "gone"
	WebhookFailing         WebhookStop = "failing"
	WebhookExpired         WebhookStop = "expired"
	WebhookCredentialEnded WebhookStop = "pair"
	WebhookNoScope         WebhookStop = "scope"
)

// Sentence explains the stop to an operator, and what to do; "" for none.
func (s WebhookStop) Sentence() string {
	switch s {
	case "":
		return ""
	case WebhookDisabled:
		return "an operator disabled it; rewind resumes it"
	case WebhookGone:
		return "the receiver answered 410 (gone); rewind resumes it"
	case WebhookFailing:
		return "no attempt succeeded in three days; fix the receiver, then rewind resumes it"
	case WebhookExpired:
		return "changes after its position are no longer retained, or the log was replaced, for example by a restore " +
			"of a backup: the receiver must read everything again, then rewind resumes it"
	case WebhookCredentialEnded:
		return "its credential was revoked or has expired; create another webhook for another credential"
	case WebhookNoScope:
		return "its credential may no longer read any of its nouns; add the scope, then rewind resumes it"
	}
	return "it was stopped by a newer version of this program"
}

// NewWebhook makes a webhook of a credential (nil: the operator's) that begins after a sequence number of a history.
// Refused, with each fault, for an invalid address, an ended credential, and a noun that it may not read.
func NewWebhook(
	credential *Credential, address string, nouns []Noun, history string, from int64, now Instant,
) (*Webhook, error) {
	var faults []*UserError
	refuse := func(code UserErrorCode, message, field string) {
		faults = append(faults, &UserError{Code: code, Message: message, Field: []string{field}})
	}
	if err := CheckWebhookURL(address); err != nil {
		refuse(CodeInvalid, err.Error(), "url")
	}
	if credential != nil && !credential.Live(now) {
		refuse(CodeNotAllowed, "the credential is revoked or expired; create a new one", "clientId")
	}
	progress := WebhookProgress{History: history, At: from}
	hook := &Webhook{ID: NewID(), URL: address, CreatedAt: now, WebhookProgress: progress}
	if credential != nil {
		hook.ClientID = credential.ID
	}
	for _, noun := range nouns {
		if slices.Contains(hook.Nouns, noun) {
			continue
		}
		hook.Nouns = append(hook.Nouns, noun)
		if by := readerOfWebhook(credential); ChangesVisibleTo(by, []Noun{noun}) == 0 {
			why := "it is restricted to some customers"
			if !by.HasRequired(noun.RequiredScope()) {
				why = MissingScope(noun.RequiredScope()).Error()
			}
			refuse(CodeNotAllowed, "the credential may not read "+noun.APIName()+": "+why, "nouns")
		}
	}
	if len(faults) > 0 {
		return nil, Refuse(faults...)
	}
	return hook, nil
}

const maxWebhookURL = 2048

// CheckWebhookURL returns BadInput for an address to which no message can be sent.
func CheckWebhookURL(text string) error {
	if len(text) > maxWebhookURL {
		return Errorf(BadInput, "a webhook's URL has at most %d characters", maxWebhookURL)
	}
	at, err := url.Parse(text)
	if err != nil || at.Opaque != "" || strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r >= 0x7f }) {
		return Errorf(BadInput, "a webhook's URL must look like https://receiver.example/changes, in ASCII")
	}
	switch {
	case at.Scheme != "https":
		return Errorf(BadInput, "a webhook's URL must start with https://; for a private certificate set SSL_CERT_FILE for serve")
	case at.Hostname() == "" || strings.Contains(at.Host, "%"):
		return Errorf(BadInput, "a webhook's URL must have a host, as in https://receiver.example/changes")
	case at.User != nil:
		return Errorf(BadInput, "a webhook's URL cannot have a user or password: the receiver checks the signature")
	case at.Fragment != "" || strings.HasSuffix(text, "#"):
		return Errorf(BadInput, "a webhook's URL cannot have a fragment (#…): it would not be sent")
	}
	if port := at.Port(); port != "" {
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
			return Errorf(BadInput, "a webhook's port must be 1 to 65535")
		}
	}
	return nil
}

// readerOfWebhook is the principal whose rights a webhook has.
func readerOfWebhook(credential *Credential) *Principal {
	if credential == nil {
		return &Principal{Scopes: AllScopes}
	}
	return credential.Principal("")
}

// Kinds returns the kinds of entries that the credential's scopes allow (nil: the operator's). Forbidden when none is.
func (w *Webhook) Kinds(credential *Credential) (ChangeKinds, error) {
	nouns := w.Nouns
	if nouns == nil {
		for _, of := range Nouns {
			if of.RequiredScope() == "" {
				nouns = append(nouns, of.Name())
			}
		}
	}
	kinds := ChangesVisibleTo(readerOfWebhook(credential), nouns)
	if kinds == 0 {
		return 0, MissingScope(MinfinRead)
	}
	return kinds &^ numbersKind, nil
}

// State is live, retrying or stopped.
func (w *Webhook) State() string {
	switch {
	case w.Stop != "":
		return "stopped"
	case w.Attempts > 0:
		return "retrying"
	}
	return "live"
}

// Reason explains why nothing is sent, and what to do; "" when it is sent. log is a page after the webhook's position.
func (w *Webhook) Reason(log *ChangePage) string {
	if w.Stop == "" && log.Expired(w.History, w.At) != nil {
		return WebhookExpired.Sentence() // no sender has tried yet
	}
	return w.Stop.Sentence()
}

// Rewind makes the webhook continue after a sequence number, even if it was stopped. From its current position it
// continues with the pending message. Refused when its credential is revoked or expired.
func (w *Webhook) Rewind(credential *Credential, history string, to int64, now Instant) error {
	if credential != nil && !credential.Live(now) {
		return refused(CodeNotAllowed, "the webhook's credential is revoked or expired; create another webhook for another credential")
	}
	if history != w.History || to != w.At {
		w.Withdraw()
	}
	w.History = history
	w.Stop, w.At, w.Attempts, w.Due, w.Failure = "", to, 0, 0, ""
	return nil
}

// Rotate gives the webhook a new secret. The old one keeps signing for overlap.
func (w *Webhook) Rotate(sealed []byte, now Instant, overlap time.Duration) {
	w.OldSecret, w.OldSecretTo = nil, 0
	if overlap > 0 {
		w.OldSecret, w.OldSecretTo = w.Secret, InstantOf(now.Time().Add(overlap))
	}
	w.Secret = sealed
}

// WebhookSecretName is the name under which a webhook's secrets are sealed.
func WebhookSecretName(id string) string { return "webhook " + id }

// Signing returns the sealed secrets that sign now, the newest first.
func (w *Webhook) Signing(now Instant) [][]byte {
	if w.OldSecret == nil || now >= w.OldSecretTo {
		return [][]byte{w.Secret}
	}
	return [][]byte{w.Secret, w.OldSecret}
}

// WaitingSince is when the pending message was made, zero for none.
func (w *Webhook) WaitingSince() Instant {
	if w.Message == nil {
		return 0
	}
	return w.Message.MadeAt
}

// NounNames are the webhook's nouns by their API names, none for all.
func (w *Webhook) NounNames() []string {
	return Map(w.Nouns, Noun.APIName)
}
