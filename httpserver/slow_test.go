package httpserver

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"example.org/backoffice/graphql/limits"
)

const short = time.Second

// served serves a handler on a real connection.
func served(t *testing.T, handler http.Handler) (address string) {
	t.Helper()
	_, p, _ := mounted(Settings{}, Options{}, nil)
	listener := listen(t)
	server := p.server(handler)
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { server.Close() })
	return listener.Addr().String()
}

// downloads serves a download that ends when nothing has moved for a short while.
func downloads(t *testing.T, handler http.HandlerFunc) (address string, log *lines) {
	t.Helper()
	_, p, log := mounted(Settings{}, Options{}, nil)
	return served(t, p.stream(handler, short)), log
}

func TestADownloadTakesAsLongAsBytesFlow(t *testing.T) {
	t.Parallel()
	address, _ := downloads(t, func(w http.ResponseWriter, r *http.Request) {
		for range 20 {
			time.Sleep(short / 5)
			_, err := io.WriteString(w, "x")
			if err = errors.Join(err, http.NewResponseController(w).Flush(), r.Context().Err()); err != nil {
				panic(http.ErrAbortHandler)
			}
		}
	})
	response, err := http.Get("http://" + address)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if text, err := io.ReadAll(response.Body); err != nil || len(text) != 20 {
		t.Errorf("%d bytes, %v", len(text), err)
	}
}

func TestAStreamOverHTTP2MayBeQuietForLongerThanASendTakes(t *testing.T) {
	t.Parallel()
	_, p, _ := mounted(Settings{}, Options{}, nil)
	server := httptest.NewUnstartedServer(p.Stream(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "before")
		_ = http.NewResponseController(w).Flush()
		time.Sleep(limits.SendTime + time.Second)
		_, _ = io.WriteString(w, ", after")
	})))
	server.EnableHTTP2 = true
	server.StartTLS()
	t.Cleanup(server.Close)
	response, err := server.Client().Get(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if text, err := io.ReadAll(response.Body); err != nil || string(text) != "before, after" || response.ProtoMajor != 2 {
		t.Errorf("by HTTP/%d: %q, %v", response.ProtoMajor, text, err)
	}
}

func TestADownloadEndsWhenTheClientTakesNothing(t *testing.T) {
	t.Parallel()
	ended := make(chan error, 1)
	address, _ := downloads(t, func(w http.ResponseWriter, _ *http.Request) {
		_, err := w.Write(make([]byte, 64<<20)) // more than the buffers of a connection hold
		ended <- err
	})
	connection, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close()
	_, _ = io.WriteString(connection, "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
	select {
	case err := <-ended:
		if err == nil {
			t.Error("all of it went somewhere")
		}
	case <-time.After(time.Minute):
		t.Error("still writing")
	}
}

func TestADownloadEndsWhenItsFileGivesNothing(t *testing.T) {
	t.Parallel()
	ended := make(chan error, 1)
	address, log := downloads(t, func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-r.Context().Done():
			ended <- context.Cause(r.Context())
		case <-time.After(time.Minute):
			ended <- nil
		}
	})
	response, err := http.Get("http://" + address)
	if err == nil {
		response.Body.Close()
	}
	if err := <-ended; !errors.Is(err, errStalled) {
		t.Errorf("it ended with %v", err)
	}
	for until := time.Now().Add(time.Minute); !strings.Contains(log.String(), "no byte of the file was transferred"); time.Sleep(short / 10) {
		if time.Now().After(until) {
			t.Fatalf("not in the log: %s", log)
		}
	}
}

// uploads serves one that reads its body, and tells how that ended.
func uploads(t *testing.T) (address string, ended chan error) {
	t.Helper()
	ended = make(chan error, 1)
	address, _ = downloads(t, func(w http.ResponseWriter, r *http.Request) {
		n, err := io.Copy(io.Discard, r.Body)
		ended <- err
		_, _ = io.WriteString(w, strconv.FormatInt(n, 10))
	})
	return address, ended
}

func TestAnUploadTakesAsLongAsBytesFlow(t *testing.T) {
	t.Parallel()
	address, ended := uploads(t)
	body, into := io.Pipe()
	go func() {
		for range 10 {
			time.Sleep(short / 4)
			_, _ = into.Write(make([]byte, streamBytes))
		}
		_ = into.Close()
	}()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+address, body)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if read := <-ended; read != nil || err != nil || string(text) != strconv.Itoa(10*streamBytes) {
		t.Errorf("it ended with %v, and the answer is %q, %v", read, text, err)
	}
}

func TestAnUploadEndsWhenTheClientGivesNearlyNothing(t *testing.T) {
	t.Parallel()
	address, ended := uploads(t)
	connection, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close()
	_, _ = io.WriteString(connection, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n")
	stop := make(chan struct{})
	defer close(stop)
	go func() {
		for {
			select {
			case <-stop:
				return
			case <-time.After(short / 10):
				_, _ = io.WriteString(connection, "x")
			}
		}
	}()
	select {
	case err := <-ended:
		if err == nil {
			t.Error("all of it came")
		}
	case <-time.After(time.Minute):
		t.Error("still reading")
	}
}

func TestALongPartIsWrittenInSmallOnes(t *testing.T) {
	t.Parallel()
	_, p, _ := mounted(Settings{}, Options{}, nil)
	for _, size := range []int{0, 1, streamBytes, streamBytes + 1, 3*streamBytes - 1} {
		w := httptest.NewRecorder()
		p.Stream(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			if n, err := w.Write(make([]byte, size)); n != size || err != nil {
				t.Errorf("%d of %d: %v", n, size, err)
			}
		})).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/", nil))
		if w.Body.Len() != size {
			t.Errorf("%d of %d bytes", w.Body.Len(), size)
		}
	}
}

func TestTheConnectionOfAnUploadThatStalledServesNoOther(t *testing.T) {
	t.Parallel()
	address, ended := uploads(t)
	connection, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close()
	_, _ = io.WriteString(connection, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 8\r\n\r\nhalf")
	if err := <-ended; err == nil {
		t.Error("all of it came")
	}
	_, _ = io.WriteString(connection, "restGET / HTTP/1.1\r\nHost: a\r\n\r\n") // it goes on as if nothing had happened
	_ = connection.SetReadDeadline(time.Now().Add(time.Minute))
	text, err := io.ReadAll(connection)
	if answers := strings.Count(string(text), "HTTP/1.1 "); answers != 1 || err != nil && !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("%d answers, %v: %s", answers, err, text)
	}
}
