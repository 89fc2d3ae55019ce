package backoffice

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// NounWebhook names webhooks in the change log. The feed shows nothing of them.
const NounWebhook Noun = "webhook"

const MaxWebhooks = 100

// Webhook is an address to which changes are posted as they come: a place in the change log, and what is on its way
// from there. It sees with the eyes of a credential pair, or with the operator's, but for registration numbers, of
// which it is told nothing.
type Webhook struct {
	ID          string
	ClientID    string // the pair, "" for the operator
	URL         string // https
	Nouns       []Noun // nil: all that may be read but minfin documents
	CreatedAt   Instant
	Secret      []byte // that signs, sealed
	OldSecret   []byte // the one before, sealed, which signs as well until OldSecretEnd; nil for none
	OldSecretTo Instant
	Version     int64 // grows with each act of an operator
	Steps       int64 // grows with each step of a sender
	WebhookProgress
}

// WebhookStop is why nothing is sent to a webhook.
type WebhookStop string

// Why webhooks stop. Only an operator lets them go on, with a rewind.
const (
	WebhookDisabled  WebhookStop = "disabled"
	WebhookGone      WebhookStop = "gone"
	WebhookFailing   WebhookStop = "failing"
	WebhookExpired   WebhookStop = "expired"
	WebhookPairEnded WebhookStop = "pair"
	WebhookNoScope   WebhookStop = "scope"
)

// Sentence says the same to an operator, and what to do; "" for none.
func (s WebhookStop) Sentence() string {
	switch s {
	case "":
		return ""
	case WebhookDisabled:
		return "an operator disabled it; rewind lets it go on"
	case WebhookGone:
		return "the receiver answered 410, which says that it wants no more; rewind lets it go on"
	case WebhookFailing:
		return "no attempt succeeded in three days; mend the receiver, then rewind lets it go on"
	case WebhookExpired:
		return "changes behind its place are not kept any more, or the log is another one, as after the restore of a backup: " +
			"the receiver has to read everything again, then rewind lets it go on"
	case WebhookPairEnded:
		return "its credential pair was revoked or has expired; create another webhook for another pair"
	case WebhookNoScope:
		return "its credential pair may read none of its nouns any more; give it the scope, then rewind lets it go on"
	}
	return "it was stopped by a newer form of this program"
}

// NewWebhook makes a webhook of a pair, of the operator's when that is nil, that begins behind a number of a history.
// Refused, with each fault, when the address, the pair or a noun is none that a webhook can have.
func NewWebhook(
	pair *Credential, address string, nouns []Noun, history string, from int64, now Instant,
) (*Webhook, error) {
	var faults []*UserError
	refuse := func(code UserErrorCode, message, field string) {
		faults = append(faults, &UserError{Code: code, Message: message, Field: []string{field}})
	}
	if err := CheckWebhookURL(address); err != nil {
		refuse(CodeInvalid, err.Error(), "url")
	}
	if pair != nil && !pair.Live(now) {
		refuse(CodeNotAllowed, "the pair is revoked or expired; create a new one", "clientId")
	}
	progress := WebhookProgress{History: history, At: from}
	hook := &Webhook{ID: NewID(), URL: address, CreatedAt: now, WebhookProgress: progress}
	if pair != nil {
		hook.ClientID = pair.ID
	}
	for _, noun := range nouns {
		if slices.Contains(hook.Nouns, noun) {
			continue
		}
		hook.Nouns = append(hook.Nouns, noun)
		if ChangesVisibleTo(readerOfWebhook(pair), []Noun{noun}) == 0 {
			refuse(CodeNotAllowed, "the pair may not read "+noun.APIName()+": "+MissingScope(MinfinRead).Error(), "nouns")
		}
	}
	if len(faults) > 0 {
		return nil, Refuse(faults...)
	}
	return hook, nil
}

const maxWebhookURL = 2048

// CheckWebhookURL reports whether messages can be sent to an address. If not, it is BadInput.
func CheckWebhookURL(text string) error {
	if len(text) > maxWebhookURL {
		return Errorf(BadInput, "a webhook's address has at most %d characters", maxWebhookURL)
	}
	at, err := url.Parse(text)
	if err != nil || at.Opaque != "" || strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r >= 0x7f }) {
		return Errorf(BadInput, "a webhook's address is written as in https://receiver.example/changes, in ASCII")
	}
	switch {
	case at.Scheme != "https":
		return Errorf(BadInput, "a webhook's address begins with https://, since messages go nowhere in clear; for a private certificate give serve SSL_CERT_FILE")
	case at.Hostname() == "" || strings.Contains(at.Host, "%"):
		return Errorf(BadInput, "a webhook's address names a host, as in https://receiver.example/changes")
	case at.User != nil:
		return Errorf(BadInput, "a webhook's address holds no user or password: the receiver knows us by the signature")
	case at.Fragment != "" || strings.HasSuffix(text, "#"):
		return Errorf(BadInput, "a webhook's address has no fragment (#…): it would not be sent")
	}
	if port := at.Port(); port != "" {
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
			return Errorf(BadInput, "a webhook's port is from 1 to 65535")
		}
	}
	return nil
}

// readerOfWebhook is who may read what a webhook is told: its pair, or the operator.
func readerOfWebhook(pair *Credential) *Principal {
	if pair == nil {
		return &Principal{Scopes: AllScopes}
	}
	return pair.Principal("")
}

// Kinds are the kinds of entries that the webhook is told with the scopes of its pair, nil for the operator's. Errors:
// Forbidden when there is none left.
func (w *Webhook) Kinds(pair *Credential) (ChangeKinds, error) {
	nouns := w.Nouns
	if nouns == nil {
		for _, of := range Nouns {
			if of.RequiredScope() == "" {
				nouns = append(nouns, of.Name())
			}
		}
	}
	kinds := ChangesVisibleTo(readerOfWebhook(pair), nouns)
	if kinds == 0 {
		return 0, MissingScope(MinfinRead)
	}
	return kinds &^ numbersKind, nil
}

// State is how the webhook stands, in a word: live, retrying or stopped.
func (w *Webhook) State() string {
	switch {
	case w.Stop != "":
		return "stopped"
	case w.Attempts > 0:
		return "retrying"
	}
	return "live"
}

// Reason says why nothing is sent, and what to do, by a page of the log after its place; "" when something is.
func (w *Webhook) Reason(log *ChangePage) string {
	if w.Stop == "" && log.Expired(w.History, w.At) != nil {
		return WebhookExpired.Sentence() // nobody has tried yet
	}
	return w.Stop.Sentence()
}

// Rewind makes the webhook continue after a number, even if it was stopped. From its current position it continues with
// the message that is on its way. Refused when its pair is revoked or expired.
func (w *Webhook) Rewind(pair *Credential, history string, to int64, now Instant) error {
	if pair != nil && !pair.Live(now) {
		return refused(CodeNotAllowed, "the webhook's credential pair is revoked or expired; create another webhook for another pair")
	}
	if history != w.History || to != w.At {
		w.Withdraw()
	}
	w.History = history
	w.Stop, w.At, w.Attempts, w.Due, w.Failure = "", to, 0, 0, ""
	return nil
}

// Rotate gives the webhook a new secret. The one before signs as well for overlap.
func (w *Webhook) Rotate(sealed []byte, now Instant, overlap time.Duration) {
	w.OldSecret, w.OldSecretTo = nil, 0
	if overlap > 0 {
		w.OldSecret, w.OldSecretTo = w.Secret, InstantOf(now.Time().Add(overlap))
	}
	w.Secret = sealed
}

// WebhookSecretName is under what name a webhook's secrets are sealed.
func WebhookSecretName(id string) string { return "webhook " + id }

// Signing are the sealed secrets that sign at a moment, the newest first.
func (w *Webhook) Signing(now Instant) [][]byte {
	if w.OldSecret == nil || now >= w.OldSecretTo {
		return [][]byte{w.Secret}
	}
	return [][]byte{w.Secret, w.OldSecret}
}

// WaitingSince is since when the message on its way waits to be received, zero for none.
func (w *Webhook) WaitingSince() Instant {
	if w.Message == nil {
		return 0
	}
	return w.Message.MadeAt
}

// NounNames are the nouns that the webhook is told of in the APIs' words, none for all.
func (w *Webhook) NounNames() []string {
	names := make([]string, len(w.Nouns))
	for i, noun := range w.Nouns {
		names[i] = noun.APIName()
	}
	return names
}
