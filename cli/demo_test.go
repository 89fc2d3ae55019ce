package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"example.org/backoffice/backoffice"
)

// screen is written by a command and read by a test.
type screen struct {
	mu   sync.Mutex
	text strings.Builder
}

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

var demoScreen = regexp.MustCompile(`(?s)^Every scope\n  x-client-id:     (\S+)\n  x-client-secret: (\S+)\nWithout privacy.read\n  x-client-id:     (\S+)\n  x-client-secret: (\S+)\nGraphiQL: (http://\S+)/graphiql\S*\n`)

// demo starts a demo, hands what it printed to try, and stops it.
func (s *shell) demo(t *testing.T, try func(printed []string)) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var out, err screen
	done := make(chan int, 1)
	go func() {
		done <- run(ctx, append(s.settings(), "demo", "--listen=127.0.0.1:0", "--customers=60"), &out, &err)
	}()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		if printed := demoScreen.FindStringSubmatch(out.String()); printed != nil {
			try(printed[1:])
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("the demo has printed %q and %q", out.String(), err.String())
		}
	}
	cancel()
	if code := <-done; code != exitDone {
		t.Errorf("the demo ends with %d: %s", code, err.String())
	}
}

func TestADemoServesAndASecondStartReusesTheDataAndRotatesTheSecrets(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	status := func(base, id, secret string) int {
		request, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, base+"/graphql", strings.NewReader(`{"query":"{customers{totalCount}}"}`))
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("x-client-id", id)
		request.Header.Set("x-client-secret", secret)
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Error(err)
			return 0
		}
		defer response.Body.Close()
		var answer bytes.Buffer
		_, _ = answer.ReadFrom(response.Body)
		if response.StatusCode == http.StatusOK && strings.TrimSpace(answer.String()) != `{"data":{"customers":{"totalCount":60}}}` {
			t.Errorf("the answer is %s", answer.String())
		}
		return response.StatusCode
	}
	var first []string
	s.demo(t, func(printed []string) {
		first = printed
		for at := range []int{0, 1} {
			if code := status(printed[4], printed[2*at], printed[2*at+1]); code != http.StatusOK {
				t.Errorf("credential %d is answered with %d", at, code)
			}
		}
	})
	s.demo(t, func(printed []string) {
		for at := range []int{0, 1} {
			if printed[2*at] != first[2*at] || printed[2*at+1] == first[2*at+1] {
				t.Errorf("credential %d was %s and is %s, or kept its secret", at, first[2*at], printed[2*at])
			}
			if code := status(printed[4], printed[2*at], printed[2*at+1]); code != http.StatusOK {
				t.Errorf("credential %d is answered with %d", at, code)
			}
			if code := status(printed[4], first[2*at], first[2*at+1]); code != http.StatusOK { // another demo may be served with it
				t.Errorf("the old secret of credential %d is answered with %d", at, code)
			}
		}
	})
	s.demo(t, func(printed []string) {
		for at := range []int{0, 1} {
			if code := status(printed[4], first[2*at], first[2*at+1]); code != http.StatusUnauthorized {
				t.Errorf("the oldest secret of credential %d is answered with %d", at, code)
			}
		}
	})
	if queries := s.trusts(t, "--set=demo"); len(queries) != 3 || queries[0]["title"] == "" || strings.Count(s.must(t, "changes", "list", "--format=jsonl"), "documents trust") != 1 {
		t.Errorf("the saved queries of a demo are %v", queries)
	}
	var row struct{ Scopes []string }
	lines := strings.SplitN(s.must(t, "credentials", "list", "--format=jsonl"), "\n", 2)
	if err := json.Unmarshal([]byte(lines[0]), &row); err != nil || len(row.Scopes) != len(backoffice.AllScopes) {
		t.Errorf("the first credential is %s", lines[0])
	}
}

func TestADemoInWhichDataWereImportedIsOneNoMore(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	s.demo(t, func([]string) {})
	before := s.must(t, "credentials", "list", "--format=jsonl")
	s.must(t, "years", "start", "2060", "--force") // as somebody tries things
	s.demo(t, func([]string) {})
	s.must(t, "import", s.folder(t, "labels.ndjson", `{"_id":"l-own","name":"The office's own"}`))
	code, out, err := s.run(t, "demo", "--listen=127.0.0.1:0")
	if code != exitFailure || out != "" || !strings.Contains(err, "imported data") || !strings.Contains(err, "--database") {
		t.Errorf("it ends with %d, %q and %q", code, out, err)
	}
	if after := s.must(t, "credentials", "list", "--format=jsonl"); strings.Count(after, "\n") != strings.Count(before, "\n") {
		t.Errorf("the credentials are %s", after)
	}
}

func TestADemoLeavesAStoreWithOtherDataAlone(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	s.must(t, "import", "../testdata/office")
	code, out, err := s.run(t, "demo", "--listen=127.0.0.1:0")
	if code != exitFailure || out != "" || !strings.Contains(err, "--database") {
		t.Errorf("it ends with %d, %q and %q", code, out, err)
	}
}
