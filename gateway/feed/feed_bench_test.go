package feed

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway"
	"example.org/backoffice/gateway/gatewaytest"
)

// cpu is the processor time that the process has taken.
func cpu() time.Duration {
	var used syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &used)
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// thin and whole are what a stream is told of a change.
const (
	thin  = `subscription { changes { cursor sequence at noun objectId action } }`
	whole = `subscription { changes { cursor sequence at noun objectId action object { id ... on Label { name color } } } }`
)

// BenchmarkFeed is what streams cost, and how soon they are told: 100 of them and 1,000 changes a second for 10
// seconds, or as many as BACKOFFICE_FEED_STREAMS and BACKOFFICE_FEED_RATE say. The processor time is that of the
// gateway and of the writer; the readers are another process, and read all. Run it with -benchtime=1x.
func BenchmarkFeed(b *testing.B) {
	streams, rate := numberIn("BACKOFFICE_FEED_STREAMS", 100), numberIn("BACKOFFICE_FEED_RATE", 1000)
	for _, c := range []struct{ name, query string }{{"thin events", thin}, {"events with objects", whole}, {"no streams", ""}} {
		b.Run(c.name, func(b *testing.B) {
			for range b.N {
				benchmarkFeed(b, c.query, streams, rate, 10*time.Second)
			}
		})
	}
}

// BenchmarkFeedAcrossGateways is how soon a change that one gateway writes is at a stream of another one.
func BenchmarkFeedAcrossGateways(b *testing.B) {
	database := gatewaytest.Engines["PostgreSQL"](b)
	one, other := gatewaytest.OpenOn(b, database), gatewaytest.OpenOn(b, database)
	credential := one.Credential(b, backoffice.AllScopes...)
	s := other.Follower(b, credential).Subscribes(b, thin, nil)
	var late []time.Duration
	for i := range 40 {
		began := time.Now()
		writeLabels(b, one.Before, i, 1)
		s.Change(b)
		late = append(late, time.Since(began))
		time.Sleep(time.Duration(30+7*i) * time.Millisecond)
	}
	slices.Sort(late)
	b.ReportMetric(float64(late[len(late)/2].Milliseconds()), "ms-until-told")
	b.ReportMetric(float64(late[len(late)-1].Milliseconds()), "ms-until-told-at-most")
}

func numberIn(name string, usual int) int {
	if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
		return n
	}
	return usual
}

func benchmarkFeed(b *testing.B, query string, streams, rate int, long time.Duration) {
	var own backoffice.Store // by which the server writes, and whose writes its feed notices at once
	o := openOfficeWithStreams(b, streams, func(c *gateway.Config) {
		c.Mirror.Through = func(store backoffice.Store) backoffice.Origin { own = store; return nil }
	})
	f := o.Follower(b, o.Credential(b, backoffice.AllScopes...))
	readers := startReaders(b, f, query, streams)
	if query != "" {
		for o.Streams(b) < streams {
			time.Sleep(10 * time.Millisecond)
		}
	}
	time.Sleep(time.Second)
	began, used := time.Now(), cpu()
	changes, writing := 0, time.Duration(0)
	for tick := time.NewTicker(10 * time.Millisecond); time.Since(began) < long; <-tick.C {
		for due := int(time.Since(began).Seconds() * float64(rate)); changes < due; {
			n := min(due-changes, 10)
			start := time.Now()
			writeLabels(b, own, changes, n)
			writing += time.Since(start)
			changes += n
		}
	}
	took := time.Since(began)
	time.Sleep(300 * time.Millisecond)
	b.ReportMetric((cpu()-used).Seconds()/took.Seconds(), "cores")
	b.ReportMetric(float64(changes)/took.Seconds(), "changes/s")
	b.ReportMetric(float64(writing.Microseconds())/float64(changes), "µs/change-written")
	if query == "" {
		return
	}
	of := readers()
	b.ReportMetric(float64(of.Told)/float64(changes), "streams-told")
	b.ReportMetric(float64(of.Median.Milliseconds()), "ms-until-told")
	b.ReportMetric(float64(of.Slowest.Milliseconds()), "ms-until-told-p99")
}

// writeLabels makes labels in one transaction.
func writeLabels(b *testing.B, store backoffice.Store, first, n int) {
	err := store.Write(b.Context(), func(ctx context.Context, tx backoffice.Tx) error {
		for i := range n {
			id := fmt.Sprintf("label-%07d", first+i)
			now := backoffice.InstantOf(time.Now())
			if err := tx.Labels().Insert(ctx, &backoffice.Label{ID: id, Name: id, Color: "#112233", CreatedAt: now}); err != nil {
				return err
			}
			if err := tx.LogChanges(ctx, &backoffice.Change{At: now, Action: "createLabel", Noun: backoffice.NounLabel, ObjectID: id}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
}

// readsFrom is whom the tests' program follows, as a process of its own, when it is set.
const readsFrom = "TEST_BACKOFFICE_READS"

// reading is what that process is told to do, and heard what it answers when its input ends.
type (
	reading struct {
		Address, Query string
		Credential     [2]string
		Streams        int
	}
	heard struct {
		Told            int
		Median, Slowest time.Duration // of 99 in 100, until a change was told
	}
)

// startReaders has another process read so many streams; the function that it returns ends it.
func startReaders(b *testing.B, f gatewaytest.Follower, query string, streams int) func() heard {
	b.Helper()
	if query == "" {
		return func() heard { return heard{} }
	}
	self, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	command := exec.Command(self)
	command.Env = append(os.Environ(), readsFrom+"="+gatewaytest.JSON(b, reading{f.Address, query, f.Credential, streams}))
	command.Stderr = os.Stderr
	input, err := command.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	output, err := command.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := command.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		_ = command.Process.Kill()
		_ = command.Wait()
	})
	return func() (of heard) {
		_ = input.Close()
		if err := json.NewDecoder(output).Decode(&of); err != nil {
			b.Fatal(err)
		}
		return of
	}
}

// readStreams reads streams until its input ends.
func readStreams(settings string) error {
	var r reading
	if err := json.Unmarshal([]byte(settings), &r); err != nil {
		return err
	}
	f := gatewaytest.Follower{Address: r.Address, Credential: r.Credential}
	var mu sync.Mutex
	var late []time.Duration
	told := 0
	for range r.Streams {
		s, err := f.Subscribe(context.Background(), r.Query, nil)
		if err != nil {
			return err
		}
		go func() {
			for s.Lines.Scan() {
				_, at, found := bytes.Cut(s.Lines.Bytes(), []byte(`"at":"`))
				if !found {
					continue
				}
				made, _ := time.Parse(time.RFC3339, string(at[:bytes.IndexByte(at, '"')]))
				mu.Lock()
				told++
				late = append(late, time.Since(made))
				mu.Unlock()
			}
		}()
	}
	_, _ = io.Copy(io.Discard, os.Stdin)
	mu.Lock()
	defer mu.Unlock()
	slices.Sort(late)
	if len(late) == 0 {
		return errors.New("nothing was told")
	}
	return json.NewEncoder(os.Stdout).Encode(heard{told, late[len(late)/2], late[len(late)*99/100]})
}
