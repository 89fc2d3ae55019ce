package feed

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
	"example.org/backoffice/changes"
	"example.org/backoffice/gateway"
	"example.org/backoffice/gateway/gatewaytest"
)

var idleStreams = flag.Int("idle-streams", 300, "how many idle streams a server is given at one time; a night's run takes 10,000")

// openOfficeWithStreams is an office whose server takes so many streams at one time, all of one credential.
func openOfficeWithStreams(t testing.TB, streams int, change ...func(*gateway.Config)) *gatewaytest.Office {
	t.Helper()
	b, err := new(gatewaytest.Settings(t, gatewaytest.Engines["SQLite"](t))).Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	c := gatewaytest.Measured(t, gatewaytest.Config(gatewaytest.Limits()))
	c.Streams = changes.Bounds{OfCredential: streams, OfServer: streams}
	for _, f := range change {
		f(&c)
	}
	return gatewaytest.ServeConfig(t, b, c)
}

// heap is what is in use, in bytes.
func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapInuse + m.StackInuse)
}

func TestManyIdleStreamsCostLittleAndAreTold(t *testing.T) {
	o := openOfficeWithStreams(t, *idleStreams)
	f := o.Follower(t, o.Credential(t, backoffice.AllScopes...))
	before := heap()
	var hear []func() error
	var s gatewaytest.Socket // with two subscriptions each, since both ends of 10,000 connections are many files of one process
	for i := range *idleStreams {
		if i%3 == 0 {
			if i%2 == 0 {
				var err error
				if s, err = f.Connect(t.Context()); err != nil {
					t.Fatal(i, err)
				}
				defer func() { _ = s.CloseNow() }()
			}
			s := s
			if err := s.Say(t.Context(), gatewaytest.Subscribing(fmt.Sprint(i), `subscription { changes { cursor } }`, nil)); err != nil {
				t.Fatal(err)
			}
			hear = append(hear, func() error { _, err := s.Hear(t.Context()); return err })
			continue
		}
		s, err := f.Subscribe(t.Context(), `subscription { changes { cursor } }`, nil)
		if err != nil {
			t.Fatal(i, err)
		}
		defer s.Response.Body.Close()
		hear = append(hear, func() error {
			if e, ok := s.Next(); !ok || e.Name != "next" {
				return fmt.Errorf("%+v", e)
			}
			return nil
		})
	}
	for o.Streams(t) < *idleStreams {
		time.Sleep(10 * time.Millisecond)
	}
	t.Logf("%d idle streams, and their clients: %d KiB each", *idleStreams, (heap()-before)/int64(*idleStreams)/1024)
	o.Write(t, f.Credential, `mutation { createLabel(input: {name: "To all"}) { userErrors { code } } }`)
	for i, next := range hear {
		if err := next(); err != nil {
			t.Fatalf("stream %d: %v", i, err)
		}
	}
}

// everything subscribes to all changes from the beginning, with their customers.
func everything(t testing.TB, f gatewaytest.Follower) string {
	t.Helper()
	return `subscription { changes(after: "` + f.Beginning(t) + `") { cursor at noun objectId parents { noun id } object { __typename id ... on Customer { displayName email transcripts { nodes { id statusLabel } } } } } }`
}

// openDeaf opens a subscription to everything on a connection of which it reads nothing but the beginning.
func openDeaf(t testing.TB, f gatewaytest.Follower) io.Reader {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(f.Address, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	body := gatewaytest.JSON(t, map[string]string{"query": everything(t, f)})
	fmt.Fprintf(conn, "POST /graphql HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nAccept: text/event-stream\r\n%s: %s\r\n%s: %s\r\nContent-Length: %d\r\n\r\n%s",
		auth.ClientIDHeader, f.Credential[0], auth.ClientSecretHeader, f.Credential[1], len(body), body)
	reader := bufio.NewReaderSize(conn, 4<<10)
	response, err := http.ReadResponse(reader, nil)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("%v %v", response, err)
	}
	return response.Body
}

func TestSlowReadersHoldLittleMemoryAndNobodyUp(t *testing.T) {
	const readers, customers = 100, 3000
	o := openOfficeWithStreams(t, readers+1)
	f := o.Follower(t, o.Credential(t, backoffice.AllScopes...))
	err := o.Store.Write(t.Context(), func(ctx context.Context, tx backoffice.Tx) error {
		for i := range customers {
			c := &backoffice.Customer{ID: fmt.Sprint("slow-", i), Type: backoffice.Company, OwnName: backoffice.Text(strings.Repeat("x", 150)), CreatedAt: backoffice.InstantAt(1e12), UpdatedAt: backoffice.InstantAt(1e12), Version: 1}
			c.DisplayName = backoffice.DisplayNameOf(c)
			if err := tx.Customers().Insert(ctx, c); err != nil {
				return err
			}
			if err := tx.LogChanges(ctx, &backoffice.Change{At: backoffice.InstantAt(1e12), Action: "createCustomer", Noun: backoffice.NounCustomer, ObjectID: c.ID}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	before := heap()
	for range readers {
		openDeaf(t, f)
	}
	time.Sleep(2 * time.Second) // all that fits is on its way
	each := (heap() - before) / readers
	t.Logf("a reader that takes nothing holds %d KiB", each/1024)
	if each > 1<<20 {
		t.Errorf("a reader that takes nothing holds %d KiB", each/1024)
	}
	s := f.Subscribes(t, everything(t, f), nil) // it shares what they are told
	for range customers {
		s.Change(t)
	}
}
