package backoffice

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/netip"
	"slices"
	"strings"
	"time"
)

// Principal is the credential or person that makes a request, without secrets.
type Principal struct {
	ClientID  string // PersonID for a person
	Name      string
	Scopes    []Scope
	ExpiresAt Instant // of the credential, or of the person's token; zero: never
	Person    *Person // nil for a credential
	Secret    string  // identifies the secret that signed in, without revealing it; empty for a person

	TrustedOnly bool // it may send only trusted documents: see TrustedDocument
	NoDeletes   bool // it may delete nothing
	Restriction Restriction
	From        netip.Addr // the address of sign-in; none for a person
}

func (v *Principal) SameRights(other *Principal) bool {
	return v.Restriction == other.Restriction && v.TrustedOnly == other.TrustedOnly &&
		v.NoDeletes == other.NoDeletes && slices.Equal(v.Scopes, other.Scopes)
}

// MayDelete returns Forbidden for a caller that may delete nothing.
func (v *Principal) MayDelete() error {
	if v != nil && v.NoDeletes {
		return Errorf(Forbidden, "this credential may not delete anything")
	}
	return nil
}

// TrustedOnly reports whether the caller may send only trusted documents.
func TrustedOnly(ctx context.Context) bool {
	principal := RequestOf(ctx).Principal
	return principal != nil && principal.TrustedOnly
}

// EndOfRights returns why the caller lost its rights, if that ended the context; nil otherwise.
func EndOfRights(ctx context.Context) error {
	if cause := context.Cause(ctx); Denies(cause) {
		return cause
	}
	return nil
}

// Has reports whether the principal has a scope; nil has none.
func (v *Principal) Has(scope Scope) bool { return v != nil && slices.Contains(v.Scopes, scope) }

// HasRequired is Has for a scope that may be "": no scope is needed then.
func (v *Principal) HasRequired(scope Scope) bool { return scope == "" || v.Has(scope) }

// MaxLiveSecrets is how many secrets of a credential work at the same time: two during a rotation.
const MaxLiveSecrets = 2

// Credential is a client id and its secrets, of which only the digests are stored.
type Credential struct {
	ID          string // the client id
	Name        string
	Scopes      []Scope // each once, in the order of AllScopes
	CreatedAt   Instant
	ExpiresAt   Instant            // zero: never
	RevokedAt   Instant            // zero: not revoked
	TrustedOnly bool               // it may send only trusted GraphQL documents
	NoDeletes   bool               // it may delete nothing; never changed
	Restriction Restriction        // of what it sees; never changed
	Networks    Networks           // from where it signs in
	LastUsedAt  Instant            // the start (UTC) of the last day of sign-in that servers reported; zero: none
	Secrets     []CredentialSecret // newest first
}

// Principal is the credential that makes requests with a secret, named by CredentialSecret.Name.
func (c *Credential) Principal(secret string) *Principal {
	return &Principal{
		ClientID: c.ID, Name: c.Name, Scopes: c.Scopes, ExpiresAt: c.ExpiresAt, Secret: secret,
		TrustedOnly: c.TrustedOnly, NoDeletes: c.NoDeletes, Restriction: c.Restriction,
	}
}

// A credential expires after CredentialLife by default, and operators are warned CredentialWarning before that.
const (
	CredentialLife    = 365 * day
	CredentialWarning = 14 * day

	day = 24 * time.Hour
)

// EndsSoon reports whether a live credential expires within CredentialWarning, and in how many days, rounded up.
func (c *Credential) EndsSoon(now Instant) (days int, soon bool) {
	left := c.ExpiresAt.Time().Sub(now.Time())
	if c.ExpiresAt.IsZero() || !c.Live(now) || left > CredentialWarning {
		return 0, false
	}
	return int((left + day - 1) / day), true
}

// Extend changes the credential's expiry; zero is never. Refused with NOT_ALLOWED for a credential that is revoked or
// expired, with INVALID for an expiry that is not in the future.
func (c *Credential) Extend(expires, now Instant) error {
	if !c.Live(now) {
		return refused(CodeNotAllowed, "the credential is revoked or expired; create a new one")
	}
	if wrong := checkExpiry(expires, now); wrong != nil {
		return Refuse(wrong)
	}
	c.ExpiresAt = expires
	return nil
}

func checkExpiry(expires, now Instant) *UserError {
	if expires.IsZero() || expires > now {
		return nil
	}
	return &UserError{Code: CodeInvalid, Message: "the expiry must be in the future", Field: []string{"expiresAt"}}
}

type CredentialSecret struct {
	Digest    []byte // SHA-256 of the secret's text
	CreatedAt Instant
	ExpiresAt Instant // zero: with the credential
}

// Name identifies the secret among those of its credential.
func (s CredentialSecret) Name() string {
	sum := sha256.Sum256(s.Digest)
	return hex.EncodeToString(sum[:8])
}

// NewCredential makes a credential without a secret. Name has 1 to 200 characters without control characters; expires
// is zero or later than now. Refused otherwise, with each fault.
func NewCredential(id, name string, scopes []Scope, now, expires Instant) (*Credential, error) {
	var faults []*UserError
	name = strings.TrimSpace(name)
	if name == "" {
		faults = append(faults, &UserError{Code: CodeRequired, Message: "a name is required", Field: []string{"name"}})
	} else if err := CheckText(name, MaxText); err != nil {
		faults = append(faults, &UserError{Code: CodeInvalid, Message: err.Error(), Field: []string{"name"}})
	}
	if wrong := checkExpiry(expires, now); wrong != nil {
		faults = append(faults, wrong)
	}
	credential := &Credential{ID: id, Name: name, CreatedAt: now, ExpiresAt: expires}
	for _, scope := range AllScopes {
		if slices.Contains(scopes, scope) {
			credential.Scopes = append(credential.Scopes, scope)
		}
	}
	for _, scope := range scopes {
		if !slices.Contains(AllScopes, scope) {
			faults = append(faults, &UserError{Code: CodeInvalid, Message: "unknown scope", Field: []string{"scopes"}})
		}
	}
	if len(faults) > 0 {
		return nil, Refuse(faults...)
	}
	return credential, nil
}

// Live reports whether the credential is neither revoked nor expired at now.
func (c *Credential) Live(now Instant) bool {
	return c.RevokedAt.IsZero() && (c.ExpiresAt.IsZero() || now < c.ExpiresAt)
}

// Live reports whether the secret works at now, if its credential is live.
func (s CredentialSecret) Live(now Instant) bool { return s.ExpiresAt.IsZero() || now < s.ExpiresAt }

// Rotate gives the credential a new secret. The newest live secret stays live for overlap, or until its own expiry if
// that is sooner; all others end. Refused with NOT_ALLOWED for a credential that is revoked or expired.
func (c *Credential) Rotate(digest []byte, now Instant, overlap time.Duration) error {
	if !c.Live(now) {
		return refused(CodeNotAllowed, "the credential is revoked or expired; create a new one")
	}
	until := InstantOf(now.Time().Add(overlap))
	secrets := []CredentialSecret{{Digest: digest, CreatedAt: now}}
	live := slices.DeleteFunc(slices.Clone(c.Secrets), func(s CredentialSecret) bool { return !s.Live(now) })
	if len(live) > 0 && until > now {
		kept := live[0] // the newest, by whichever machine's clock
		if kept.ExpiresAt.IsZero() || until < kept.ExpiresAt {
			kept.ExpiresAt = until
		}
		secrets = append(secrets, kept)
	}
	c.Secrets = secrets
	return nil
}

// ChangeNetworks adds networks and removes others; adding a present network or removing an absent one does nothing.
// Refused with NOT_ALLOWED for a credential that is revoked or expired, and for removing its last network, without
// which it would work from everywhere; with INVALID for too many.
func (c *Credential) ChangeNetworks(add, remove Networks, now Instant) error {
	if !c.Live(now) {
		return refused(CodeNotAllowed, "the credential is revoked or expired; create a new one")
	}
	networks, err := NewNetworks(slices.DeleteFunc(slices.Concat(c.Networks, add).Texts(),
		func(text string) bool { return slices.Contains(remove.Texts(), text) }))
	switch {
	case err != nil:
		return refused(CodeInvalid, "a credential has at most 64 networks", "networks")
	case len(networks) == 0 && len(c.Networks) > 0:
		return refused(CodeNotAllowed,
			"without its last network the credential would work from anywhere; create a new one for that")
	}
	c.Networks = networks
	return nil
}

// ChangeScopes adds scopes and removes others; adding a present scope or removing an absent one does nothing. Refused
// with NOT_ALLOWED for a credential that is revoked or expired, with INVALID for an unknown scope and one that is added
// and removed.
func (c *Credential) ChangeScopes(add, remove []Scope, now Instant) error {
	if !c.Live(now) {
		return refused(CodeNotAllowed, "the credential is revoked or expired; create a new one")
	}
	for _, scope := range slices.Concat(add, remove) {
		switch {
		case !slices.Contains(AllScopes, scope):
			return refused(CodeInvalid, "unknown scope", "scopes")
		case slices.Contains(add, scope) && slices.Contains(remove, scope):
			return refused(CodeInvalid, "a scope can be added or removed, not both", "scopes")
		}
	}
	var scopes []Scope
	for _, scope := range AllScopes {
		if (slices.Contains(c.Scopes, scope) || slices.Contains(add, scope)) && !slices.Contains(remove, scope) {
			scopes = append(scopes, scope)
		}
	}
	c.Scopes = scopes
	return nil
}

// Revoke ends the credential and all its secrets. Revoking it again changes nothing.
func (c *Credential) Revoke(now Instant) {
	if c.RevokedAt.IsZero() {
		c.RevokedAt = now
	}
	c.Secrets = nil
}

// CredentialStore keeps the credentials. It reads from and writes to the primary, never a replica, so that a
// revocation is seen at once. What it returns belongs to the caller. A failure of the store itself is an *Error of kind
// Unavailable, Timeout or Internal.
type CredentialStore interface {
	// CreateCredential adds a credential with its secrets. Refused with TAKEN when the client id exists.
	CreateCredential(ctx context.Context, credential *Credential) error
	// Credential returns a credential, revoked and expired ones too. NotFound when the client id is unknown.
	Credential(ctx context.Context, clientID string) (*Credential, error)
	// Credentials returns every credential with its secrets, revoked and expired ones too, ordered by client id,
	// bytewise, in a constant number of statements. An empty store returns none and no error.
	Credentials(ctx context.Context) ([]*Credential, error)
	// UpdateCredential reads a credential, lets change alter it and stores all of it but ID, CreatedAt and LastUsedAt,
	// in one transaction that no other update of it overlaps. change may run again when the transaction does. When it
	// returns an error nothing is stored and that error is returned. NotFound when the client id is unknown.
	UpdateCredential(ctx context.Context, clientID string, change func(*Credential) error) error
	// CredentialsUsed stores that credentials were used on the day that begins at an instant, in one statement. A later
	// day that is stored stays; unknown identifiers are ignored.
	CredentialsUsed(ctx context.Context, clientIDs []string, day Instant) error
}
