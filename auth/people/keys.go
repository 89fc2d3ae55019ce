package people

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/go-jose/go-jose/v4"

	"example.org/backoffice/backoffice"
)

const (
	refreshAfter = 5 * time.Minute  // a token checked by older keys has them asked for anew, without waiting
	staleAfter   = time.Hour        // older keys count for nothing: tokens live 15 minutes, so the issuer was away long
	betweenAsks  = 10 * time.Second // whatever tokens name keys that nobody knows
	betweenTries = time.Second      // after the issuer could not be asked
	askTime      = 5 * time.Second
	maxKeys      = 1 << 20 // bytes of what the issuer says
)

// keys are the issuer's, as it publishes them. There is no work while there are no requests.
type keys struct {
	issuer string
	client *http.Client
	now    func() time.Time

	mu     sync.Mutex
	set    []*jose.JSONWebKey
	tokens string    // where the issuer gives tokens
	asked  time.Time // when the last answer was asked for
	tried  time.Time // when the last question was
	failed error     // of the last question that ended
	asking chan struct{}
	work   sync.WaitGroup
	life   context.Context
	end    context.CancelFunc
}

func newKeys(o Options) *keys {
	k := &keys{issuer: o.Issuer, now: o.Now, client: &http.Client{
		Transport:     bounded{cmp.Or(o.Transport, http.DefaultTransport)},
		CheckRedirect: func(*http.Request, []*http.Request) error { return errors.New("an issuer must not redirect") },
	}}
	k.life, k.end = context.WithCancel(context.Background())
	return k
}

func (k *keys) close() {
	k.mu.Lock() // so that no question begins after it
	k.end()
	k.mu.Unlock()
	k.work.Wait()
}

// known are the keys that count; fresh says that they need not be asked for anew.
func (k *keys) known() (set []*jose.JSONWebKey, fresh bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	age := k.now().Sub(k.asked)
	if k.set == nil || age > staleAfter {
		return nil, false
	}
	return k.set, age <= refreshAfter
}

// Reach asks the issuer for its keys, and says how many sign.
func (p *People) Reach(ctx context.Context) (int, error) {
	set, err := p.keys.newer(ctx)
	return len(set), backoffice.Cause(err)
}

// patience is for how long a page waits for the issuer.
const patience = 2 * time.Second

// TokenEndpoint is where the issuer gives tokens; empty while that is not known, or is no address to trust.
func (p *People) TokenEndpoint(ctx context.Context) string {
	found := p.keys.tokenEndpoint()
	if found == "" {
		ctx, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		_, _ = p.keys.newer(ctx)
		found = p.keys.tokenEndpoint()
	}
	if checkURL(found) != nil {
		return ""
	}
	return found
}

func (k *keys) tokenEndpoint() string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.tokens
}

// newer asks the issuer, unless it has just been asked, and waits for the answer. Unavailable when it cannot be asked.
func (k *keys) newer(ctx context.Context) ([]*jose.JSONWebKey, error) {
	if asking := k.ask(); asking != nil {
		select {
		case <-asking:
		case <-ctx.Done():
			if errors.Is(ctx.Err(), context.DeadlineExceeded) {
				return nil, unreachable(ctx.Err())
			}
			return nil, backoffice.Fault(context.Cause(ctx), "waiting for the issuer's keys")
		}
	}
	set, _ := k.known()
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.failed != nil || set == nil {
		return nil, unreachable(k.failed)
	}
	return set, nil
}

func unreachable(cause error) error {
	return &backoffice.Error{
		Kind:    backoffice.Unavailable,
		Message: "the identity provider's keys cannot be fetched now; try again later",
		Cause:   fmt.Errorf("fetching the issuer's keys: %w", cause),
	}
}

// ask begins to ask the issuer and returns what ends with the answer; nil when it was asked just now.
func (k *keys) ask() <-chan struct{} {
	k.mu.Lock()
	defer k.mu.Unlock()
	now := k.now()
	pause := betweenAsks
	if k.failed != nil {
		pause = betweenTries
	}
	switch {
	case k.asking != nil:
		return k.asking
	case k.life.Err() != nil:
		k.failed = k.life.Err()
		return nil
	case !k.tried.IsZero() && now.Sub(k.tried) < pause && !now.Before(k.tried):
		return nil
	}
	done := make(chan struct{})
	k.asking, k.tried = done, now
	k.work.Go(func() {
		ctx, cancel := context.WithTimeout(k.life, askTime)
		defer cancel()
		set, tokens, err := k.fetch(ctx)
		k.mu.Lock()
		defer k.mu.Unlock()
		if err == nil {
			k.set, k.tokens, k.asked = set, tokens, now
		}
		k.failed, k.asking = err, nil
		close(done)
	})
	return done
}

// fetch finds where the issuer's keys are, and reads them; and where it gives tokens.
func (k *keys) fetch(ctx context.Context) (set []*jose.JSONWebKey, tokens string, err error) {
	provider, err := oidc.NewProvider(oidc.ClientContext(ctx, k.client), k.issuer)
	if err != nil {
		return nil, "", errors.New("discovery document: " + backoffice.ShownName(err.Error()))
	}
	var document struct {
		Keys string `json:"jwks_uri"`
	}
	if err := provider.Claims(&document); err != nil {
		return nil, "", fmt.Errorf("discovery document: %w", err)
	}
	if err := checkURL(document.Keys); err != nil {
		return nil, "", fmt.Errorf("jwks_uri: %w", err)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, document.Keys, http.NoBody)
	if err != nil {
		return nil, "", err
	}
	response, err := k.client.Do(request)
	if err != nil {
		return nil, "", err
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		return nil, "", fmt.Errorf("keys: status %d", response.StatusCode)
	}
	var published struct{ Keys []json.RawMessage }
	if err := json.NewDecoder(response.Body).Decode(&published); err != nil {
		return nil, "", fmt.Errorf("keys: %w", err)
	}
	for _, text := range published.Keys {
		of := &jose.JSONWebKey{}
		if json.Unmarshal(text, of) == nil && signs(of) { // one of a kind that is not known is nobody's
			set = append(set, of)
		}
	}
	if set == nil {
		return nil, "", errors.New("it publishes no signing key")
	}
	return set, provider.Endpoint().TokenURL, nil
}

// bounded is a transport whose answers have an end.
type bounded struct{ http.RoundTripper }

func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := b.RoundTripper.RoundTrip(r)
	if err == nil {
		response.Body = body{io.LimitReader(response.Body, maxKeys), response.Body}
	}
	return response, err
}

type body struct {
	io.Reader
	io.Closer
}
