package storetest

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.org/backoffice/backoffice"
)

func fullWebhook(id string) *backoffice.Webhook {
	return &backoffice.Webhook{
		ID: id, ClientID: "pair", URL: "https://receiver.example/changes?a=b", Nouns: []backoffice.Noun{backoffice.NounMinfin, backoffice.NounRelation}, CreatedAt: 1,
		Secret: []byte("sealed\x00one"), OldSecret: []byte("sealed two"), OldSecretTo: 2, Version: 3, Steps: 4,
		WebhookProgress: backoffice.WebhookProgress{
			Stop: backoffice.WebhookFailing, At: 5, Attempts: 7, Due: 8, Failure: "it answered 500", TriedAt: 9, DeliveredAt: 10,
			Message: &backoffice.WebhookMessage{Through: 11, Nouns: []backoffice.Noun{backoffice.NounRelation}, MadeAt: 12, Body: []byte(`{"type":"changes"}`)},
		},
	}
}

func testWebhooks(t *testing.T, newStore func(t testing.TB) backoffice.Store) {
	withCredential := func(t testing.TB) backoffice.Store {
		t.Helper()
		store := newStore(t)
		if err := store.CreateCredential(t.Context(), fullCredential("pair")); err != nil {
			t.Fatal(err)
		}
		return store
	}
	create := func(t testing.TB, store backoffice.Store, hooks ...*backoffice.Webhook) {
		t.Helper()
		for _, w := range hooks {
			if err := store.CreateWebhook(t.Context(), w); err != nil {
				t.Fatalf("%v (%v)", err, errorCause(err))
			}
		}
	}

	t.Run("webhooks are read as they were written, and listed by identifier without what their messages say", func(t *testing.T) {
		t.Parallel()
		store := withCredential(t)
		if none, err := store.Webhooks(t.Context()); err != nil || len(none) != 0 {
			t.Errorf("a new store has webhooks: %v (%v)", none, err)
		}
		b, a := fullWebhook("b"), &backoffice.Webhook{ID: "a", URL: "https://a.example", CreatedAt: 1, Secret: []byte("s")}
		create(t, store, b, a)
		for _, want := range []*backoffice.Webhook{a, b} {
			got, err := store.Webhook(t.Context(), want.ID)
			if diff := cmp.Diff(want, got); diff != "" || err != nil {
				t.Error(diff, err)
			}
		}
		ctx, calls := backoffice.WithStatementCount(t.Context())
		got, err := store.Webhooks(ctx)
		b.Message.Body = nil
		if diff := cmp.Diff([]*backoffice.Webhook{a, b}, got); diff != "" || err != nil || calls.Count() != 1 {
			t.Error(diff, err, calls.Count())
		}
	})

	t.Run("an unknown webhook or credential is not found, and an identifier that exists is taken", func(t *testing.T) {
		t.Parallel()
		store := withCredential(t)
		for _, id := range []string{"unknown", "", "bad\x00id\xff"} {
			_, err := store.Webhook(t.Context(), id)
			for _, err := range []error{err, store.DeleteWebhook(t.Context(), id, 1), store.UpdateWebhook(t.Context(), id, "act", 1, func(*backoffice.Webhook) error { return nil })} {
				if backoffice.KindOf(err) != backoffice.NotFound {
					t.Errorf("%q: %v", id, err)
				}
			}
		}
		orphan := fullWebhook("a")
		orphan.ClientID = "nobody"
		if err := store.CreateWebhook(t.Context(), orphan); backoffice.KindOf(err) != backoffice.NotFound {
			t.Error(err)
		}
		create(t, store, fullWebhook("a"))
		refused(t, store.CreateWebhook(t.Context(), fullWebhook("a")), backoffice.CodeTaken)
	})

	t.Run("what an operator does is noted in the change log, which the feed does not show", func(t *testing.T) {
		t.Parallel()
		store := withCredential(t)
		create(t, store, fullWebhook("a"))
		stop := errors.New("stop")
		if err := store.UpdateWebhook(t.Context(), "a", "webhooks disable", 2, func(w *backoffice.Webhook) error { w.URL = "other"; return stop }); !errors.Is(err, stop) {
			t.Errorf("got %v", err)
		}
		want := fullWebhook("a")
		err := store.UpdateWebhook(t.Context(), "a", "webhooks rewind", 3, func(w *backoffice.Webhook) error {
			if diff := cmp.Diff(want, w); diff != "" {
				t.Error(diff)
			}
			w.Version, w.Steps = 99, 99 // the store's own
			w.Message, w.OldSecret, w.At, w.Stop = nil, nil, 77, ""
			return nil
		})
		if err != nil {
			t.Fatalf("%v (%v)", err, errorCause(err))
		}
		want.Version, want.Message, want.OldSecret, want.At, want.Stop = 4, nil, nil, 77, ""
		got, err := store.Webhook(t.Context(), "a")
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Error(diff, err)
		}
		if err := store.DeleteWebhook(t.Context(), "a", 4); err != nil {
			t.Fatal(err)
		}
		if left, err := store.Webhooks(t.Context()); err != nil || len(left) != 0 {
			t.Error(left, err)
		}
		var acts []string
		log, err := store.Changes(t.Context(), 0, 10)
		for _, entry := range log {
			acts = append(acts, entry.Action+" "+string(entry.Done)+" "+string(entry.Noun)+" "+entry.ObjectID)
		}
		if diff := cmp.Diff([]string{"webhooks create created webhook a", "webhooks rewind updated webhook a", "webhooks delete deleted webhook a"}, acts); diff != "" || err != nil {
			t.Error(diff, err)
		}
		kinds := backoffice.ChangesVisibleTo(mayAll, nil)
		if page, err := backoffice.ReadChangePage(t.Context(), store, backoffice.ChangeQuery{First: 10, Kinds: kinds}); err != nil || len(page.Changes) != 0 || page.Latest != 3 {
			t.Errorf("%+v %v", page, err)
		}
	})

	t.Run("a step is done by one of those who have read the same, and not after an operator's act", func(t *testing.T) {
		t.Parallel()
		store := withCredential(t)
		create(t, store, fullWebhook("a"))
		var done atomic.Int32
		var all sync.WaitGroup
		for i := range 8 {
			all.Go(func() {
				w := fullWebhook("a")
				w.At = int64(100 + i)
				ok, err := store.StepWebhook(t.Context(), w)
				if err != nil {
					t.Errorf("%v (%v)", err, errorCause(err))
				}
				if ok {
					done.Add(1)
				}
				if ok != (w.Steps == 5) {
					t.Errorf("done %t, with %d steps", ok, w.Steps)
				}
			})
		}
		all.Wait()
		if done.Load() != 1 {
			t.Errorf("%d did it", done.Load())
		}
		before, err := store.Webhook(t.Context(), "a")
		if err != nil || before.At < 100 || before.Steps != 5 || before.Version != 3 {
			t.Fatalf("%+v %v", before, err)
		}
		before.Message = nil
		if ok, err := store.StepWebhook(t.Context(), before); !ok || err != nil {
			t.Error(ok, err)
		}
		if err := store.UpdateWebhook(t.Context(), "a", "act", 1, func(*backoffice.Webhook) error { return nil }); err != nil {
			t.Fatal(err)
		}
		if ok, err := store.StepWebhook(t.Context(), before); ok || err != nil {
			t.Error("a step was done over an operator's act", err)
		}
		if log, err := store.Changes(t.Context(), 0, 10); err != nil || len(log) != 2 {
			t.Errorf("steps are in the change log: %v %v", log, err)
		}
	})
}
