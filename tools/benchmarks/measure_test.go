package main

import (
	"context"
	"os"
	"os/exec"
	"testing"
	"time"
)

func TestALineOfStatIsReadWhateverTheProgramIsCalled(t *testing.T) {
	t.Parallel()
	s, err := parseStat([]byte("4711 (a) b (c) S 42 4711 4711 0 -1 4194560 1 2 3 4 10 20 30 40 20 0 1 0 100 1000 10 18446744073709551615"))
	if err != nil || s.parent != 42 || s.cpu != time.Second {
		t.Errorf("%+v, %v", s, err)
	}
	for _, line := range []string{"", "1 (x) S 1", "1 (x) S a 1 1 0 -1 0 0 0 0 0 1 1 1 1 0", "1 (x) S 1 1 1 0 -1 0 0 0 0 0 1 x 1 1 0"} {
		if _, err := parseStat([]byte(line)); err == nil {
			t.Errorf("%q is read", line)
		}
	}
}

func TestATreeHasItsDescendantsAndWhatTheyHold(t *testing.T) {
	t.Parallel()
	p, err := start("a shell", exec.Command("/bin/sh", "-c", "exec >/dev/null 2>&1; sleep 60 & sleep 60 & wait"))
	if err != nil {
		t.Fatal(err)
	}
	defer p.close()
	var found tree
	err = p.ready(t.Context(), func(context.Context) (err error) {
		if found, err = treeOf(p.pid()); err == nil && len(found.pids) != 3 {
			err = os.ErrNotExist
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if m := found.memory(); m.resident < m.proportional || m.proportional <= 0 {
		t.Errorf("%+v", m)
	}
}

func TestAProcessThatEndsTellsWhy(t *testing.T) {
	t.Parallel()
	p, err := start("a shell", exec.Command("/bin/sh", "-c", "echo no such luck >&2; exit 1"))
	if err != nil {
		t.Fatal(err)
	}
	err = p.ready(t.Context(), func(context.Context) error { return os.ErrNotExist })
	if err == nil || err.Error() != "a shell ended: no such luck\n" {
		t.Error(err)
	}
}

func TestTheMedianIsTheMiddle(t *testing.T) {
	t.Parallel()
	if median(nil) != 0 || median([]float64{3, 1, 2}) != 2 || median([]float64{4, 1, 2, 3}) != 2.5 {
		t.Error("a median is not the middle")
	}
	m := medians([]figures{{throughput: 1, resident: 5}, {throughput: 9, resident: 7}, {throughput: 2, resident: 6}})
	if m.throughput != 2 || m.resident != 7 {
		t.Errorf("%+v", m)
	}
}
