package backoffice_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"example.org/backoffice/backoffice"
)

func TestAnIdempotencyKeyMakesOneObject(t *testing.T) {
	t.Parallel()
	onBothEngines(t, func(t *testing.T, w *world) {
		fields := backoffice.CustomerFields{Type: backoffice.Value(backoffice.Company), CustomerCode: text("K-1"), KboNumber: text("0200065765"), RegistrationNumber: text("85073003328")}
		again := fields // the same content in another notation
		again.KboNumber, again.RegistrationNumber, again.Name = text("BE0200.065.765"), text("85.07.30-033.28"), backoffice.Null[string]()
		var ids [50]string
		outcomes := fiftyTimes(func(i int) string {
			sent := fields
			if i%2 == 0 {
				sent = again
			}
			c, err := w.CreateCustomer(t.Context(), w.by, sent, text("key"))
			if err == nil {
				ids[i] = c.ID
			}
			return outcome(err)
		})
		if outcomes["done"] != 50 || len(w.changes(t, 0)) != 1 {
			t.Fatalf("%v %q", outcomes, w.changes(t, 0))
		}
		for _, id := range ids {
			if id != ids[0] {
				t.Fatalf("two objects: %s and %s", id, ids[0])
			}
		}

		updated, err := w.UpdateCustomer(t.Context(), w.by, ids[0], backoffice.CustomerFields{Name: text("later")}, nil)
		accept(t, err)
		replayed, err := w.CreateCustomer(t.Context(), w.by, fields, text("key"))
		if err != nil || replayed.OwnName != "later" || replayed.Version != updated.Version {
			t.Errorf("a replay answers with the object as it is now: %+v %v", replayed, err)
		}

		other := fields
		other.RegistrationNumber = text("17073003384")
		_, err = w.CreateCustomer(t.Context(), w.by, other, text("key"))
		expect(t, err, "IDEMPOTENCY_KEY_REUSED idempotencyKey")
		_, err = w.CreateCustomer(t.Context(), viewer("credential"), fields, text("key"))
		expect(t, err, "this needs the scope customers.write")
		_, err = w.CreateCustomer(t.Context(), viewer("credential", backoffice.CustomersWrite), fields, text("key"))
		expect(t, err, "this needs the scope privacy.read")
		_, err = w.CreateCustomer(t.Context(), viewer("another", backoffice.AllScopes...), fields, text("key"))
		expect(t, err, "TAKEN customerCode") // another credential's key is another key
		_, err = w.CreateLabel(t.Context(), w.by, backoffice.LabelDraft{Name: "K"}, text("key"))
		expect(t, err, "done") // and so is that of another kind of object

		expect(t, w.deleteCustomer(t.Context(), w.by, ids[0], nil), "done")
		_, err = w.CreateCustomer(t.Context(), w.by, fields, text("key"))
		expect(t, err, "NOT_FOUND idempotencyKey")
	})
}

func TestARefusedCallKeepsNoKey(t *testing.T) {
	t.Parallel()
	onBothEngines(t, func(t *testing.T, w *world) {
		draft := backoffice.LabelDraft{Name: "Audit"}
		_, err := w.CreateLabel(t.Context(), w.by, draft, text("key"))
		expect(t, err, "TAKEN name")
		draft.Name = "Another"
		_, err = w.CreateLabel(t.Context(), w.by, draft, text("key"))
		expect(t, err, "done")
	})
}

func TestAKeyIsKeptWhateverAGatewaysClockSays(t *testing.T) {
	t.Parallel()
	onBothEngines(t, func(t *testing.T, w *world) {
		w.Now = time.Now
		first, err := w.CreateLabel(t.Context(), w.by, backoffice.LabelDraft{Name: "one"}, text("key"))
		accept(t, err)
		for _, ahead := range []time.Duration{25 * time.Hour, -25 * time.Hour} {
			w.Now = func() time.Time { return time.Now().Add(ahead) }
			again, err := w.CreateLabel(t.Context(), w.by, backoffice.LabelDraft{Name: "one"}, text("key"))
			if err != nil || again.ID != first.ID {
				t.Errorf("a clock that is %v ahead: %+v %v", ahead, again, err)
			}
		}
	})
}

func TestAKeyHas1To255Characters(t *testing.T) {
	t.Parallel()
	onBothEngines(t, func(t *testing.T, w *world) {
		for i, key := range []string{"", strings.Repeat("é", 256), "a\x00"} {
			_, err := w.CreateLabel(t.Context(), w.by, backoffice.LabelDraft{Name: fmt.Sprint(i)}, text(key))
			expect(t, err, "INVALID idempotencyKey")
		}
		_, err := w.CreateLabel(t.Context(), w.by, backoffice.LabelDraft{Name: "x"}, text(strings.Repeat("é", 255)))
		expect(t, err, "done")
	})
}

func TestTheChangeLogGrowsWithoutGapsWhileManyWrite(t *testing.T) {
	t.Parallel()
	onBothEngines(t, func(t *testing.T, w *world) {
		watching, stop := context.WithCancel(t.Context())
		watched := make(chan int64)
		go func() { // reads the log meanwhile: whatever it has seen stays all there was before
			var last int64
			for watching.Err() == nil {
				page, err := w.Store.Changes(context.WithoutCancel(watching), last, 100)
				if err != nil {
					t.Error(err)
				}
				for _, c := range page {
					if c.Sequence != last+1 {
						t.Errorf("entry %d was seen after %d", c.Sequence, last)
					}
					last = c.Sequence
				}
			}
			watched <- last
		}()
		outcomes := fiftyTimes(func(i int) string {
			_, err := w.CreateLabel(t.Context(), w.by, backoffice.LabelDraft{Name: fmt.Sprint(i % 40)}, noKey)
			return outcome(err)
		})
		stop()
		<-watched
		if outcomes["done"] != 40 || outcomes["TAKEN name"] != 10 || len(w.changes(t, 0)) != 40 {
			t.Errorf("%v, %d entries", outcomes, len(w.changes(t, 0)))
		}
	})
}
