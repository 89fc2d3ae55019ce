package webhooks

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"time"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/privacy"
)

// Draft is a webhook that is to be made.
type Draft struct {
	ClientID string // the pair with whose scopes it is told of changes, "" for the operator
	URL      string
	Nouns    []backoffice.Noun // nil for all that the pair may read but minfin documents
	From     string            // the cursor behind which it begins, "" for the end of the log
}

const (
	secretSize   = 32 // bytes
	secretPrefix = "whsec_"
)

// Create makes a webhook and returns it with its secret, which cannot be seen again. Errors: NotFound for an unknown
// pair, Refused for an address, noun or pair that a webhook cannot have, BadInput for what is no cursor, CursorExpired
// for one from which the log cannot be told.
func Create(ctx context.Context, store backoffice.Store, keys *privacy.Keyset, draft Draft) (hook *backoffice.Webhook, secret string, err error) {
	pair, err := pairOf(ctx, store, draft.ClientID)
	if err != nil {
		return nil, "", err
	}
	history, from, err := placeOf(ctx, store, draft.From)
	if err != nil {
		return nil, "", err
	}
	hook, err = backoffice.NewWebhook(pair, draft.URL, draft.Nouns, history, from, backoffice.InstantOf(time.Now()))
	if err != nil {
		return nil, "", err
	}
	others, err := store.Webhooks(ctx)
	if err != nil {
		return nil, "", err
	}
	if len(others) >= backoffice.MaxWebhooks {
		return nil, "", backoffice.Refuse(&backoffice.UserError{Code: backoffice.CodeNotAllowed, Message: "there are as many webhooks as there may be; delete one"})
	}
	if secret, hook.Secret, err = newSecret(keys, hook.ID); err != nil {
		return nil, "", err
	}
	return hook, secret, store.CreateWebhook(ctx, hook)
}

// newSecret makes a secret, in clear as a receiver has it, and sealed.
func newSecret(keys *privacy.Keyset, id string) (secret string, sealed []byte, err error) {
	random := make([]byte, secretSize)
	_, _ = rand.Read(random) // never fails: the runtime stops the program instead
	sealed, err = keys.SealSecret(backoffice.WebhookSecretName(id), random)
	return secretPrefix + base64.StdEncoding.EncodeToString(random), sealed, err
}

// nameOf is the lease to send to a webhook.
func nameOf(id string) string { return "webhook " + id }

// pairOf is a webhook's pair, nil for the operator's.
func pairOf(ctx context.Context, store backoffice.CredentialStore, clientID string) (*backoffice.Credential, error) {
	if clientID == "" {
		return nil, nil
	}
	return store.Credential(ctx, clientID)
}

// placeOf is where a cursor is, from which on the log can be told: the end of it when none is given.
func placeOf(ctx context.Context, store backoffice.Store, cursor string) (history string, after int64, err error) {
	q := backoffice.ChangeQuery{After: backoffice.FromOldest}
	if cursor != "" {
		if q.History, q.After, err = backoffice.ParseChangeCursor(cursor); err != nil {
			return "", 0, err
		}
	}
	page, err := backoffice.ReadChangePage(ctx, store, q)
	switch {
	case err != nil:
		return "", 0, err
	case cursor == "":
		return page.History, page.Latest, nil
	}
	return q.History, q.After, nil
}

// Rotate gives a webhook a new secret and returns it; the one before signs as well for overlap. NotFound for an
// unknown one.
func Rotate(ctx context.Context, store backoffice.Store, keys *privacy.Keyset, id string, overlap time.Duration) (secret string, err error) {
	secret, sealed, err := newSecret(keys, id)
	if err != nil {
		return "", err
	}
	now := backoffice.InstantOf(time.Now())
	err = store.UpdateWebhook(ctx, id, "webhooks rotate", now, func(hook *backoffice.Webhook) error {
		hook.Rotate(sealed, now, overlap)
		return nil
	})
	return secret, err
}

// Rewind has a webhook go on behind a cursor, also one that was stopped. Errors: NotFound for an unknown one, BadInput
// for what is no cursor, CursorExpired when the log cannot be told from there on, Refused when its pair has ended.
func Rewind(ctx context.Context, store backoffice.Store, id, to string) error {
	hook, err := store.Webhook(ctx, id)
	if err != nil {
		return err
	}
	pair, err := pairOf(ctx, store, hook.ClientID)
	if err != nil {
		return err
	}
	history, at, err := placeOf(ctx, store, to)
	if err != nil {
		return err
	}
	now := backoffice.InstantOf(time.Now())
	return store.UpdateWebhook(ctx, id, "webhooks rewind", now, func(hook *backoffice.Webhook) error { return hook.Rewind(pair, history, at, now) })
}

// Disable stops a webhook until it is rewound. NotFound for an unknown one.
func Disable(ctx context.Context, store backoffice.Store, id string) error {
	return store.UpdateWebhook(ctx, id, "webhooks disable", backoffice.InstantOf(time.Now()), func(hook *backoffice.Webhook) error {
		hook.Stop = backoffice.WebhookDisabled
		return nil
	})
}

// Delete removes a webhook. NotFound for an unknown one.
func Delete(ctx context.Context, store backoffice.Store, id string) error {
	return store.DeleteWebhook(ctx, id, backoffice.InstantOf(time.Now()))
}

// Ping posts a message of the type ping to a webhook, stopped or not, and waits for the answer. Nothing else changes
// by it. NotFound for an unknown one.
func Ping(ctx context.Context, store backoffice.WebhookStore, keys *privacy.Keyset, settings Settings, id string) (Answer, error) {
	hook, err := store.Webhook(ctx, id)
	if err != nil {
		return Answer{}, err
	}
	now := time.Now()
	client := newClient(settings, keys)
	defer client.close()
	return client.post(ctx, hook, hook.ID+"_"+backoffice.NewID(), pingMessage(hook, now), now)
}
