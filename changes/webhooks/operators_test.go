package webhooks

import (
	"context"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"example.org/backoffice/backoffice"
)

func TestAWebhookBehindTheHorizonStopsUntilItIsRewound(t *testing.T) {
	t.Parallel()
	for engine, open := range engines {
		t.Run("on "+engine, func(t *testing.T) {
			t.Parallel()
			o := newOffice(t, open(t), nil)
			r := receive(t, nil)
			id, _ := o.hook(t, r.URL)
			o.labels(t, "lost", 5)
			time.Sleep(5 * time.Millisecond)
			if _, err := o.RemoveChanges(t.Context(), backoffice.InstantOf(time.Now()), 100); err != nil {
				t.Fatal(err)
			}
			o.sender(t, nil)
			waits(t, "it stops", func() bool { return o.stored(t, id).Stop == backoffice.WebhookExpired })
			if err := Rewind(t.Context(), o.Store, id, o.cursor(t, 2)); backoffice.KindOf(err) != backoffice.CursorExpired || o.stored(t, id).Stop == "" {
				t.Errorf("it is rewound to what is gone: %v", err)
			}
			if err := Rewind(t.Context(), o.Store, id, o.cursor(t, 6)); err != nil {
				t.Fatal(err)
			}
			want := o.labels(t, "kept", 2)
			waits(t, "it goes on", func() bool { ids, _ := r.told(); return len(ids) == len(want) })
		})
	}
}

func TestAWebhookOfALostHistoryStopsThoughTheLogHasGrownPastIt(t *testing.T) {
	t.Parallel()
	for engine, open := range engines {
		t.Run("on "+engine, func(t *testing.T) {
			t.Parallel()
			o := newOffice(t, open(t), nil)
			r := receive(t, nil)
			id, _ := o.hook(t, r.URL)
			if err := o.RenewHistory(t.Context(), "", "restore", backoffice.InstantOf(time.Now())); err != nil {
				t.Fatal(err)
			}
			o.labels(t, "new", 5)
			o.sender(t, nil)
			waits(t, "it stops", func() bool { return o.stored(t, id).Stop == backoffice.WebhookExpired })
			if ids, _ := r.told(); len(ids) > 0 {
				t.Errorf("it was told %v", ids)
			}
		})
	}
}

func TestAWebhookThatIsToldNothingComesAlongWithTheLog(t *testing.T) {
	t.Parallel()
	o := newOffice(t, engines["the embedded store"](t), nil)
	r := receive(t, nil)
	id, _ := o.hook(t, r.URL, backoffice.NounCustomer)
	_, stop := o.sender(t, func(s *Sender) { s.idle = 20 * time.Millisecond })
	o.labels(t, "others", 30)
	waits(t, "it comes along", func() bool { return o.stored(t, id).At == 31 })
	stop()
	time.Sleep(5 * time.Millisecond)
	if _, err := o.RemoveChanges(t.Context(), backoffice.InstantOf(time.Now()), 100); err != nil {
		t.Fatal(err)
	}
	o.sender(t, nil)
	o.note(t, &backoffice.Change{Noun: backoffice.NounCustomer, ObjectID: "c", Done: backoffice.Created})
	waits(t, "what it is told of comes", func() bool { ids, _ := r.told(); return len(ids) == 1 })
	if len(r.all()) != 1 || o.stored(t, id).Stop != "" {
		t.Errorf("%d posts, %+v", len(r.all()), o.stored(t, id))
	}
}

func TestAWebhookThatIsDisabledBeforeItsMessageIsSentGetsNothing(t *testing.T) {
	t.Parallel()
	o := newOffice(t, engines["the embedded store"](t), nil)
	r := receive(t, nil)
	id, _ := o.hook(t, r.URL)
	_, stop := o.sender(t, func(s *Sender) {
		s.every = time.Hour
		now := s.now
		s.now = func() time.Time { // is asked between the storing of a message and its sending
			if hook := o.stored(t, id); hook.Message != nil && hook.Stop == "" {
				if err := Disable(context.WithoutCancel(t.Context()), o.Store, id); err != nil {
					t.Error(err)
				}
			}
			return now()
		}
	})
	o.labels(t, "first", 1)
	waits(t, "it is disabled", func() bool { return o.stored(t, id).Stop != "" })
	time.Sleep(50 * time.Millisecond)
	stop()
	if posts := r.all(); len(posts) != 0 {
		t.Errorf("it gets %d messages", len(posts))
	}
}

func TestWhatOperatorsDoHoldsWhileAMessageIsOnItsWay(t *testing.T) {
	t.Parallel()
	o := newOffice(t, engines["the embedded store"](t), nil)
	arrived, answer := make(chan struct{}, 10), make(chan struct{})
	var quick atomic.Bool
	r := receive(t, func(_ http.ResponseWriter, r *http.Request, _ posted) int {
		arrived <- struct{}{}
		if quick.Load() {
			return http.StatusOK
		}
		select {
		case <-answer:
			return http.StatusOK
		case <-r.Context().Done():
			return 0
		}
	})
	id, old := o.hook(t, r.URL)
	o.sender(t, nil)
	first := o.labels(t, "first", 1)
	<-arrived
	// Disabled, it stays where it was, whatever is answered now.
	if err := Disable(t.Context(), o.Store, id); err != nil {
		t.Fatal(err)
	}
	waits(t, "it is given up", func() bool { r.mu.Lock(); defer r.mu.Unlock(); return r.at == 0 })
	close(answer)
	o.labels(t, "second", 1)
	time.Sleep(50 * time.Millisecond)
	if hook := o.stored(t, id); hook.Stop != backoffice.WebhookDisabled || hook.At != 0 || hook.Message == nil || len(arrived) != 0 {
		t.Errorf("%+v", hook)
	}
	// A rewind sends again, as other messages; with a new secret, both sign.
	quick.Store(true)
	secret, err := Rotate(t.Context(), o.Store, o.keys, id, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	if err := Rewind(t.Context(), o.Store, id, o.cursor(t, 0)); err != nil {
		t.Fatal(err)
	}
	waits(t, "both are told", func() bool { ids, _ := r.told(); return len(ids) == 2 })
	posts := r.all()
	last := posts[len(posts)-1]
	for _, by := range []string{old, secret} {
		if err := verify(t, by, last, true); err != nil || len(strings.Fields(last.signature)) != 2 {
			t.Errorf("%v: %s", err, last.signature)
		}
	}
	waits(t, "that is stored", func() bool { return o.stored(t, id).Message == nil })
	if err := Rewind(t.Context(), o.Store, id, o.cursor(t, 0)); err != nil {
		t.Fatal(err)
	}
	waits(t, "the first is told again", func() bool {
		posts := r.all()
		again := posts[len(posts)-1]
		return len(posts) > 2 && again.id != last.id && again.id != posts[0].id && again.message.Data.Changes[0].ID == first[0]
	})
	if err := Delete(t.Context(), o.Store, id); err != nil {
		t.Fatal(err)
	}
	time.Sleep(50 * time.Millisecond)
	n := len(r.all())
	o.labels(t, "third", 1)
	time.Sleep(50 * time.Millisecond)
	if len(r.all()) != n {
		t.Error("a webhook that was deleted is told more")
	}
}
