package backoffice_test

import (
	"errors"
	"net/url"
	"strings"
	"testing"
	"time"

	"example.org/backoffice/backoffice"
)

func TestAWebhooksAddressIsAnHTTPSAddressOfAHost(t *testing.T) {
	t.Parallel()
	for _, good := range []string{"https://receiver.example", "https://receiver.example:8443/a/b?c=d%20e", "https://192.0.2.1/x", "HTTPS://[2001:db8::1]:443/"} {
		if err := backoffice.CheckWebhookURL(good); err != nil {
			t.Errorf("%s: %v", good, err)
		}
	}
	for bad, why := range map[string]string{
		"http://receiver.example/x":                             "must start with https://",
		"receiver.example/x":                                    "must start with https://",
		"https:///x":                                            "must have a host",
		"https:receiver.example":                                "must look like",
		"https://user:secret@receiver.example":                  "a user or password",
		"https://receiver.example/#part":                        "a fragment",
		"https://receiver.example/#":                            "a fragment",
		"https://receiver.example:0/":                           "port",
		"https://receiver.example:65536/":                       "port",
		"https://receiver.example:http/":                        "must look like",
		"https://[fe80::1%25eth0]/":                             "must have a host",
		"https://receiver.example/a b":                          "must look like",
		"https://receiver.exämple/":                             "must look like",
		"https://receiver.example/\r\nX-Header: injected":       "must look like",
		"https://receiver.example/%zz":                          "must look like",
		"https://receiver.example/" + strings.Repeat("a", 2048): "at most 2048",
		"": "must start with https://",
	} {
		err := backoffice.CheckWebhookURL(bad)
		if backoffice.KindOf(err) != backoffice.BadInput || !strings.Contains(err.Error(), why) {
			t.Errorf("%q: %v, want %q", bad, err, why)
		}
		if err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("%q is told again: %v", bad, err)
		}
	}
}

func FuzzWebhookURL(f *testing.F) {
	for _, seed := range []string{"https://receiver.example:8443/a?b=c", "http://a", "https://a:b@c#d", "https://[::1%25e]:99999", "https://\x00", "https:a", "//a"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if backoffice.CheckWebhookURL(text) != nil {
			return
		}
		at, err := url.Parse(text)
		if err != nil || at.Scheme != "https" || at.Hostname() == "" || at.User != nil || at.Fragment != "" || len(text) > 2048 || strings.ContainsAny(text, "\r\n\x00 ") {
			t.Errorf("%q was taken", text)
		}
	})
}

func pairWith(scopes ...backoffice.Scope) *backoffice.Credential {
	return &backoffice.Credential{ID: "credential", Name: "x", Scopes: scopes, CreatedAt: 1}
}

func TestAWebhookIsToldWhatItsCredentialMayReadButNeverOfRegistrationNumbers(t *testing.T) {
	t.Parallel()
	number := &backoffice.Change{Sequence: 1, Noun: backoffice.NounCustomer, ObjectID: "a", Fields: []string{"registrationNumber"}, Done: backoffice.Updated}
	minfin := &backoffice.Change{Sequence: 2, Noun: backoffice.NounMinfin, ObjectID: "b", Done: backoffice.Created}
	customer := &backoffice.Change{Sequence: 3, Noun: backoffice.NounCustomer, ObjectID: "a", Fields: []string{"email", "registrationNumber"}, Done: backoffice.Updated}
	for sentence, c := range map[string]struct {
		credential *backoffice.Credential
		nouns      []backoffice.Noun
		told       []*backoffice.Change
		kind       backoffice.Kind
	}{
		"the operator's":                             {nil, nil, []*backoffice.Change{customer}, 0},
		"the operator's that names minfin":           {nil, []backoffice.Noun{backoffice.NounMinfin}, []*backoffice.Change{minfin}, 0},
		"a credential's with every scope":            {pairWith(backoffice.AllScopes...), nil, []*backoffice.Change{customer}, 0},
		"a credential's that names both":             {pairWith(backoffice.AllScopes...), []backoffice.Noun{backoffice.NounMinfin, backoffice.NounCustomer}, []*backoffice.Change{minfin, customer}, 0},
		"a credential's that lost minfin.read":       {pairWith(), []backoffice.Noun{backoffice.NounMinfin, backoffice.NounCustomer}, []*backoffice.Change{customer}, 0},
		"a credential's that has nothing left of it": {pairWith(), []backoffice.Noun{backoffice.NounMinfin}, nil, backoffice.Forbidden},
	} {
		kinds, err := (&backoffice.Webhook{Nouns: c.nouns}).Kinds(c.credential)
		if (err != nil || c.kind != 0) && backoffice.KindOf(err) != c.kind {
			t.Errorf("%s: %v", sentence, err)
		}
		page := &backoffice.ChangePage{Changes: []*backoffice.Change{number, minfin, customer}}
		shown := page.Show(kinds)
		if len(shown) != len(c.told) {
			t.Errorf("%s is told %d changes, want %d", sentence, len(shown), len(c.told))
			continue
		}
		for i, told := range c.told {
			if shown[i].Sequence != int(told.Sequence) {
				t.Errorf("%s is told %d", sentence, shown[i].Sequence)
			}
		}
	}
}

func TestAWebhookIsRefusedWithEachFault(t *testing.T) {
	t.Parallel()
	ended := pairWith()
	ended.Revoke(5)
	_, err := backoffice.NewWebhook(ended, "http://receiver.example", []backoffice.Noun{backoffice.NounMinfin}, "history1", 0, 10)
	var refused *backoffice.Error
	if !errors.As(err, &refused) || len(refused.UserErrors) != 3 {
		t.Errorf("%+v", refused)
	}
	made, err := backoffice.NewWebhook(pairWith(), "https://receiver.example", []backoffice.Noun{backoffice.NounLabel, backoffice.NounLabel}, "history1", 7, 10)
	if err != nil || made.At != 7 || made.ClientID != "credential" || len(made.Nouns) != 1 || made.State() != "live" {
		t.Errorf("%+v %v", made, err)
	}
}

func hookWithMessage() *backoffice.Webhook {
	hook := &backoffice.Webhook{ID: "w", WebhookProgress: backoffice.WebhookProgress{History: "history1", At: 5}}
	hook.Begin(&backoffice.WebhookMessage{Through: 9, MadeAt: 1, Nouns: []backoffice.Noun{backoffice.NounMinfin}, Body: []byte("body")})
	return hook
}

func TestAttemptsGoByTheScheduleOfStandardWebhooksAndThenTheWebhookStops(t *testing.T) {
	t.Parallel()
	schedule := []time.Duration{
		5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour, 10 * time.Hour, 14 * time.Hour, 20 * time.Hour, 24 * time.Hour,
	}
	for _, jitter := range []float64{0, 0.5, 1} {
		hook, now := hookWithMessage(), backoffice.Instant(1_000_000)
		for i, wait := range schedule {
			hook.Failed(now, "it answered 500", 0, jitter)
			want := now + backoffice.Instant(wait.Milliseconds()) + backoffice.Instant(float64(wait.Milliseconds())*jitter/10)
			if hook.Due != want || hook.State() != "retrying" || hook.Attempts != i+1 {
				t.Fatalf("after attempt %d with jitter %g: %d, want %d (%s)", i+1, jitter, hook.Due, want, hook.State())
			}
			if hook.IsDue(now) || hook.IsDue(want-1) || !hook.IsDue(want) ||
				hook.IsDue(now-5_000) || !hook.IsDue(now-60_001) {
				t.Fatalf("attempt %d is due too early, or not when a clock that was ahead is right again", i+2)
			}
			now = hook.Due
		}
		hook.Failed(now, "it answered 500", 0, jitter)
		if hook.Stop != backoffice.WebhookFailing || hook.State() != "stopped" || hook.Message == nil || hook.At != 5 {
			t.Errorf("after the last attempt: %+v", hook)
		}
	}
	for asked, want := range map[time.Duration]time.Duration{time.Second: 5 * time.Second, time.Minute: time.Minute, 1000 * time.Hour: 24 * time.Hour} {
		hook := hookWithMessage()
		hook.Failed(0, "it answered 429", asked, 0)
		if got := time.Duration(hook.Due) * time.Millisecond; got != want {
			t.Errorf("asked for %v, it waits %v", asked, got)
		}
	}
}

func TestAMessageHasOneIdentifierAndNoOtherHasIt(t *testing.T) {
	t.Parallel()
	hook := hookWithMessage()
	first := hook.MessageID()
	if first != "w_9_1" {
		t.Errorf("it is %s", first)
	}
	hook.Failed(1, "x", 0, 0)
	if hook.MessageID() != first {
		t.Error("a retry has another identifier")
	}
	hook.Stop = backoffice.WebhookDisabled
	if err := hook.Rewind(nil, "history1", 5, 2); err != nil || hook.State() != "live" || hook.MessageID() != first || hook.Due != 0 {
		t.Errorf("where it stands, it goes on with the message: %+v %v", hook, err)
	}
	hook.Received(3)
	if hook.At != 9 || hook.Message != nil || hook.DeliveredAt != 3 || hook.Failure != "" {
		t.Errorf("received: %+v", hook)
	}
	if err := hook.Rewind(nil, "history1", 5, 4); err != nil || hook.At != 5 {
		t.Error(err)
	}
	hook.Begin(&backoffice.WebhookMessage{Through: 9, MadeAt: 4})
	if again := hook.MessageID(); again == first {
		t.Error("what is sent again after a rewind would pass for what was received")
	}
	ended := pairWith()
	ended.Revoke(1)
	if err := hook.Rewind(ended, "history1", 5, 4); backoffice.KindOf(err) != backoffice.Refused {
		t.Errorf("of a revoked credential: %v", err)
	}
}

func TestAMessageOfWhatAWebhookMayNotBeToldAnyMoreIsWithdrawn(t *testing.T) {
	t.Parallel()
	hook := hookWithMessage()
	before := hook.MessageID()
	for _, c := range []struct {
		credential *backoffice.Credential
		may        bool
	}{{nil, true}, {pairWith(backoffice.MinfinRead), true}, {pairWith(), false}} {
		hook.Nouns = []backoffice.Noun{backoffice.NounMinfin, backoffice.NounLabel}
		kinds, err := hook.Kinds(c.credential)
		if err != nil || hook.May(kinds) != c.may {
			t.Errorf("%v: %t %v", c.credential, hook.May(kinds), err)
		}
	}
	hook.Withdraw()
	hook.Begin(&backoffice.WebhookMessage{Through: 9})
	if hook.At != 5 || hook.MessageID() == before {
		t.Errorf("%+v", hook)
	}
}

func TestTheOldSecretSignsUntilItsTimeIsOver(t *testing.T) {
	t.Parallel()
	hook := &backoffice.Webhook{Secret: []byte("a")}
	hook.Rotate([]byte("b"), 1000, time.Second)
	for now, want := range map[backoffice.Instant]int{1000: 2, 1999: 2, 2000: 1} {
		if signing := hook.Signing(now); len(signing) != want || string(signing[0]) != "b" {
			t.Errorf("at %d: %q", now, signing)
		}
	}
	hook.Rotate([]byte("c"), 1000, 0)
	if signing := hook.Signing(1000); len(signing) != 1 || string(signing[0]) != "c" {
		t.Errorf("%q", signing)
	}
}
