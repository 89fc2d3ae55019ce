package feed

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway/gatewaytest"
	"example.org/backoffice/importexport"
)

// poller follows the customers by updatedSince: each time it asks for what changed since the latest instant it was
// shown.
type poller struct {
	rule  func(t testing.TB, since string) []polled
	since string
	seen  map[string]int // the latest version of each
}

type polled struct {
	ID, UpdatedAt string
	Version       int
}

func (p *poller) poll(t testing.TB) {
	t.Helper()
	for _, c := range p.rule(t, p.since) {
		p.seen[c.ID] = max(p.seen[c.ID], c.Version)
		p.since = max(p.since, c.UpdatedAt)
	}
}

// lost counts the customers whose last version the poller did not see.
func (p *poller) lost(all []polled) (n int) {
	for _, c := range all {
		if p.seen[c.ID] < c.Version {
			n++
		}
	}
	return n
}

func TestAPollerByUpdatedSinceSeesEveryRowOfEightWritersAndAnImport(t *testing.T) {
	t.Parallel()
	for engine, database := range gatewaytest.Engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			o := gatewaytest.OpenOn(t, database(t))
			credential := o.Credential(t, backoffice.CustomersWrite)
			list := func(t testing.TB, filter string) (found []polled) {
				t.Helper()
				for cursor, more := "null", true; more; {
					status, body, _ := o.Ask(t, credential, `{ customers(first: 500, after: `+cursor+filter+`) { nodes { id updatedAt version } pageInfo { hasNextPage endCursor } } }`, nil, nil)
					var answer struct {
						Data struct {
							Customers struct {
								Nodes    []polled
								PageInfo struct {
									HasNextPage bool
									EndCursor   string
								}
							}
						}
					}
					if err := json.Unmarshal(body, &answer); err != nil || status != http.StatusOK {
						t.Fatalf("%d %s", status, body)
					}
					page := answer.Data.Customers
					found, more, cursor = append(found, page.Nodes...), page.PageInfo.HasNextPage, fmt.Sprintf("%q", page.PageInfo.EndCursor)
				}
				return found
			}
			everything := func(t testing.TB, _ string) []polled { return list(t, "") }
			fixed := &poller{since: "0001-01-01T00:00:00.000Z", seen: map[string]int{}, rule: func(t testing.TB, since string) []polled {
				return list(t, `, filter: {updatedSince: "`+since+`"}`)
			}}
			// The rule as it was: by what is shown.
			broken := &poller{since: fixed.since, seen: map[string]int{}, rule: func(t testing.TB, since string) (changed []polled) {
				for _, c := range everything(t, "") {
					if c.UpdatedAt >= since {
						changed = append(changed, c)
					}
				}
				return changed
			}}
			fixed.poll(t)
			broken.poll(t)

			folder := t.TempDir()
			const imported, writers, each = 1500, 8, 12
			var lines []byte
			for i := range imported {
				lines = fmt.Appendf(lines, `{"_id": "old-%d", "type": "Company", "name": "Old %d", "updatedAt": "2020-01-01T00:00:00.000Z"}`+"\n", i, i)
			}
			if err := os.WriteFile(filepath.Join(folder, "customers.ndjson"), lines, 0o600); err != nil {
				t.Fatal(err)
			}
			var all sync.WaitGroup
			var over atomic.Bool
			all.Go(func() {
				importer := importexport.Importer{Store: o.Store, Files: o.Files, Keys: o.Keys}
				if _, err := importer.Import(t.Context(), folder); err != nil {
					t.Error(err)
				}
			})
			// A writer whom the import keeps waiting for too long is told to come again, and does.
			patiently := func(method, path, body string) *httptest.ResponseRecorder {
				for {
					if w := o.Send(t, credential, method, path, body); w.Code != http.StatusServiceUnavailable || t.Context().Err() != nil {
						return w
					}
					time.Sleep(20 * time.Millisecond)
				}
			}
			for w := range writers {
				all.Go(func() {
					for i := range each {
						w := patiently(http.MethodPost, "/customers", fmt.Sprintf(`{"type": "Company", "name": "Made %d %d"}`, w, i))
						var made struct {
							ID string `json:"_id"`
						}
						if err := json.Unmarshal(w.Body.Bytes(), &made); err != nil || w.Code != http.StatusCreated {
							t.Errorf("%d %s", w.Code, w.Body)
							return
						}
						if w := patiently(http.MethodPut, "/customers/"+made.ID, `{"language": "french"}`); w.Code != http.StatusOK {
							t.Errorf("%d %s", w.Code, w.Body)
						}
					}
				})
			}
			go func() { all.Wait(); over.Store(true) }()
			for last := false; !last; {
				last = over.Load() // before asking: what is there then is all
				fixed.poll(t)
				broken.poll(t)
			}
			rows := everything(t, "")
			if len(rows) < imported+writers*each {
				t.Errorf("there are %d customers", len(rows))
			}
			if n := fixed.lost(rows); n > 0 {
				t.Errorf("the poller lost %d of %d customers", n, len(rows))
			}
			if broken.lost(rows) == 0 {
				t.Error("a poller by the rule of old lost nothing, so this test shows nothing")
			}
		})
	}
}
