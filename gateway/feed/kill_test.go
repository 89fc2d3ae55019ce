package feed

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway/gatewaytest"
)

func TestReadersAreToldEverythingThoughTheGatewayIsKilled(t *testing.T) {
	t.Parallel()
	for engine, database := range gatewaytest.Engines {
		t.Run("on "+engine, func(t *testing.T) {
			t.Parallel()
			settings := gatewaytest.Settings(t, database(t))
			b, err := settings.Open(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			issued, secret, err := auth.Issue(t.Context(), b.Store, "killed", backoffice.AllScopes, 0)
			if err != nil {
				t.Fatal(err)
			}
			if err := b.Close(); err != nil {
				t.Fatal(err)
			}
			p := gatewaytest.StartProcess(t, settings)
			defer func() { p.Kill() }()
			f := gatewaytest.Follower{Address: "http://" + p.Address, Credential: [2]string{issued.ID, secret}}
			err = followAll(t, f, f.Beginning(t), time.Minute, func() (acknowledged []string) {
				var all sync.WaitGroup
				var mu sync.Mutex
				ctx, stop := context.WithCancel(t.Context())
				for range 4 {
					all.Go(func() {
						for ctx.Err() == nil {
							if id := makeLabel(ctx, f); id != "" {
								mu.Lock()
								acknowledged = append(acknowledged, id)
								mu.Unlock()
							}
						}
					})
				}
				slow := time.Now().Add(time.Minute)
				acknowledges := func(least int) {
					for enough := false; !enough && time.Now().Before(slow); time.Sleep(10 * time.Millisecond) {
						mu.Lock()
						enough = len(acknowledged) >= least
						mu.Unlock()
					}
				}
				for kills := range 3 {
					acknowledges(10 * (kills + 1))
					p.Kill()
					p.Start(t)
				}
				acknowledges(40)
				stop()
				all.Wait()
				if len(acknowledged) < 40 {
					t.Errorf("only %d writes were acknowledged", len(acknowledged))
				}
				return acknowledged
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
}

// storeLabel returns the identifier of a label, "" when it was not acknowledged.
func makeLabel(ctx context.Context, f gatewaytest.Follower) string {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, f.Address+"/settings/labels", strings.NewReader(`{"name": "label `+backoffice.NewID()+`", "color": "#112233"}`))
	if err != nil {
		return ""
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set(auth.ClientIDHeader, f.Credential[0])
	r.Header.Set(auth.ClientSecretHeader, f.Credential[1])
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		time.Sleep(10 * time.Millisecond)
		return ""
	}
	defer response.Body.Close()
	var made struct {
		ID string `json:"_id"`
	}
	if err := json.NewDecoder(response.Body).Decode(&made); err != nil || response.StatusCode != http.StatusCreated {
		return ""
	}
	return made.ID
}
