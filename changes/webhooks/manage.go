package webhooks

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"time"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/privacy"
)

type Draft struct {
	ClientID string // the credential whose scopes decide which changes it gets, "" for the operator
	URL      string
	Nouns    []backoffice.Noun // nil for all that the credential may read but minfin documents
	From     string            // the cursor after which it begins, "" for the end of the log
}

const (
	secretSize   = 32 // bytes
	secretPrefix = "whsec_"
)

// Create creates a webhook and returns it with its secret, which cannot be shown again. Errors: NotFound for an unknown
// credential, Refused for an address, noun or credential that a webhook cannot have, BadInput for a malformed cursor,
// CursorExpired for one whose changes the log no longer has.
func Create(ctx context.Context, store backoffice.Store, keys *privacy.Keyset,
	draft Draft) (hook *backoffice.Webhook, secret string, err error) {
	by, err := credentialOf(ctx, store, draft.ClientID)
	if err != nil {
		return nil, "", err
	}
	history, from, err := placeOf(ctx, store, draft.From)
	if err != nil {
		return nil, "", err
	}
	hook, err = backoffice.NewWebhook(by, draft.URL, draft.Nouns, history, from, backoffice.InstantOf(time.Now()))
	if err != nil {
		return nil, "", err
	}
	others, err := store.Webhooks(ctx)
	if err != nil {
		return nil, "", err
	}
	if len(others) >= backoffice.MaxWebhooks {
		return nil, "", backoffice.Refuse(&backoffice.UserError{Code: backoffice.CodeNotAllowed,
			Message: "the maximum number of webhooks is reached; delete one"})
	}
	if secret, hook.Secret, err = newSecret(keys, hook.ID); err != nil {
		return nil, "", err
	}
	return hook, secret, store.CreateWebhook(ctx, hook)
}

func newSecret(keys *privacy.Keyset, id string) (secret string, sealed []byte, err error) {
	random := make([]byte, secretSize)
	_, _ = rand.Read(random) // never fails: the runtime stops the program instead
	sealed, err = keys.SealSecret(backoffice.WebhookSecretName(id), random)
	return secretPrefix + base64.StdEncoding.EncodeToString(random), sealed, err
}

// nameOf is the name of the lease to send to a webhook.
func nameOf(id string) string { return "webhook " + id }

// credentialOf is a webhook's credential, nil for the operator's.
func credentialOf(ctx context.Context, store backoffice.CredentialStore, id string) (*backoffice.Credential, error) {
	if id == "" {
		return nil, nil
	}
	return store.Credential(ctx, id)
}

// placeOf parses a cursor and checks that the log still has what follows; without one it is the end of the log.
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

// Rotate gives a webhook a new secret and returns it; the old one keeps signing for overlap. Errors: NotFound.
func Rotate(ctx context.Context, store backoffice.Store, keys *privacy.Keyset, id string,
	overlap time.Duration) (secret string, err error) {
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

// Rewind makes a webhook continue after a cursor, even a stopped one. Errors: NotFound, BadInput for a malformed
// cursor, CursorExpired when the log no longer has the changes, Refused when its credential has ended.
func Rewind(ctx context.Context, store backoffice.Store, id, to string) error {
	hook, err := store.Webhook(ctx, id)
	if err != nil {
		return err
	}
	credential, err := credentialOf(ctx, store, hook.ClientID)
	if err != nil {
		return err
	}
	history, at, err := placeOf(ctx, store, to)
	if err != nil {
		return err
	}
	now := backoffice.InstantOf(time.Now())
	return store.UpdateWebhook(ctx, id, "webhooks rewind", now,
		func(hook *backoffice.Webhook) error { return hook.Rewind(credential, history, at, now) })
}

// Disable stops a webhook until it is rewound. Errors: NotFound.
func Disable(ctx context.Context, store backoffice.Store, id string) error {
	now := backoffice.InstantOf(time.Now())
	return store.UpdateWebhook(ctx, id, "webhooks disable", now, func(hook *backoffice.Webhook) error {
		hook.Stop = backoffice.WebhookDisabled
		return nil
	})
}

// Delete removes a webhook. Errors: NotFound.
func Delete(ctx context.Context, store backoffice.Store, id string) error {
	return store.DeleteWebhook(ctx, id, backoffice.InstantOf(time.Now()))
}

// Ping posts a message of the type ping to a webhook, stopped or not, and waits for the answer. Errors: NotFound.
func Ping(ctx context.Context, store backoffice.WebhookStore, keys *privacy.Keyset, settings Settings,
	id string) (Answer, error) {
	hook, err := store.Webhook(ctx, id)
	if err != nil {
		return Answer{}, err
	}
	now := time.Now()
	client := newClient(settings, keys)
	defer client.close()
	return client.post(ctx, hook, hook.ID+"_"+backoffice.NewID(), pingMessage(hook, now), now)
}
