package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"example.org/backoffice/store/postgres/pgtest"
)

// inbox is a receiver of webhooks: each message that it has taken, once, and what was wrong.
type inbox struct {
	*httptest.Server
	certificate string // a file
	mu          sync.Mutex
	secret      string
	bodies      map[string][]byte
	last        int
	told        map[string]bool
	repeated    int
	at, atOnce  int
	wrong       []string
}

func newInbox(t *testing.T) *inbox {
	t.Helper()
	b := &inbox{bodies: map[string][]byte{}, told: map[string]bool{}}
	b.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		b.take(r.Header, body)
		time.Sleep(20 * time.Millisecond) // so that who is killed is killed in the middle of it
		b.mu.Lock()
		b.at--
		b.mu.Unlock()
		_, _ = fmt.Fprint(w, "taken")
	}))
	b.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	b.StartTLS()
	t.Cleanup(b.Close)
	b.certificate = filepath.Join(t.TempDir(), "certificate.pem")
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: b.Certificate().Raw})
	if err := os.WriteFile(b.certificate, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return b
}

// take notes a message: in order, and again under its own identifier alone.
func (b *inbox) take(headers http.Header, body []byte) {
	var message struct {
		Type string
		Data struct {
			Changes []struct {
				Sequence int
				ID       string
			}
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.at++; b.at > b.atOnce {
		b.atOnce = b.at
	}
	by, err := standardwebhooks.NewWebhook(b.secret)
	if err == nil {
		err = by.Verify(body, headers)
	}
	if err == nil {
		err = json.Unmarshal(body, &message)
	}
	if err != nil {
		b.wrong = append(b.wrong, err.Error())
	}
	if message.Type == "ping" {
		return
	}
	id := headers.Get("webhook-id")
	if before, again := b.bodies[id]; again {
		b.repeated++
		if !bytes.Equal(before, body) {
			b.wrong = append(b.wrong, "another message under "+id)
		}
		return
	}
	b.bodies[id] = body
	for _, c := range message.Data.Changes {
		if c.Sequence <= b.last {
			b.wrong = append(b.wrong, fmt.Sprintf("%d after %d", c.Sequence, b.last))
		}
		b.last = c.Sequence
		b.told[c.ID] = true
	}
}

// lacks is how many of these it was not told of.
func (b *inbox) lacks(ids []string) (n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, id := range ids {
		if !b.told[id] {
			n++
		}
	}
	return n
}

// createLabel writes through a server, and returns the identifier when that has acknowledged it.
func createLabel(ctx context.Context, address string, by credential, name string) (id string) {
	query := fmt.Sprintf(`{"query":"mutation { createLabel(input: {name: \"%s\"}) { label { id } } }"}`, name)
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+address+"/graphql", strings.NewReader(query))
	if err != nil {
		return ""
	}
	request.Header = http.Header{"Content-Type": {"application/json"}, "X-Client-Id": {by.ClientID}, "X-Client-Secret": {by.ClientSecret}}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return ""
	}
	defer response.Body.Close()
	var answer struct {
		Data struct {
			CreateLabel struct{ Label struct{ ID string } }
		}
	}
	if json.NewDecoder(response.Body).Decode(&answer) != nil {
		return ""
	}
	return answer.Data.CreateLabel.Label.ID
}

func TestServersThatAreKilledLoseNoMessageOfAWebhook(t *testing.T) {
	if testing.Short() {
		t.Skip("a lease of one who was killed takes half a minute")
	}
	t.Parallel()
	for engine, servers := range map[string]int{"the embedded store": 1, "PostgreSQL": 2} {
		t.Run("on "+engine, func(t *testing.T) {
			t.Parallel()
			s, b := newShell(t), newInbox(t)
			if servers > 1 {
				s.database = pgtest.Database(t)
			}
			s.must(t, "migrate")
			by := pairOf(t, s.must(t, "credentials", "create", "--json", "--name", "writer", "--scope", "settings.write"))
			hook := hookOf(t, s.must(t, "webhooks", "create", "--json", "--url", b.URL+"/changes", "--noun", "LABEL", "--client", by.ClientID))
			b.secret = hook.Secret
			with := func() *exec.Cmd { return exec.Command("env", "SSL_CERT_FILE="+b.certificate) }
			serve := func() *started { return s.start(t, with(), "--webhook-network=127.0.0.0/8") }

			var mu sync.Mutex
			var running []*started
			for range servers {
				running = append(running, serve())
			}
			var acknowledged []string
			writing, stop := context.WithCancel(t.Context())
			var all sync.WaitGroup
			for w := range 5 {
				all.Go(func() {
					for i := 0; writing.Err() == nil; i++ {
						mu.Lock()
						address := running[i%len(running)].address
						mu.Unlock()
						if id := createLabel(writing, address, by, fmt.Sprint("label ", w, " ", i)); id != "" {
							mu.Lock()
							acknowledged = append(acknowledged, id)
							mu.Unlock()
						}
						time.Sleep(10 * time.Millisecond)
					}
				})
			}
			for kill := range 2 { // one, and then the other where there are two
				time.Sleep(time.Second)
				victim := running[kill%servers]
				_ = victim.command.Process.Kill()
				<-victim.ended
				again := serve()
				mu.Lock()
				running[kill%servers] = again
				mu.Unlock()
			}
			for until, written := time.Now().Add(2*time.Minute), 0; written < 50 && time.Now().Before(until); time.Sleep(time.Second) {
				mu.Lock()
				written = len(acknowledged)
				mu.Unlock()
			}
			stop()
			all.Wait()
			for until := time.Now().Add(2 * time.Minute); b.lacks(acknowledged) > 0; time.Sleep(50 * time.Millisecond) {
				if time.Now().After(until) {
					t.Fatalf("%d of %d were not told; %s", b.lacks(acknowledged), len(acknowledged), s.must(t, "webhooks", "list"))
				}
			}
			b.mu.Lock()
			t.Logf("%d writes, %d messages, %d again", len(acknowledged), len(b.bodies), b.repeated)
			if b.wrong != nil || b.atOnce > 1 || len(acknowledged) < 50 {
				t.Errorf("%q, %d at once", b.wrong, b.atOnce)
			}
			b.mu.Unlock()
			s.ping(t, with(), hook.ID)
		})
	}
}

// ping has a webhook pinged by a process that trusts its receiver.
func (s *shell) ping(t *testing.T, command *exec.Cmd, id string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	command.Args = append(append(append(command.Args, self), s.settings()...), "webhooks", "ping", id)
	command.Env = append(os.Environ(), "TEST_BACKOFFICE_PROGRAM=1", "BACKOFFICE_WEBHOOK_NETWORK=127.0.0.0/8")
	if out, err := command.CombinedOutput(); err != nil || !strings.HasPrefix(string(out), "200 OK after ") || !strings.Contains(string(out), `"taken"`) {
		t.Errorf("the ping: %v %s", err, out)
	}
	code, _, said := s.run(t, "webhooks", "ping", id)
	if code != exitFailure || !strings.Contains(said, "--webhook-network") {
		t.Errorf("the ping into a private network ends with %d, %s", code, said)
	}
}
