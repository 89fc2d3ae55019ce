package people_test

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

	"github.com/zitadel/oidc/v3/example/server/exampleop"
	"github.com/zitadel/oidc/v3/example/server/storage"
	"github.com/zitadel/oidc/v3/pkg/op"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/people"
	"example.org/backoffice/people/peopletest"
)

// provider is an OpenID provider as others run it. Its tokens are for the client, whose identifier is so the audience here.
type provider struct {
	*storage.Storage
	url    string
	groups []string
	life   time.Duration // of tokens; 5 minutes where it is zero
}

// signed is a client whose access tokens are signed, not opaque.
type signed struct{ op.Client }

// AccessTokenType implements op.Client.
func (signed) AccessTokenType() op.AccessTokenType { return op.AccessTokenTypeJWT }

// GetClientByClientID implements op.Storage.
func (p *provider) GetClientByClientID(ctx context.Context, id string) (op.Client, error) {
	client, err := p.Storage.GetClientByClientID(ctx, id)
	return signed{client}, err
}

// GetPrivateClaimsFromScopes implements op.Storage.
func (p *provider) GetPrivateClaimsFromScopes(context.Context, string, string, []string) (map[string]any, error) {
	return map[string]any{"groups": p.groups, "name": "Test User"}, nil
}

// CreateAccessToken implements op.Storage.
func (p *provider) CreateAccessToken(ctx context.Context, request op.TokenRequest) (string, time.Time, error) {
	id, expires, err := p.Storage.CreateAccessToken(ctx, request)
	if p.life > 0 {
		expires = time.Now().Add(p.life)
	}
	return id, expires, err
}

const (
	clientOfProvider = "backoffice-page"
	redirected       = "http://localhost/auth/callback"
)

func newProvider(t *testing.T) *provider {
	t.Helper()
	var handler http.Handler
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { handler.ServeHTTP(w, r) }))
	t.Cleanup(server.Close)
	p := &provider{url: server.URL, groups: []string{"managers"}}
	p.Storage = storage.NewStorageWithClients(storage.NewUserStore(p.url), map[string]*storage.Client{clientOfProvider: storage.NativeClient(clientOfProvider, redirected)})
	handler = exampleop.SetupServer(p.url, p, nil, false)
	return p
}

// signIn does what a browser and a page do: authorization code with PKCE, by a public client.
func (p *provider) signIn(t *testing.T) (access, identity string) {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	browser := &http.Client{Jar: jar, CheckRedirect: func(r *http.Request, _ []*http.Request) error {
		if strings.HasPrefix(r.URL.String(), redirected) {
			return http.ErrUseLastResponse
		}
		return nil
	}}
	verifier := rand.Text() + rand.Text()
	challenge := sha256.Sum256([]byte(verifier))
	page, err := browser.Get(p.url + "/auth?" + url.Values{
		"client_id": {clientOfProvider}, "redirect_uri": {redirected}, "response_type": {"code"}, "scope": {"openid profile"}, "state": {"s"},
		"code_challenge": {base64.RawURLEncoding.EncodeToString(challenge[:])}, "code_challenge_method": {"S256"},
	}.Encode())
	if err != nil {
		t.Fatal(err)
	}
	_ = page.Body.Close()
	form := page.Request.URL
	answered, err := browser.PostForm(p.url+form.Path, url.Values{"username": {"test-user2"}, "password": {"verysecure"}, "id": {form.Query().Get("authRequestID")}})
	if err != nil {
		t.Fatal(err)
	}
	_ = answered.Body.Close()
	back, err := answered.Location()
	if err != nil {
		t.Fatalf("%s %d: %v", form, answered.StatusCode, err)
	}
	exchanged, err := browser.PostForm(p.url+"/oauth/token", url.Values{
		"grant_type": {"authorization_code"}, "client_id": {clientOfProvider}, "redirect_uri": {redirected}, "code": {back.Query().Get("code")}, "code_verifier": {verifier},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer exchanged.Body.Close()
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

func TestAPersonSignsInAtAProviderAsOthersRunIt(t *testing.T) {
	t.Parallel()
	p := newProvider(t)
	desk, err := people.New(people.Options{Issuer: p.url, Audience: clientOfProvider, Map: peopletest.Map(t, usual), Links: open{}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(desk.Close)
	access, identity := p.signIn(t)
	principal, err := desk.Authenticate(t.Context(), access)
	if err != nil || principal.Person.Subject != "id2" || principal.Name != "Test User" || !principal.Has(backoffice.PrivacyRead) {
		t.Fatalf("%+v, %v", principal, err)
	}
	if _, err := desk.Authenticate(t.Context(), identity); backoffice.KindOf(err) != backoffice.Unauthenticated {
		t.Errorf("an ID token, which lives for an hour: %v", err)
	}
	other, err := people.New(people.Options{Issuer: p.url, Audience: "another", Map: peopletest.Map(t, usual), Links: open{}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(other.Close)
	if _, err := other.Authenticate(t.Context(), access); backoffice.KindOf(err) != backoffice.Unauthenticated {
		t.Errorf("another audience: %v", err)
	}
	p.life = time.Hour
	if long, _ := p.signIn(t); long == "" || second(desk.Authenticate(t.Context(), long)) == nil {
		t.Error("a token of an hour is taken")
	}
	p.life, p.groups = 0, nil
	nobody, _ := p.signIn(t)
	if _, err := desk.Authenticate(t.Context(), nobody); backoffice.KindOf(err) != backoffice.Forbidden {
		t.Errorf("no group: %v", err)
	}
}
