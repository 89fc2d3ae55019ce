package people

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"math"
	"strings"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/go-jose/go-jose/v4"

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
	errForm    = refused("is none of the form that RFC 9068 describes: its typ is at+jwt or JWT, and it is signed by a public key")
	errForged  = refused("is signed by no key of the issuer")
	errForeign = refused("is not for this server: its issuer or its audience is another")
	errClaims  = refused("lacks sub, iat or exp, or has one that cannot be")
	errLong    = refused("lives for longer than 15 minutes: have the issuer give shorter ones")
	errEarly   = refused("is not good yet: the issuer's clock and this server's differ by more than a minute")
	errDenied  = refused("is of somebody who may not sign in here any more")

	errNothing = backoffice.Errorf(backoffice.Forbidden, "no rule of this server's map gives this person anything")
)

func refused(why string) *backoffice.Error {
	return backoffice.Errorf(backoffice.Unauthenticated, "the access token %s", why)
}

// algorithms are those of public keys. A token cannot choose none, nor a shared secret, for which a public key would then be taken.
var algorithms = []jose.SignatureAlgorithm{jose.RS256, jose.RS384, jose.RS512, jose.PS256, jose.PS384, jose.PS512, jose.ES256, jose.ES384, jose.ES512, jose.EdDSA}

func algorithmNames() (names []string) {
	for _, a := range algorithms {
		names = append(names, string(a))
	}
	return names
}

var nameOfAlgorithms = algorithmNames()

// check checks a token, whoever it is of.
func (p *People) check(ctx context.Context, token string) (*verified, error) {
	if !isAccessToken(token) {
		return nil, errForm
	}
	signed := &signature{keys: p.keys}
	_, err := oidc.NewVerifier(p.options.Issuer, signed, &oidc.Config{
		ClientID: p.options.Audience, SupportedSigningAlgs: nameOfAlgorithms, SkipExpiryCheck: true, // which knows no skew
	}).Verify(ctx, token)
	switch {
	case signed.err != nil:
		return nil, signed.err
	case signed.payload == nil:
		return nil, errForm
	}
	v, wrong := read(signed.payload)
	if wrong == nil && err != nil {
		wrong = errForeign
	}
	if wrong == nil {
		wrong = v.goodAt(p.options.Now())
	}
	if wrong != nil {
		return nil, wrong
	}
	return &v.verified, nil
}

// signature checks the signature for a verifier that keeps the text of an error alone.
type signature struct {
	keys    *keys
	payload []byte
	err     error
}

// VerifySignature implements oidc.KeySet.
func (s *signature) VerifySignature(ctx context.Context, token string) ([]byte, error) {
	s.payload, s.err = s.keys.verify(ctx, token)
	return s.payload, s.err
}

// isAccessToken says whether a token's header is one of an access token, before anything is worked out for it.
func isAccessToken(token string) bool {
	first, rest, _ := strings.Cut(token, ".")
	if strings.Count(rest, ".") != 1 {
		return false
	}
	text, err := base64.RawURLEncoding.DecodeString(first)
	var header struct {
		Type string `json:"typ"`
	}
	if err != nil || json.Unmarshal(text, &header) != nil {
		return false
	}
	switch strings.ToLower(header.Type) {
	case "at+jwt", "application/at+jwt", "jwt":
		return true
	}
	return false
}

// unproven is a token whose moments were not looked at.
type unproven struct {
	verified
	issued, notBefore time.Time
}

// read reads the claims by which a token is checked.
func read(payload []byte) (*unproven, error) {
	claims, err := claimsOf(payload)
	if err != nil {
		return nil, errClaims
	}
	u := &unproven{}
	u.claims = payload
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
	decoder := json.NewDecoder(bytes.NewReader(payload))
	decoder.UseNumber()
	err = decoder.Decode(&claims)
	return claims, err
}

// moment reads a NumericDate, which may have a fraction; false for none.
func moment(claims map[string]any, name string, into *time.Time) bool {
	number, _ := claims[name].(json.Number)
	seconds, err := number.Float64()
	if err != nil || seconds < 1 || seconds > 1<<40 {
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
