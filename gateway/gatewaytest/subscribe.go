package gatewaytest

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"example.org/backoffice/auth"
)

// Post sends a GraphQL operation. Its answer is a stream of events, unless the headers accept another.
func (f Follower) Post(ctx context.Context, query string, variables map[string]any, header ...string) (*http.Response, error) {
	body, err := json.Marshal(map[string]any{"query": query, "variables": variables})
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, f.Address+"/graphql", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "text/event-stream")
	r.Header.Set(auth.ClientIDHeader, f.Credential[0])
	r.Header.Set(auth.ClientSecretHeader, f.Credential[1])
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	return http.DefaultClient.Do(r)
}

// ChangeAnswer is the answer of an operation, or one event of a subscription.
type ChangeAnswer struct {
	Data   map[string]Change
	Errors []struct {
		Message    string
		Path       []any
		Extensions map[string]any
	}
	Extensions map[string]any
}

// Subscription is a subscription over Server-Sent Events.
type Subscription struct{ *Events }

// Subscribe begins a subscription over Server-Sent Events.
func (f Follower) Subscribe(ctx context.Context, query string, variables map[string]any) (Subscription, error) {
	response, err := f.Post(ctx, query, variables)
	if err != nil {
		return Subscription{}, err
	}
	if response.StatusCode != http.StatusOK || !strings.HasPrefix(response.Header.Get("Content-Type"), "text/event-stream") {
		defer response.Body.Close()
		body, _ := io.ReadAll(response.Body)
		return Subscription{}, fmt.Errorf("the subscription is refused: %s %s", response.Status, body)
	}
	return Subscription{&Events{response, bufio.NewScanner(response.Body)}}, nil
}

// Subscribes is Subscribe, which must succeed.
func (f Follower) Subscribes(t testing.TB, query string, variables map[string]any) Subscription {
	t.Helper()
	s, err := f.Subscribe(t.Context(), query, variables)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Response.Body.Close() })
	return s
}

// Answer waits for the next event, which must be an answer.
func (s Subscription) Answer(t testing.TB) (answer ChangeAnswer) {
	t.Helper()
	e, ok := s.Next()
	if err := json.Unmarshal([]byte(e.Data), &answer); !ok || e.Name != "next" || err != nil {
		t.Fatalf("%+v %v", e, err)
	}
	return answer
}

// Change waits for the next event, which must be a change without errors.
func (s Subscription) Change(t testing.TB) Change {
	t.Helper()
	answer := s.Answer(t)
	if len(answer.Errors) > 0 || len(answer.Data) != 1 {
		t.Fatalf("%+v", answer)
	}
	for _, c := range answer.Data {
		return c
	}
	return Change{}
}

// EveryChange subscribes to the feed.
const EveryChange = `subscription($after: String, $nouns: [Noun!]) { changes(after: $after, nouns: $nouns) {
	cursor sequence noun objectId action fields clientId parents { noun id } object { id } } }`
