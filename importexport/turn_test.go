package importexport

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	"example.org/backoffice/backoffice"
)

// importer is one of a env with what its progress and its waiting are told to.
func (h *env) importer(progress func(Progress), waiting func(Running)) *Importer {
	return &Importer{Store: h.store, Files: h.files, Keys: h.keys, Progress: progress, Waiting: waiting}
}

func TestASecondImportSaysWhoRunsAndWaits(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, h *env) {
		first, second := office(t), only(t, "labels.ndjson", `{"_id":"late","name":"late"}`)
		waits, told := make(chan Running), 0
		var both sync.WaitGroup
		defer both.Wait()
		begun := sync.OnceFunc(func() {
			both.Go(func() {
				if _, err := h.importer(nil, func(r Running) { told++; waits <- r }).Import(t.Context(), second); err != nil {
					t.Error(err)
				}
			})
			who := <-waits
			if host, _ := os.Hostname(); who.Process != os.Getpid() || who.Host != host || time.Since(who.Since) > time.Hour {
				t.Errorf("it waits for %s", who)
			}
		})
		_, err := h.importer(func(Progress) { begun() }, nil).Import(t.Context(), first)
		must(t, err)
		order := h.changes(t)
		both.Wait()
		for _, change := range order {
			if change.ObjectID == "late" {
				t.Error("the second did not wait for the first")
			}
		}
		if one(t, h.store.Labels(), "late") == nil || told != 1 {
			t.Errorf("the second was not done, or told %d times", told)
		}
	})
}

func TestAnImportThatDiedKeepsNobodyWaiting(t *testing.T) {
	t.Parallel()
	ended := exec.Command(os.Args[0], "-test.run", "^$")
	must(t, ended.Run())
	host, err := os.Hostname()
	must(t, err)
	now := time.Now()
	for name, lease := range map[string]backoffice.Lease{
		"a process of this host that has ended": {Holder: fmt.Sprintf("%s %d x 1", host, ended.Process.Pid), Until: backoffice.InstantOf(now.Add(time.Hour))},
		"an earlier process with our number":    {Holder: fmt.Sprintf("%s %d x 1", host, os.Getpid()), Until: backoffice.InstantOf(now.Add(time.Hour))},
		"one elsewhere that says nothing":       {Holder: "elsewhere 1 x 1", Until: backoffice.InstantOf(now.Add(-time.Second))},
		"one elsewhere whose clock was ahead":   {Holder: "elsewhere 1 x 1", Since: backoffice.InstantOf(now.Add(time.Hour)), Until: backoffice.InstantOf(now.Add(time.Hour + leaseLife))},
	} {
		h := newEnv(t)
		lease.Name, lease.Since = LeaseName, cmp.Or(lease.Since, backoffice.InstantOf(now.Add(-time.Hour)))
		taken, err := h.store.TakeLease(t.Context(), lease, 1, "")
		must(t, err)
		if !taken {
			t.Fatal("the lease was not taken")
		}
		loaded, err := h.importer(nil, func(r Running) { t.Errorf("%s: it waits for %s", name, r) }).Import(t.Context(), only(t, "labels.ndjson", `{"_id":"a","name":"a"}`))
		if err != nil || loaded[0].Created != 1 {
			t.Errorf("%s: %+v, %v", name, loaded, err)
		}
		if left, err := h.store.Lease(t.Context(), LeaseName); err != nil || left != nil {
			t.Errorf("%s: %+v is left, %v", name, left, err)
		}
	}
}

func TestOneElsewhereThatGoesOnIsWaitedFor(t *testing.T) {
	t.Parallel()
	h := newEnv(t)
	lease := backoffice.Lease{Name: LeaseName, Holder: "elsewhere 1 x 1", Since: backoffice.InstantOf(time.Now()), Until: backoffice.InstantOf(time.Now().Add(time.Hour))}
	_, err := h.store.TakeLease(t.Context(), lease, 1, "")
	must(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	_, err = h.importer(nil, func(r Running) {
		if r.Host != "elsewhere" || r.Process != 1 {
			t.Errorf("it waits for %s", r)
		}
		cancel()
	}).Import(ctx, office(t))
	if err == nil || len(h.changes(t)) > 0 {
		t.Errorf("it did not wait: %v", err)
	}
}
