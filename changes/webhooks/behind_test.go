package webhooks

import (
	"testing"
	"time"

	"example.org/backoffice/backoffice"
)

func TestAWebhookIsBehindByWhatItHasStillToBeTold(t *testing.T) {
	t.Parallel()
	o := newOffice(t, engines["the embedded store"](t), nil)
	r := receive(t, nil)
	labels, _ := o.hook(t, r.URL, backoffice.NounLabel)
	customers, _ := o.hook(t, r.URL, backoffice.NounCustomer)
	holds := func(why string, want map[string]int) {
		t.Helper()
		hooks, err := o.Webhooks(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		got, err := Behind(t.Context(), o.Store, hooks)
		if err != nil || got[labels] != want[labels] || got[customers] != want[customers] {
			t.Errorf("%s: %v %v, want %v", why, got, err, want)
		}
	}
	act := backoffice.WithAct(t.Context(), &backoffice.Act{Action: "backup", Operator: "somebody@here"})
	if err := backoffice.NoteAct(act, o.Store); err != nil {
		t.Fatal(err)
	}
	holds("an act of an administrator", nil)
	o.labels(t, "new", 3)
	holds("three labels", map[string]int{labels: 3})
	time.Sleep(5 * time.Millisecond)
	if _, err := o.RemoveChanges(t.Context(), backoffice.InstantOf(time.Now()), 100); err != nil {
		t.Fatal(err)
	}
	o.labels(t, "kept", 2)
	holds("two that are kept", map[string]int{labels: 2})
	many := make([]*backoffice.Change, MostBehind)
	for i := range many {
		many[i] = &backoffice.Change{Noun: backoffice.NounLabel, ObjectID: "l"}
	}
	o.note(t, many...)
	holds("more than are counted", map[string]int{labels: MostBehind})
}
