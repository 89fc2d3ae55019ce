package people

import (
	"cmp"
	"context"
	"encoding/json"
	"math"
	"slices"
	"time"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
)

const (
	skew        = time.Minute      // that the issuer's clock and ours may differ by
	longestLife = 15 * time.Minute // of a token: what was taken from a person is gone by then
	maxSubject  = 255              // characters, as OpenID Connect has it
)

// Why a token is refused. Each is one sentence for everybody, and holds nothing of the token.
var (
	errEnded   = auth.ErrTokenEnded
	errForm    = refused("does not conform to RFC 9068: its typ must be at+jwt or JWT, signed with a public-key algorithm")
	errForged  = refused("is not signed by a key of the issuer")
	errForeign = refused("is not for this server: its issuer or audience differs")
	errClaims  = refused("has no valid sub, iat or exp")
	errLong    = refused("is valid for longer than 15 minutes: configure the issuer to issue shorter ones")
	errEarly   = refused("is not valid yet: the issuer's clock and this server's differ by more than a minute")
	errDenied  = refused("belongs to someone who may no longer sign in here")

	errNothing = backoffice.Errorf(backoffice.Forbidden, "no rule of this server's map grants this person anything")
)

func refused(why string) *backoffice.Error {
	return backoffice.Errorf(backoffice.Unauthenticated, "the access token %s", why)
}

// check checks a token, whoever it is of, and returns its claims beside what is kept of it.
func (p *People) check(ctx context.Context, token string) (*verified, map[string]any, error) {
	payload, err := p.keys.verify(ctx, token)
	if err != nil {
		return nil, nil, err
	}
	claims, err := claimsOf(payload)
	if err != nil {
		return nil, nil, errClaims
	}
	u, err := read(claims)
	switch {
	case err != nil:
		return nil, nil, err
	case claims["iss"] != p.options.Issuer || !isFor(claims["aud"], p.options.Audience):
		return nil, nil, errForeign
	}
	if err := u.goodAt(p.options.Now()); err != nil {
		return nil, nil, err
	}
	u.claims = payload
	return &u.verified, claims, nil
}

func isFor(aud any, audience string) bool {
	several, _ := aud.([]any)
	return aud == any(audience) || slices.Contains(several, any(audience))
}

// unproven is a token whose moments were not looked at.
type unproven struct {
	verified
	issued, notBefore time.Time
}

func read(claims map[string]any) (*unproven, error) {
	u := &unproven{}
	u.subject, _ = claims["sub"].(string)
	hasIssued, hasExpires, notBeforeFine := moment(claims, "iat", &u.issued), moment(claims, "exp", &u.expires), true
	if _, has := claims["nbf"]; has {
		notBeforeFine = moment(claims, "nbf", &u.notBefore)
	}
	if backoffice.CheckText(u.subject, maxSubject) != nil || !hasIssued || !hasExpires || !notBeforeFine {
		return nil, errClaims
	}
	name := func(claim string) string {
		text, _ := claims[claim].(string)
		if backoffice.CheckText(text, backoffice.MaxText) != nil {
			return ""
		}
		return text
	}
	u.name = cmp.Or(name("name"), name("preferred_username"), name("email"), u.subject)
	return u, nil
}

func claimsOf(payload []byte) (claims map[string]any, err error) {
	err = json.Unmarshal(payload, &claims)
	return claims, err
}

// moment reads a NumericDate, which may have a fraction; false for none.
func moment(claims map[string]any, name string, into *time.Time) bool {
	seconds, is := claims[name].(float64)
	if !is || seconds < 1 || seconds > 1<<40 {
		return false
	}
	whole, fraction := math.Modf(seconds)
	*into = time.Unix(int64(whole), int64(fraction*1e9))
	return true
}

// goodAt holds the moments of a token to the clock.
func (u *unproven) goodAt(now time.Time) error {
	life := u.expires.Sub(u.issued)
	switch {
	case life <= 0:
		return errClaims
	case life > longestLife:
		return errLong
	case u.issued.After(now.Add(skew)), u.notBefore.After(now.Add(skew)):
		return errEarly
	case !now.Before(u.expires.Add(skew)):
		return errEnded
	}
	return nil
}
