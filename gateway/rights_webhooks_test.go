package gateway_test

import (
	"context"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
	"example.org/backoffice/changes/webhooks"
	"example.org/backoffice/gateway"
	"example.org/backoffice/gateway/gatewaytest"
)

// trustReceivers has this process trust the certificate of the tests' receivers. It comes before the first connection,
// for the certificates that are trusted are read once.
func trustReceivers() (remove func(), err error) {
	folder, err := os.MkdirTemp("", "receivers")
	if err != nil {
		return nil, err
	}
	of := httptest.NewTLSServer(nil)
	defer of.Close()
	path := filepath.Join(folder, "certificate.pem")
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: of.Certificate().Raw})
	return func() { _ = os.RemoveAll(folder) }, firstOf(os.WriteFile(path, text, 0o600), os.Setenv("SSL_CERT_FILE", path))
}

func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// inbox is a receiver of webhooks that takes all: what it was told, by the path of a webhook.
type inbox struct {
	*httptest.Server
	mu     sync.Mutex
	byPath map[string]map[string]bool // "LABEL round-1"
}

func openInbox(t *testing.T) *inbox {
	t.Helper()
	r := &inbox{byPath: map[string]map[string]bool{}}
	r.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(_ http.ResponseWriter, request *http.Request) {
		var message struct {
			Data struct {
				Changes []struct{ Noun, ID string }
			}
		}
		if err := json.NewDecoder(request.Body).Decode(&message); err != nil {
			t.Error(err)
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.byPath[request.URL.Path] == nil {
			r.byPath[request.URL.Path] = map[string]bool{}
		}
		for _, c := range message.Data.Changes {
			r.byPath[request.URL.Path][c.Noun+" "+c.ID] = true
		}
	}))
	r.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	r.StartTLS()
	t.Cleanup(r.Close)
	return r
}

func (r *inbox) has(hook *backoffice.Webhook, noun backoffice.Noun, round string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.byPath["/"+hook.URL[len(r.URL)+1:]][noun.APIName()+" "+round]
}

// owned is the cell of webhooks in a column: one that is told what everybody may read too, and one that is not.
type owned struct {
	*caller
	labels, guarded *backoffice.Webhook
}

var guardedNoun = backoffice.NounMinfin

func (s *stage) owned(t *testing.T, c *caller, r *inbox) *owned {
	t.Helper()
	of := &owned{caller: c}
	for hook, nouns := range map[**backoffice.Webhook][]backoffice.Noun{
		&of.labels: {backoffice.NounLabel, guardedNoun}, &of.guarded: {guardedNoun},
	} {
		var err error
		*hook, _, err = webhooks.Create(t.Context(), s.Store, s.Keys, webhooks.Draft{
			ClientID: c.id, Nouns: nouns, URL: fmt.Sprintf("%s/%s/%d", r.URL, c.id, len(nouns)),
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return of
}

// writes enters a change of each noun, under a name.
func (s *stage) writes(t *testing.T, round string) {
	t.Helper()
	var entries []*backoffice.Change
	for _, noun := range []backoffice.Noun{guardedNoun, backoffice.NounLabel} {
		entries = append(entries, &backoffice.Change{
			At: backoffice.InstantOf(time.Now()), Action: "a", Noun: noun, ObjectID: round, Done: backoffice.Updated,
		})
	}
	err := s.Store.Write(t.Context(), func(ctx context.Context, tx backoffice.Tx) error { return tx.LogChanges(ctx, entries...) })
	if err != nil {
		t.Fatal(err)
	}
}

// may is what a new request of the credential is answered, with a secret of its own, from where it may come from.
func (s *stage) may(t *testing.T, c *caller) (labels, guarded bool) {
	t.Helper()
	secret, err := auth.Rotate(t.Context(), s.Store, c.id, time.Hour)
	if backoffice.KindOf(err) == backoffice.Refused { // it has ended
		return false, false
	} else if err != nil {
		t.Fatal(err)
	}
	fresh := s.fresh(t)
	reads := func(noun backoffice.Noun) bool {
		for _, from := range []string{"127.0.0.1:1", "192.0.2.1:1"} {
			r := gatewaytest.NewRequest(t, [2]string{c.id, secret}, http.MethodGet, "/changes?limit=500&noun="+noun.APIName(), "")
			r.RemoteAddr = from
			w := httptest.NewRecorder()
			if fresh.ServeHTTP(w, r); strings.Contains(w.Body.String(), `"before"`) {
				return true
			}
		}
		return false
	}
	return reads(backoffice.NounLabel), reads(guardedNoun)
}

func (o *owned) stopped(t *testing.T, hook *backoffice.Webhook) string {
	t.Helper()
	stored, err := o.Store.Webhook(t.Context(), hook.ID)
	if err != nil {
		t.Fatal(err)
	}
	return stored.Stop.Sentence()
}

// obeys reports whether the webhooks do as a new request is answered: what may be read is told, and one of which
// nothing may be read has stopped, and says why.
func (o *owned) obeys(t *testing.T, r *inbox, round string, labels, guarded bool) (wrong string) {
	t.Helper()
	switch {
	case r.has(o.labels, backoffice.NounLabel, round) != labels, r.has(o.labels, guardedNoun, round) != guarded:
		return "the one for labels is told something else"
	case r.has(o.guarded, guardedNoun, round) != guarded:
		return "the one for minfin documents is told something else"
	case (o.stopped(t, o.labels) == "") != labels, (o.stopped(t, o.guarded) == "") != guarded:
		return fmt.Sprintf("stopped: %q, %q", o.stopped(t, o.labels), o.stopped(t, o.guarded))
	}
	return ""
}

// Deliveries of webhooks are a row of the matrix of rights and what lasts: they have the columns of credentials, for a person
// has none.
func TestADeliveryIsWhatANewRequestOfItsCredentialIsAnswered(t *testing.T) {
	t.Parallel()
	for engine := range gatewaytest.Engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			s := &stage{settings: gatewaytest.Settings(t, gatewaytest.Engines[engine](t)), config: gatewaytest.Config(gatewaytest.Limits())}
			b, err := s.settings.Open(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			var network webhooks.Network
			if err := network.UnmarshalText([]byte("127.0.0.0/8")); err != nil {
				t.Fatal(err)
			}
			sending := s.config
			sending.Webhooks = gateway.WebhookSettings{Settings: webhooks.Settings{Networks: []webhooks.Network{network}}}
			s.Office = gatewaytest.ServeConfig(t, b, sending)
			r := openInbox(t)
			if _, _, err := webhooks.Create(t.Context(), s.Store, s.Keys, webhooks.Draft{
				ClientID: backoffice.PersonID("https://issuer.example", "somebody"), URL: r.URL,
			}); backoffice.KindOf(err) != backoffice.NotFound {
				t.Errorf("a person has a webhook: %v", err)
			}
			cells := map[string]*owned{}
			for n, name := range slices.Sorted(maps.Keys(columns)) {
				if !columns[name].person {
					cells[name] = s.owned(t, s.callerOf(t, name, columns[name], n), r)
				}
			}
			s.writes(t, "before")
			within(t, cells, func(of *owned) string { return of.obeys(t, r, "before", true, true) })
			type answer struct{ labels, guarded bool }
			wanted := map[*owned]answer{}
			for name, of := range cells {
				of.change(t, columns[name])
			}
			for _, of := range cells {
				credential, err := s.Store.Credential(t.Context(), of.id)
				if err != nil {
					t.Fatal(err)
				}
				if !credential.ExpiresAt.IsZero() {
					time.Sleep(time.Until(credential.ExpiresAt.Time()))
				}
				labels, guarded := s.may(t, of.caller)
				wanted[of] = answer{labels, guarded}
			}
			round := 0
			within(t, cells, func(of *owned) string { // by a round of all, or the next
				round++
				s.writes(t, fmt.Sprint(of.id, round))
				is := "it was not looked at"
				for until := time.Now().Add(3 * time.Second); is != "" && time.Now().Before(until); time.Sleep(50 * time.Millisecond) {
					is = of.obeys(t, r, fmt.Sprint(of.id, round), wanted[of].labels, wanted[of].guarded)
				}
				return is
			})
			s.writes(t, "after")
			for range 2 { // the second time, all have been told that are told
				within(t, cells, func(of *owned) string {
					return of.obeys(t, r, "after", wanted[of].labels, wanted[of].guarded)
				})
			}
			shown := map[answer]int{}
			for _, of := range cells {
				shown[wanted[of]]++
			}
			if shown[answer{}] != 2 || shown[answer{labels: true}] != 1 || shown[answer{true, true}] != len(cells)-3 {
				t.Errorf("too little was taken away: %v", shown)
			}
		})
	}
}

// within waits until nothing is wrong with any cell.
func within(t *testing.T, cells map[string]*owned, wrong func(*owned) string) {
	t.Helper()
	until := time.Now().Add(obeyedWithin)
	for name, of := range cells {
		for is := wrong(of); is != ""; is = wrong(of) {
			if time.Now().After(until) {
				t.Fatalf("deliveries × %s: %s", name, is)
			}
			time.Sleep(20 * time.Millisecond)
		}
	}
}
