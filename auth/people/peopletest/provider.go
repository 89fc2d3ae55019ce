package peopletest

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/zitadel/oidc/v3/example/server/exampleop"
	"github.com/zitadel/oidc/v3/example/server/storage"
	"github.com/zitadel/oidc/v3/pkg/op"
)

// Of the client that a Provider knows, and of its users. Manager is a text user's name there, and Guest another's.
const (
	Client   = "backoffice-page"
	Password = "verysecure"

	Manager        = "test-user2"
	ManagerSubject = "id2"
	Guest          = "test-user@127.0.0.1"
)

// Provider is an OpenID provider as others run it, with a page to sign in. Its tokens are for the client, whose
// identifier is so the audience.
type Provider struct {
	*storage.Storage
	URL    string
	Groups map[string][]string // of whom, by subject
	Life   time.Duration       // of tokens; 5 minutes where it is zero

	redirect string
}

// NewProvider starts a provider that sends people back to a redirect address.
func NewProvider(t testing.TB, redirect string) *Provider {
	t.Helper()
	var handler http.Handler
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { handler.ServeHTTP(w, r) }))
	t.Cleanup(server.Close)
	p := &Provider{URL: server.URL, Groups: map[string][]string{ManagerSubject: {"managers"}}, redirect: redirect}
	p.Storage = storage.NewStorageWithClients(storage.NewUserStore(p.URL), map[string]*storage.Client{Client: storage.NativeClient(Client, redirect)})
	handler = exampleop.SetupServer(p.URL, p, nil, false)
	return p
}

// signed is a client whose access tokens are signed, not opaque.
type signed struct{ op.Client }

func (signed) AccessTokenType() op.AccessTokenType { return op.AccessTokenTypeJWT }

func (p *Provider) GetClientByClientID(ctx context.Context, id string) (op.Client, error) {
	client, err := p.Storage.GetClientByClientID(ctx, id)
	if err != nil {
		return nil, err
	}
	return signed{client}, nil
}

func (p *Provider) GetPrivateClaimsFromScopes(_ context.Context, subject, _ string, _ []string) (map[string]any, error) {
	return map[string]any{"groups": p.Groups[subject], "name": "Test User"}, nil
}

func (p *Provider) CreateAccessToken(ctx context.Context, request op.TokenRequest) (id string, expires time.Time, err error) {
	id, expires, err = p.Storage.CreateAccessToken(ctx, request)
	return id, p.end(expires), err
}

func (p *Provider) CreateAccessAndRefreshTokens(ctx context.Context, request op.TokenRequest, current string) (id, refresh string, expires time.Time, err error) {
	id, refresh, expires, err = p.Storage.CreateAccessAndRefreshTokens(ctx, request, current)
	return id, refresh, p.end(expires), err
}

func (p *Provider) end(expires time.Time) time.Time {
	if p.Life > 0 {
		return time.Now().Add(p.Life)
	}
	return expires
}

// Ended is an access token of the manager that ended long ago.
func (p *Provider) Ended(t testing.TB) string {
	t.Helper()
	return p.access(t, Client, time.Now().Add(-time.Hour))
}

// WrongAudience is an access token of the manager that is for another audience.
func (p *Provider) WrongAudience(t testing.TB) string {
	t.Helper()
	return p.access(t, "another", time.Now())
}

// access is an access token of the manager as the provider signs them.
func (p *Provider) access(t testing.TB, audience string, issued time.Time) string {
	t.Helper()
	key, err := p.SigningKey(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return Sign(t, key.SignatureAlgorithm(), jose.JSONWebKey{Key: key.Key(), KeyID: key.ID()}, "JWT", map[string]any{
		"iss": p.URL, "aud": audience, "sub": ManagerSubject, "iat": issued.Unix(), "exp": issued.Add(5 * time.Minute).Unix(), "groups": p.Groups[ManagerSubject],
	})
}

// SignIn does what a browser and a page do: authorization code with PKCE, by a public client.
func (p *Provider) SignIn(t testing.TB) (access, identity string) {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	browser := &http.Client{Jar: jar, CheckRedirect: func(r *http.Request, _ []*http.Request) error {
		if strings.HasPrefix(r.URL.String(), p.redirect) {
			return http.ErrUseLastResponse
		}
		return nil
	}}
	verifier := rand.Text() + rand.Text()
	challenge := sha256.Sum256([]byte(verifier))
	page, err := browser.Get(p.URL + "/auth?" + url.Values{
		"client_id": {Client}, "redirect_uri": {p.redirect}, "response_type": {"code"}, "scope": {"openid profile"}, "state": {"s"},
		"code_challenge": {base64.RawURLEncoding.EncodeToString(challenge[:])}, "code_challenge_method": {"S256"},
	}.Encode())
	if err != nil {
		t.Fatal(err)
	}
	_ = page.Body.Close()
	form := page.Request.URL
	answered, err := browser.PostForm(p.URL+form.Path, url.Values{"username": {Manager}, "password": {Password}, "id": {form.Query().Get("authRequestID")}})
	if err != nil {
		t.Fatal(err)
	}
	_ = answered.Body.Close()
	back, err := answered.Location()
	if err != nil {
		t.Fatalf("%s %d: %v", form, answered.StatusCode, err)
	}
	exchanged, err := browser.PostForm(p.URL+"/oauth/token", url.Values{
		"grant_type": {"authorization_code"}, "client_id": {Client}, "redirect_uri": {p.redirect}, "code": {back.Query().Get("code")}, "code_verifier": {verifier},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = exchanged.Body.Close() }()
	var tokens struct {
		Access   string `json:"access_token"`
		Identity string `json:"id_token"`
	}
	text, err := io.ReadAll(exchanged.Body)
	if err = errors.Join(err, json.Unmarshal(text, &tokens)); err != nil || tokens.Access == "" {
		t.Fatalf("%d %s %v", exchanged.StatusCode, text, err)
	}
	return tokens.Access, tokens.Identity
}
