package auth

import (
	"context"
	"time"

	"example.org/backoffice/backoffice"
)

// Issue creates a credential and returns it with its secret, which is shown only once. Zero expires: never. Running
// servers know it within 5 seconds. Refused when backoffice.NewCredential rejects name, scopes or expiry.
func Issue(ctx context.Context, store backoffice.CredentialStore, name string, scopes []backoffice.Scope,
	expires backoffice.Instant) (credential *backoffice.Credential, secret string, err error) {
	now := backoffice.InstantOf(time.Now())
	if credential, err = backoffice.NewCredential(backoffice.NewID(), name, scopes, now, expires); err != nil {
		return nil, "", err
	}
	if secret, err = Create(ctx, store, credential, now); err != nil {
		return nil, "", err
	}
	return credential, secret, nil
}

// Create gives a new credential its secret, stores it and returns the secret. Refused when it is not live.
func Create(ctx context.Context, store backoffice.CredentialStore, credential *backoffice.Credential,
	now backoffice.Instant) (secret string, err error) {
	secret, sum := newSecret()
	if err := credential.Rotate(sum[:], now, 0); err != nil {
		return "", err
	}
	if err := store.CreateCredential(ctx, credential); err != nil {
		return "", err
	}
	return secret, nil
}

// Rotate gives a credential a new secret and returns it; the previous one stays live for overlap, an older one ends.
// Running servers know it within 5 seconds. NotFound for an unknown client id; Refused for a revoked or expired one.
func Rotate(ctx context.Context, store backoffice.CredentialStore, clientID string, overlap time.Duration,
) (secret string, err error) {
	secret, sum := newSecret()
	err = Change(ctx, store, clientID, func(credential *backoffice.Credential, now backoffice.Instant) error {
		return credential.Rotate(sum[:], now, overlap)
	})
	if err != nil {
		return "", err
	}
	return secret, nil
}

// Revoke ends a credential and its secrets for good, everywhere within 5 seconds, or changes nothing (NotFound).
func Revoke(ctx context.Context, store backoffice.CredentialStore, clientID string) error {
	return Change(ctx, store, clientID, func(credential *backoffice.Credential, now backoffice.Instant) error {
		credential.Revoke(now)
		return nil
	})
}

// Change applies change to a credential and stores the result, or nothing if it returns an error; it may run again.
// Running servers obey within 5 seconds, also for open requests. NotFound for an unknown client id.
func Change(ctx context.Context, store backoffice.CredentialStore, clientID string,
	change func(credential *backoffice.Credential, now backoffice.Instant) error) error {
	return store.UpdateCredential(ctx, clientID, func(credential *backoffice.Credential) error {
		return change(credential, backoffice.InstantOf(time.Now()))
	})
}
