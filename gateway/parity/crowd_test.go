package parity

import (
	"bytes"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"example.org/backoffice/gateway"
	"example.org/backoffice/gateway/gatewaytest"
	"example.org/backoffice/store/cache"
)

// The memory of rows is used again, and operations wait for each other: what each caller gets must not depend on what
// the others ask.
func TestEveryoneInACrowdGetsTheirOwnAnswer(t *testing.T) {
	t.Parallel()
	for engine, database := range gatewaytest.Engines {
		t.Run("on "+engine, func(t *testing.T) {
			t.Parallel()
			bounds := gatewaytest.Limits()
			bounds.Together, bounds.Wait = 60, time.Minute // all find room, on a busy machine too
			url := database(t)
			o := gatewaytest.OpenWith(t, url, bounds)
			settings := gatewaytest.Settings(t, url)
			servers := []*gatewaytest.Office{o, gatewaytest.ServeCached(t, settings, gateway.CacheSettings{Cache: 64 << 20}), gatewaytest.ServeCached(t, settings, gateway.CacheSettings{Cache: 64 << 20, Check: true})}
			credential := o.Credential(t)
			queries := []string{
				`{ customers(first: 50) { nodes { id displayName email transcripts(first: 5) { nodes { id status customer { id } checklist { name } } } } } }`,
				`{ customers(last: 7) { edges { cursor node { id name relations(first: 3) { edges { node { kind } otherCustomer { id displayName } } } } } } }`,
				`{ financialYears(first: 5) { nodes { id startDate checklists(first: 10) { nodes { id name language } } } } }`,
				`{ users(first: 10) { nodes { id firstName lastName customers(first: 2) { totalCount nodes { id phone } } } } }`,
				`{ customers(first: 1) { totalCount nodes { id } } labels(first: 9) { nodes { name color } } }`,
			}
			alone := make([][]byte, len(queries))
			for i, query := range queries {
				status, body, _ := o.Ask(t, credential, query, nil, nil)
				if status != http.StatusOK || strings.Contains(string(body), `"errors"`) {
					t.Fatalf("alone: %d %.300s", status, body)
				}
				alone[i] = body
			}
			var crowd sync.WaitGroup
			for caller := range 20 {
				crowd.Go(func() {
					for turn := range 10 {
						i := (caller + turn) % len(queries)
						if status, body, _ := servers[caller%len(servers)].Ask(t, credential, queries[i], nil, nil); status != http.StatusOK || !bytes.Equal(body, alone[i]) {
							t.Errorf("in the crowd: %d\n%.300s\nalone:\n%.300s", status, body, alone[i])
							return
						}
					}
				})
			}
			crowd.Wait()
			if n := differences(servers[2]); n > 0 {
				t.Errorf("%d answers from memory were not those of the store", n)
			}
		})
	}
}

// differences are the answers from memory that were not those of the store.
func differences(o *gatewaytest.Office) int64 { return o.Before.(*cache.Store).Differences() }
