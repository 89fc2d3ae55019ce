package httpserver

import (
	"bytes"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"example.org/backoffice/graphql/limits"
)

func TestALongAnswerArrivesWhole(t *testing.T) {
	t.Parallel()
	want := bytes.Repeat([]byte("0123456789abcdef"), 20_000)
	p := New(Settings{}, Options{Time: time.Minute})
	server := httptest.NewServer(p.Deadline(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if n, err := w.Write(want); n != len(want) || err != nil {
			t.Errorf("%d bytes were sent: %v", n, err)
		}
	})))
	t.Cleanup(server.Close)
	response, err := server.Client().Get(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if got, err := io.ReadAll(response.Body); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%d bytes arrived: %v", len(got), err)
	}
}

func TestAClientThatTakesNothingIsCutOff(t *testing.T) {
	t.Parallel()
	p := New(Settings{}, Options{Time: time.Minute})
	ended := make(chan error, 1)
	server := httptest.NewServer(p.Deadline(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, err := w.Write(make([]byte, 64<<20)) // more than the sockets hold
		ended <- err
	})))
	t.Cleanup(server.Close)
	connection, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close()
	if _, err := io.WriteString(connection, "GET / HTTP/1.1\r\nHost: a\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-ended:
		if err == nil {
			t.Error("all of it was sent to nobody")
		}
	case <-time.After(limits.SendTime + 20*time.Second): // a minute and a half, when only the whole is bounded
		t.Error("the client is still waited for")
	}
}
