package webhooks

import (
	"bytes"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.org/backoffice/backoffice"
)

func TestChangesArePostedInOrderAndSigned(t *testing.T) {
	t.Parallel()
	for engine, open := range engines {
		t.Run("on "+engine, func(t *testing.T) {
			t.Parallel()
			o := newOffice(t, open(t), nil)
			o.labels(t, "before", 3)
			r := receive(t, nil)
			id, secret := o.hook(t, r.URL+"/changes", backoffice.NounLabel)
			s, _ := o.sender(t, nil)
			want := o.labels(t, "after", 250)
			waits(t, "all are told", func() bool { ids, _ := r.told(); return len(ids) == len(want) })
			ids, err := r.told()
			if diff := cmp.Diff(want, ids); diff != "" || err != nil {
				t.Error(diff, err)
			}
			after := r.all()[0].message.Data.After
			for _, p := range r.all() {
				if err := verify(t, secret, p, true); err != nil {
					t.Errorf("%s: %v", p.id, err)
				}
				if p.message.Type != "changes" || p.message.Data.After != after ||
					len(p.message.Data.Changes) > 100 || !strings.HasPrefix(p.id, id+"_"+numberOf(p.message.Data.Through)+"_") {
					t.Errorf("%s of %s tells %d after %s, want %s", p.message.Type, p.id, len(p.message.Data.Changes), p.message.Data.After, after)
				}
				after = p.message.Data.Through
				for _, c := range p.message.Data.Changes {
					if c.Noun != "LABEL" || c.Action != "CREATED" || c.At.IsZero() {
						t.Errorf("%+v", c)
					}
				}
			}
			waits(t, "the place is stored", func() bool { return o.stored(t, id).Message == nil })
			if hook := o.stored(t, id); hook.State() != "live" || backoffice.ChangeCursor(hook.History, hook.At) != after ||
				hook.DeliveredAt.IsZero() || s.Received() != int64(len(r.all())) || s.Failed() != 0 {
				t.Errorf("%+v", hook)
			}
		})
	}
}

func TestARetryIsTheSameMessageByTheScheduleUntilTheWebhookStops(t *testing.T) {
	t.Parallel()
	o := newOffice(t, engines["the embedded store"](t), nil)
	at := newClock()
	r := receive(t, func(http.ResponseWriter, *http.Request, posted) int { return http.StatusInternalServerError })
	id, secret := o.hook(t, r.URL)
	s, _ := o.sender(t, func(s *Sender) { s.now = at.now })
	o.labels(t, "a", 3)
	for attempt := 1; attempt <= 10; attempt++ {
		waits(t, "the attempt is stored", func() bool { return o.stored(t, id).Attempts == attempt })
		hook := o.stored(t, id)
		if attempt == 10 {
			break
		}
		if hook.State() != "retrying" || !strings.Contains(hook.Failure, "500") || hook.At != 0 {
			t.Fatalf("%+v", hook)
		}
		at.pass(hook.Due.Time().Sub(at.now()) - 2*time.Millisecond)
		time.Sleep(30 * time.Millisecond) // some polls
		if n := len(r.all()); n != attempt {
			t.Fatalf("it was sent %d times before attempt %d was due", n, attempt+1)
		}
		at.pass(10 * time.Millisecond)
	}
	waits(t, "it is noted", func() bool { return s.Standing().Stopped == 1 })
	if hook := o.stored(t, id); hook.Stop != backoffice.WebhookFailing {
		t.Errorf("%+v", hook)
	}
	posts := r.all()
	timestamps := map[string]bool{}
	for _, p := range posts {
		if p.id != posts[0].id || !bytes.Equal(p.body, posts[0].body) {
			t.Error("a retry is another message")
		}
		if err := verify(t, secret, p, false); err != nil {
			t.Error(err)
		}
		timestamps[p.timestamp+p.signature] = true
	}
	if len(posts) != 10 || len(timestamps) != 10 || s.Failed() != 10 || s.Received() != 0 {
		t.Errorf("%d posts with %d timestamps", len(posts), len(timestamps))
	}
	// Where it stands, it goes on with the same message.
	if err := Rewind(t.Context(), o.Store, id, o.cursor(t, 0)); err != nil {
		t.Fatal(err)
	}
	waits(t, "it is sent again", func() bool { return len(r.all()) == 11 })
	if p := r.all()[10]; p.id != posts[0].id || !bytes.Equal(p.body, posts[0].body) {
		t.Error("it is another message")
	}
}

func TestAMachineWhoseClockIsADayAheadTriesAgainByTheStoresClock(t *testing.T) {
	t.Parallel()
	for name, open := range engines {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := newOffice(t, open(t), nil)
			r := receive(t, func(http.ResponseWriter, *http.Request, posted) int { return http.StatusInternalServerError })
			id, _ := o.hook(t, r.URL)
			o.sender(t, func(s *Sender) { s.machine = func() time.Time { return time.Now().Add(24 * time.Hour) } })
			o.labels(t, "a", 1)
			waits(t, "the attempt is stored", func() bool { return o.stored(t, id).Attempts == 1 })
			if wait := time.Until(o.stored(t, id).Due.Time()); wait > time.Hour {
				t.Errorf("the next attempt is in %s", wait)
			}
		})
	}
}

func TestWhatReceiversAnswerDecidesWhatIsDone(t *testing.T) {
	t.Parallel()
	elsewhere := receive(t, nil)
	endless := func(w http.ResponseWriter, r *http.Request, _ posted) int {
		for r.Context().Err() == nil {
			if _, err := w.Write(make([]byte, 32<<10)); err != nil {
				break
			}
		}
		return 0
	}
	for sentence, c := range map[string]struct {
		answer  func(w http.ResponseWriter, r *http.Request, p posted) int
		stop    backoffice.WebhookStop
		failure string        // "" for received
		wait    time.Duration // at least, before the next attempt
	}{
		"200 with a body without end was received": {answer: func(w http.ResponseWriter, r *http.Request, p posted) int { return endless(w, r, p) }},
		"202 was received":                         {answer: func(http.ResponseWriter, *http.Request, posted) int { return http.StatusAccepted }},
		"400 is a failure":                         {func(http.ResponseWriter, *http.Request, posted) int { return http.StatusBadRequest }, "", "it answered 400", 5 * time.Second},
		"500 with a body without end is a failure": {func(w http.ResponseWriter, r *http.Request, p posted) int {
			w.WriteHeader(http.StatusInternalServerError)
			return endless(w, r, p)
		}, "", "it answered 500", 5 * time.Second},
		"a redirect is a failure, and is not followed": {func(w http.ResponseWriter, _ *http.Request, _ posted) int {
			w.Header().Set("Location", elsewhere.URL)
			return http.StatusTemporaryRedirect
		}, "", "redirects are not followed", 5 * time.Second},
		"410 stops the webhook": {func(http.ResponseWriter, *http.Request, posted) int { return http.StatusGone }, backoffice.WebhookGone, "it answered 410", 0},
		"429 says how long to wait": {func(w http.ResponseWriter, _ *http.Request, _ posted) int {
			w.Header().Set("Retry-After", "120")
			return http.StatusTooManyRequests
		}, "", "it answered 429", 2 * time.Minute},
		"503 says until when to wait": {func(w http.ResponseWriter, _ *http.Request, _ posted) int {
			w.Header().Set("Retry-After", time.Now().Add(time.Hour).UTC().Format(http.TimeFormat))
			return http.StatusServiceUnavailable
		}, "", "it answered 503", 59 * time.Minute},
		"500 may not say how long to wait": {func(w http.ResponseWriter, _ *http.Request, _ posted) int {
			w.Header().Set("Retry-After", "9999999")
			return http.StatusInternalServerError
		}, "", "it answered 500", 5 * time.Second},
		"no answer in time is a failure": {func(_ http.ResponseWriter, r *http.Request, _ posted) int {
			<-r.Context().Done()
			return 0
		}, "", "it did not answer within", 5 * time.Second},
		"a connection that is cut off is a failure": {func(http.ResponseWriter, *http.Request, posted) int { panic(http.ErrAbortHandler) }, "", "the connection failed", 5 * time.Second},
		"headers without end are a failure": {func(w http.ResponseWriter, _ *http.Request, _ posted) int {
			for i := range 100 {
				w.Header().Add("X-Header", strings.Repeat("a", 1000+i))
			}
			return http.StatusOK
		}, "", "the connection failed", 5 * time.Second},
	} {
		t.Run(sentence, func(t *testing.T) {
			t.Parallel()
			o := newOffice(t, engines["the embedded store"](t), nil)
			at := newClock() // it stands
			r := receive(t, c.answer)
			id, _ := o.hook(t, r.URL)
			o.sender(t, func(s *Sender) {
				if s.now = at.now; strings.Contains(c.failure, "did not answer") {
					s.client.limit = 2 * time.Second
				}
			})
			o.labels(t, "a", 1)
			waits(t, "the attempt is stored", func() bool { return !o.stored(t, id).TriedAt.IsZero() })
			hook := o.stored(t, id)
			if hook.Stop != c.stop || (hook.Failure == "") != (c.failure == "") || !strings.Contains(hook.Failure, c.failure) || (hook.Message == nil) != (c.failure == "") {
				t.Errorf("%+v", hook)
			}
			if wait := hook.Due.Time().Sub(at.now().Truncate(time.Millisecond)); c.failure != "" && c.stop == "" && (wait < c.wait || wait > c.wait+c.wait/10+time.Minute) {
				t.Errorf("it waits %v", wait)
			}
			if len(elsewhere.all()) > 0 {
				t.Error("a redirect was followed")
			}
		})
	}
}

func TestAConnectionOnWhichNothingIsAnsweredAnyMoreIsNotUsedAgain(t *testing.T) {
	t.Parallel()
	o := newOffice(t, engines["the embedded store"](t), nil)
	var mu sync.Mutex
	var dead string // the address of the first connection
	r := receive(t, func(_ http.ResponseWriter, r *http.Request, _ posted) int {
		mu.Lock()
		again := dead == r.RemoteAddr
		if dead == "" {
			dead = r.RemoteAddr
		}
		mu.Unlock()
		if again {
			<-r.Context().Done()
		}
		return http.StatusOK
	})
	id, _ := o.hook(t, r.URL)
	c := newClient(Settings{Networks: networks(t, "127.0.0.0/8")}, o.keys)
	defer c.close()
	trust(c)
	for i, received := range []bool{true, false, true} {
		if c.limit = attemptTime; !received {
			c.limit = time.Second
		}
		if answer, err := c.post(t.Context(), o.stored(t, id), "x", []byte(`{}`), time.Now()); err != nil || answer.Received() != received {
			t.Errorf("attempt %d: %+v %v", i, answer, err)
		}
	}
}

func TestWhatAReceiverAnswersIsMaskedInTheLog(t *testing.T) {
	t.Parallel()
	o := newOffice(t, engines["the embedded store"](t), nil)
	r := receive(t, func(w http.ResponseWriter, _ *http.Request, _ posted) int {
		w.Header().Set("Location", "http://85073003328 x")
		return http.StatusFound
	})
	id, _ := o.hook(t, r.URL)
	c := newClient(Settings{Networks: networks(t, "127.0.0.0/8")}, o.keys)
	defer c.close()
	trust(c)
	answer, err := c.post(t.Context(), o.stored(t, id), "x", []byte(`{}`), time.Now())
	if err != nil || answer.cause == "" || strings.Contains(answer.cause, "85073003328") || strings.Contains(answer.cause, r.URL) {
		t.Errorf("%+v %v", answer, err)
	}
}

func TestAReceiverThatIsNotReachedIsTriedAgainAndTheFailureSaysWhatToDo(t *testing.T) {
	t.Parallel()
	r := receive(t, nil)
	gone := receive(t, nil)
	gone.Close()
	for failure, c := range map[string]struct {
		url    string
		change func(t testing.TB, s *Sender)
	}{
		"--webhook-network NETWORK": {r.URL, func(t testing.TB, s *Sender) {
			s.client = newClient(Settings{Networks: networks(t, "127.0.0.2", "10.0.0.0/8")}, s.Keys)
		}},
		"SSL_CERT_FILE": {r.URL, func(t testing.TB, s *Sender) {
			s.client = newClient(Settings{Networks: networks(t, "127.0.0.0/8")}, s.Keys)
		}},
		"it refused the connection": {gone.URL, func(testing.TB, *Sender) {}},
	} {
		t.Run(failure, func(t *testing.T) {
			t.Parallel()
			o := newOffice(t, engines["the embedded store"](t), nil)
			id, _ := o.hook(t, c.url)
			o.sender(t, func(s *Sender) { c.change(t, s) })
			o.labels(t, "a", 1)
			waits(t, "the attempt is stored", func() bool { return o.stored(t, id).Attempts == 1 })
			if hook := o.stored(t, id); !strings.Contains(hook.Failure, failure) || hook.At != 0 || strings.Contains(hook.Failure, "127.0.0.1") {
				t.Errorf("%+v", hook)
			}
		})
	}
	if n := len(r.all()); n > 0 {
		t.Errorf("the receiver got %d", n)
	}
}

func TestAWebhookIsToldWhatItsCredentialMayReadAsLongAsItMay(t *testing.T) {
	t.Parallel()
	for engine, open := range engines {
		t.Run("on "+engine, func(t *testing.T) {
			t.Parallel()
			o := newOffice(t, open(t), nil)
			credential := &backoffice.Credential{ID: "credential", Name: "x", CreatedAt: 1, Scopes: []backoffice.Scope{backoffice.MinfinRead, backoffice.PrivacyRead}}
			if err := o.CreateCredential(t.Context(), credential); err != nil {
				t.Fatal(err)
			}
			failing := true
			r := receive(t, func(_ http.ResponseWriter, _ *http.Request, p posted) int {
				if failing && p.message.Data.Changes[0].Noun == "MINFIN_DOCUMENT" {
					return http.StatusInternalServerError
				}
				return http.StatusOK
			})
			made, _, err := Create(t.Context(), o.Store, o.keys, Draft{ClientID: "credential", URL: r.URL, Nouns: []backoffice.Noun{backoffice.NounMinfin, backoffice.NounLabel, backoffice.NounCustomer}})
			if err != nil {
				t.Fatal(err)
			}
			o.sender(t, nil)
			o.note(t, &backoffice.Change{Noun: backoffice.NounCustomer, ObjectID: "c", Fields: []string{"registrationNumber"}, Done: backoffice.Updated},
				&backoffice.Change{Noun: backoffice.NounMinfin, ObjectID: "m", Done: backoffice.Created})
			waits(t, "it fails", func() bool { return o.stored(t, made.ID).Attempts == 1 })
			// What fails on its way is not sent any more when the credential may not read it, and what comes after it is.
			if err := o.UpdateCredential(t.Context(), "credential", func(c *backoffice.Credential) error { c.Scopes = nil; return nil }); err != nil {
				t.Fatal(err)
			}
			if err := Rewind(t.Context(), o.Store, made.ID, o.cursor(t, o.stored(t, made.ID).At)); err != nil { // at once, not in five seconds
				t.Fatal(err)
			}
			want := o.labels(t, "a", 2)
			waits(t, "the labels are told", func() bool { ids, _ := r.told(); return len(ids) == len(want) })
			if ids, err := r.told(); !slices.Equal(ids, want) || err != nil {
				t.Errorf("%q %v", ids, err)
			}
			if err := o.UpdateCredential(t.Context(), "credential", func(c *backoffice.Credential) error { c.Revoke(5); return nil }); err != nil {
				t.Fatal(err)
			}
			waits(t, "it stops", func() bool { return o.stored(t, made.ID).Stop == backoffice.WebhookCredentialEnded })
			o.labels(t, "late", 1)
			time.Sleep(50 * time.Millisecond)
			if ids, _ := r.told(); len(ids) != len(want) {
				t.Errorf("after the revocation it is told %q", ids)
			}
			if err := Rewind(t.Context(), o.Store, made.ID, o.cursor(t, 0)); backoffice.KindOf(err) != backoffice.Refused {
				t.Errorf("a rewind lets it go on: %v", err)
			}
		})
	}
}
