package gateway

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
)

// A process of its own counts how often what had come over the network was begun before who yielded went on: on one
// processor, where nothing else can begin it.
const yieldsVariable = "TEST_BACKOFFICE_YIELDS"

func TestWhoYieldsGoesOnBehindWhatHasComeOverTheNetwork(t *testing.T) {
	t.Parallel()
	if how := os.Getenv(yieldsVariable); how != "" {
		fmt.Println("begun", begunBefore(t, how), "of 200")
		return
	}
	begun := func(how string) (n int) {
		command := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
		command.Env = append(os.Environ(), "GOMAXPROCS=1", yieldsVariable+"="+how)
		out, err := command.CombinedOutput()
		if _, rest, found := strings.Cut(string(out), "begun "); err != nil || !found {
			t.Fatalf("%v\n%s", err, out)
		} else if _, err := fmt.Sscan(rest, &n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	if n := begun("network"); n < 170 { // others may have the machine
		t.Errorf("in %d of 200 times what had come was begun", n)
	}
	if n := begun("processor"); n > 100 { // the scheduler looks by itself after 10 ms
		t.Errorf("a broken copy, which gives way to what is ready to run, is as good: %d of 200", n)
	}
}

// begunBefore counts.
func begunBefore(t *testing.T, how string) (n int) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	client, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = client.Close() }()
	server, err := listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = server.Close() }()
	var begun atomic.Int64
	go func() {
		var read [1]byte
		for {
			if _, err := server.Read(read[:]); err != nil {
				return
			}
			begun.Add(1)
		}
	}()
	for i := range 200 {
		for begun.Load() < int64(i) {
			runtime.Gosched()
		}
		if _, err := client.Write([]byte{0}); err != nil {
			t.Fatal(err)
		}
		if how == "network" {
			processNetwork().yield()
		} else {
			runtime.Gosched()
		}
		if begun.Load() > int64(i) {
			n++
		}
	}
	return n
}

func TestManyYieldAtOneTime(t *testing.T) {
	t.Parallel()
	done := make(chan struct{})
	for range 50 {
		go func() {
			for range 200 {
				processNetwork().yield()
			}
			done <- struct{}{}
		}()
	}
	for range 50 {
		<-done
	}
	var none *network
	none.yield()
}

func BenchmarkYield(b *testing.B) {
	for b.Loop() {
		processNetwork().yield()
	}
}
