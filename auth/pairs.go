package auth

import (
	"context"
	"time"

	"example.org/backoffice/backoffice"
)

// Issue creates a pair and returns it with its secret, which cannot be seen again. expires is zero for never. Running
// servers know it within 5 seconds. Refused when name, scopes or expiry are not as backoffice.NewCredential wants them.
func Issue(ctx context.Context, store backoffice.CredentialStore, name string, scopes []backoffice.Scope, expires backoffice.Instant) (pair *backoffice.Credential, secret string, err error) {
	now := backoffice.InstantOf(time.Now())
	pair, err = backoffice.NewCredential(backoffice.NewID(), name, scopes, now, expires)
	if err != nil {
		return nil, "", err
	}
	if secret, err = IssuePair(ctx, store, pair, now); err != nil {
		return nil, "", err
	}
	return pair, secret, nil
}

// IssuePair gives a new pair its secret, stores it and returns the secret. Refused when it is not live.
func IssuePair(ctx context.Context, store backoffice.CredentialStore, pair *backoffice.Credential, now backoffice.Instant) (secret string, err error) {
	secret, sum := newSecret()
	if err := pair.Rotate(sum[:], now, 0); err != nil {
		return "", err
	}
	if err := store.CreateCredential(ctx, pair); err != nil {
		return "", err
	}
	return secret, nil
}

// Rotate gives a pair a new secret and returns it; the one before stays live for overlap, an older one ends. Running
// servers know the new one within 5 seconds. NotFound for an unknown client id; Refused for a revoked or expired pair.
func Rotate(ctx context.Context, store backoffice.CredentialStore, clientID string, overlap time.Duration) (secret string, err error) {
	secret, sum := newSecret()
	err = store.UpdateCredential(ctx, clientID, func(pair *backoffice.Credential) error {
		return pair.Rotate(sum[:], backoffice.InstantOf(time.Now()), overlap)
	})
	if err != nil {
		return "", err
	}
	return secret, nil
}

// Revoke ends a pair and its secrets for good, everywhere within 5 seconds, or changes nothing. NotFound: no such pair.
func Revoke(ctx context.Context, store backoffice.CredentialStore, clientID string) error {
	return store.UpdateCredential(ctx, clientID, func(pair *backoffice.Credential) error {
		pair.Revoke(backoffice.InstantOf(time.Now()))
		return nil
	})
}

// ChangeScopes gives a pair scopes and takes others from it, and returns those that it has then. Running servers obey
// within 5 seconds. NotFound for an unknown client id; Refused as backoffice.Credential's ChangeScopes says.
func ChangeScopes(ctx context.Context, store backoffice.CredentialStore, clientID string, add, remove []backoffice.Scope) (has []backoffice.Scope, err error) {
	err = store.UpdateCredential(ctx, clientID, func(pair *backoffice.Credential) error {
		err := pair.ChangeScopes(add, remove, backoffice.InstantOf(time.Now()))
		has = pair.Scopes
		return err
	})
	if err != nil {
		return nil, err
	}
	return has, nil
}

// ChangeNetworks lets a pair sign in from networks, and no more from others, and returns those that it has then.
// Running servers obey within 5 seconds, for what is open already too. NotFound for an unknown client id; Refused as
// backoffice.Credential's ChangeNetworks says.
func ChangeNetworks(ctx context.Context, store backoffice.CredentialStore, clientID string, add, remove backoffice.Networks) (has backoffice.Networks, err error) {
	err = store.UpdateCredential(ctx, clientID, func(pair *backoffice.Credential) error {
		err := pair.ChangeNetworks(add, remove, backoffice.InstantOf(time.Now()))
		has = pair.Networks
		return err
	})
	return has, err
}

// Extend gives a living pair another end, zero for none. Running servers know it within 5 seconds. NotFound for an
// unknown client id; Refused as backoffice.Credential's Extend says.
func Extend(ctx context.Context, store backoffice.CredentialStore, clientID string, expires backoffice.Instant) error {
	return store.UpdateCredential(ctx, clientID, func(pair *backoffice.Credential) error {
		return pair.Extend(expires, backoffice.InstantOf(time.Now()))
	})
}
