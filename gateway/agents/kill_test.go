package agents

import (
	"context"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway"
	"example.org/backoffice/gateway/gatewaytest"
	"example.org/backoffice/privacy"
)

var toolKills = flag.Int("tool-kills", 2, "how often a gateway is killed while tools disclose numbers, on each engine")

var numberIn = regexp.MustCompile(`\\"id\\":\\"([^"\\]+)\\",\\"registrationNumber\\":\\"\d{11}`)

const (
	numberedCustomers = 100
	askers            = 4
)

func TestNoAgentReceivesANumberWithoutItsEntryThoughTheGatewayIsKilled(t *testing.T) {
	t.Parallel()
	for engine, database := range gatewaytest.Engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			settings := gatewaytest.Settings(t, database(t))
			k := &killing{settings: settings, received: map[string]bool{}}
			k.prepare(t)
			k.run(t, *toolKills)
			entered := k.entered(t)
			without := 0
			for one := range k.received {
				if !entered[one] {
					without++
				}
			}
			t.Logf("killed %d times: %d numbers received, %d of them without an entry, of %d", *toolKills, len(k.received), without, len(entered))
			if without > 0 || len(k.received) < numberedCustomers {
				t.Errorf("%d numbers received, %d of them without an entry", len(k.received), without)
			}
		})
	}
}

// killing is a gateway that is killed while agents ask it for numbers, each time by another tool, so that each
// disclosure has a purpose of its own.
type killing struct {
	settings gateway.Settings
	header   http.Header

	mu       sync.Mutex
	received map[string]bool // tool and customer
	news     chan struct{}
}

const differentTools = 64

func (k *killing) prepare(t *testing.T) {
	t.Helper()
	b, err := k.settings.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	issued, secret, err := auth.Issue(t.Context(), b.Store, "agent", backoffice.AllScopes, 0)
	if err != nil {
		t.Fatal(err)
	}
	k.header = gatewaytest.CredentialHeader([2]string{issued.ID, secret})
	by, service := issued.Principal(""), b.Service()
	for i := range numberedCustomers {
		number := backoffice.NationalNumber(time.Date(1980, 1, 1+i, 0, 0, 0, 0, time.UTC), 1+i)
		draft := backoffice.CustomerFields{Type: backoffice.Value(backoffice.PrivatePerson), FirstName: backoffice.Value("Ada"), RegistrationNumber: backoffice.Value(number)}
		if _, err := service.CreateCustomer(b.Vault.WithLedger(t.Context(), by, nil), by, draft, backoffice.Optional[string]{}); err != nil {
			t.Fatal(err)
		}
	}
	o := &gatewaytest.Office{Backend: b}
	for i := range differentTools {
		name := fmt.Sprintf("numbers_%d", i)
		o.Tool(t, backoffice.Tool{Name: name, About: "Numbers.", Numbers: true},
			fmt.Sprintf("query N%d { customers(first: %d) { nodes { id registrationNumber } } }", i, numberedCustomers))
	}
}

func (k *killing) run(t *testing.T, kills int) {
	t.Helper()
	p := gatewaytest.StartProcess(t, k.settings)
	defer func() { p.Kill() }()
	k.news = make(chan struct{})
	ctx, stop := context.WithCancel(t.Context())
	var all sync.WaitGroup
	for range askers {
		all.Go(func() {
			for ctx.Err() == nil {
				k.ask(ctx, "http://"+p.Address, fmt.Sprintf("numbers_%d", rand.IntN(differentTools)))
			}
		})
	}
	for range kills {
		for range 1 + rand.IntN(4) {
			<-k.news
		}
		time.Sleep(time.Duration(rand.IntN(3_000)) * time.Microsecond)
		p.Kill()
		p.Start(t)
	}
	stop()
	all.Wait()
}

// ask calls a tool, and notes what it got, of an answer that was cut off as well.
func (k *killing) ask(ctx context.Context, address, tool string) {
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + tool + `"}}`
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, address+"/mcp", strings.NewReader(body))
	if err != nil {
		return
	}
	r.Header = k.header.Clone()
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		time.Sleep(5 * time.Millisecond) // it is being started again
		return
	}
	defer response.Body.Close()
	text, _ := io.ReadAll(response.Body)
	found := numberIn.FindAllSubmatch(text, -1)
	k.mu.Lock()
	for _, match := range found {
		k.received["mcp:"+tool+" "+string(match[1])] = true
	}
	k.mu.Unlock()
	if len(found) > 0 {
		select {
		case k.news <- struct{}{}:
		default:
		}
	}
}

func (k *killing) entered(t *testing.T) map[string]bool {
	t.Helper()
	b, err := k.settings.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	verified, err := b.Keys.Verify(t.Context(), b.Store, "", func(p privacy.Problem) { t.Errorf("the register: %v", p) })
	if err != nil || verified.Problems > 0 {
		t.Fatalf("the register is not whole: %v", err)
	}
	entered := map[string]bool{}
	for _, line := range purposes(t, &gatewaytest.Office{Backend: b}) {
		words := strings.Fields(line) // purpose, "a credential", operation, customer
		entered[words[0]+" "+words[len(words)-1]] = true
	}
	return entered
}
