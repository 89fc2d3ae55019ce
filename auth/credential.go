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
	err = store.UpdateCredential(ctx, clientID, func(credential *backoffice.Credential) error {
		return credential.Rotate(sum[:], backoffice.InstantOf(time.Now()), overlap)
	})
	if err != nil {
		return "", err
	}
	return secret, nil
}

// Revoke ends a credential and its secrets for good, everywhere within 5 seconds, or changes nothing (NotFound).
func Revoke(ctx context.Context, store backoffice.CredentialStore, clientID string) error {
	return store.UpdateCredential(ctx, clientID, func(credential *backoffice.Credential) error {
		credential.Revoke(backoffice.InstantOf(time.Now()))
		return nil
	})
}

// ChangeScopes adds and removes scopes of a credential and returns the result. Running servers obey within 5 seconds.
// NotFound for an unknown client id; Refused as documented at backoffice.Credential.ChangeScopes.
func ChangeScopes(ctx context.Context, store backoffice.CredentialStore, clientID string,
	add, remove []backoffice.Scope) (has []backoffice.Scope, err error) {
	err = store.UpdateCredential(ctx, clientID, func(credential *backoffice.Credential) error {
		err := credential.ChangeScopes(add, remove, backoffice.InstantOf(time.Now()))
		has = credential.Scopes
		return err
	})
	if err != nil {
		return nil, err
	}
	return has, nil
}

// ChangeNetworks adds and removes networks that a credential may sign in from, and returns the result. Running servers
// obey within 5 seconds, also for open requests. Errors are those of ChangeScopes.
func ChangeNetworks(ctx context.Context, store backoffice.CredentialStore, clientID string,
	add, remove backoffice.Networks) (has backoffice.Networks, err error) {
	err = store.UpdateCredential(ctx, clientID, func(credential *backoffice.Credential) error {
		err := credential.ChangeNetworks(add, remove, backoffice.InstantOf(time.Now()))
		has = credential.Networks
		return err
	})
	return has, err
}

// Extend changes when a live credential ends, zero for never. Running servers know it within 5 seconds. NotFound for an
// unknown client id; Refused as documented at backoffice.Credential.Extend.
func Extend(ctx context.Context, store backoffice.CredentialStore, clientID string, expires backoffice.Instant) error {
	return store.UpdateCredential(ctx, clientID, func(credential *backoffice.Credential) error {
		return credential.Extend(expires, backoffice.InstantOf(time.Now()))
	})
}
