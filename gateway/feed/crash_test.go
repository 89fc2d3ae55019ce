package feed

import (
	"sync"
	"testing"
	"time"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway"
	"example.org/backoffice/gateway/gatewaytest"
	"example.org/backoffice/store/postgres"
	"example.org/backoffice/store/postgres/pgtest"
)

func TestADatabaseThatIsKilledLosesNoChangeForAnyReader(t *testing.T) {
	t.Parallel()
	node := pgtest.NewNode(t)
	url := node.URL("backoffice")
	if err := postgres.Migrate(t.Context(), url); err != nil {
		t.Fatal(err)
	}
	o := gatewaytest.OpenOn(t, url)
	credential := o.Credential(t, backoffice.AllScopes...)
	refused := 0
	err := followAll(t, o.Follower(t, credential), o.LatestCursor(t), time.Minute, func() (acknowledged []string) {
		over := make(chan struct{})
		var all sync.WaitGroup
		var mu sync.Mutex
		service := (&gateway.Backend{Store: o.Store, Files: o.Files, Keys: o.Keys}).Service()
		service.Store = o.Before
		by := &backoffice.Principal{ClientID: credential[0], Scopes: backoffice.AllScopes}
		for range 10 {
			all.Go(func() {
				for {
					select {
					case <-over:
						return
					default:
					}
					label, err := service.CreateLabel(t.Context(), by, backoffice.LabelDraft{Name: "label " + backoffice.NewID()}, backoffice.Optional[string]{})
					mu.Lock()
					if err == nil {
						acknowledged = append(acknowledged, label.ID)
					} else { // it may be there all the same, and be told
						refused++
					}
					mu.Unlock()
					if err != nil {
						time.Sleep(20 * time.Millisecond)
					}
				}
			})
		}
		for range 3 {
			time.Sleep(300 * time.Millisecond)
			node.Crash(t)
			time.Sleep(100 * time.Millisecond)
			node.Start(t)
		}
		time.Sleep(300 * time.Millisecond)
		close(over)
		all.Wait()
		return acknowledged
	})
	if err != nil || refused == 0 {
		t.Errorf("%v; %d writes were refused", err, refused)
	}
}
