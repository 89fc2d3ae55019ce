package gateway

import (
	"context"
	"io"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
)

// rightsChanges are what an operator does to a pair whose secret is in the wrong hands, or who may do something else
// now.
var rightsChanges = map[string]func(ctx context.Context, store backoffice.CredentialStore, id string) error{
	"a scope is removed": func(ctx context.Context, store backoffice.CredentialStore, id string) error {
		_, err := auth.ChangeScopes(ctx, store, id, nil, []backoffice.Scope{backoffice.PrivacyRead})
		return err
	},
	"a scope is added": func(ctx context.Context, store backoffice.CredentialStore, id string) error {
		_, err := auth.ChangeScopes(ctx, store, id, []backoffice.Scope{backoffice.SettingsWrite}, nil)
		return err
	},
	"the secret is rotated without overlap": func(ctx context.Context, store backoffice.CredentialStore, id string) error {
		_, err := auth.Rotate(ctx, store, id, 0)
		return err
	},
	"the pair is revoked": auth.Revoke,
	"the pair works from other networks": func(ctx context.Context, store backoffice.CredentialStore, id string) error {
		_, err := auth.ChangeNetworks(ctx, store, id, backoffice.Networks{netip.MustParsePrefix("192.0.2.0/24")}, nil)
		return err
	},
}

// obeyedWithin is the promise of five seconds, with room for a busy machine.
const obeyedWithin = 15 * time.Second

func TestWhatIsOpenEndsWhenTheRightsOfItsPairChange(t *testing.T) {
	t.Parallel()
	const numbers = `subscription { changes(nouns: [CUSTOMER]) { sequence object { ... on Customer { registrationNumber } } } }`
	for change, do := range rightsChanges {
		t.Run(change, func(t *testing.T) {
			t.Parallel()
			o := openOffice(t)
			issued, secret, err := auth.Issue(t.Context(), o.Store, "leaked", []backoffice.Scope{backoffice.PrivacyRead, backoffice.CustomersWrite}, 0)
			if err != nil {
				t.Fatal(err)
			}
			f := o.follower(t, [2]string{issued.ID, secret})
			ctx, cancel := context.WithTimeout(t.Context(), obeyedWithin)
			defer cancel()
			quiet, subscribed := f.connects(t), f.connects(t)
			subscribed.says(t, subscribing("1", numbers, nil))
			overEvents, err := f.subscribe(ctx, numbers, nil)
			if err != nil {
				t.Fatal(err)
			}
			stream, err := f.stream(ctx, "")
			if err != nil {
				t.Fatal(err)
			}
			if err := do(ctx, o.Store, issued.ID); err != nil {
				t.Fatal(err)
			}
			want := websocket.StatusCode(4401)
			if strings.HasPrefix(change, "a scope") { // with which a client signs in again by itself
				want = 4403
			}
			for name, s := range map[string]socket{"a socket": quiet, "a socket with a subscription": subscribed} {
				if closed := s.closed(t); closed.Code != want || closed.Reason == "" {
					t.Errorf("%s: %+v", name, closed)
				}
			}
			for name, body := range map[string]io.Reader{"a subscription over events": overEvents.response.Body, "a stream of REST": stream.response.Body} {
				told, err := io.ReadAll(body)
				if err != nil || !strings.Contains(string(told), "sign in again") && !strings.Contains(string(told), "was revoked") && !strings.Contains(string(told), "other networks") {
					t.Errorf("%s: %v %s", name, err, told)
				}
			}
		})
	}
}
