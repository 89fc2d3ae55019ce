package answers

import (
	"fmt"
	"regexp"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"example.org/backoffice/gateway"
	"example.org/backoffice/gateway/gatewaytest"
)

var counted = regexp.MustCompile(`"displayName":"Count ([0-9]+)"`)

func TestReadersBesideAWriterNeverGetAnOlderAnswer(t *testing.T) {
	t.Parallel()
	for engine, database := range gatewaytest.Engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			settings := gatewaytest.Settings(t, database(t))
			writes := serving(t, settings, gateway.CacheSettings{Cache: memory})
			writes.Fill(t)
			credential, all := credentials(t, writes)
			servers := []*gatewaytest.Office{writes, serving(t, settings, gateway.CacheSettings{Cache: memory}), serving(t, settings, gateway.CacheSettings{Cache: memory, Check: true})}
			var committed, answered atomic.Int64
			var readers sync.WaitGroup
			count := func(i int) {
				name := fmt.Sprint("Count ", i)
				asks(t, writes, all, fmt.Sprintf(`mutation { updateCustomer(input: {id: "acme", name: %q}) { userErrors { code } } }`, name), "null")
				committed.Store(int64(i))
			}
			count(1)
			over := make(chan struct{})
			for reader := range 6 {
				readers.Go(func() {
					for seen := int64(0); ; {
						select {
						case <-over:
							return
						default:
						}
						least := max(seen, committed.Load())
						_, body, _ := servers[reader%len(servers)].Ask(t, credential, `{ customers { nodes { id displayName } totalCount } }`, nil, nil)
						found := counted.FindSubmatch(body)
						if found == nil {
							t.Errorf("%s", body)
							return
						}
						if seen, _ = strconv.ParseInt(string(found[1]), 10, 64); seen < least {
							t.Errorf("%d, after %d was committed or seen", seen, least)
							return
						}
						answered.Add(1)
					}
				})
			}
			for i := 2; i < 60 || answered.Load() < 600; i++ {
				if count(i); t.Failed() {
					break
				}
			}
			close(over)
			readers.Wait()
			t.Logf("%d answers beside %d writes, %d of the first server kept ones", answered.Load(), committed.Load(), hits(t, writes))
			for _, name := range []string{"backoffice_answers_differences_total", "backoffice_cache_differences_total"} {
				if n := servers[2].Metric(t, name); n > 0 {
					t.Errorf("%s is %d", name, n)
				}
			}
			if hits(t, writes) == 0 {
				t.Error("no answer was kept, so nothing was shown")
			}
		})
	}
}
